package main

import (
	"context"
	"errors"
	"fmt"

	"keypact/encoding"
	"keypact/service"
	"keypact/store"
	"keypact/store/kv"
)

// holding is what the records of one key hold.
type holding struct {
	bytes map[encoding.Family]int
	count map[encoding.Family]int
}

// overheadKeys are keys of 20 bytes, one for each type.
var overheadKeys = map[string]service.Bytes{
	"hash": service.Bytes("hash-of-twenty-bytes"), "set": service.Bytes("set--of-twenty-bytes"),
	"list": service.Bytes("list-of-twenty-bytes"), "zset": service.Bytes("zset-of-twenty-bytes"),
}

// overheadTypes say what an element is, without the key, and what is asked for.
var overheadTypes = []struct {
	name, element string
	own           int // bytes of the element
	required      string
}{
	{"hash", "field 16 + value 32", 16 + 32, "24"},
	{"set", "member 16", 16, "24"},
	{"list", "item 32", 32, "32"},
	{"zset", "member 16 + score 8", 16 + 8, ""},
}

// measureOverhead: bytes of records beyond what the client stored.
func measureOverhead(ctx context.Context, s settings, doc *report) (err error) {
	doc.section("Overhead of an element", fmt.Sprintf("Keys of 20 bytes. The bytes of keys and values of all element and tree records of one collection, divided by its\n%s elements, before the engine compresses or adds anything; less key + member + value, each counted once per\nelement. Asked for: 24 for hash and set, 32 for list.", thousands(float64(s.sizes.held))))
	l, err := openLocal(ctx, s, "overhead", unsynced, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	n := s.sizes.held
	err = firstError(
		l.fillHash(ctx, overheadKeys["hash"], n), l.fillSet(ctx, overheadKeys["set"], 0, n),
		l.fillList(ctx, overheadKeys["list"], n, content), l.fillZSet(ctx, overheadKeys["zset"], n))
	if err != nil {
		return err
	}
	held, err := l.holdings(ctx)
	if err != nil {
		return err
	}
	return overheadTables(doc, n, held)
}

// holdings adds up the element, tree and meta records of each key.
func (l *local) holdings(ctx context.Context) (map[string]*holding, error) {
	held := make(map[string]*holding)
	var failed error
	add := func(family encoding.Family, home []byte, bytes int) {
		h := held[string(home)]
		if h == nil {
			h = &holding{make(map[encoding.Family]int), make(map[encoding.Family]int)}
			held[string(home)] = h
		}
		h.bytes[family] += bytes
		h.count[family]++
	}
	whole := kv.Range{Lower: []byte{byte(encoding.FamilyMeta)}, Upper: []byte{byte(encoding.FamilyTree) + 1}}
	err := l.engine.View(ctx, func(r kv.Reader) error {
		return r.Scan(whole, func(key, value []byte) bool {
			family := encoding.Family(key[0])
			var home []byte
			if family == encoding.FamilyMeta {
				_, home, failed = encoding.ParseMetaKey(key)
			} else {
				_, _, home, _, _, failed = encoding.ParseDataPrefix(key)
			}
			if failed != nil {
				return false
			}
			add(family, home, len(key)+len(value))
			return true
		})
	})
	return held, errors.Join(err, failed)
}

func overheadTables(doc *report, n int, held map[string]*holding) error {
	per := func(bytes int) float64 { return float64(bytes) / float64(n) }
	var rows [][]string
	for _, t := range overheadTypes {
		key := overheadKeys[t.name]
		h := held[string(key)]
		if h == nil || h.count[encoding.FamilyMember]+h.count[encoding.FamilyList] != n {
			return fmt.Errorf("the %s has not the records of %d elements: %+v", t.name, n, h)
		}
		elements := h.bytes[encoding.FamilyMember] + h.bytes[encoding.FamilyList] + h.bytes[encoding.FamilyScore]
		tree := h.bytes[encoding.FamilyTree]
		beyond := per(elements+tree) - float64(len(key)+t.own)
		rows = append(rows, []string{t.name, fmt.Sprintf("key 20 + %s", t.element), fmt.Sprintf("%.2f", per(elements)), fmt.Sprintf("%.2f", per(tree)),
			fmt.Sprintf("**%.2f**", beyond), t.required, fmt.Sprint(h.bytes[encoding.FamilyMeta])})
	}
	doc.table([]string{"", "element", "bytes of its records", "of the tree", "overhead", "required", "meta record, once a key"}, rows)
	zsetFormula(doc, n, held[string(overheadKeys["zset"])])
	return nil
}

// zsetFormula says what the records of a sorted set are made of. The fixed part
// of each is measured: what is neither key nor member nor score.
func zsetFormula(doc *report, n int, h *holding) {
	key, member, score := len(overheadKeys["zset"]), len(element(0)), 8
	fixed := func(f encoding.Family) float64 {
		return float64(h.bytes[f])/float64(n) - float64(key+member+score)
	}
	byMember, byScore := fixed(encoding.FamilyMember), fixed(encoding.FamilyScore)
	nodes := h.count[encoding.FamilyTree]
	tree := float64(h.bytes[encoding.FamilyTree]) / float64(n)
	doc.say("\nA sorted set has two records an element and a share of its tree. By member: %.2f + key + member + score; by score:\n%.2f + key + score + member; tree: %s nodes, %.2f bytes an element. Beyond key + member + score that is\n%.2f + key + member + 8 = **%.2f** bytes here; each zero byte of the key takes one byte more in each record.",
		byMember, byScore, thousands(float64(nodes)), tree, byMember+byScore+tree, byMember+byScore+tree+float64(key+member+score))
}
