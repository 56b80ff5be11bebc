package store

import (
	"bytes"
	"sort"

	"keypact/store/kv"
)

// How many members a walk reads at a time: few at first, since a walk that
// jumps ahead throws the rest of a chunk away.
const (
	firstChunk = 16
	lastChunk  = 512
)

// members walks over the members of a set in their order and can jump ahead,
// so that several sets are walked side by side.
type members struct {
	r     *record
	chunk [][]byte
	at    int
	size  int
	ended bool // nothing lies behind the chunk
}

// walkMembers starts at the first member of a set.
func walkMembers(s *Set) (*members, error) {
	m := &members{r: s.r, size: firstChunk}
	return m, m.fill(nil)
}

// fill reads the next chunk, from lower on.
func (m *members) fill(lower []byte) error {
	m.chunk, m.at = m.chunk[:0], 0
	err := m.r.eachName(kv.Range{Lower: lower, Limit: m.size}, func(member []byte) error {
		m.chunk = append(m.chunk, bytes.Clone(member))
		return nil
	})
	m.ended = len(m.chunk) < m.size
	m.size = min(2*m.size, lastChunk)
	return err
}

// head is the member the walk stands at; ok is false at the end.
func (m *members) head() (member []byte, ok bool) {
	if m.at == len(m.chunk) {
		return nil, false
	}
	return m.chunk[m.at], true
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
