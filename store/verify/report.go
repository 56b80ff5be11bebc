package verify

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Key is a user's key. In JSON it is a string, or {"base64": ".."} if it is not
// UTF-8, and null where a fault is of no key.
type Key []byte

// MarshalJSONTo writes the key.
func (k Key) MarshalJSONTo(enc *jsontext.Encoder) error {
	if k == nil {
		return enc.WriteToken(jsontext.Null)
	}
	if !utf8.Valid(k) {
		out := base64.StdEncoding.AppendEncode(append(enc.AvailableBuffer(), `{"base64":"`...), k)
		return enc.WriteValue(append(out, `"}`...))
	}
	quoted, err := jsontext.AppendQuote(enc.AvailableBuffer(), k)
	if err != nil {
		return err
	}
	return enc.WriteValue(quoted)
}

// Fault is one thing that does not fit.
type Fault struct {
	Code       Code   `json:"code"`
	Key        Key    `json:"key"`
	Detail     string `json:"detail"`
	Repairable bool   `json:"repairable"`
}

// String is the fault in one line.
func (f Fault) String() string {
	where := ""
	if f.Key != nil {
		where = " key " + strconv.Quote(string(f.Key)) + ":"
	}
	how := ""
	if f.Repairable {
		how = " (repairable)"
	}
	return fmt.Sprintf("%s:%s %s%s", f.Code, where, f.Detail, how)
}

// Tally is how many there are of one kind.
type Tally struct {
	Code  Code   `json:"code"`
	Count uint64 `json:"count"`
}

// FamilyTotals are the records of one family, with the bytes of their keys and
// values before compression.
type FamilyTotals struct {
	Family  string `json:"family"`
	Records uint64 `json:"records"`
	Bytes   uint64 `json:"bytes"`
}

// KeyTotals are the keys by their type, expired ones that wait for the worker
// included.
type KeyTotals struct {
	Total  uint64 `json:"total"`
	String uint64 `json:"string"`
	Hash   uint64 `json:"hash"`
	List   uint64 `json:"list"`
	Set    uint64 `json:"set"`
	ZSet   uint64 `json:"zset"`
}

// ContractTotals are the keys that a contract governs.
type ContractTotals struct {
	Governed  uint64 `json:"governed"`
	Marked    uint64 `json:"marked"`    // as conforming to the contract's present revision
	Outdated  uint64 `json:"outdated"`  // judged by another revision, or by another contract
	Violating uint64 `json:"violating"` // not marked, and breaking the contract
}

// Report is what a walk found.
type Report struct {
	Clean      bool            `json:"clean"`      // no fault
	Records    uint64          `json:"records"`    // of all families
	Keys       KeyTotals       `json:"keys"`       //
	Elements   uint64          `json:"elements"`   // of collections
	Trees      uint64          `json:"trees"`      // keys with a counted tree
	Reclaim    uint64          `json:"reclaim"`    // values and parts that wait to be deleted
	Dead       uint64          `json:"dead"`       // records of theirs
	Stages     uint64          `json:"stages"`     // values that are being filled, or were when the process ended
	Families   []FamilyTotals  `json:"families"`   // those that have records
	Contracts  *ContractTotals `json:"contracts"`  // null if no contracts were given
	Found      uint64          `json:"found"`      // faults
	Repairable uint64          `json:"repairable"` // of these
	Codes      []Tally         `json:"codes"`      // faults by code
	Faults     []Fault         `json:"faults"`     // the first of them
	Repaired   []Tally         `json:"repaired"`   // what Repair mended, by code
	Seconds    float64         `json:"seconds"`    // that it took
}

// WriteText writes the report for a person.
func (r *Report) WriteText(w io.Writer) error {
	var out []byte
	line := func(format string, args ...any) { out = append(fmt.Appendf(out, format, args...), '\n') }
	k := r.Keys
	line("%d keys (%d strings, %d hashes, %d lists, %d sets, %d zsets), %d elements, %d trees",
		k.Total, k.String, k.Hash, k.List, k.Set, k.ZSet, r.Elements, r.Trees)
	line("%d dead values wait to be deleted, %d records of theirs; %d values are being filled", r.Reclaim, r.Dead, r.Stages)
	for _, f := range r.Families {
		line("  %-10s %12d records %15d bytes", f.Family, f.Records, f.Bytes)
	}
	if c := r.Contracts; c != nil {
		line("contracts govern %d keys: %d are marked as conforming, %d were judged by another revision, %d break theirs unmarked",
			c.Governed, c.Marked, c.Outdated, c.Violating)
	}
	for _, t := range r.Repaired {
		line("mended %d of %s", t.Count, t.Code)
	}
	for _, f := range r.Faults {
		line("%s", f)
	}
	if more := r.Found - uint64(len(r.Faults)); more > 0 {
		line("and %d more", more)
	}
	for _, t := range r.Codes {
		line("%d of %s", t.Count, t.Code)
	}
	verdict := "clean"
	if !r.Clean {
		verdict = fmt.Sprintf("%d faults, %d of them can be mended", r.Found, r.Repairable)
	}
	line("%s: %d records in %s", verdict, r.Records, time.Duration(r.Seconds*float64(time.Second)).Round(time.Millisecond))
	_, err := w.Write(out)
	return err
}

// tallies puts counts in the order of their codes.
func tallies(counts map[Code]uint64) []Tally {
	list := make([]Tally, 0, len(counts))
	for code, n := range counts {
		list = append(list, Tally{code, n})
	}
	slices.SortFunc(list, func(a, b Tally) int { return cmp.Compare(a.Code, b.Code) })
	return list
}
