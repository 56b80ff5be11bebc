package service

import (
	"strconv"

	"keypact/store"
)

func keyRows() []Row {
	return []Row{
		read[KeyInfo]("KeyInfo", verb("TYPE")),
		read[KeyExists]("KeyExists", verb("EXISTS")),
		write[KeyDelete]("KeyDelete", verb("DEL")),
		write[KeysDelete]("KeysDelete", verb("UNLINK")),
		read[KeysPage]("KeysPage", verb("SCAN")),
		read[KeyTTLGet]("KeyTTLGet", verb("PTTL"), verb("TTL")),
		write[KeyTTLSet]("KeyTTLSet",
			verb("EXPIRE"),
			verb("PEXPIRE"),
			verbWith("EXPIREAT", nil, func(op *KeyTTLSet) bool { return !op.ExpiresAt.IsZero() })),
		write[KeyTTLClear]("KeyTTLClear", verb("PERSIST")),
		write[KeyRename]("KeyRename",
			verb("RENAME"),
			verbWith("RENAMENX",
				func(op *KeyRename) { op.If = Only(Absent) },
				func(op *KeyRename) bool { return op.If.Has(Absent) })),
		write[KeyCopy]("KeyCopy", verb("COPY")),
	}
}

// KeyInfo says what a key holds. An absent key is not found; one that is not
// of the type asked for, if any, is refused.
type KeyInfo struct {
	Key  Bytes  `json:"key" validate:"required,key"`
	Type string `json:"type,omitzero" validate:"omitempty,oneof=string hash list set zset"`
}

// KeyDescription is the answer of KeyInfo. A string has bytes, all else has a
// count of elements.
type KeyDescription struct {
	Key   Bytes   `json:"key"`
	Type  string  `json:"type"`
	Count *uint64 `json:"count,omitzero"`
	Bytes *uint64 `json:"bytes,omitzero"`
	Remaining
	Revision string  `json:"revision"`
	Contract *string `json:"contract"` // null if none governs the key
}

// RevisionText is how a revision is written, in answers and in entity tags.
func RevisionText(r store.Revision) string {
	return strconv.FormatUint(r.Version, 10) + "-" + strconv.FormatUint(r.Changes, 10)
}

// Calls declares TYPE.
func (op KeyInfo) Calls() []store.Call {
	return []store.Call{{Verb: "TYPE", Key: op.Key, Read: true}}
}

// Apply reads.
func (op KeyInfo) Apply(tx *store.Tx) (any, error) {
	k, err := op.open(tx)
	if err != nil {
		return nil, err
	}
	if !k.Exists() {
		return nil, store.ErrNotFound
	}
	answer := KeyDescription{
		Key:       op.Key,
		Type:      k.Type().String(),
		Remaining: remaining(tx, k.Expires()),
		Revision:  RevisionText(k.Revision()),
	}
	if k.Type() == store.TypeString {
		answer.Bytes = new(uint64(k.Length()))
	} else {
		answer.Count = new(k.Count())
	}
	if c := k.Contract(); c.Governed() {
		answer.Contract = new(c.Name)
	}
	return answer, nil
}

func (op KeyInfo) open(tx *store.Tx) (*store.Key, error) {
	if t, ok := store.ParseType(op.Type); ok {
		return tx.Typed(op.Key, t)
	}
	return tx.Key(op.Key)
}

// KeyExists says whether a key is there. An absent one is no error.
type KeyExists struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Existence is the answer of KeyExists.
type Existence struct {
	Exists bool `json:"exists"`
}

// Calls declares EXISTS.
func (op KeyExists) Calls() []store.Call {
	return []store.Call{{Verb: "EXISTS", Key: op.Key, Read: true}}
}

// Apply looks.
func (op KeyExists) Apply(tx *store.Tx) (any, error) {
	k, err := tx.Key(op.Key)
	if err != nil {
		return nil, err
	}
	return Existence{Exists: k.Exists()}, nil
}

// KeyDelete deletes a key of any type in one step, however large. An absent
// key is not found.
type KeyDelete struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls declares DEL.
func (op KeyDelete) Calls() []store.Call { return deleteCalls(op.Key) }

func deleteCalls(key Bytes) []store.Call { return []store.Call{{Verb: "DEL", Key: key}} }

// Apply deletes.
func (op KeyDelete) Apply(tx *store.Tx) (any, error) {
	k, err := tx.Key(op.Key)
	return remove(k, err)
}

// KeysDelete deletes many keys of any type in one step. Absent ones are no
// error.
type KeysDelete struct {
	Keys []Bytes `json:"keys" query:"key" validate:"required,min=1,max=1000,dive,required,key"`
}

// KeysRemoved is the answer of KeysDelete: how many keys there were.
type KeysRemoved struct {
	Removed uint64 `json:"removed"`
}

// Calls declares DEL of each key.
func (op KeysDelete) Calls() []store.Call {
	calls := make([]store.Call, len(op.Keys))
	for i, key := range op.Keys {
		calls[i] = store.Call{Verb: "DEL", Key: key, KeyAt: "keys"}
	}
	return calls
}

// Apply deletes.
func (op KeysDelete) Apply(tx *store.Tx) (any, error) {
	var answer KeysRemoved
	for _, key := range op.Keys {
		k, err := tx.Key(key)
		if err != nil {
			return nil, err
		}
		answer.Removed += count(k.Exists())
		if err := k.Remove(); err != nil {
			return nil, err
		}
	}
	return answer, nil
}
