package contracts

import "slices"

// neverOld are the codes of violations that lie in the request, not in stored
// data, and so cannot have been there before.
var neverOld = map[string]bool{
	CodeTypeLocked: true, CodeOperationDenied: true, CodeArgumentRange: true, CodeKeyLength: true, CodeResultItems: true, CodeTTLMin: true,
}

// Ratchet returns those violations of after that were not there before, in
// their order: the ones that reject a write to a key whose contract has
// existing: ratchet. A violation was there before if before holds one with the
// same code, rule and path about the same value; each one of before excuses
// one of after. What is counted or timed (too many elements, too long a
// lifetime) is excused as long as it did not grow. Violations of the request
// itself (type, operation, arguments, key length, result size, a lifetime
// that was just set) are never excused. A new, overwritten or renamed key has
// no before: pass nil.
func Ratchet(before, after []Violation) []Violation {
	var fresh []Violation
	used := make([]bool, len(before))
	for i := range after {
		if !excused(before, used, &after[i]) {
			fresh = append(fresh, after[i])
		}
	}
	return fresh
}

func excused(before []Violation, used []bool, v *Violation) bool {
	if neverOld[v.Code] {
		return false
	}
	for i := range before {
		if !used[i] && before[i].covers(v) {
			used[i] = true
			return true
		}
	}
	return false
}

// covers reports whether v is the same violation as old, or a lesser one.
func (old *Violation) covers(v *Violation) bool {
	if old.Code != v.Code || old.Rule != v.Rule || old.Contract != v.Contract || !slices.Equal(old.Path, v.Path) {
		return false
	}
	if old.measured && v.measured {
		return v.measure <= old.measure
	}
	return old.subject != nil && v.subject != nil && *old.subject == *v.subject
}
