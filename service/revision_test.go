package service

import (
	"testing"

	"keypact/store"
)

func TestRevisions(t *testing.T) {
	f := newFixture(t, "")
	revision := func(command, members string) store.Revision {
		t.Helper()
		result, err := f.Do(t.Context(), f.op(command, members))
		if err != nil {
			t.Fatalf("%s {%s}: %v", command, members, err)
		}
		return result.ETag
	}
	first := revision("SET", `"key":"a","value":"x"`)
	if first.Version == 0 || first.Changes != 1 {
		t.Errorf("a new key has revision %v", first)
	}
	for _, c := range []struct {
		command, members string
		changes          uint64
	}{
		{"GET", `"key":"a"`, 1},
		{"SET", `"key":"a","value":"x"`, 1},
		{"APPEND", `"key":"a","append":""`, 1},
		{"SETRANGE", `"key":"a","offset":0,"value":"x"`, 1},
		{"PERSIST", `"key":"a"`, 1},
		{"SET", `"key":"a","value":"y"`, 2},
		{"EXPIRE", `"key":"a","ttl":"1m"`, 3},
		{"EXPIRE", `"key":"a","ttl":"1m"`, 3},
		{"SET", `"key":"a","value":"y","keep_ttl":true`, 3},
		{"SET", `"key":"a","value":"y"`, 4},
		{"SET", `"key":"a","value":"y","media_type":"text/plain"`, 5},
		{"COPY", `"key":"a","destination":"b"`, 5},
	} {
		if got := revision(c.command, c.members); got != (store.Revision{Version: first.Version, Changes: c.changes}) {
			t.Errorf("%s {%s}: revision %v, want %v changes", c.command, c.members, got, c.changes)
		}
	}
	if got := revision("RENAME", `"key":"a","destination":"b"`); got != (store.Revision{}) {
		t.Errorf("a renamed key leaves revision %v", got)
	}
	if got := revision("GET", `"key":"b"`); got != (store.Revision{Version: first.Version, Changes: 6}) {
		t.Errorf("renamed to revision %v", got)
	}
	if got := revision("DEL", `"key":"b"`); got != (store.Revision{}) {
		t.Errorf("a deleted key has revision %v", got)
	}
	if again := revision("SET", `"key":"b","value":"y"`); again.Version <= first.Version || again.Changes != 1 {
		t.Errorf("made anew it has revision %v after %v", again, first)
	}
}
