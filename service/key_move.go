package service

import "keypact/store"

// KeyRename gives a key another name, its time to live included, in place of
// what stood there; with if absent only where nothing stands (412). An absent
// key is not found. Both keys' contracts are asked, and the destination's
// judges the value.
type KeyRename struct {
	Key         Bytes      `json:"key" validate:"required,key"`
	Destination Bytes      `json:"destination" validate:"required,key"`
	If          Conditions `json:"if,omitzero" validate:"conditions=absent"`
}

// Renamed is the answer of KeyRename.
type Renamed struct {
	Renamed bool `json:"renamed"` // always true
}

// Calls declares RENAME of both keys.
func (op KeyRename) Calls() []store.Call {
	return []store.Call{
		{Verb: "RENAME", Key: op.Key},
		{Verb: "RENAME", Key: op.Destination, KeyAt: "destination"},
	}
}

// Apply renames.
func (op KeyRename) Apply(tx *store.Tx) (any, error) {
	k, err := presentKey(tx, op.Key)
	if err != nil {
		return nil, err
	}
	if op.If.Has(Absent) {
		if err := wantAbsent(tx, op.Destination); err != nil {
			return nil, err
		}
	}
	return Renamed{Renamed: true}, k.Rename(op.Destination)
}

func wantAbsent(tx *store.Tx, key Bytes) error {
	k, err := tx.Key(key)
	if err == nil && k.Exists() {
		err = store.ErrPrecondition
	}
	return err
}

// KeyCopy copies a key, its time to live included, to where nothing stands
// (412), or with replace in place of what stands there. An absent key is not
// found. A copy of any size appears as a whole; inside a batch one that a
// transaction cannot hold is too large. The destination's contract judges every
// element.
type KeyCopy struct {
	Key         Bytes `json:"key" validate:"required,key"`
	Destination Bytes `json:"destination" validate:"required,key"`
	Replace     bool  `json:"replace,omitzero"`
}

// Copied is the answer of KeyCopy.
type Copied struct {
	Copied bool `json:"copied"` // always true
}

// Calls declares COPY on the destination, and a read of the key.
func (op KeyCopy) Calls() []store.Call {
	return []store.Call{
		{Verb: "COPY", Key: op.Key, Read: true},
		{Verb: "COPY", Key: op.Destination, KeyAt: "destination", DataAt: "destination"},
	}
}

// Apply copies.
func (op KeyCopy) Apply(tx *store.Tx) (any, error) {
	k, err := presentKey(tx, op.Key)
	if err != nil {
		return nil, err
	}
	if string(op.Key) == string(op.Destination) {
		return nil, store.ErrSameKey
	}
	if !op.Replace {
		if err := wantAbsent(tx, op.Destination); err != nil {
			return nil, err
		}
	}
	return Copied{Copied: true}, k.CopyTo(op.Destination)
}
