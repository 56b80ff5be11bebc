package main

import (
	"reflect"

	"keypact/store"
)

// withoutTrees switches counted trees off in the options of a store and
// reports whether this store can do without them.
func withoutTrees(o *store.Options) bool {
	field := reflect.ValueOf(o).Elem().FieldByName("NoTrees")
	if !field.IsValid() {
		return false
	}
	field.SetBool(true)
	return true
}
