package command

import (
	"strconv"
	"strings"

	"keypact/service"
	"keypact/store"
)

func scanCommands() []*Command {
	element := func(name, group, summary string) *Command {
		return &Command{Name: name, Arity: -3, Flags: ReadOnly, Keys: oneKey, Group: group, Since: "2.8.0", Summary: summary, parse: scanElements}
	}
	return []*Command{
		{Name: "SCAN", Arity: -2, Flags: ReadOnly, Group: "generic", Since: "2.8.0",
			Summary: "Lists the keys of the namespace, part by part", parse: scanKeys},
		element("HSCAN", "hash", "Lists the fields of a hash, part by part"),
		element("SSCAN", "set", "Lists the members of a set, part by part"),
		element("ZSCAN", "sorted-set", "Lists the members of a sorted set, part by part"),
	}
}

// scan is what one step of a scan is to do.
type scan struct {
	from   *place // nil is the beginning
	match  []byte // nil is all
	count  int
	typ    store.Type
	noType bool // no key is of the type asked for
}

// defaultCount is how many elements a step looks for unless COUNT says so.
const defaultCount = 10

// parseScan takes the cursor and the options of SCAN and its kin.
func parseScan(a *Args, typed bool, cursor []byte) (s scan, err error) {
	number, ok := parseCursor(string(cursor))
	if !ok {
		return s, Error("ERR invalid cursor")
	}
	s.from, s.count = a.host.cursors.find(number), defaultCount
	for a.More() {
		if a.Len() < 2 {
			return s, errSyntax
		}
		switch {
		case a.Token("MATCH"):
			s.match = clone(a.Next())
		case a.Token("COUNT"):
			n, err := a.Int()
			if err != nil {
				return s, err
			}
			if n < 1 {
				return s, errSyntax
			}
			s.count = int(min(n, mostCount))
		case typed && a.Token("TYPE"):
			s.typ, ok = store.ParseType(strings.ToLower(a.Text()))
			s.noType = !ok
		default:
			return s, errSyntax
		}
	}
	return s, nil
}

// mostCount is the greatest COUNT that is heeded.
const mostCount = 10_000

// parseCursor reads a cursor as strtoul does.
func parseCursor(text string) (uint64, bool) {
	if negative, found := strings.CutPrefix(text, "-"); found {
		n, err := strconv.ParseUint(negative, 10, 64)
		return -n, err == nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
	return n, err == nil
}

// scanned is a step's result, whose place has yet to get a cursor.
type scanned struct {
	at       spot
	next     []byte // nil is the end
	elements Array
}

func (scanned) reply() {}

// reply gives the place where the scan goes on a cursor. That is done when the
// operation has succeeded, since it may run more than once.
func (h *Host) scanReply(r service.Result) Reply {
	step := r.Value.(scanned)
	cursor := uint64(0)
	if step.next != nil {
		cursor = h.cursors.enter(step.at, step.next)
	}
	if step.elements == nil {
		step.elements = Array{}
	}
	return Array{Text(strconv.FormatUint(cursor, 10)), step.elements}
}

// after is the element that a step starts behind; nil is the beginning.
func (s scan) after(at spot) []byte {
	if s.from == nil || s.from.spot != at {
		return nil
	}
	return append([]byte{}, s.from.after...)
}

// looked is how many elements a step looks at: more than it wants, so that a
// pattern which few match needs few steps, but not without end.
func (s scan) looked() int { return max(10*s.count, 1000) }

// matches is the test of the pattern; nil if there is none.
func (s scan) matches() func([]byte) bool {
	if s.match == nil {
		return nil
	}
	return service.Glob(s.match)
}

// scanKeys is SCAN cursor [MATCH pattern] [COUNT n] [TYPE type].
func scanKeys(a *Args) (Call, error) {
	s, err := parseScan(a, true, a.Next())
	if err != nil {
		return Call{}, err
	}
	filter := store.KeyFilter{Type: s.typ, Match: s.matches()}
	if s.match != nil {
		filter.Prefix = service.GlobPrefix(s.match)
	}
	call, err := a.reading(func(tx *store.Tx) (Reply, error) {
		at := spot{space: tx.Space(), kind: 'k'}
		if s.noType {
			return scanned{at: at}, nil
		}
		keys, next, err := tx.Keys(s.after(at), s.count, s.looked(), filter)
		return scanned{at, next, bulks(keys)}, err
	})
	call.Reply = a.host.scanReply
	return call, err
}

// scanElements is HSCAN, SSCAN and ZSCAN key cursor [MATCH pattern] [COUNT n].
func scanElements(a *Args) (Call, error) {
	key := a.Next()
	s, err := parseScan(a, false, a.Next())
	if err != nil {
		return Call{}, err
	}
	kind := a.name[0] + 'a' - 'A'
	call, err := a.reading(func(tx *store.Tx) (Reply, error) {
		step := scanned{at: spot{tx.Space(), kind, string(key)}}
		var err error
		switch after := s.after(step.at); kind {
		case 'h':
			step.elements, step.next, err = scanHash(tx, key, after, s)
		case 's':
			step.elements, step.next, err = scanSet(tx, key, after, s)
		default:
			step.elements, step.next, err = scanZSet(tx, key, after, s)
		}
		return step, err
	}, key)
	call.Reply = a.host.scanReply
	return call, err
}

func scanHash(tx *store.Tx, key, after []byte, s scan) (Array, []byte, error) {
	h, err := tx.Hash(key)
	if err != nil {
		return nil, nil, err
	}
	page, next, err := h.Page(after, s.count, s.looked(), s.matches())
	out := make(Array, 0, 2*len(page))
	for _, pair := range page {
		out = append(out, Bulk(pair.Field), Bulk(pair.Value))
	}
	return out, next, err
}

func scanSet(tx *store.Tx, key, after []byte, s scan) (Array, []byte, error) {
	set, err := tx.Set(key)
	if err != nil {
		return nil, nil, err
	}
	page, next, err := set.Page(after, s.count, s.looked(), s.matches())
	out := make(Array, len(page))
	for i, member := range page {
		out[i] = Bulk(member)
	}
	return out, next, err
}

func scanZSet(tx *store.Tx, key, after []byte, s scan) (Array, []byte, error) {
	z, err := tx.ZSet(key)
	if err != nil {
		return nil, nil, err
	}
	page, next, err := z.Page(after, s.count, s.looked(), s.matches())
	out := make(Array, 0, 2*len(page))
	for _, scored := range page {
		out = append(out, Bulk(scored.Member), Text(FormatDouble(scored.Score)))
	}
	return out, next, err
}
