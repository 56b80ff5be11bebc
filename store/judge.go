package store

import (
	"maps"
	"slices"
	"time"

	"keypact/contracts"
	"keypact/encoding"
)

// keyState is a key that a list of operations writes: how it was, how it is,
// and what the rules on whole values need to know about the way between.
type keyState struct {
	ns        uint32 // id of its namespace
	key       []byte
	contract  *contracts.Contract
	call      Call // of the last operation that touched it
	operation int
	before    summary
	after     summary
	fresh     bool            // created, overwritten or renamed to: nothing of the former value is excused
	ttlSet    bool            // an operation of the list set a time to live
	tainted   bool            // an element was written against the contract
	required  map[string]bool // required fields that were written: were they there before the list?
	unwritten *unwritten      // in place of data that a dry run does not write; nil if it is all there
}

// judgeLater enters a key into the list of keys to judge.
func (tx *Tx) judgeLater(r *record, call Call) *keyState {
	at := idKey{r.ns, string(r.key)}
	if st := tx.keys[at]; st != nil {
		tx.op.saved = append(tx.op.saved, st.save())
		st.call, st.operation = call, tx.op.index
		return st
	}
	st := &keyState{
		ns: r.ns, key: r.key, contract: r.contract, call: call, operation: tx.op.index, before: r.loaded,
	}
	if tx.keys == nil {
		tx.keys = make(map[idKey]*keyState)
	}
	tx.keys[at] = st
	tx.order = append(tx.order, st)
	return st
}

// savedState is a key state with what it was before an operation changed it.
type savedState struct {
	st  *keyState
	was keyState
}

func (st *keyState) save() savedState {
	was := *st
	was.required = maps.Clone(st.required)
	return savedState{st, was}
}

// restoreStates forgets what the running operation noted of keys.
func (tx *Tx) restoreStates() {
	for _, s := range slices.Backward(tx.op.saved) {
		*s.st = s.was
	}
	for _, st := range tx.order[min(tx.op.ordered, len(tx.order)):] {
		delete(tx.keys, idKey{st.ns, string(st.key)})
	}
	tx.order = tx.order[:min(tx.op.ordered, len(tx.order))]
}

// remember notes whether a required field existed before the list.
func (st *keyState) remember(field []byte, existed bool) {
	for _, name := range st.contract.RequiredFields() {
		if name != string(field) {
			continue
		}
		if st.required == nil {
			st.required = make(map[string]bool)
		}
		if _, known := st.required[name]; !known {
			st.required[name] = existed && !st.fresh
		}
	}
}

// judgeWhole judges the rules on whole values for every key that was touched
// and forgets them.
func (tx *Tx) judgeWhole() error {
	for _, st := range tx.order {
		if err := tx.judgeKey(st); err != nil {
			return err
		}
	}
	clear(tx.keys)
	tx.order = tx.order[:0]
	return nil
}

func (tx *Tx) judgeKey(st *keyState) error {
	if !st.after.exists || !slices.Contains(tx.ids, st.ns) {
		return nil // gone, alone or with its namespace
	}
	found, err := tx.wholeViolations(st, st.after, true)
	if err != nil {
		return err
	}
	old := st.before.exists && !st.fresh
	faulty := len(found) > 0
	if faulty && old && st.contract.Existing == contracts.Ratcheted {
		before, err := tx.wholeViolations(st, st.before, false)
		if err != nil {
			return err
		}
		found = contracts.Ratchet(before, found)
	}
	for _, v := range found {
		tx.violateKey(st, v)
	}
	clean := !faulty && !st.tainted
	if old && st.contract.Existing == contracts.Strict && !tx.conforms(st.before, st.contract) {
		if clean, err = tx.judgeContent(st, clean); err != nil {
			return err
		}
	}
	return tx.noteConformance(st, clean)
}

// wholeViolations judges one state of a key, without the places in the request.
func (tx *Tx) wholeViolations(st *keyState, sum summary, after bool) ([]contracts.Violation, error) {
	c := st.contract
	found := c.CheckKey(st.key)
	found = append(found, c.CheckType(contracts.Type(sum.typ.String()))...)
	if collection(sum.typ) {
		found = append(found, c.CheckCount(sum.count)...)
	}
	found = append(found, c.CheckTTL(contracts.TTLState{
		Has:       sum.expires != 0,
		Remaining: time.Duration(sum.expires-tx.now) * time.Millisecond,
		Set:       after && st.ttlSet,
	})...)
	if sum.typ != encoding.TypeHash {
		return found, nil
	}
	for _, name := range c.RequiredFields() {
		there, err := tx.hasRequired(st, name, after)
		if err != nil {
			return nil, err
		}
		if !there {
			found = append(found, c.MissingField(name))
		}
	}
	return found, nil
}

func (tx *Tx) hasRequired(st *keyState, name string, after bool) (bool, error) {
	if existed, known := st.required[name]; known && !after {
		return existed, nil
	}
	if u := st.unwritten; u != nil {
		return u.required[name], nil
	}
	r, err := tx.reread(st)
	if err != nil {
		return false, err
	}
	_, found, err := r.member([]byte(name))
	return found, err
}

// reread opens a key afresh, outside the running operation.
func (tx *Tx) reread(st *keyState) (*record, error) {
	outer := tx.op
	tx.op = frame{}
	r, err := tx.peekIn(slices.Index(tx.ids, st.ns), st.key)
	tx.op = outer
	return r, err
}

// violateKey notes a violation of a rule on a whole value, at the member of
// the request that brought it about.
func (tx *Tx) violateKey(st *keyState, v contracts.Violation) {
	v.Path = wholePath(st.call, v.Code)
	tx.op.found = append(tx.op.found, Violation{Violation: v, Operation: st.operation, Verb: st.call.Verb, DataKey: st.key})
}

func wholePath(call Call, code string) []string {
	switch code {
	case contracts.CodeItemsMax, contracts.CodeFieldMissing:
		return call.dataPath()
	case contracts.CodeTTLRequired, contracts.CodeTTLForbidden, contracts.CodeTTLMin, contracts.CodeTTLMax:
		if saysTTL[call.Verb] && call.KeyAt != "destination" {
			return []string{"ttl"}
		}
	}
	return call.keyPath()
}

// saysTTL are the commands whose request has a member ttl. Those that move a
// value, or take from it, have none to point at.
var saysTTL = map[string]bool{
	"SET": true, "APPEND": true, "SETRANGE": true, "INCRBY": true, "INCRBYFLOAT": true,
	"HSET": true, "HSETNX": true, "HINCRBY": true, "HINCRBYFLOAT": true,
	"LPUSH": true, "RPUSH": true, "LPUSHX": true, "RPUSHX": true,
	"SADD": true, "ZADD": true, "ZINCRBY": true, "EXPIRE": true,
}

// conforms reports whether a state is known to meet a contract as it is now.
func (tx *Tx) conforms(sum summary, c *contracts.Contract) bool {
	return sum.conformant && sum.contractID == c.ID && sum.revision == c.Revision
}

// noteConformance brings the meta record in line with the verdict.
func (tx *Tx) noteConformance(st *keyState, clean bool) error {
	c, after := st.contract, st.after
	if c.ID == 0 || tx.w == nil {
		return nil
	}
	known := after.contractID == c.ID && after.revision == c.Revision
	switch {
	case !clean && after.conformant:
		return tx.rewriteMeta(st, func(m *encoding.Meta) { m.Conformant = false })
	case clean && !(known && after.conformant) && (st.fresh || c.Existing == contracts.Strict):
		return tx.rewriteMeta(st, func(m *encoding.Meta) {
			m.ContractID, m.ContractRevision, m.Conformant = c.ID, c.Revision, true
		})
	}
	return nil
}

// rewriteMeta changes a meta record in a way that no reader sees.
func (tx *Tx) rewriteMeta(st *keyState, edit func(*encoding.Meta)) error {
	meta, err := tx.load(st.ns, st.key)
	if err != nil || meta == nil {
		return err
	}
	edit(meta)
	tx.op.did.wrote = true
	return tx.w.Set(metaKey(st.ns, st.key), encoding.AppendMeta(nil, meta))
}
