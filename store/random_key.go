package store

import (
	"bytes"

	"keypact/encoding"
	"keypact/store/kv"
)

// exactPick is up to how many keys RandomKey counts keys off to find one.
const exactPick = 1000

// randomDraws are the keys that RandomKey chooses from in a large namespace, and
// livePicks how often it picks anew if the key has expired.
const (
	randomDraws = 4
	livePicks   = 8
)

// RandomKey picks a key of the namespace that the operation is in; nil if there
// is none. Among up to 1,000 keys each is equally likely. Among more it costs
// some hundred seeks however many there are: every key may be picked, and how
// likely it is depends, weakly, on how keys are spread, since the store does not
// count them by range. Expired keys are absent.
func (tx *Tx) RandomKey() ([]byte, error) {
	count, err := tx.KeyCount("")
	if err != nil || count <= 0 {
		return nil, err
	}
	tx.blind = true
	var raw []byte
	for range livePicks {
		if count <= exactPick {
			raw, err = tx.metaAt(tx.Random(uint64(count)))
		} else {
			raw, err = tx.drawMeta()
		}
		if err != nil || raw == nil {
			return nil, err
		}
		if key, err := tx.liveKey(raw); err != nil || key != nil {
			return key, err
		}
	}
	return tx.liveFrom(raw)
}

// firstMeta is the first engine key of a meta record within a range; nil if
// there is none.
func (tx *Tx) firstMeta(within kv.Range) (raw []byte, err error) {
	within.KeysOnly, within.Limit = true, 1
	err = tx.r.Scan(within, func(key, _ []byte) bool {
		raw = bytes.Clone(key)
		return false
	})
	return raw, err
}

// metaAt is the engine key of the namespace's meta record at a position.
func (tx *Tx) metaAt(position uint64) (raw []byte, err error) {
	within := tx.keyRange(nil, nil)
	within.KeysOnly, within.Limit = true, int(position)+1
	err = tx.r.Scan(within, func(key, _ []byte) bool {
		raw = append(raw[:0], key...)
		return true
	})
	return raw, err
}

// drawMeta draws some meta records of the namespace and picks one of them with
// a chance that makes up for how likely each was to be drawn: sampling and
// importance resampling, D. B. Rubin, "Using the SIR algorithm to simulate
// posterior distributions", Bayesian Statistics 3, 1988.
func (tx *Tx) drawMeta() ([]byte, error) {
	var drawn [randomDraws][]byte
	var weights [randomDraws]float64
	sum := 0.0
	for i := range drawn {
		raw, chance, err := tx.descend()
		if err != nil || raw == nil {
			return nil, err
		}
		drawn[i], weights[i] = raw, 1/chance
		sum += weights[i]
	}
	const unit = 1 << 53
	point := float64(tx.Random(unit)) / unit * sum
	for i, weight := range weights {
		if point -= weight; point < 0 {
			return drawn[i], nil
		}
	}
	return drawn[randomDraws-1], nil
}

// descend goes down the tree that the bytes of engine keys make, by a random
// branch at each fork, and returns where it ends and how likely that was. No
// engine key of a meta record is the beginning of another.
func (tx *Tx) descend() (raw []byte, chance float64, err error) {
	within := tx.keyRange(nil, nil)
	first, err := tx.firstMeta(within)
	if err != nil || first == nil {
		return nil, 0, err
	}
	for chance = 1; ; {
		last, err := tx.firstMeta(kv.Range{Lower: within.Lower, Upper: within.Upper, Reverse: true})
		if err != nil || bytes.Equal(first, last) {
			return first, chance, err
		}
		fork := commonPrefix(first, last)
		share := 0.0
		if first, share, err = tx.branch(first, last, fork); err != nil {
			return nil, 0, err
		}
		chance *= share
		within = kv.Range{Lower: first[:fork+1], Upper: encoding.PrefixEnd(first[:fork+1])}
	}
}

// fewBranches is how many branches of a fork are counted; where there are more,
// their bytes leave little room between them.
const fewBranches = 32

// branch picks a branch of the fork between two keys and returns the first key
// on it and how likely it was to be picked.
func (tx *Tx) branch(first, last []byte, fork int) (picked []byte, share float64, err error) {
	branches := [][]byte{first}
	for next := first; next[fork] != last[fork]; branches = append(branches, next) {
		if len(branches) == fewBranches {
			return tx.branchAt(first, last, fork)
		}
		beyond := kv.Range{Lower: encoding.PrefixEnd(next[:fork+1]), Upper: behind(last)}
		if next, err = tx.firstMeta(beyond); err != nil {
			return nil, 0, err
		}
	}
	n := uint64(len(branches))
	return branches[tx.Random(n)], 1 / float64(n), nil
}

// branchAt is branch for a fork of many branches: it takes the branch at a
// random byte, or the first above it.
func (tx *Tx) branchAt(first, last []byte, fork int) (picked []byte, share float64, err error) {
	low, high := int(first[fork]), int(last[fork])
	wanted := append(bytes.Clone(first[:fork]), byte(low+int(tx.Random(uint64(high-low)+1))))
	if picked, err = tx.firstMeta(kv.Range{Lower: wanted, Upper: behind(last)}); err != nil {
		return nil, 0, err
	}
	before, err := tx.firstMeta(kv.Range{Lower: first[:fork], Upper: picked[:fork+1], Reverse: true})
	if err != nil {
		return nil, 0, err
	}
	led := 1 // bytes that lead to the branch
	if before != nil {
		led = int(picked[fork]) - int(before[fork])
	}
	return picked, float64(led) / float64(high-low+1), nil
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// liveKey is the key of a meta record; nil if it has expired.
func (tx *Tx) liveKey(raw []byte) ([]byte, error) {
	_, key, err := encoding.ParseMetaKey(raw)
	if err != nil {
		return nil, err
	}
	k, err := tx.Key(key)
	if err != nil || !k.Exists() {
		return nil, err
	}
	return bytes.Clone(key), nil
}

// liveFrom is the first key from a meta record on that has not expired, or else
// the first of all; nil if there is none.
func (tx *Tx) liveFrom(raw []byte) ([]byte, error) {
	_, key, err := encoding.ParseMetaKey(raw)
	if err != nil {
		return nil, err
	}
	const all = int(^uint(0) >> 1)
	for _, after := range [][]byte{key, nil} {
		page, _, err := tx.Keys(after, 1, all, KeyFilter{})
		if err != nil || len(page) > 0 {
			return first(page), err
		}
	}
	return nil, nil
}

func first(page [][]byte) []byte {
	if len(page) == 0 {
		return nil
	}
	return page[0]
}

// Space is the name of the namespace that the running operation is in.
func (tx *Tx) Space() string { return spaceName(tx.op.space) }
