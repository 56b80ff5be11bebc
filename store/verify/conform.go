package verify

import (
	"time"

	"keypact/contracts"
	"keypact/encoding"
)

// judges holds keys against a set of contracts.
type judges struct {
	w       *walk
	set     *contracts.Set // nil judges nothing
	records map[string]encoding.ContractRecord
	present map[*contracts.Contract]encoding.ContractRecord // those whose content the store knows
}

func (j *judges) known(name string, rec encoding.ContractRecord) {
	if j.records == nil {
		j.records = map[string]encoding.ContractRecord{}
	}
	j.records[name] = rec
}

// open finds out which of the contracts are those that the store judged by.
func (j *judges) open(w *walk) {
	j.w, j.set = w, w.o.Set
	if j.set == nil {
		return
	}
	w.report.Contracts = new(ContractTotals)
	j.present = map[*contracts.Contract]encoding.ContractRecord{}
	for _, c := range j.set.Contracts() {
		if rec, found := j.records[c.Name]; found && rec.Hash == c.Hash() {
			j.present[c] = rec
		}
	}
}

// verdict is what is known of one key and its contract.
type verdict struct {
	e        *entry
	contract *contracts.Contract // nil is not judged
	marked   bool                // as conforming to the contract as it is
	broken   int                 // rules
	first    string              // what is said of the first of them
	required map[string]bool     // required fields that were not seen yet
}

// begin judges the key itself. Only with count does it add to the totals, since
// a renamed key is met twice: at its name and where its data lies.
func (j *judges) begin(e *entry, count bool) verdict {
	v := verdict{e: e}
	if j.set == nil || j.w.flushed[e.ns] != nil {
		return v
	}
	c := j.set.Match(e.key)
	if !c.Governed() {
		return v
	}
	m, totals := &e.m, j.w.report.Contracts
	rec, present := j.present[c]
	same := present && m.ContractID == rec.ID && m.ContractRevision == rec.Revision
	v.marked = same && m.Conformant
	if count {
		totals.Governed++
		switch {
		case v.marked:
			totals.Marked++
		case m.ContractID != 0 && !same:
			totals.Outdated++
		}
	}
	if m.HasHome == count && m.Type != encoding.TypeString {
		return v // judged where the data lies
	}
	v.contract = c
	v.note(c.CheckKey(e.key))
	v.note(c.CheckType(contracts.Type(m.Type.String())))
	v.note(c.CheckTTL(contracts.TTLState{
		Has: m.Expires != 0, Remaining: time.Duration(m.Expires-j.w.now) * time.Millisecond,
	}))
	if m.Type == encoding.TypeString {
		return v
	}
	v.note(c.CheckCount(m.Count))
	if m.Type == encoding.TypeHash {
		v.required = map[string]bool{}
		for _, name := range c.RequiredFields() {
			v.required[name] = true
		}
	}
	return v
}

// note takes what a rule says. The longest key is one for all contracts, and no
// part of any revision.
func (v *verdict) note(found []contracts.Violation) {
	for i := range found {
		if found[i].Code == contracts.CodeKeyLength {
			continue
		}
		if v.broken++; v.broken == 1 {
			v.first = found[i].Code + ": " + found[i].Detail
		}
	}
}

func (v *verdict) judgeValue(value []byte) {
	if v.contract != nil {
		v.note(v.contract.CheckValue(value))
	}
}

func (v *verdict) judgeField(field, value []byte) {
	if v.contract != nil {
		delete(v.required, string(field))
		v.note(v.contract.CheckField(field, value))
	}
}

func (v *verdict) judgeItem(item []byte) {
	if v.contract != nil {
		v.note(v.contract.CheckItem(item))
	}
}

func (v *verdict) judgeScore(score float64) {
	if v.contract != nil {
		v.note(v.contract.CheckScore(score))
	}
}

// finishVerdict says what came of it.
func (v *verdict) finishVerdict() {
	if v.contract == nil {
		return
	}
	for name := range v.required {
		v.note([]contracts.Violation{v.contract.MissingField(name)})
	}
	e := v.e
	switch {
	case v.broken == 0:
	case v.marked:
		unmark := e.edit(func(m *encoding.Meta) { m.Conformant = false })
		e.fault(CodeUntrue, unmark, "it is marked as conforming to contract %q and breaks %d of its rules, first %s", v.contract.Name, v.broken, v.first)
	default:
		e.w.report.Contracts.Violating++
		if e.w.o.Unmarked {
			e.fault(CodeViolated, nil, "it breaks %d rules of contract %q, first %s", v.broken, v.contract.Name, v.first)
		}
	}
}
