package servicetest

import (
	"slices"
	"time"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/service"
	"keypact/store/storetest"
)

// faultsOf judges a whole stored value by a contract, element by element,
// without asking how it came to be.
func faultsOf(c *contracts.Contract, key string, v storetest.Value, now int64) []contracts.Violation {
	found := c.CheckKey([]byte(key))
	found = append(found, c.CheckType(contracts.Type(v.Type.String()))...)
	if v.Type != encoding.TypeString {
		found = append(found, c.CheckCount(uint64(len(v.Elements)))...)
	}
	found = append(found, c.CheckTTL(contracts.TTLState{
		Has: v.Expires != 0, Remaining: time.Duration(v.Expires-now) * time.Millisecond,
	})...)
	fields := map[string]bool{}
	for _, e := range v.Elements {
		fields[e.Name] = true
		for _, fault := range elementFaults(c, v.Type, e) {
			fault.Path = []string{"element", e.Name}
			found = append(found, fault)
		}
	}
	if v.Type == encoding.TypeHash {
		for _, name := range c.RequiredFields() {
			if !fields[name] {
				found = append(found, c.MissingField(name))
			}
		}
	}
	return found
}

func elementFaults(c *contracts.Contract, t encoding.Type, e storetest.Element) []contracts.Violation {
	switch t {
	case encoding.TypeString:
		return c.CheckValue([]byte(e.Value))
	case encoding.TypeHash:
		return c.CheckField([]byte(e.Name), []byte(e.Value))
	case encoding.TypeList:
		return c.CheckItem([]byte(e.Value))
	case encoding.TypeSet:
		return c.CheckItem([]byte(e.Name))
	}
	found := c.CheckItem([]byte(e.Name))
	if score, _, err := encoding.CutFloat([]byte(e.Value)); err == nil {
		found = append(found, c.CheckScore(score)...)
	}
	return found
}

// enforced are the violations that reject a write.
func enforced(found []contracts.Violation) []contracts.Violation {
	return slices.DeleteFunc(found, func(v contracts.Violation) bool { return v.Mode != contracts.Enforce })
}

// judgeStep compares what a list of operations left with what was there.
func judgeStep(t tester, before, after look, list []entry, results []service.Result) {
	t.Helper()
	replaced, overwritten := replacing(t, list, results)
	for _, key := range keys {
		old, was := before.values[key]
		present, is := after.values[key]
		if !is {
			continue
		}
		sameRevision := was && old.Version == present.Version && old.Changes == present.Changes
		changed := !was || !old.Same(present)
		// Several operations may add up to nothing, and still be several.
		idle := !changed && len(list) == 1 && !replaced[key]
		if changed && sameRevision || idle && !sameRevision {
			t.Errorf("key %q: changed: %v, but the revision went from %d-%d to %d-%d", key, changed, old.Version, old.Changes, present.Version, present.Changes)
		}
		if sameRevision {
			continue
		}
		judgeKey(t, after, key, present, func(c *contracts.Contract) []contracts.Violation {
			if !was || old.Version != present.Version || overwritten[key] || c.Existing == contracts.Strict {
				return nil
			}
			return enforced(faultsOf(c, key, old, after.now))
		})
	}
	judgePermits(t, after.set, list, results)
}

// judgeKey wants a value that was written to break no rule that it did not
// break before.
func judgeKey(t tester, after look, key string, v storetest.Value, before func(*contracts.Contract) []contracts.Violation) {
	t.Helper()
	c := after.set.Match([]byte(key))
	found := enforced(faultsOf(c, key, v, after.now))
	if len(found) == 0 {
		return
	}
	for _, fault := range contracts.Ratchet(before(c), found) {
		t.Errorf("key %q of contract %q (%s) broke %s %v: %s; it holds %q", key, c.Name, c.Existing, fault.Code, fault.Path, fault.Detail, v.Elements)
	}
}

// judgeNotes wants the store's notes of what conforms to be true.
func judgeNotes(t tester, now look) {
	t.Helper()
	for key, v := range now.values {
		c := now.set.Match([]byte(key))
		if !v.Conformant || v.ContractID != c.ID || v.ContractRevision != c.Revision {
			continue
		}
		for _, fault := range faultsOf(c, key, v, now.now) {
			if fault.Code == contracts.CodeKeyLength {
				continue // a limit of the whole set, which no contract's revision tells
			}
			t.Errorf("key %q is noted to conform to contract %q and breaks %s %v", key, c.Name, fault.Code, fault.Path)
		}
	}
}

// judgePermits wants no operation to succeed that its contracts do not list.
func judgePermits(t tester, set *contracts.Set, list []entry, results []service.Result) {
	t.Helper()
	for i, e := range list {
		if results[i].Err != nil {
			continue
		}
		for _, call := range e.op(t).Calls() {
			c := set.Match(call.Key)
			asked := contracts.Call{Verb: call.Verb, Read: call.Read, Timeout: call.Wait, Count: call.Count}
			for _, fault := range enforced(c.CheckOperation(asked)) {
				t.Errorf("%s succeeded against %s of contract %q", e, fault.Code, c.Name)
			}
		}
	}
}

// replacing are the keys that successful operations gave another value as a
// whole, and of them those whose value keeps its version.
func replacing(t tester, list []entry, results []service.Result) (replaced, overwritten map[string]bool) {
	t.Helper()
	replaced, overwritten = map[string]bool{}, map[string]bool{}
	for i, e := range list {
		if results[i].Err != nil {
			continue
		}
		for _, call := range e.op(t).Calls() {
			switch call.Verb {
			case "SET":
				overwritten[string(call.Key)] = true
			case "COPY", "RENAME", "SUNIONSTORE", "SINTERSTORE", "SDIFFSTORE":
				replaced[string(call.Key)] = true
			case "ZADD": // a member named twice goes there and back
				list, _ := e.members["members"].([]any)
				replaced[string(call.Key)] = len(list) > 1
			}
		}
	}
	return replaced, overwritten
}
