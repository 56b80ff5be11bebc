package storetest

import (
	"fmt"

	"keypact/encoding"
	"keypact/store/kv"
)

// maxFaults is how many faults Check lists; a broken store has them by the
// thousand.
const maxFaults = 50

// Check walks once over all records, in their order, and says in words what
// does not fit together; nil is a sound store. now is the store's time, in ms
// since the epoch, at or behind its last write. It checks that
//
//   - every record can be read, and belongs to a known family;
//   - every data record belongs to one live version of a key, or to a version
//     that waits to be reclaimed and that the reclaimer has not passed yet;
//   - a key counts as many elements as it has, and is not empty; a list has
//     no record outside its bounds that does not wait to be reclaimed; the two orders of a sorted set agree, and none of
//     its members lies outside its marks;
//   - a tree counts the elements of its key, run by run and node by node;
//   - a key that expires has exactly its entry in the expiry index, and the
//     index has no other; a renamed key has exactly its alias;
//   - no version is in use twice, and none was not handed out yet;
//   - the counters of a namespace are its number of keys, expired ones that
//     wait for the worker included;
//   - keys name only contracts and revisions that were given out;
//   - nothing is from the future.
//
// An error of the reader is a fault like others.
func Check(r kv.Reader, now int64) []string {
	w := newWalk(now)
	err := r.Scan(kv.Range{}, func(key, value []byte) bool {
		w.visit(key, value)
		return len(w.faults) < maxFaults
	})
	if err != nil {
		w.fault("walk: %v", err)
	}
	if len(w.faults) < maxFaults {
		w.finish()
	}
	return w.faults
}

// place is one version of a key's data: where its records lie.
type place struct {
	ns      uint32
	home    string
	version uint64
}

func (p place) String() string { return fmt.Sprintf("%q version %d", p.home, p.version) }

// nsKey is a user key with its namespace.
type nsKey struct {
	ns  uint32
	key string
}

func (k nsKey) String() string { return fmt.Sprintf("%q", k.key) }

// walk is what Check has learned so far. It keeps one small entry per key and
// none per element, but for the names of elements that a tree counts.
type walk struct {
	now    int64
	faults []string

	format     bool
	sequences  map[string]uint64 // by engine key
	counters   map[uint32]int64
	namespaces map[uint32]string
	contracts  map[uint32]encoding.ContractRecord
	keys       map[nsKey]*entry
	places     map[place]*entry
	versions   map[uint64]place
	unowned    map[place]string // least data record of each place without a key
	aliases    map[place]string
	expiries   map[nsKey]int
	flushed    map[uint32]bool // namespaces that wait to be reclaimed
	newest     int64           // creation time
}

func newWalk(now int64) *walk {
	return &walk{
		now: now, sequences: map[string]uint64{}, counters: map[uint32]int64{}, namespaces: map[uint32]string{},
		contracts: map[uint32]encoding.ContractRecord{}, keys: map[nsKey]*entry{}, places: map[place]*entry{},
		versions: map[uint64]place{}, unowned: map[place]string{}, aliases: map[place]string{}, expiries: map[nsKey]int{}, flushed: map[uint32]bool{},
	}
}

func (w *walk) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// readers take one record of each family. They return errors of the codec;
// what does not fit they note themselves.
var readers = map[encoding.Family]func(w *walk, key, value []byte) error{
	encoding.FamilyFormat:    (*walk).formatRecord,
	encoding.FamilySequence:  (*walk).sequenceRecord,
	encoding.FamilyNamespace: (*walk).namespaceRecord,
	encoding.FamilyCounter:   (*walk).counterRecord,
	encoding.FamilyContract:  (*walk).contractRecord,
	encoding.FamilyMeta:      (*walk).metaRecord,
	encoding.FamilyMember:    (*walk).memberRecord,
	encoding.FamilyList:      (*walk).listRecord,
	encoding.FamilyScore:     (*walk).scoreRecord,
	encoding.FamilyTree:      (*walk).treeRecord,
	encoding.FamilyAlias:     (*walk).aliasRecord,
	encoding.FamilyExpiry:    (*walk).expiryRecord,
	encoding.FamilyReclaim:   (*walk).reclaimRecord,
}

func (w *walk) visit(key, value []byte) {
	f := encoding.Family(key[0])
	read := readers[f]
	if read == nil {
		w.fault("record %x of %s: nothing writes that yet", key, f)
		return
	}
	if err := read(w, key, value); err != nil {
		w.fault("record %x of %s: %v", key, f, err)
	}
}

// finish judges what only the whole shows.
func (w *walk) finish() {
	if !w.format {
		w.fault("the format record is missing")
	}
	for p, record := range w.unowned {
		w.fault("record %x belongs to no key and is not reclaimed (%s)", record, p)
	}
	w.finishKeys()
	w.finishAliases()
	w.finishSystem()
}
