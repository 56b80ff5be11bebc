package service

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"keypact/contracts"
)

func TestEveryRowIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range Rows() {
		op := row.New()
		if kind := reflect.TypeOf(op).Elem(); kind.Name() != row.Name {
			t.Errorf("%s makes a %s", row.Name, kind.Name())
		}
		if seen[row.Name] {
			t.Errorf("%s is listed twice", row.Name)
		}
		seen[row.Name] = true
		if row.New() == op {
			t.Errorf("%s makes the same operation twice", row.Name)
		}
		if len(op.Calls()) > 0 && onlyReads(op) == row.Write {
			t.Errorf("%s: write is %v, but its calls say otherwise", row.Name, row.Write)
		}
		for _, v := range row.Verbs {
			if seen[v.Name] {
				t.Errorf("%s is listed twice", v.Name)
			}
			seen[v.Name] = true
		}
	}
}

// Contracts name commands by their canonical names, so an operation that
// counted as anything else would slip through them.
func TestEveryCallIsCanonical(t *testing.T) {
	known := contracts.Verbs()
	for _, typ := range []contracts.Type{"string", "hash", "list", "set", "zset"} {
		known = append(known, contracts.ReadVerbsOf(typ)...)
	}
	for _, row := range Rows() {
		ops := []Op{row.New()}
		for _, v := range row.Verbs {
			op, _, _ := NewOp(v.Name)
			ops = append(ops, op)
		}
		for _, op := range ops {
			for _, call := range op.Calls() {
				if !slices.Contains(known, call.Verb) {
					t.Errorf("%s counts as %q, which no contract can name", row.Name, call.Verb)
				}
			}
		}
	}
}

func TestMembersHaveOneNameEach(t *testing.T) {
	for _, row := range Rows() {
		for name := range members(t, reflect.TypeOf(row.New()).Elem()) {
			if name != strings.ToLower(name) {
				t.Errorf("%s has a member %q", row.Name, name)
			}
		}
	}
}

func members(t *testing.T, typ reflect.Type) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for i := range typ.NumField() {
		field := typ.Field(i)
		if field.Anonymous {
			for name := range members(t, field.Type) {
				names[name] = true
			}
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.IsExported() && (name == "" || names[name]) {
			t.Errorf("%s.%s has the name %q", typ.Name(), field.Name, name)
		}
		names[name] = true
	}
	return names
}

func TestCommandsKeepTheirMeaning(t *testing.T) {
	for _, c := range []struct {
		command, members string
		fits             bool
	}{
		{"SET", `"key":"k","value":"v"`, true},
		{"SET", `"key":"k","value":"v","if":"absent"`, true},
		{"set", `"key":"k","value":"v"`, true},
		{"SETNX", `"key":"k","value":"v"`, true},
		{"SETNX", `"key":"k","value":"v","if":"present"`, false},
		{"SETEX", `"key":"k","value":"v"`, false},
		{"SETEX", `"key":"k","value":"v","ttl":5`, true},
		{"APPEND", `"key":"k","append":"v"`, true},
		{"APPEND", `"key":"k","offset":0,"value":"v"`, false},
		{"SETRANGE", `"key":"k","append":"v"`, false},
		{"SETRANGE", `"key":"k","offset":0,"value":"v"`, true},
		{"INCR", `"key":"k"`, true},
		{"INCR", `"key":"k","by":2`, false},
		{"INCRBY", `"key":"k","by":2`, true},
		{"INCRBY", `"key":"k","by":2.5`, false},
		{"INCRBY", `"key":"k"`, false},
		{"DECR", `"key":"k"`, true},
		{"DECRBY", `"key":"k","by":2`, true},
		{"DECRBY", `"key":"k","by":2,"decimal":true`, false},
		{"INCRBYFLOAT", `"key":"k","by":2`, true},
		{"INCRBYFLOAT", `"key":"k","by":2,"decimal":false`, false},
		{"HINCRBY", `"key":"k","field":"f","by":1`, true},
		{"HINCRBY", `"key":"k","field":"f","by":0.1`, false},
		{"HINCRBYFLOAT", `"key":"k","field":"f","by":1`, true},
		{"HMGET", `"key":"k","fields":["f"]`, true},
		{"HMGET", `"key":"k"`, false},
		{"HSCAN", `"key":"k","fields":["f"]`, false},
		{"HSCAN", `"key":"k"`, true},
		{"HSETNX", `"key":"k","field":"f","value":"v"`, true},
		{"HSETNX", `"key":"k","field":"f","value":"v","if":[]`, false},
		{"MSETNX", `"pairs":[{"key":"k","value":"v"}]`, true},
		{"MSETNX", `"pairs":[],"if":[]`, false},
		{"RENAMENX", `"key":"k","destination":"d"`, true},
		{"RENAMENX", `"key":"k","destination":"d","if":[]`, false},
		{"EXPIREAT", `"key":"k","ttl":1`, false},
		{"LPUSH", `"key":"k","items":["a"],"side":"right"`, false},
		{"RPUSH", `"key":"k","items":["a"]`, true},
		{"SCAN", ``, true},
	} {
		op, row, ok := NewOp(c.command)
		if !ok {
			t.Fatalf("no command %s", c.command)
		}
		if row.New == nil || reflect.TypeOf(row.New()) != reflect.TypeOf(op) {
			t.Errorf("%s: the row does not fit the operation", c.command)
		}
		if err := json.Unmarshal([]byte("{"+c.members+"}"), op); err != nil {
			t.Fatalf("%s {%s}: %v", c.command, c.members, err)
		}
		if err := CheckVerb(op, c.command); (err == nil) != c.fits {
			t.Errorf("%s {%s}: %v", c.command, c.members, err)
		}
	}
	if _, _, ok := NewOp("FLUSHALL"); ok {
		t.Error("FLUSHALL is a command")
	}
	if err := CheckVerb(&KeyDelete{}, "FLUSHALL"); err == nil {
		t.Error("an operation is FLUSHALL")
	}
}

// A preset must not leak from one operation into the next.
func TestOperationsAreNotShared(t *testing.T) {
	first, _, _ := NewOp("SETNX")
	second, _, _ := NewOp("SET")
	if len(first.(*StringSet).If) != 1 || second.(*StringSet).If != nil {
		t.Errorf("%v, %v", first, second)
	}
}
