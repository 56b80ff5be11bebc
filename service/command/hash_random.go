package command

import (
	"fmt"
	"math"

	"keypact/store"
)

// hashRandom is HRANDFIELD key [count [WITHVALUES]]. A negative count may give a
// field more than once.
func hashRandom(a *Args) (Call, error) {
	key := a.Next()
	if !a.More() {
		return a.readingHash(key, func(h *store.Hash) (Reply, error) {
			pairs, err := h.Random(1)
			if err != nil || len(pairs) == 0 {
				return Null{}, err
			}
			return Bulk(pairs[0].Field), nil
		})
	}
	count, err := a.Int()
	if err != nil {
		return Call{}, err
	}
	if count == math.MinInt64 {
		return Call{}, Error(fmt.Sprintf("ERR value is out of range, value must between %d and %d", -math.MaxInt64, math.MaxInt64))
	}
	withValues := a.Token("WITHVALUES")
	if err := a.End(); err != nil {
		return Call{}, err
	}
	if withValues && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		return Call{}, errOutOfRange
	}
	return a.readingHash(key, func(h *store.Hash) (Reply, error) {
		pick, n := h.Random, uint64(count)
		if count < 0 {
			pick, n = h.RandomRepeated, uint64(-count)
		}
		pairs, err := pick(n)
		return randomReply(pairs, withValues), err
	})
}

func randomReply(pairs []store.Pair, withValues bool) Array {
	out := make(Array, len(pairs))
	for i, p := range pairs {
		out[i] = Bulk(p.Field)
		if withValues {
			out[i] = Pair{Bulk(p.Field), Bulk(p.Value)}
		}
	}
	return out
}
