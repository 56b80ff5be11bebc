package storetest

import (
	"context"

	"keypact/contracts"
	"keypact/store/kv"
	"keypact/store/verify"
)

// maxFaults is how many faults Check lists; a broken store has them by the
// thousand.
const maxFaults = 50

// Check verifies a store and says in words what does not fit together; nil is a
// sound store. See package verify for what it looks at. now is the store's
// time, in ms since the epoch, at or behind its last write. An error of the
// reader is a fault like others.
func Check(r kv.Reader, now int64) []string { return CheckContracts(r, now, nil) }

// CheckContracts is Check that also holds the keys that are marked as
// conforming to their contracts against these.
func CheckContracts(r kv.Reader, now int64, set *contracts.Set) (faults []string) {
	report, err := verify.Walk(context.Background(), r, verify.Options{Now: now, Exact: true, Limit: maxFaults, Set: set})
	if err != nil {
		return []string{err.Error()}
	}
	for _, f := range report.Faults {
		faults = append(faults, f.String())
	}
	return faults
}
