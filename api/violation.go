package api

import (
	"cmp"
	"slices"
	"strconv"

	"keypact/service"
)

// violation is one broken rule of a contract, in the words of an answer. It is
// the same object whether the write was refused, let pass with a warning, or
// only asked about.
type violation struct {
	Code      string `json:"code"`
	Pointer   string `json:"pointer,omitzero"`
	Parameter string `json:"parameter,omitzero"`
	Detail    string `json:"detail"`
	Rule      string `json:"rule,omitzero"`
	Limit     any    `json:"limit,omitzero"`
	Actual    any    `json:"actual,omitzero"`
	Phase     string `json:"phase,omitzero"`

	// Where the violations of one answer are of several contracts, commands or
	// keys, each says its own.
	Contract  string        `json:"contract,omitzero"`
	Operation string        `json:"operation,omitzero"`
	DataKey   service.Bytes `json:"data_key,omitzero"`
}

// governing is the contract that was violated.
type governing struct {
	Name     string `json:"name"`
	Revision uint64 `json:"revision"`
	Key      string `json:"key"`
	Mode     string `json:"mode"`
}

// place is where in a request something stands.
type place struct{ pointer, parameter string }

// place finds the place of a member's path: a parameter if the member stands
// in the path or the query, else a pointer into the body.
func (src source) place(path []string) place {
	if len(path) == 0 {
		return place{}
	}
	if e := src.endpoint; e != nil {
		if m := e.plan.member(path[0]); m != nil {
			switch {
			case e.inPath(m):
				return place{parameter: m.name}
			case src.raw && slices.Contains(e.inRaw, m.name):
				return place{pointer: "#"}
			case !src.body:
				return place{parameter: m.query}
			}
		}
	}
	return place{pointer: pointerTo(path...)}
}

// violations puts violations into the words of an answer: in the order of the
// request, then by code, each once, and at most 100 of them. The count is that
// of all.
func (src source) violations(found []service.Violation) (out []violation, count int) {
	found = distinct(found)
	slices.SortStableFunc(found, func(a, b service.Violation) int { return cmp.Compare(a.Operation, b.Operation) })
	out = make([]violation, 0, min(len(found), maxFaults))
	for _, v := range found[:min(len(found), maxFaults)] {
		at := src.place(src.path(v))
		out = append(out, violation{
			Code: v.Code, Pointer: at.pointer, Parameter: at.parameter, Detail: v.Detail, Rule: v.Rule,
			Limit: v.Limit, Actual: v.Actual, Phase: v.Phase,
		})
		if mixed(found) {
			last := &out[len(out)-1]
			last.Contract, last.Operation, last.DataKey = v.Contract, v.Verb, dataKey(v)
		}
	}
	return out, len(found)
}

// path is the path of a violation from the root of the request.
func (src source) path(v service.Violation) []string {
	if !src.batch {
		return v.Path
	}
	return append([]string{"operations", strconv.Itoa(v.Operation)}, v.Path...)
}

// distinct drops what was said before: a rule broken twice by one value.
func distinct(found []service.Violation) []service.Violation {
	type identity struct{ code, rule, detail, path, key string }
	seen := make(map[identity]bool, len(found))
	out := make([]service.Violation, 0, len(found))
	for _, v := range found {
		id := identity{v.Code, v.Rule, v.Detail, strconv.Itoa(v.Operation) + pointerTo(v.Path...), string(v.DataKey)}
		if !seen[id] {
			seen[id] = true
			out = append(out, v)
		}
	}
	return out
}

// mixed reports whether violations are of several contracts, commands or keys.
func mixed(found []service.Violation) bool {
	for _, v := range found[1:] {
		if v.Contract != found[0].Contract || v.Verb != found[0].Verb || string(v.DataKey) != string(found[0].DataKey) {
			return true
		}
	}
	return false
}

// dataKey is the key of a violation as an answer shows it; the empty key is
// one too.
func dataKey(v service.Violation) service.Bytes { return append(service.Bytes{}, v.DataKey...) }

// violated makes the problem one of violated contracts.
func (p *problem) violated(found []service.Violation, src source) {
	list, count := src.violations(found)
	truncated := count > len(list)
	p.Errors, p.ErrorCount, p.Truncated = list, count, &truncated
	if len(found) == 0 || mixed(found) {
		return
	}
	first := found[0]
	p.Operation, p.DataKey = first.Verb, dataKey(first)
	p.Contract = &governing{Name: first.Contract, Revision: first.Revision, Key: first.Key, Mode: string(first.Mode)}
}
