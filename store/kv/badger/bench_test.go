package badger

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"keypact/store/kv"
)

const benchKeys = 100_000

// fill stores the benchmarks' records.
func fill(b *testing.B, db kv.DB, keys int) {
	b.Helper()
	for from := 0; from < keys; from += 10_000 {
		err := db.Update(background, func(tx kv.Txn) error {
			for i := from; i < min(from+10_000, keys); i++ {
				if err := tx.Set(benchKey(nil, i), fmt.Appendf(nil, "value-%032d", i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func benchKey(dst []byte, i int) []byte { return fmt.Appendf(dst, "key-%012d", i) }

// BenchmarkGet is a point read in a View of its own.
func BenchmarkGet(b *testing.B) {
	db := open(b, Options{Dir: b.TempDir()})
	defer db.Close()
	fill(b, db, benchKeys)
	b.ReportAllocs()
	b.ResetTimer()
	var key, value []byte
	for range b.N {
		key = benchKey(key[:0], rand.IntN(benchKeys))
		err := db.View(background, func(r kv.Reader) (err error) {
			value, err = r.Get(value[:0], key)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGetPending is a point read inside a transaction, of its own write.
func BenchmarkGetPending(b *testing.B) {
	db := open(b, Options{InMemory: true})
	defer db.Close()
	err := db.Update(background, func(tx kv.Txn) error {
		for i := range 1000 {
			if err := tx.Set(benchKey(nil, i), []byte("value")); err != nil {
				return err
			}
		}
		b.ReportAllocs()
		b.ResetTimer()
		var key, value []byte
		for i := range b.N {
			key = benchKey(key[:0], i%1000)
			if _, err := tx.Get(value[:0], key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkScanPending is a scan of ten records over 1,000 pending ones.
func BenchmarkScanPending(b *testing.B) {
	db := open(b, Options{InMemory: true})
	defer db.Close()
	fill(b, db, 10_000)
	err := db.Update(background, func(tx kv.Txn) error {
		for i := range 1000 {
			if err := tx.Set(benchKey(nil, i*10+5), []byte("value")); err != nil {
				return err
			}
		}
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			err := tx.Scan(kv.Range{Lower: benchKey(nil, i%9000), Limit: 10}, func(_, _ []byte) bool { return true })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// spread runs b.N calls of fn on so many goroutines.
func spread(b *testing.B, goroutines int, fn func(i int) error) {
	var next atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for range goroutines {
		group.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				if err := fn(int(i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
}

// BenchmarkUpdate is one Set in its own Update, durable when answered, beside
// Badger's own transactions with a sync each.
func BenchmarkUpdate(b *testing.B) {
	for _, goroutines := range []int{1, 32, 256} {
		b.Run(fmt.Sprintf("always/%d", goroutines), func(b *testing.B) {
			db := open(b, Options{Dir: b.TempDir()})
			defer db.Close()
			spread(b, goroutines, func(i int) error {
				return db.Update(background, func(tx kv.Txn) error {
					return tx.Set(benchKey(nil, i%benchKeys), []byte("value"))
				})
			})
		})
		b.Run(fmt.Sprintf("sync-each/%d", goroutines), func(b *testing.B) {
			o := engineOptions(Options{Dir: b.TempDir()}.withDefaults()).WithSyncWrites(true)
			db, err := badger.Open(o)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			spread(b, goroutines, func(i int) error {
				return db.Update(func(tx *badger.Txn) error {
					return tx.Set(benchKey(nil, i%benchKeys), []byte("value"))
				})
			})
		})
	}
}

// BenchmarkReaderBesideWriters measures one reader alone and beside 32 writers
// whose groups are synced.
func BenchmarkReaderBesideWriters(b *testing.B) {
	for _, writers := range []int{0, 32} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			db := open(b, Options{Dir: b.TempDir()})
			defer db.Close()
			fill(b, db, benchKeys)
			stop := make(chan struct{})
			var group sync.WaitGroup
			for w := range writers {
				group.Go(func() { writeUntil(b, db, w, stop) })
			}
			took := make([]time.Duration, 0, b.N)
			var value []byte
			b.ResetTimer()
			for range b.N {
				key := benchKey(nil, rand.IntN(benchKeys))
				started := time.Now()
				err := db.View(background, func(r kv.Reader) (err error) {
					value, err = r.Get(value[:0], key)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(started))
			}
			b.StopTimer()
			close(stop)
			group.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*50/100].Nanoseconds()), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
		})
	}
}

func writeUntil(b *testing.B, db kv.DB, w int, stop <-chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		err := db.Update(background, func(tx kv.Txn) error {
			return tx.Set(benchKey(nil, (w*1000+i)%benchKeys), []byte("new value"))
		})
		if err != nil {
			b.Error(err)
			return
		}
	}
}
