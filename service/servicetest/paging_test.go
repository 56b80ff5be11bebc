package servicetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"keypact/contracts"
	"keypact/service"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// TestPagesLoseNothing pages through keys, fields and members while others come
// and go, the key gets another name or another generation, and the store is
// closed and opened: what was there all along comes exactly once, nothing comes
// twice, and a page reads no more than it holds.
func TestPagesLoseNothing(t *testing.T) {
	for name, what := range pagings {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			run := 0
			d := newDisk(t, dir)
			defer func() { d.close(t) }()
			rapid.Check(t, func(rt *rapid.T) {
				run++
				p := &paging{T: rt, disk: d, what: what, key: fmt.Sprintf("run %d:", run), passing: map[string]bool{}}
				p.run()
			})
		})
	}
}

// disk is a lab in a directory that counts what its pages read.
type disk struct {
	*lab
	dir  string
	read int // records that views have read
}

func newDisk(t tester, dir string) *disk {
	d := &disk{dir: dir}
	d.open(t, newWall())
	return d
}

func (d *disk) open(t tester, clock *wall) {
	t.Helper()
	db, err := badger.Open(engine(badger.Options{Dir: d.dir, Clock: clock.read, Durability: badger.None}))
	if err != nil {
		t.Fatal(err)
	}
	d.lab = &lab{db: &countingDB{db, &d.read}, clock: clock, tuning: restless}
	d.start(t, contracts.Empty())
}

// again is another process on the same directory, or only another store on the
// same engine.
func (d *disk) again(t tester, engine bool) {
	t.Helper()
	if !engine {
		d.store.Close()
		d.start(t, contracts.Empty())
		return
	}
	d.close(t)
	d.open(t, d.clock)
}

// countingDB counts the records that views read.
type countingDB struct {
	kv.DB
	read *int
}

func (db *countingDB) View(ctx context.Context, fn func(kv.Reader) error) error {
	return db.DB.View(ctx, func(r kv.Reader) error { return fn(&countingReader{r, db.read}) })
}

type countingReader struct {
	kv.Reader
	read *int
}

func (r *countingReader) Get(dst, key []byte) ([]byte, error) {
	*r.read++
	return r.Reader.Get(dst, key)
}

func (r *countingReader) GetMany(keys [][]byte, visit func(i int, value []byte) error) error {
	*r.read += len(keys)
	return r.Reader.GetMany(keys, visit)
}

func (r *countingReader) Scan(within kv.Range, visit func(key, value []byte) bool) error {
	return r.Reader.Scan(within, func(key, value []byte) bool {
		*r.read++
		return visit(key, value)
	})
}

// paged is a kind of things that are read in pages: how a page is asked for,
// and how things are added and removed.
type paged struct {
	page   func(key string, cursor service.Cursor, limit int) service.Op
	names  func(answer any) ([]service.Bytes, service.Cursor)
	add    func(key string, names []string) []service.Op
	remove func(key string, names []string) []service.Op
	moves  bool // the key can get another name between pages
}

var pagings = map[string]paged{
	"keys": {
		page: func(key string, cursor service.Cursor, limit int) service.Op {
			return &service.KeysPage{Page: service.Page{Match: service.Bytes(key + "*"), Cursor: cursor, Limit: limit}}
		},
		names: func(answer any) ([]service.Bytes, service.Cursor) {
			list := answer.(service.KeyList)
			return list.Keys, list.Cursor
		},
		add: func(key string, names []string) (ops []service.Op) {
			for _, name := range names {
				if len(name)%2 == 0 {
					ops = append(ops, &service.SetAdd{Key: service.Bytes(key + name), Members: []service.Bytes{service.Bytes("m")}})
				} else {
					ops = append(ops, &service.StringSet{Key: service.Bytes(key + name), Value: service.Bytes("v")})
				}
			}
			return ops
		},
		remove: func(key string, names []string) []service.Op {
			op := &service.KeysDelete{}
			for _, name := range names {
				op.Keys = append(op.Keys, service.Bytes(key+name))
			}
			return []service.Op{op}
		},
	},
	"fields": {
		page: func(key string, cursor service.Cursor, limit int) service.Op {
			return &service.HashFields{Key: service.Bytes(key), Page: service.Page{Cursor: cursor, Limit: limit}}
		},
		names: func(answer any) (names []service.Bytes, cursor service.Cursor) {
			page := answer.(service.FieldsPage)
			for _, f := range page.Fields {
				names = append(names, f.Field)
			}
			return names, page.Cursor
		},
		add: func(key string, names []string) []service.Op {
			op := &service.HashSet{Key: service.Bytes(key)}
			for _, name := range names {
				op.Fields = append(op.Fields, service.Field{Field: service.Bytes(name), Value: service.Bytes("v")})
			}
			return []service.Op{op}
		},
		remove: func(key string, names []string) []service.Op {
			return []service.Op{&service.HashRemove{Key: service.Bytes(key), Fields: listOfBytes(names)}}
		},
		moves: true,
	},
	"members of a set": {
		page: func(key string, cursor service.Cursor, limit int) service.Op {
			return &service.SetMembers{Key: service.Bytes(key), Page: service.Page{Cursor: cursor, Limit: limit}}
		},
		names: func(answer any) ([]service.Bytes, service.Cursor) {
			page := answer.(service.SetPage)
			return page.Members, page.Cursor
		},
		add: func(key string, names []string) []service.Op {
			return []service.Op{&service.SetAdd{Key: service.Bytes(key), Members: listOfBytes(names)}}
		},
		remove: func(key string, names []string) []service.Op {
			return []service.Op{&service.SetRemove{Key: service.Bytes(key), Members: listOfBytes(names)}}
		},
		moves: true,
	},
	"members of a sorted set": {
		page: func(key string, cursor service.Cursor, limit int) service.Op {
			return &service.ZSetRange{Key: service.Bytes(key), By: "member", Cursor: cursor, Limit: int64(limit)}
		},
		names: func(answer any) (names []service.Bytes, cursor service.Cursor) {
			page := answer.(service.ZSetMembers)
			for _, m := range page.Members {
				names = append(names, m.Member)
			}
			return names, page.Cursor
		},
		add: func(key string, names []string) []service.Op {
			op := &service.ZSetAdd{Key: service.Bytes(key)}
			for i, name := range names {
				score := service.Score(i % 3)
				op.Members = append(op.Members, service.ZSetEntry{Member: service.Bytes(name), Score: &score})
			}
			return []service.Op{op}
		},
		remove: func(key string, names []string) []service.Op {
			return []service.Op{&service.ZSetRemove{Key: service.Bytes(key), Members: listOfBytes(names)}}
		},
		moves: true,
	},
}

func listOfBytes(names []string) (list []service.Bytes) {
	for _, name := range names {
		list = append(list, service.Bytes(name))
	}
	return list
}

// paging is one reader who goes through the pages, and those who write.
type paging struct {
	*rapid.T
	*disk
	what    paged
	key     string
	stay    map[string]bool
	passing map[string]bool
}

var pageName = rapid.OneOf(
	rapid.Map(rapid.IntRange(0, 60), func(n int) string { return fmt.Sprint(n) }),
	rapid.SampledFrom([]string{"", "\x00", "0\x00", "\xff", "\xff\xff"}),
)

func (p *paging) run() {
	p.stay = map[string]bool{}
	for _, name := range rapid.SliceOfNDistinct(pageName, 1, 30, rapid.ID).Draw(p.T, "stay") {
		p.stay[name] = true
	}
	p.do(p.what.add(p.key, sorted(p.stay))...)
	limit := rapid.IntRange(1, 7).Draw(p.T, "limit")
	var seen []string
	for cursor := service.Cursor(nil); ; {
		names, next := p.page(cursor, limit)
		seen = append(seen, names...)
		if next == nil {
			break
		}
		cursor = next
		for range rapid.IntRange(0, 3).Draw(p.T, "writes") {
			p.write()
		}
	}
	p.judge(seen)
	p.do(p.what.remove(p.key, append(sorted(p.stay), sorted(p.passing)...))...)
	if err := p.store.Sweep(context.Background()); err != nil {
		p.Fatal(err)
	}
}

// page reads one page, whose cursor goes through its text, and wants it full
// unless it is the last, at a cost that follows its size.
func (p *paging) page(cursor service.Cursor, limit int) ([]string, service.Cursor) {
	text, err := cursor.MarshalText()
	if err == nil {
		err = cursor.UnmarshalText(text)
	}
	p.read = 0
	result, failed := p.svc.Do(context.Background(), p.what.page(p.key, cursor, limit))
	if err := errors.Join(err, failed, result.Err); err != nil {
		p.Fatalf("a page: %v", err)
	}
	if p.read > limit+4 {
		p.Fatalf("a page of %d read %d records", limit, p.read)
	}
	list, next := p.what.names(result.Value)
	if len(list) > limit || next != nil && len(list) < limit {
		p.Fatalf("a page of %d holds %d; another follows: %v", limit, len(list), next != nil)
	}
	var names []string
	for _, name := range list {
		if !p.what.moves {
			name = bytes.TrimPrefix(name, []byte(p.key))
		}
		names = append(names, string(name))
	}
	return names, next
}

// judge wants each name that stayed, and none twice or out of order.
func (p *paging) judge(seen []string) {
	if !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) < len(seen) {
		p.Errorf("out of order, or twice: %q", seen)
	}
	for name := range p.stay {
		if !slices.Contains(seen, name) {
			p.Errorf("%q is missing in %q", name, seen)
		}
	}
}

// write changes what does not stay, or where it all lies.
func (p *paging) write() {
	steps := []func(){p.come, p.come, p.leave, p.leave, p.restart, p.sweep}
	if p.what.moves {
		steps = append(steps, p.rename, p.copy)
	}
	rapid.SampledFrom(steps).Draw(p.T, "step")()
}

func (p *paging) come() {
	var names []string
	for _, name := range rapid.SliceOfNDistinct(pageName, 1, 20, rapid.ID).Draw(p.T, "come") {
		if !p.stay[name] {
			names = append(names, name)
			p.passing[name] = true
		}
	}
	if len(names) > 0 {
		p.do(p.what.add(p.key, names)...)
	}
}

// leave removes all that does not stay, or a part of it.
func (p *paging) leave() {
	names := sorted(p.passing)
	names = names[:rapid.IntRange(0, len(names)).Draw(p.T, "leave")]
	if len(names) == 0 {
		return
	}
	for _, name := range names {
		delete(p.passing, name)
	}
	p.do(p.what.remove(p.key, names)...)
}

func (p *paging) restart() {
	p.again(p.T, rapid.IntRange(0, 9).Draw(p.T, "engine") == 0)
}

func (p *paging) sweep() {
	if err := p.store.Sweep(context.Background()); err != nil {
		p.Fatal(err)
	}
}

func (p *paging) rename() {
	to := p.key + "'"
	p.do(&service.KeyRename{Key: service.Bytes(p.key), Destination: service.Bytes(to)})
	p.key = to
}

// copy puts a copy in the key's place.
func (p *paging) copy() {
	other := service.Bytes(p.key + "copy")
	p.do(&service.KeyCopy{Key: service.Bytes(p.key), Destination: other}, &service.KeyRename{Key: other, Destination: service.Bytes(p.key)})
}

func (p *paging) do(ops ...service.Op) {
	for _, op := range ops {
		result, err := p.svc.Do(context.Background(), op)
		if err := errors.Join(err, result.Err); err != nil {
			p.Fatalf("%T: %v", op, err)
		}
	}
}

func sorted(names map[string]bool) (list []string) {
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// TestRangesByRankArePages reads a sorted set in windows of ranks, and of scores
// with an offset, which together are all of it.
func TestRangesByRankArePages(t *testing.T) {
	l := openLab(t, newWall(), contracts.Empty(), restless)
	defer l.close(t)
	op := &service.ZSetAdd{Key: service.Bytes("k")}
	for i := range 50 {
		score := service.Score(i / 3)
		op.Members = append(op.Members, service.ZSetEntry{Member: fmt.Appendf(nil, "%02d", i), Score: &score})
	}
	ask := func(op service.Op) service.ZSetMembers {
		t.Helper()
		result, err := l.svc.Do(context.Background(), op)
		if err := errors.Join(err, result.Err); err != nil {
			t.Fatal(err)
		}
		members, _ := result.Value.(service.ZSetMembers)
		return members
	}
	ask(op)
	for size := 1; size < 20; size += 3 {
		for _, order := range []string{"asc", "desc"} {
			var byRank, byScore []string
			for from := 0; from < 50; from += size {
				window := ask(&service.ZSetRange{Key: op.Key, Order: order, Min: service.Bound(fmt.Sprint(from)), Max: service.Bound(fmt.Sprint(from + size - 1))})
				byRank = append(byRank, memberNames(window)...)
				window = ask(&service.ZSetRange{Key: op.Key, By: "score", Order: order, Offset: int64(from), Limit: int64(size)})
				byScore = append(byScore, memberNames(window)...)
			}
			want := memberNames(service.ZSetMembers{Members: ask(&service.ZSetRange{Key: op.Key, Order: order}).Members})
			if len(want) != 50 || !slices.Equal(byRank, want) || !slices.Equal(byScore, want) {
				t.Errorf("windows of %d, %s: %q by rank, %q by score", size, order, byRank, byScore)
			}
		}
	}
}

func memberNames(members service.ZSetMembers) (names []string) {
	for _, m := range members.Members {
		names = append(names, string(m.Member))
	}
	return names
}
