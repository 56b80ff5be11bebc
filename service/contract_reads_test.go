package service_test

import (
	"testing"

	"keypact/service"
)

// readRequests has members for every operation that reads, on keys of its type.
var readRequests = []struct{ op, typ, members string }{
	{"StringGet", "string", `"key":"k:1"`},
	{"StringRange", "string", `"key":"k:1","start":0`},
	{"StringLength", "string", `"key":"k:1"`},
	{"StringsGet", "string", `"keys":["free","k:1"]`},
	{"HashGet", "hash", `"key":"k:1"`},
	{"HashFields", "hash", `"key":"k:1","fields":["a"]`},
	{"HashFields", "hash", `"key":"k:1"`},
	{"HashCount", "hash", `"key":"k:1"`},
	{"HashFieldGet", "hash", `"key":"k:1","field":"a"`},
	{"ListRange", "list", `"key":"k:1"`},
	{"ListGet", "list", `"key":"k:1","index":0`},
	{"ListCount", "list", `"key":"k:1"`},
	{"SetGet", "set", `"key":"k:1"`},
	{"SetCount", "set", `"key":"k:1"`},
	{"SetMembers", "set", `"key":"k:1"`},
	{"SetMembers", "set", `"key":"k:1","members":["a"]`},
	{"SetMemberGet", "set", `"key":"k:1","member":"a"`},
	{"SetRandom", "set", `"key":"k:1"`},
	{"SetUnion", "set", `"keys":["free","k:1"]`},
	{"SetInter", "set", `"keys":["free","k:1"]`},
	{"SetDiff", "set", `"keys":["free","k:1"]`},
	{"ZSetRange", "zset", `"key":"k:1"`},
	{"ZSetRange", "zset", `"key":"k:1","by":"member"`},
	{"ZSetRange", "zset", `"key":"k:1","members":["a"]`},
	{"ZSetCount", "zset", `"key":"k:1"`},
	{"ZSetCount", "zset", `"key":"k:1","by":"score"`},
	{"ZSetCount", "zset", `"key":"k:1","by":"lex"`},
	{"ZSetMemberGet", "zset", `"key":"k:1","member":"a"`},
	{"KeyInfo", "set", `"key":"k:1"`},
	{"KeyExists", "set", `"key":"k:1"`},
	{"KeyTTLGet", "set", `"key":"k:1"`},
}

// TestReadsAreOpenUnlessListed: a contract limits reads only if it says so, and
// then each read needs to be listed, there or not.
func TestReadsAreOpenUnlessListed(t *testing.T) {
	l := openContractLab(t, "")
	tried := map[string]bool{"KeysPage": true} // it opens no key
	for _, r := range readRequests {
		tried[r.op] = true
		at := "key"
		op := l.op(r.op, r.members)
		calls := op.Calls()
		governed := calls[len(calls)-1]
		if governed.KeyAt != "" {
			at = governed.KeyAt
		}
		if !governed.Read {
			t.Errorf("%s {%s} does not count as a read", r.op, r.members)
		}
		line := r.op + " " + r.members
		l.govern(ruledBy(r.typ, "operations: [MOVE]"))
		if got := l.do(line); got != "ok" && got != "not_found not-found" {
			t.Errorf("%s where reads are open: %s", line, got)
		}
		l.govern(ruledBy(r.typ, "operations: [MOVE], reads: listed"))
		l.refuse(line, "operation.denied "+at)
		if got := l.batch(line); got != "operation.denied 0/"+at {
			t.Errorf("%s in a batch: %s", line, got)
		}
		l.govern(ruledBy(r.typ, "operations: [MOVE, "+governed.Verb+"], reads: listed"))
		if got := l.do(line); got != "ok" && got != "not_found not-found" {
			t.Errorf("%s where it is listed: %s", line, got)
		}
	}
	for _, row := range service.Rows() {
		if !row.Write && !tried[row.Name] {
			t.Errorf("operation %s reads and has no contract case", row.Name)
		}
	}
}
