package store

import (
	"keypact/contracts"
	"keypact/encoding"
	"keypact/store/kv"
)

// judgeContent judges every element of a key whose contract is strict about
// existing data, unless the operation's own elements were at fault already. It
// reports whether the key is clean.
func (tx *Tx) judgeContent(st *keyState, clean bool) (bool, error) {
	if st.tainted {
		return false, nil
	}
	note := func(found []contracts.Violation) {
		for _, v := range found {
			clean = false
			v.Phase = contracts.PhaseResult
			v.Path = st.call.dataPath()
			tx.op.found = append(tx.op.found, Violation{Violation: v, Operation: st.operation, Verb: st.call.Verb, DataKey: st.key})
		}
	}
	if st.unwritten != nil {
		note(st.unwritten.found)
		return clean, nil
	}
	r, err := tx.reread(st)
	if err != nil {
		return false, err
	}
	err = r.eachElement(func(name, value []byte) error {
		note(r.checkElement(name, value))
		return nil
	})
	return clean, err
}

// checkElement judges one element by its type's rules. name is the field or
// member, value the field's value, the list's element, or the zset's score in
// its ordered form.
func (r *record) checkElement(name, value []byte) []contracts.Violation {
	c := r.contract
	switch r.meta.Type {
	case encoding.TypeString:
		return c.CheckValue(value)
	case encoding.TypeHash:
		return c.CheckField(name, value)
	case encoding.TypeList:
		return c.CheckItem(value)
	case encoding.TypeSet:
		return c.CheckItem(name)
	case encoding.TypeZSet:
		found := c.CheckItem(name)
		if score, _, err := encoding.CutFloat(value); err == nil {
			found = append(found, c.CheckScore(score)...)
		}
		return found
	}
	return nil
}

// eachElement visits all elements in the order of their records. The slices
// are valid only during the call. An error from visit ends the walk.
func (r *record) eachElement(visit func(name, value []byte) error) error {
	if !r.exists {
		return nil
	}
	if r.meta.Type == encoding.TypeString {
		return visit(nil, r.meta.Value)
	}
	family := encoding.FamilyMember
	if r.meta.Type == encoding.TypeList {
		family = encoding.FamilyList
	}
	return r.scan(family, kv.Range{}, visit)
}

// scan visits the records of one family of the key's data. Lower and Upper of
// the range are relative to the key's prefix; nil is the end of the family.
// visit gets what follows the prefix, and the data record's value.
func (r *record) scan(f encoding.Family, within kv.Range, visit func(name, value []byte) error) error {
	if f == encoding.FamilyList {
		within = r.inside(within)
	}
	prefix := r.prefix(f)
	if f == encoding.FamilyScore {
		within = r.withinMarks(within)
	}
	bounds := within
	bounds.Lower = append(append([]byte(nil), prefix...), within.Lower...)
	if within.Upper != nil {
		bounds.Upper = append(append([]byte(nil), prefix...), within.Upper...)
	} else {
		bounds.Upper = encoding.PrefixEnd(prefix)
	}
	var failed error
	err := r.tx.r.Scan(bounds, func(key, raw []byte) bool {
		value := raw
		if !within.KeysOnly && f != encoding.FamilyScore {
			if value, failed = r.parse(raw); failed != nil {
				return false
			}
		}
		failed = visit(key[len(prefix):], value)
		return failed == nil
	})
	if failed == errStop {
		return nil
	}
	if failed != nil {
		return failed
	}
	return err
}
