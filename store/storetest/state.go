package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"keypact/encoding"
	"keypact/store/kv"
)

// Element is one part of a value: a string's bytes, a list's element (both in
// Value), a set's member (in Name), a hash's field or a sorted set's member
// with its score in the ordered form of package encoding.
type Element struct{ Name, Value string }

// Value is one key as readers see it, and what the store notes of it.
type Value struct {
	Type      encoding.Type
	Elements  []Element // a list's in its order, all others by name
	Expires   int64     // ms since the epoch, 0 is never
	MediaType string

	Version, Changes uint64 // the revision

	ContractID       uint32
	ContractRevision uint64
	Conformant       bool
}

// Same reports whether readers see the same; revisions and contracts aside.
func (v Value) Same(other Value) bool {
	return v.Type == other.Type && v.Expires == other.Expires && v.MediaType == other.MediaType &&
		slices.Equal(v.Elements, other.Elements)
}

// Read returns all keys of the default namespace that are there at a time, in
// ms since the epoch. Records that do not fit together are an error only if
// they cannot be read; see Check.
func Read(r kv.Reader, now int64) (map[string]Value, error) {
	all := map[string]Value{}
	ns, err := defaultNamespace(r)
	if err != nil {
		return nil, err
	}
	metas, err := metaRecords(r, ns)
	if err != nil {
		return nil, err
	}
	for key, m := range metas {
		if m.Expires != 0 && m.Expires <= now {
			continue
		}
		v := Value{
			Type: m.Type, Expires: m.Expires, MediaType: m.MediaType, Version: m.Version, Changes: m.Changes,
			ContractID: m.ContractID, ContractRevision: m.ContractRevision, Conformant: m.Conformant,
		}
		if v.Elements, err = elements(r, ns, key, m); err != nil {
			return nil, fmt.Errorf("key %q: %w", key, err)
		}
		all[key] = v
	}
	return all, nil
}

// defaultNamespace is the number of the default namespace, which changes with
// each flush.
func defaultNamespace(r kv.Reader) (uint32, error) {
	raw, err := r.Get(nil, encoding.AppendNamespaceKey(nil, "0"))
	if err != nil {
		return 0, fmt.Errorf("the default namespace: %w", err)
	}
	return encoding.ParseNamespace(raw)
}

func metaRecords(r kv.Reader, ns uint32) (map[string]*encoding.Meta, error) {
	metas := map[string]*encoding.Meta{}
	prefix := encoding.AppendPrefix(nil, encoding.FamilyMeta, ns)
	err := scan(r, prefix, func(key, value []byte) error {
		_, user, err := encoding.ParseMetaKey(key)
		if err != nil {
			return err
		}
		m := new(encoding.Meta)
		metas[string(user)] = m
		return encoding.ParseMeta(bytes.Clone(value), m)
	})
	return metas, err
}

func elements(r kv.Reader, ns uint32, key string, m *encoding.Meta) (all []Element, err error) {
	if m.Type == encoding.TypeString {
		return []Element{{Value: string(m.Value)}}, nil
	}
	home, family := []byte(key), encoding.FamilyMember
	if m.HasHome {
		home = m.Home
	}
	if m.Type == encoding.TypeList {
		family = encoding.FamilyList
	}
	prefix := encoding.AppendDataPrefix(nil, family, ns, home, m.Version)
	err = scan(r, prefix, func(key, value []byte) error {
		var data encoding.Data
		err := encoding.ParseData(value, &data)
		e := Element{Name: string(key[len(prefix):]), Value: string(data.Value)}
		if m.Type == encoding.TypeList {
			index, _, cut := encoding.CutIndex(key[len(prefix):])
			if err = errors.Join(err, cut); index < m.Left || index >= m.Right {
				return err // it waits for the reclaimer
			}
			e.Name = ""
		}
		all = append(all, e)
		return err
	})
	return all, err
}

func scan(r kv.Reader, prefix []byte, visit func(key, value []byte) error) error {
	var failed error
	err := r.Scan(kv.Range{Lower: prefix, Upper: encoding.PrefixEnd(prefix)}, func(key, value []byte) bool {
		failed = visit(key, value)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// Dump copies every record, but for the sequences and the clock, which may
// move on where nothing else does.
func Dump(r kv.Reader) (map[string]string, error) {
	all := map[string]string{}
	err := r.Scan(kv.Range{}, func(key, value []byte) bool {
		if encoding.Family(key[0]) != encoding.FamilySequence {
			all[string(key)] = string(value)
		}
		return true
	})
	return all, err
}

// Diff says which records differ between two dumps; empty is none.
func Diff(before, after map[string]string) string {
	var out strings.Builder
	both := maps.Clone(before)
	maps.Copy(both, after)
	for _, key := range slices.Sorted(maps.Keys(both)) {
		old, was := before[key]
		present, is := after[key]
		if was == is && old == present {
			continue
		}
		fmt.Fprintf(&out, "%s %x: %s -> %s\n", encoding.Family(key[0]), key, shown(old, was), shown(present, is))
	}
	return out.String()
}

func shown(value string, there bool) string {
	if !there {
		return "nothing"
	}
	return fmt.Sprintf("%x", value)
}
