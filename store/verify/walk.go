package verify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"keypact/encoding"
	"keypact/store/kv"
)

// walk is one verification of one snapshot. What it holds is bounded by
//
//   - one record per family, the path down one tree (its levels times the
//     size of a node), and what it counts of the present key;
//   - one small entry for each value that waits to be reclaimed, each stage,
//     each namespace and each contract;
//   - the versions in use, 2 bytes each at most where many lie together, as
//     they do; a run of versions of which all are in use takes a few bytes;
//   - the faults it lists;
//   - if data seems to belong to no key, where the renamed keys without an
//     alias have theirs.
type walk struct {
	ctx    context.Context
	r      kv.Reader
	o      Options
	now    int64 // no record is from later
	report Report
	mender *mender // nil if nothing is to be mended
	codes  map[Code]uint64
	totals map[encoding.Family]*FamilyTotals
	err    error // that ends the walk

	everyRecord uint64 // the context is looked at, and Progress called

	format     bool
	sequences  map[string]uint64 // by engine key
	counters   map[uint32]int64
	shards     map[uint32][][]byte // engine keys of the parts of a counter
	namespaces map[uint32]string   // names, by id
	names      map[string]uint32
	contracts  map[uint32]encoding.ContractRecord
	judges     judges
	newest     int64 // creation time

	versions *roaring64.Bitmap
	highest  uint64            // version or number of a reclaim record
	keys     map[uint32]uint64 // by namespace

	dead    map[string]*reclaim // values that wait to be reclaimed, by place
	parts   map[string]parts    // parts of lists that do, by place
	flushed map[uint32]*reclaim
	stages  map[string][]byte // engine keys, by place
	renamed map[string][]byte // keys without an alias, by place; see claims

	blind bool // a key cannot be read, so data without a key may be its

	merged  []*cursor // one per family of records of keys
	seed    maphash.Seed
	scratch []byte
}

func newWalk(ctx context.Context, r kv.Reader, o Options) *walk {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	w := &walk{
		ctx: ctx, r: r, o: o, now: o.Now, codes: map[Code]uint64{}, totals: map[encoding.Family]*FamilyTotals{},
		sequences: map[string]uint64{}, counters: map[uint32]int64{}, shards: map[uint32][][]byte{},
		namespaces: map[uint32]string{}, names: map[string]uint32{}, contracts: map[uint32]encoding.ContractRecord{},
		versions: roaring64.New(), keys: map[uint32]uint64{},
		dead: map[string]*reclaim{}, parts: map[string]parts{}, flushed: map[uint32]*reclaim{}, stages: map[string][]byte{},
		seed: maphash.MakeSeed(), everyRecord: stepRecords,
	}
	w.report.Faults, w.report.Families, w.report.Repaired = []Fault{}, []FamilyTotals{}, []Tally{}
	return w
}

// run goes over all records.
func (w *walk) run() (*Report, error) {
	w.system()
	w.waiting()
	w.strangers()
	w.homes()
	w.expiries()
	if w.err != nil {
		return nil, w.err
	}
	w.finish()
	return w.sum(), w.err
}

// sum completes the report.
func (w *walk) sum() *Report {
	rep := &w.report
	for _, f := range w.totals {
		rep.Families = append(rep.Families, *f)
	}
	slices.SortFunc(rep.Families, func(a, b FamilyTotals) int { return cmp.Compare(a.Family, b.Family) })
	rep.Codes = tallies(w.codes)
	if w.misses() {
		rep.Repairable -= w.codes[CodeOrphan]
		for i := range rep.Faults {
			f := &rep.Faults[i]
			f.Repairable = f.Repairable && f.Code != CodeOrphan
		}
	}
	rep.Clean = rep.Found == 0
	return rep
}

// misses reports whether data that belongs to no key might be that of one which
// cannot be read or lacks its elements.
func (w *walk) misses() bool { return w.blind || w.codes[CodeLost] > 0 }

// fault notes a fault of a key, which may be nil, and has it mended. A nil mend
// says that it cannot be.
func (w *walk) fault(code Code, key []byte, mend mend, format string, args ...any) {
	rep := &w.report
	rep.Found++
	w.codes[code]++
	if mend != nil {
		rep.Repairable++
	}
	if len(rep.Faults) < w.o.Limit {
		rep.Faults = append(rep.Faults, Fault{code, bytes.Clone(key), fmt.Sprintf(format, args...), mend != nil})
	}
	if mend != nil && w.mender != nil && w.err == nil {
		w.err = w.mender.mend(code, mend)
	}
}

// stepRecords is how many records are read between two looks at the context.
const stepRecords = 4096

// tally counts a record that was read and reports whether to go on.
func (w *walk) tally(key, value []byte) bool {
	f := encoding.Family(key[0])
	t := w.totals[f]
	if t == nil {
		t = &FamilyTotals{Family: f.String()}
		w.totals[f] = t
	}
	t.Records++
	t.Bytes += uint64(len(key) + len(value))
	if w.report.Records++; w.report.Records%w.everyRecord == 0 {
		if w.err == nil {
			w.err = context.Cause(w.ctx)
		}
		if w.o.Progress != nil {
			w.o.Progress(Progress{Family: t.Family, Records: w.report.Records, Expected: w.o.Expected})
		}
	}
	return w.err == nil
}

// records visits a range. A record that the engine cannot read is a fault, and
// the walk goes on behind it.
func (w *walk) records(within kv.Range, visit func(key, value []byte) bool) {
	for w.err == nil {
		var last []byte
		ended := false
		err := w.r.Scan(within, func(key, value []byte) bool {
			last = append(last[:0], key...)
			ended = !w.tally(key, value) || !visit(key, value)
			return !ended
		})
		if err == nil || ended || w.err != nil {
			return
		}
		if last != nil {
			within.Lower = append(last, 0)
		}
		bad, failed := w.first(within)
		if bad == nil {
			w.err = errors.Join(err, failed)
			return
		}
		w.fault(CodeUnreadable, nil, nil, "record %s: %v", shown(bad), err)
		w.blind = w.blind || encoding.Family(bad[0]) == encoding.FamilyMeta
		within.Lower = append(bad, 0)
	}
}

// first is the key of the first record of a range, read without its value.
func (w *walk) first(within kv.Range) (first []byte, err error) {
	within.KeysOnly, within.Limit = true, 1
	err = w.r.Scan(within, func(key, _ []byte) bool {
		first = bytes.Clone(key)
		return false
	})
	return first, err
}

// each visits the records of a family. An error says that the codec cannot read
// one.
func (w *walk) each(f encoding.Family, visit func(key, value []byte) error) {
	w.records(familyRange(f), func(key, value []byte) bool {
		if err := visit(key, value); err != nil {
			w.corrupt(nil, key, err)
		}
		return true
	})
}

func familyRange(f encoding.Family) kv.Range { return prefixRange([]byte{byte(f)}) }

func prefixRange(prefix []byte) kv.Range {
	return kv.Range{Lower: prefix, Upper: encoding.PrefixEnd(prefix)}
}

// corrupt notes a record that is not of the form of its family.
func (w *walk) corrupt(user, key []byte, err error) {
	w.fault(CodeCorrupt, user, nil, "record %s of %s: %v", shown(key), encoding.Family(key[0]), err)
}

// shown is an engine key for a message.
func shown(key []byte) string {
	const longest = 64
	if len(key) > longest {
		return hex.EncodeToString(key[:longest]) + "..."
	}
	return hex.EncodeToString(key)
}

// get reads one record; nil is a missing one. readable is false if the engine
// fails, which the walk over the record's family reports.
func (w *walk) get(key []byte) (value []byte, readable bool) {
	value, err := w.r.Get(nil, key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil, true
	}
	return value, err == nil
}

// strangers wants nothing but records of families that are in use.
func (w *walk) strangers() {
	between := []struct{ from, to encoding.Family }{
		{encoding.FamilyContract + 1, encoding.FamilyMeta},
		{encoding.FamilyAlias + 1, encoding.FamilyExpiry},
		{encoding.FamilyFieldExpiry, encoding.FamilyReclaim},
		{encoding.FamilyStage + 1, 0},
	}
	for _, b := range between {
		within := kv.Range{Lower: []byte{byte(b.from)}, Upper: []byte{byte(b.to)}}
		if b.to == 0 {
			within.Upper = nil
		}
		w.records(within, func(key, _ []byte) bool {
			w.fault(CodeUnknown, nil, nil, "record %s of %s: nothing writes that yet", shown(key), encoding.Family(key[0]))
			return true
		})
	}
}

// form wants a record to be just how it is written.
func (w *walk) form(user, key, value, again []byte) {
	if bytes.Equal(value, again) {
		return
	}
	key, again = bytes.Clone(key), bytes.Clone(again)
	w.fault(CodeForm, user, put(key, again), "record %s of %s is not how it is written", shown(key), encoding.Family(key[0]))
}

// seen notes when a record was made.
func (w *walk) seen(user []byte, ms int64) {
	if ms > 0 && ms <= w.now {
		w.newest = max(w.newest, ms)
		return
	}
	w.fault(CodeTime, user, nil, "a record is from %d, it is %d", ms, w.now)
}

// claim notes a number of the store's sequence that is in use.
func (w *walk) claim(n uint64) (first bool) {
	if n <= versionMost {
		w.highest = max(w.highest, n)
	}
	return w.versions.CheckedAdd(n)
}

// next is the first number of the store's sequence that is not handed out.
func (w *walk) next() uint64 { return w.sequences[string(encoding.SequenceKey())] }
