package service

import "keypact/store"

func hashRows() []Row {
	return []Row{
		read[HashGet]("HashGet", verb("HGETALL")),
		read[HashFields]("HashFields", verb("HMGET"), verb("HSCAN")),
		write[HashSet]("HashSet", verb("HSET"), verb("HMSET")),
		write[HashRemove]("HashRemove", verb("HDEL")),
		read[HashCount]("HashCount", verb("HLEN")),
		write[HashDelete]("HashDelete"),
		read[HashFieldGet]("HashFieldGet", verb("HGET")),
		write[HashFieldSet]("HashFieldSet",
			verbWith("HSETNX",
				func(op *HashFieldSet) { op.If = Only(Absent) },
				func(op *HashFieldSet) bool { return op.If.Has(Absent) })),
		write[HashFieldRemove]("HashFieldRemove"),
		write[HashFieldIncr]("HashFieldIncr", hashFieldIncrVerbs()...),
	}
}

// HashGet reads a whole hash, its fields in the order of their bytes. An
// absent key is not found, a key of another type is refused, more than 100,000
// fields are too large: page through those with HashFields.
type HashGet struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// HashValue is the answer of HashGet.
type HashValue struct {
	Fields Fields `json:"fields"`
	Count  uint64 `json:"count"`
	Remaining
}

// Calls declares HGETALL.
func (op HashGet) Calls() []store.Call {
	return []store.Call{{Verb: "HGETALL", Key: op.Key, Read: true}}
}

// Apply reads.
func (op HashGet) Apply(tx *store.Tx) (any, error) {
	h, err := presentHash(tx, op.Key)
	if err != nil {
		return nil, err
	}
	pairs, err := h.All()
	if err != nil {
		return nil, err
	}
	return HashValue{Fields: fieldsOf(pairs), Count: h.Count(), Remaining: remaining(tx, h.Expires())}, nil
}

// presentHash opens a hash that must be there.
func presentHash(tx *store.Tx, key Bytes) (*store.Hash, error) {
	h, err := tx.Hash(key)
	if err == nil && !h.Exists() {
		err = store.ErrNotFound
	}
	return h, err
}

func fieldsOf(pairs []store.Pair) Fields {
	fields := make(Fields, len(pairs))
	for i, p := range pairs {
		fields[i] = Field{Field: p.Field, Value: p.Value}
	}
	return fields
}

// HashSet merges fields into a hash, which it creates. The last value of a
// field that is given twice holds. A time to live, if given, is set on an
// existing hash too. A key of another type is refused; a name beyond 4,096
// bytes or a value beyond 8 MiB less 64 KiB is too large.
type HashSet struct {
	Key    Bytes  `json:"key" validate:"required,key"`
	Fields Fields `json:"fields" validate:"required,min=1"`
	Expiry
}

// FieldsStored is the answer of HashSet: how many fields are new, how many
// have another value than before, and how many there are now.
type FieldsStored struct {
	Added   uint64 `json:"added"`
	Updated uint64 `json:"updated"`
	Count   uint64 `json:"count"`
}

func (op HashSet) check(l Limits) []Issue {
	return append(op.Expiry.check(l), op.Fields.check(l)...)
}

// Calls declares HSET.
func (op HashSet) Calls() []store.Call {
	return []store.Call{{Verb: "HSET", Key: op.Key, DataAt: "fields"}}
}

// Apply writes.
func (op HashSet) Apply(tx *store.Tx) (any, error) {
	h, err := tx.Hash(op.Key)
	if err != nil {
		return nil, err
	}
	var answer FieldsStored
	last := op.Fields.last()
	for i, f := range op.Fields {
		if last[string(f.Field)] != i {
			continue
		}
		tx.At(op.Fields.place(i))
		added, updated, err := h.Put(f.Field, f.Value)
		if err != nil {
			return nil, err
		}
		answer.Added += count(added)
		answer.Updated += count(updated)
	}
	answer.Count = h.Count()
	return answer, expire(tx, h, op.Expiry)
}

// count is 1 for what happened.
func count(happened bool) uint64 {
	if happened {
		return 1
	}
	return 0
}

// HashRemove removes fields; the last one takes the key with it. Fields that
// are absent, and an absent key, are no error. A key of another type is
// refused.
type HashRemove struct {
	Key    Bytes   `json:"key" validate:"required,key"`
	Fields []Bytes `json:"fields" query:"field" validate:"required,min=1,dive,required,element"`
}

// Calls declares HDEL.
func (op HashRemove) Calls() []store.Call {
	return []store.Call{{Verb: "HDEL", Key: op.Key, DataAt: "fields"}}
}

// Apply removes.
func (op HashRemove) Apply(tx *store.Tx) (any, error) {
	h, err := tx.Hash(op.Key)
	if err != nil {
		return nil, err
	}
	removed, err := h.DropAll(rawList(op.Fields))
	return removal(h, removed, err)
}

// HashCount counts the fields of a hash: 0 for an absent key. A key of another
// type is refused.
type HashCount struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls declares HLEN.
func (op HashCount) Calls() []store.Call {
	return []store.Call{{Verb: "HLEN", Key: op.Key, Read: true}}
}

// Apply counts.
func (op HashCount) Apply(tx *store.Tx) (any, error) {
	h, err := tx.Hash(op.Key)
	return total(h, err)
}

// HashDelete deletes a hash in one step, however large. An absent key is not
// found, a key of another type is refused.
type HashDelete struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls declares DEL.
func (op HashDelete) Calls() []store.Call { return deleteCalls(op.Key) }

// Apply deletes.
func (op HashDelete) Apply(tx *store.Tx) (any, error) {
	h, err := tx.Hash(op.Key)
	return remove(h, err)
}
