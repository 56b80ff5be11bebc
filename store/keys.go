package store

import (
	"bytes"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/store/kv"
)

// Type is what a key holds, as the TYPE command names it.
type Type = encoding.Type

// The five types.
const (
	TypeString = encoding.TypeString
	TypeHash   = encoding.TypeHash
	TypeList   = encoding.TypeList
	TypeSet    = encoding.TypeSet
	TypeZSet   = encoding.TypeZSet
)

// ParseType reads the name of a type, in lower case.
func ParseType(name string) (Type, bool) { return encoding.ParseType(name) }

// Key is a key of whatever type as the running operation sees it.
type Key struct{ handle }

// Key opens a key of any type, or an absent one.
func (tx *Tx) Key(key []byte) (*Key, error) {
	r, err := tx.peek(key)
	if err != nil {
		return nil, err
	}
	return &Key{handle{r}}, nil
}

// KeyIn is Key in a namespace, given by its name. A namespace that does not
// exist is ErrNoNamespace.
func (tx *Tx) KeyIn(space string, key []byte) (*Key, error) {
	i, err := tx.number(space)
	if err != nil {
		return nil, err
	}
	r, err := tx.peekIn(i, key)
	if err != nil {
		return nil, err
	}
	return &Key{handle{r}}, nil
}

// Typed opens a key that must be absent or of one type, else ErrWrongType.
func (tx *Tx) Typed(key []byte, t Type) (*Key, error) {
	r, err := tx.open(key, t)
	if err != nil {
		return nil, err
	}
	return &Key{handle{r}}, nil
}

// Type is the type of the key's value; 0 for an absent key.
func (k *Key) Type() Type {
	if !k.r.exists {
		return 0
	}
	return k.r.meta.Type
}

// Length is the size of a string in bytes; 0 for all else.
func (k *Key) Length() int {
	if k.Type() != TypeString {
		return 0
	}
	return len(k.r.meta.Value)
}

// Contract governs the key.
func (k *Key) Contract() *contracts.Contract { return k.r.contract }

// Revision names the state the operation found, and changed, the key in.
func (k *Key) Revision() Revision { return k.r.revision() }

// PutString makes the key a string, whatever it held. It expires at the given
// ms since the epoch, never if that is 0, or when it would have anyway if
// keepTTL is set. A string that was there keeps its version. One that stays as
// it is counts as overwritten, but as no change.
func (k *Key) PutString(value []byte, mediaType string, expires int64, keepTTL bool) error {
	r := k.r
	kept := k.Expires()
	same := k.Type() == TypeString
	if err := k.becomeString(same); err != nil {
		return err
	}
	put := r.setValue
	if same && bytes.Equal(value, r.meta.Value) {
		put = func([]byte) error { return r.confirmValue() }
	}
	if err := put(value); err != nil {
		return err
	}
	if r.meta.MediaType != mediaType {
		r.meta.MediaType = mediaType
		r.dirty = true
	}
	if keepTTL {
		r.meta.Expires = kept
		return nil
	}
	// Without a time of its own the value takes its contract's, counted anew.
	if ttl := r.contract.DefaultTTL(); expires == 0 && ttl > 0 && r.contract.Mode != contracts.Off {
		expires = r.tx.now + ttl.Milliseconds()
	}
	return r.setExpiry(expires)
}

// becomeString prepares the key for a value that replaces all it held.
func (k *Key) becomeString(same bool) error {
	if !same {
		return k.r.replace(TypeString)
	}
	if err := k.r.touch(); err != nil {
		return err
	}
	k.r.overwritten()
	return nil
}

// KeyFilter chooses keys of a page. Zero fields choose all.
type KeyFilter struct {
	Prefix   []byte                // what keys start with
	Match    func(key []byte) bool // nil accepts all
	Type     Type
	Contract string // name of the contract that governs the key
}

// Keys reads up to limit keys, in their order, that the filter chooses. It
// starts behind the key after, or at the front if that is nil, and looks at up
// to scanned keys, so that a page may be short or empty before the end. next is
// what to pass as after to go on; nil says that the end is reached. Expired
// keys are absent.
func (tx *Tx) Keys(after []byte, limit, scanned int, filter KeyFilter) (page [][]byte, next []byte, err error) {
	seen, last := 0, []byte{}
	more := false
	tx.blind = true
	var failed error
	err = tx.r.Scan(tx.keyRange(after, filter.Prefix), func(raw, value []byte) bool {
		if more = len(page) == limit || seen == scanned; more {
			return false
		}
		seen++
		var key []byte
		if _, key, failed = encoding.ParseMetaKey(raw); failed != nil {
			return false
		}
		last = append(last[:0], key...)
		var chosen bool
		if chosen, failed = tx.chooses(filter, key, value); chosen {
			page = append(page, append([]byte{}, key...))
		}
		return failed == nil
	})
	if failed != nil {
		err = failed
	}
	if err != nil || !more {
		return page, nil, err
	}
	return page, last, nil
}

// keyRange covers the meta records of keys with a prefix, behind a key.
func (tx *Tx) keyRange(after, prefix []byte) kv.Range {
	// The key's end mark has two bytes; without it the key is a prefix.
	lower := metaKey(tx.ns(), prefix)
	lower = lower[:len(lower)-2]
	within := kv.Range{Lower: lower, Upper: encoding.PrefixEnd(lower)}
	if after != nil {
		if start := metaKey(tx.ns(), behind(after)); bytes.Compare(start, lower) > 0 {
			within.Lower = start
		}
	}
	if bytes.Compare(within.Lower, within.Upper) > 0 {
		within.Lower = within.Upper
	}
	return within
}

func (tx *Tx) chooses(filter KeyFilter, key, value []byte) (bool, error) {
	var meta encoding.Meta
	if err := encoding.ParseMeta(value, &meta); err != nil {
		return false, err
	}
	return (meta.Expires == 0 || meta.Expires > tx.now) &&
		(filter.Type == 0 || meta.Type == filter.Type) &&
		(filter.Match == nil || filter.Match(key)) &&
		(filter.Contract == "" || tx.set.Match(key).Name == filter.Contract), nil
}
