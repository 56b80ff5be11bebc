package main

import (
	"flag"
	"time"
)

// sizes of the collections of those parts that ask whether size matters.
type sizes struct {
	few      int // members of the small sorted set that others are compared with
	members  int // of the large sorted set, and of collections that elements are added to
	most     int // members of the largest sorted set
	adds     int // elements that each round adds
	fields   int // of a large hash that is deleted or renamed
	discards int // large hashes deleted to find the median
	bulk     int // elements of a set that is copied or united, of a list that loses a third
	expiring int // keys that expire in the same second
	cycles   int // pushes and pops through a list; a quarter through a sorted set
	held     int // elements whose records are counted

	stored  int64 // bytes of values in the store whose memory is measured
	emptied int64 // bytes of values in the store of which most is deleted
}

// flags defines a flag for each size that is worth changing.
func (z *sizes) flags() {
	z.few = 1000
	flag.IntVar(&z.members, "members", 1_000_000, "members of the large sorted set")
	flag.IntVar(&z.most, "most", 10_000_000, "members of the largest sorted set")
	flag.IntVar(&z.adds, "adds", 50_000, "elements each round adds to large collections")
	flag.IntVar(&z.fields, "fields", 1_000_000, "fields of a hash that is deleted or renamed")
	flag.IntVar(&z.discards, "discards", 5, "large hashes that are deleted to find the median")
	flag.IntVar(&z.bulk, "bulk", 300_000, "elements of sets that are copied and united, and of lists that lose a third")
	flag.IntVar(&z.expiring, "expiring", 1_000_000, "keys that expire in the same second")
	flag.IntVar(&z.cycles, "cycles", 2_000_000, "pushes and pops through a list; a quarter of them through a sorted set")
	flag.Int64Var(&z.stored, "stored", 5_000_000_000, "bytes of values in the store whose memory is measured")
	flag.Int64Var(&z.emptied, "emptied", 2_000_000_000, "bytes of values in the store of which nine tenths are deleted")
	flag.IntVar(&z.held, "held", 100_000, "elements whose records are counted")
}

// quicken makes everything small enough for a test.
func (s *settings) quicken() {
	s.length, s.rounds = 100*time.Millisecond, 1
	s.sizes = sizes{
		few: 100, members: 1000, most: 2000, adds: 1000, fields: 5000, discards: 2,
		bulk: 3000, expiring: 3000, cycles: 2000, held: 2000,
		stored: 20_000_000, emptied: 40_000_000,
	}
}
