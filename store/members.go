package store

import (
	"bytes"
	"fmt"
	"sort"

	"keypact/encoding"
	"keypact/store/kv"
)

// How many members a walk reads at a time: few at first, since a walk that
// jumps ahead throws the rest of a chunk away.
const (
	firstChunk = 16
	lastChunk  = 512
)

// members walks over the members of a set or a sorted set in their order and
// can jump ahead, so that several are walked side by side.
type members struct {
	source
	place  int // among the walks beside it
	chunk  [][]byte
	scores []float64 // of the chunk; of a sorted set
	at     int
	size   int
	ended  bool // nothing lies behind the chunk
}

// walkMembers starts at the first member of a set or a sorted set.
func walkMembers(s source, place int) (*members, error) {
	m := &members{source: s, place: place, size: firstChunk}
	return m, m.fill(nil)
}

// fill reads the next chunk, from lower on.
func (m *members) fill(lower []byte) error {
	m.chunk, m.scores, m.at = m.chunk[:0], m.scores[:0], 0
	err := m.read(kv.Range{Lower: lower, Limit: m.size})
	m.ended = len(m.chunk) < m.size
	m.size = min(2*m.size, lastChunk)
	return err
}

func (m *members) read(within kv.Range) error {
	if !m.r.exists || m.r.meta.Type != encoding.TypeZSet {
		return m.r.eachName(within, func(member []byte) error {
			m.chunk = append(m.chunk, bytes.Clone(member))
			return nil
		})
	}
	return m.r.scan(encoding.FamilyMember, within, func(member, value []byte) error {
		score, _, err := encoding.CutFloat(value)
		if err != nil {
			return fmt.Errorf("score in key %q: %w", m.r.key, err)
		}
		m.chunk, m.scores = append(m.chunk, bytes.Clone(member)), append(m.scores, score)
		return nil
	})
}

// head is the member the walk stands at; ok is false at the end. It stays valid
// when the walk goes on.
func (m *members) head() (member []byte, ok bool) {
	if m.at == len(m.chunk) {
		return nil, false
	}
	return m.chunk[m.at], true
}

// score is that of the member the walk stands at, times the weight; each member
// of a set has 1. What is not a number, such as inf times 0, is 0.
func (m *members) score() float64 {
	score := 1.0
	if len(m.scores) > 0 {
		score = m.scores[m.at]
	}
	return number(score * m.weight)
}

// next goes on by one member.
func (m *members) next() error {
	last := m.chunk[m.at]
	if m.at++; m.at < len(m.chunk) || m.ended {
		return nil
	}
	return m.fill(behind(last))
}

// seek goes on to the first member that is not less than another, and reports
// whether it is that one.
func (m *members) seek(member []byte) (bool, error) {
	rest := m.chunk[m.at:]
	m.at += sort.Search(len(rest), func(i int) bool { return bytes.Compare(rest[i], member) >= 0 })
	if m.at == len(m.chunk) && !m.ended {
		if err := m.fill(member); err != nil {
			return false, err
		}
	}
	head, ok := m.head()
	return ok && bytes.Equal(head, member), nil
}
