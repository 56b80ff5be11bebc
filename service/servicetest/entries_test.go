package servicetest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"keypact/service"
)

// entry is one operation as a request writes it: the name of its row, or a
// Redis command, and its members.
type entry struct {
	name    string
	members map[string]any
}

// op makes the operation anew, since operations fill in their own defaults.
func (e entry) op(t tester) service.Op {
	t.Helper()
	op, _, command := service.NewOp(e.name)
	if !command {
		op = rowNamed(e.name).New()
	}
	raw, err := json.Marshal(e.members, json.Deterministic(true))
	if err == nil {
		err = json.Unmarshal(raw, op, json.RejectUnknownMembers(true))
	}
	if err == nil && command {
		err = service.CheckVerb(op, e.name)
	}
	if err != nil {
		t.Fatalf("%s: %v", e, err)
	}
	return op
}

func (e entry) String() string {
	raw, err := json.Marshal(e.members, json.Deterministic(true))
	if err != nil {
		return err.Error()
	}
	return e.name + " " + string(raw)
}

// GoString is what a failing test prints.
func (e entry) GoString() string { return e.String() }

func rowNamed(name string) service.Row {
	rows := service.Rows()
	return rows[slices.IndexFunc(rows, func(r service.Row) bool { return r.Name == name })]
}

// drawing draws the members of one operation.
type drawing func(d *draw) map[string]any

// drawings has one drawing for each operation of the service.
var drawings = func() map[string]drawing {
	all := map[string]drawing{}
	for _, table := range []map[string]drawing{stringDrawings, hashDrawings, listDrawings, setDrawings, zsetDrawings, keyDrawings} {
		maps.Copy(all, table)
	}
	return all
}()

// TestEveryOperationIsDrawn: an operation that joins the service joins these
// tests.
func TestEveryOperationIsDrawn(t *testing.T) {
	var rows []string
	for _, row := range service.Rows() {
		rows = append(rows, row.Name)
	}
	slices.Sort(rows)
	if drawn := slices.Sorted(maps.Keys(drawings)); !slices.Equal(rows, drawn) {
		t.Errorf("operations %v\ndrawings %v", rows, drawn)
	}
}

// operationNames lists the operations to draw from, by the type they are about;
// "" is all. Those that write come three times, since reads leave nothing to
// look at, and those of every type once more in each list.
var operationNames = func() map[string][]string {
	names := map[string][]string{}
	for _, row := range service.Rows() {
		times := 1
		if row.Write {
			times = 3
		}
		for range times {
			names[""] = append(names[""], row.Name)
			for _, kind := range []string{"string", "hash", "list", "set", "zset"} {
				if strings.HasPrefix(row.Name, "Key") || strings.HasPrefix(strings.ToLower(row.Name), kind) {
					names[kind] = append(names[kind], row.Name)
				}
			}
		}
	}
	return names
}()

// drawEntry draws any operation. One that is about the type in focus is more
// likely, so that its few keys meet many of them.
func drawEntry(t *rapid.T, now int64, focus string) entry {
	return anyEntry(now, focus).Draw(t, "operation")
}

// drawFocus draws what a run is mostly about; "" is everything.
func drawFocus(t *rapid.T) string {
	return pick(&draw{T: t}, "", "string", "hash", "list", "set", "zset")
}

func anyEntry(now int64, focus string) *rapid.Generator[entry] {
	return rapid.Custom(func(t *rapid.T) entry {
		d := &draw{T: t, now: now, focus: focus}
		names := operationNames[focus]
		if d.chance(6) {
			names = operationNames[""]
		}
		name := pick(d, names...)
		e := entry{name, drawings[name](d)}
		maps.DeleteFunc(e.members, func(_ string, value any) bool { return value == nil })
		return e
	})
}

// fromText is an operation of a command, a key and the JSON of the other
// members.
func fromText(t tester, name, key, members string) service.Op {
	t.Helper()
	e := entry{name: name, members: map[string]any{}}
	if err := json.Unmarshal([]byte(members), &e.members); err != nil {
		t.Fatal(err)
	}
	if key != "" {
		e.members["key"] = key
	}
	return e.op(t)
}

// under is the same operation on keys with a prefix. It never waits, and it
// lists no keys: those of others are not its own.
func (e entry) under(prefix string) entry {
	out := entry{e.name, maps.Clone(e.members)}
	delete(out.members, "wait")
	for _, name := range []string{"key", "destination"} {
		if key, ok := out.members[name].(service.Bytes); ok {
			out.members[name] = service.Bytes(prefix + string(key))
		}
	}
	for _, name := range []string{"keys", "pairs"} {
		list, _ := out.members[name].([]any)
		moved := make([]any, len(list))
		for i, item := range list {
			switch item := item.(type) {
			case service.Bytes:
				moved[i] = service.Bytes(prefix + string(item))
			case map[string]any:
				moved[i] = entry{members: item}.under(prefix).members
			}
		}
		if list != nil {
			out.members[name] = moved
		}
	}
	return out
}
