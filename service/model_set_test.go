package service

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"keypact/store"
)

var setSteps = []drawOp{setAdd, setAdd, setMemberAdd, setRemove, setMemberRemove, setMove, setAlgebra, setAlgebra, setPop, setRandom, setPresence, setPages}

func setAdd(t *rapid.T, key string) modelStep {
	op := &SetAdd{Key: Bytes(key), Members: texts(drawElements(t)...), Expiry: drawExpiry(t)}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.open(key, "set")
		if err != nil {
			return nil, err
		}
		before := v.size()
		for _, member := range op.Members {
			v.members[string(member)] = 0
		}
		m.keep(key, v, op.Expiry)
		return SetAdded{Added: uint64(v.size() - before), Count: uint64(v.size())}, nil
	}}
}

func setMemberAdd(t *rapid.T, key string) modelStep {
	op := &SetMemberAdd{Key: Bytes(key), Member: Bytes(drawElement.Draw(t, "member")), Expiry: drawExpiry(t)}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.open(key, "set")
		if err != nil {
			return nil, err
		}
		_, found := v.members[string(op.Member)]
		v.members[string(op.Member)] = 0
		m.keep(key, v, op.Expiry)
		return Stored{Created: !found}, nil
	}}
}

// modelRemove takes members out of a set or a sorted set.
func modelRemove(m *model, key, kind string, members []Bytes) (any, error) {
	v, err := m.open(key, kind)
	if err != nil {
		return nil, err
	}
	before := v.size()
	for _, member := range members {
		delete(v.members, string(member))
	}
	m.keep(key, v, Expiry{})
	return Removal{Removed: uint64(before - v.size()), Count: uint64(v.size())}, nil
}

func setRemove(t *rapid.T, key string) modelStep {
	op := &SetRemove{Key: Bytes(key), Members: texts(drawElements(t)...)}
	return modelStep{op: op, want: func(m *model) (any, error) { return modelRemove(m, key, "set", op.Members) }}
}

func setMemberRemove(t *rapid.T, key string) modelStep {
	op := &SetMemberRemove{Key: Bytes(key), Member: Bytes(drawElement.Draw(t, "member"))}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.present(key, "set")
		if err != nil {
			return nil, err
		}
		if _, found := v.members[string(op.Member)]; !found {
			return nil, store.ErrNotFound
		}
		return modelRemove(m, key, "set", []Bytes{op.Member})
	}}
}

func setMove(t *rapid.T, key string) modelStep {
	to := drawKey.Draw(t, "destination")
	op := &SetMove{Key: Bytes(key), Destination: Bytes(to), Member: Bytes(drawElement.Draw(t, "member"))}
	return modelStep{op: op, want: func(m *model) (any, error) {
		source, err := m.present(key, "set")
		if err != nil {
			return nil, err
		}
		destination, err := m.open(to, "set")
		if err != nil {
			return nil, err
		}
		if _, found := source.members[string(op.Member)]; !found {
			return nil, store.ErrNotFound
		}
		if key != to {
			delete(source.members, string(op.Member))
			destination.members[string(op.Member)] = 0
			m.keep(key, source, Expiry{})
			m.keep(to, destination, Expiry{})
		}
		return Moved{Moved: true}, nil
	}}
}

func setAlgebra(t *rapid.T, key string) modelStep {
	keys := append([]string{key}, rapid.SliceOfN(drawKey, 0, 3).Draw(t, "more keys")...)
	sources := SetSources{Keys: texts(keys...), Limit: rapid.IntRange(0, 3).Draw(t, "limit")}
	if rapid.Bool().Draw(t, "stored") {
		sources.Destination = Bytes(drawKey.Draw(t, "destination"))
	}
	kind := rapid.SampledFrom([]string{"union", "inter", "diff"}).Draw(t, "kind")
	op := map[string]Op{"union": &SetUnion{sources}, "inter": &SetInter{sources}, "diff": &SetDiff{sources}}[kind]
	return modelStep{op: op, want: func(m *model) (any, error) {
		result, err := m.combine(kind, keys)
		if err != nil {
			return nil, err
		}
		if sources.Limit > 0 {
			result = result[:min(len(result), sources.Limit)]
		}
		if sources.Destination == nil {
			return SetResult{Members: texts(result...), Count: uint64(len(result))}, nil
		}
		made := &modelValue{kind: "set", members: map[string]float64{}}
		for _, member := range result {
			made.members[member] = 0
		}
		m.keep(string(sources.Destination), made, Expiry{})
		return Total{Count: uint64(len(result))}, nil
	}}
}

func (m *model) combine(kind string, keys []string) ([]string, error) {
	held := map[string]int{}
	first := map[string]float64{}
	for i, key := range keys {
		v, err := m.open(key, "set")
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = v.members
		}
		for member := range v.members {
			held[member]++
		}
	}
	var out []string
	for member, n := range held {
		_, inFirst := first[member]
		if kind == "union" || kind == "inter" && n == len(keys) || kind == "diff" && n == 1 && inFirst {
			out = append(out, member)
		}
	}
	slices.Sort(out)
	return out, nil
}

// setPop is checked after the fact: what came out was there, is different and
// is gone.
func setPop(t *rapid.T, key string) modelStep {
	op := &SetPop{Key: Bytes(key), Count: new(rapid.Int64Range(1, 3).Draw(t, "count"))}
	return modelStep{op: op, check: func(m *model, value any, err error) error {
		v, failed := m.present(key, "set")
		if failed != nil || err != nil {
			return same(err, failed)
		}
		got := value.(SetPopped)
		n := min(int(*op.Count), v.size())
		for _, member := range got.Members {
			if _, found := v.members[string(member)]; !found {
				return fmt.Errorf("%q came out, it was not there", member)
			}
			delete(v.members, string(member))
		}
		if len(got.Members) != n || got.Count != uint64(v.size()) {
			return fmt.Errorf("got %s, want %d members and %d left", text(got), n, v.size())
		}
		m.keep(key, v, Expiry{})
		return nil
	}}
}

func same(got, want error) error {
	if got == nil || want == nil || word(got) != word(want) {
		return fmt.Errorf("error %v, want %v", got, want)
	}
	return nil
}

func setRandom(t *rapid.T, key string) modelStep {
	op := &SetRandom{Key: Bytes(key), Count: new(rapid.Int64Range(-4, 4).Draw(t, "count"))}
	return modelStep{op: op, check: func(m *model, value any, err error) error {
		v, failed := m.present(key, "set")
		if failed != nil || err != nil {
			return same(err, failed)
		}
		got := value.(SetMembersOf).Members
		distinct := map[string]bool{}
		for _, member := range got {
			if _, found := v.members[string(member)]; !found {
				return fmt.Errorf("%q is not there", member)
			}
			distinct[string(member)] = true
		}
		if *op.Count < 0 && len(got) != int(-*op.Count) || *op.Count >= 0 && (len(got) != min(int(*op.Count), v.size()) || len(distinct) != len(got)) {
			return fmt.Errorf("%d members, %d different", len(got), len(distinct))
		}
		return nil
	}}
}

func setPresence(t *rapid.T, key string) modelStep {
	op := &SetMembers{Key: Bytes(key), Members: texts(drawElements(t)...)}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.present(key, "set")
		if err != nil {
			return nil, err
		}
		present := make([]bool, len(op.Members))
		for i, member := range op.Members {
			_, present[i] = v.members[string(member)]
		}
		return SetPresence{Present: present}, nil
	}}
}

func setPages(t *rapid.T, key string) modelStep {
	op := &SetMembers{Key: Bytes(key), Page: Page{Limit: rapid.IntRange(1, 3).Draw(t, "limit")}}
	if rapid.Bool().Draw(t, "inside") {
		op.Cursor = after([]byte(drawElement.Draw(t, "after")))
	}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.present(key, "set")
		if err != nil {
			return nil, err
		}
		members := slices.Sorted(maps.Keys(v.members))
		if op.Cursor != nil {
			at, found := slices.BinarySearch(members, string(op.Cursor.element()))
			if found {
				at++
			}
			members = members[at:]
		}
		page := SetPage{Members: texts(members[:min(op.Limit, len(members))]...)}
		if len(members) > op.Limit {
			page.Cursor = after([]byte(members[op.Limit-1]))
		}
		return page, nil
	}}
}
