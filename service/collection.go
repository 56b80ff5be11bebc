package service

import (
	"fmt"

	"keypact/store"
)

// Total answers how many elements a collection has.
type Total struct {
	Count uint64 `json:"count"`
}

// Removal answers how many elements were removed and how many are left.
type Removal struct {
	Removed uint64 `json:"removed"`
	Count   uint64 `json:"count"`
}

// collection is what the handles of the store have in common.
type collection interface {
	Exists() bool
	Count() uint64
	Expire(at int64) error
	Remove() error
}

// expire gives a key the time to live that the request asks for, if any.
func expire(tx *store.Tx, c collection, e Expiry) error {
	at, err := e.at(tx)
	if err != nil || at == 0 {
		return err
	}
	return c.Expire(at)
}

// remove deletes a key that must be there.
func remove(c collection, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if !c.Exists() {
		return nil, store.ErrNotFound
	}
	return Stored{}, c.Remove()
}

// total counts the elements of a key; an absent one has none.
func total(c collection, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return Total{Count: c.Count()}, nil
}

// removal answers a removal.
func removal(c collection, removed uint64, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return Removal{Removed: removed, Count: c.Count()}, nil
}

// bytesList gives a list of the store the type that answers are written with.
// It is never nil.
func bytesList(list [][]byte) []Bytes {
	out := make([]Bytes, len(list))
	for i, b := range list {
		out[i] = b
	}
	return out
}

// countOr is a count that may be left out.
func countOr(count *int64, fallback int64) int64 {
	if count == nil {
		return fallback
	}
	return *count
}

// together refuses members that have no meaning beside another.
func together(with string, given map[string]bool, order ...string) []Issue {
	var issues []Issue
	for _, name := range order {
		if given[name] {
			issues = append(issues, Issue{Path: []string{name}, Detail: fmt.Sprintf("has no meaning together with %s", with)})
		}
	}
	return issues
}

// without refuses members that have a meaning only beside another.
func without(needed string, given map[string]bool, order ...string) []Issue {
	var issues []Issue
	for _, name := range order {
		if given[name] {
			issues = append(issues, Issue{Path: []string{name}, Detail: fmt.Sprintf("has no meaning without %s", needed)})
		}
	}
	return issues
}

// pageSize refuses pages past the limit.
func pageSize(n int64, l Limits) []Issue {
	if n <= int64(l.PageSize) {
		return nil
	}
	return []Issue{{Path: []string{"limit"}, Detail: fmt.Sprintf("must be at most %d", l.PageSize)}}
}
