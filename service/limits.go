package service

import (
	"time"

	"keypact/store"
)

// Limits are the sizes requests may have. Zero fields take the defaults. The
// doors enforce those of bodies, headers and nesting.
type Limits struct {
	KeyBytes        int           // of a key; default 1024, which is also the most
	FieldBytes      int           // of a hash field or a member; default 4096
	ValueBytes      int           // of a value or list element; default 8 MiB less 64 KiB
	BodyBytes       int64         // of a request's body; default 16 MiB
	HeaderBytes     int           // of a request's headers; default 64 KiB
	Depth           int           // of nested JSON; default 32
	BatchOperations int           // in one batch or pipeline; default 10,000
	PageSize        int           // elements of one page at most; default 1,000
	DefaultPage     int           // elements of one page if the request does not say; default 100
	Result          int           // elements of one answer that has no pages; default 100,000
	Wait            time.Duration // of a blocking pop; default 5 minutes
	OpBytes         int           // that one operation writes; default 8 MiB
	OpWrites        int           // records that one operation writes; default 50,000
}

// WithDefaults fills in what is zero.
func (l Limits) WithDefaults() Limits {
	defaults := Limits{
		KeyBytes: 1024, FieldBytes: 4096, ValueBytes: 8<<20 - 64<<10,
		BodyBytes: 16 << 20, HeaderBytes: 64 << 10, Depth: 32,
		BatchOperations: 10_000, PageSize: 1000, DefaultPage: 100, Result: 100_000,
		Wait: 5 * time.Minute, OpBytes: 8 << 20, OpWrites: 50_000,
	}
	fill(&l.KeyBytes, defaults.KeyBytes)
	fill(&l.FieldBytes, defaults.FieldBytes)
	fill(&l.ValueBytes, defaults.ValueBytes)
	fill(&l.BodyBytes, defaults.BodyBytes)
	fill(&l.HeaderBytes, defaults.HeaderBytes)
	fill(&l.Depth, defaults.Depth)
	fill(&l.BatchOperations, defaults.BatchOperations)
	fill(&l.PageSize, defaults.PageSize)
	fill(&l.DefaultPage, min(defaults.DefaultPage, l.PageSize))
	fill(&l.Result, defaults.Result)
	fill(&l.Wait, defaults.Wait)
	fill(&l.OpBytes, defaults.OpBytes)
	fill(&l.OpWrites, defaults.OpWrites)
	return l
}

func fill[T comparable](field *T, fallback T) {
	var zero T
	if *field == zero {
		*field = fallback
	}
}

// Store is the part of the limits that the store enforces.
func (l Limits) Store() store.Limits {
	l = l.WithDefaults()
	return store.Limits{
		KeyBytes:     l.KeyBytes,
		ElementBytes: l.FieldBytes,
		ValueBytes:   l.ValueBytes,
		Result:       l.Result,
	}
}
