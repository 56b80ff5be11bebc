package command

import "keypact/store"

// lcsCells is how many pairs of bytes LCS compares at most. It is the number
// that Redis has room for within its default proto-max-bulk-len of 512 MiB, at
// four bytes for each; here one takes a bit.
const lcsCells = 512 << 20 / 4

// lcsOptions are the words behind LCS key key.
type lcsOptions struct {
	length, index, withLength bool
	least                     int64
}

func parseLCSOptions(a *Args) (o lcsOptions, err error) {
	for a.More() {
		switch a.OneOf("LEN", "IDX", "MINMATCHLEN", "WITHMATCHLEN") {
		case "LEN":
			o.length = true
		case "IDX":
			o.index = true
		case "WITHMATCHLEN":
			o.withLength = true
		case "MINMATCHLEN":
			if o.least, err = a.Int(); err != nil {
				return o, err
			}
		default:
			return o, errSyntax
		}
	}
	if o.length && o.index {
		return o, Error("ERR If you want both the length and indexes, please just use IDX.")
	}
	return o, nil
}

// stringsLCS is LCS key key [LEN] [IDX] [MINMATCHLEN length] [WITHMATCHLEN].
func stringsLCS(a *Args) (Call, error) {
	keys := a.Take(2)
	o, err := parseLCSOptions(a)
	if err != nil {
		return Call{}, err
	}
	call, err := a.reading(func(tx *store.Tx) (Reply, error) {
		values, err := stringValues(tx, keys)
		if err != nil {
			return nil, err
		}
		if cells := uint64(len(values[0])+1) * uint64(len(values[1])+1); cells > lcsCells {
			return nil, fail("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len")
		}
		return o.reply(values[0], values[1]), nil
	}, keys...)
	call.Errors = map[string]Error{"wrong-type": "ERR The specified keys must contain string values"}
	return call, err
}

func (o lcsOptions) reply(a, b []byte) Reply {
	t := compareLCS(a, b)
	switch {
	case o.length:
		return Int(t.length)
	case o.index:
		matches := Array{}
		for _, m := range t.matches() {
			if int64(m.length) >= o.least {
				matches = append(matches, m.reply(o.withLength))
			}
		}
		return Map{Text("matches"), matches, Text("len"), Int(t.length)}
	}
	common := make(Bulk, t.length)
	at := t.length
	for _, m := range t.matches() {
		at -= m.length
		copy(common[at:], a[m.a:m.a+m.length])
	}
	return common
}

// lcsTable is how two strings compare. Source: R. A. Wagner and M. J. Fischer,
// "The string-to-string correction problem", Journal of the ACM 21 (1), 1974;
// of the table of lengths only the way back is kept, one bit for each pair of
// positions.
type lcsTable struct {
	a, b   []byte
	length int
	up     []uint64 // whether leaving out the byte of a keeps more in common than leaving out that of b
}

func compareLCS(a, b []byte) *lcsTable {
	t := &lcsTable{a: a, b: b, up: make([]uint64, (len(a)*len(b)+63)/64)}
	above, row := make([]int32, len(b)+1), make([]int32, len(b)+1)
	for i := range a {
		for j := range b {
			switch {
			case a[i] == b[j]:
				row[j+1] = above[j] + 1
			case above[j+1] > row[j]:
				row[j+1] = above[j+1]
				cell := i*len(b) + j
				t.up[cell/64] |= 1 << (cell % 64)
			default:
				row[j+1] = row[j]
			}
		}
		above, row = row, above
	}
	t.length = int(above[len(b)])
	return t
}

// lcsMatch is a run of bytes in common: where it begins in both strings, and
// how long it is.
type lcsMatch struct{ a, b, length int }

// matches are the runs of the longest common subsequence, from the last to the
// first.
func (t *lcsTable) matches() []lcsMatch {
	var out []lcsMatch
	running := false
	for i, j := len(t.a)-1, len(t.b)-1; i >= 0 && j >= 0; {
		if t.a[i] == t.b[j] {
			if !running {
				out = append(out, lcsMatch{i + 1, j + 1, 0})
			}
			m := &out[len(out)-1]
			m.a, m.b, m.length = i, j, m.length+1
			running = true
			i, j = i-1, j-1
			continue
		}
		running = false
		if cell := i*len(t.b) + j; t.up[cell/64]>>(cell%64)&1 == 1 {
			i--
		} else {
			j--
		}
	}
	return out
}

// reply is the match as IDX has it: its ends in both strings, and its length if
// that is asked for.
func (m lcsMatch) reply(withLength bool) Reply {
	out := Array{
		Array{Int(m.a), Int(m.a + m.length - 1)},
		Array{Int(m.b), Int(m.b + m.length - 1)},
	}
	if withLength {
		out = append(out, Int(m.length))
	}
	return out
}
