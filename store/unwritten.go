package store

import (
	"slices"

	"keypact/contracts"
	"keypact/encoding"
)

// unwritten is what judges need to know of a new generation that a dry run does
// not write: for them to look at its records afterwards, there are none.
type unwritten struct {
	required map[string]bool       // required fields it has
	found    []contracts.Violation // of its elements; under existing: strict only
}

// dryly notes one element of a generation that is staged in a dry run. key is
// that of its data record.
func (r *record) dryly(key, value []byte) {
	if st := r.tx.stage; st == nil || !st.dry || !st.holds(key) {
		return
	}
	name := key[len(r.prefix(encoding.FamilyMember)):]
	u := r.state.unwritten
	if u == nil {
		u = &unwritten{required: make(map[string]bool)}
		r.state.unwritten = u
	}
	if r.meta.Type == encoding.TypeHash && slices.Contains(r.contract.RequiredFields(), string(name)) {
		u.required[string(name)] = true
	}
	if r.contract.Existing == contracts.Strict {
		u.found = append(u.found, r.checkElement(name, value)...)
	}
}
