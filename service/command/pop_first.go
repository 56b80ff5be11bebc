package command

import (
	"time"

	"keypact/store"
)

// firstPop takes from the first of some keys that has anything, and may wait
// until one has.
type firstPop struct {
	verb  string
	wait  *time.Duration // nil if it does not wait
	count *int64         // nil if not said
	pop   func(tx *store.Tx, key []byte) (Reply, error)
}

// parseFirstPop reads [timeout] numkeys key [key ...] which [COUNT count]; the
// timeout is there if the command may wait, and which is read by a function.
func parseFirstPop(a *Args, which func() error) (p *firstPop, keys [][]byte, err error) {
	p = &firstPop{verb: a.name}
	var late error // Redis looks at the timeout last
	if a.name[0] == 'B' {
		wait, err := a.Timeout()
		p.wait, late = &wait, err
	}
	n, err := a.AtLeast(1, "ERR numkeys should be greater than 0")
	if err != nil {
		return nil, nil, err
	}
	if n >= int64(a.Len()) {
		return nil, nil, errSyntax
	}
	keys = a.Take(int(n))
	if err := which(); err != nil {
		return nil, nil, err
	}
	if a.Len() > 1 && a.Token("COUNT") {
		count, err := a.AtLeast(1, "ERR count should be greater than 0")
		if err != nil {
			return nil, nil, err
		}
		p.count = &count
	}
	if err := a.End(); err != nil {
		return nil, nil, err
	}
	return p, keys, late
}

func (p *firstPop) call(keys [][]byte) (Call, error) {
	return Call{Op: p.op(keys), Absent: NullArray{}}, nil
}

// op is the operation on some keys. While none has anything it is ErrNotFound.
func (p *firstPop) op(keys [][]byte) *act {
	calls := make([]store.Call, len(keys))
	for i, key := range keys {
		calls[i] = use(p.verb, key)
		calls[i].Wait, calls[i].Count = p.wait, p.count
	}
	return &act{
		calls: calls,
		only:  func(key []byte) *act { return p.op([][]byte{key}) },
		apply: func(tx *store.Tx) (Reply, error) {
			for _, key := range keys {
				if reply, err := p.pop(tx, key); err != nil || reply != nil {
					return reply, err
				}
			}
			return nil, store.ErrNotFound
		},
	}
}
