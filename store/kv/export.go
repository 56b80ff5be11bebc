package kv

import "context"

// Exporter is a DB that hands out everything it holds, for backups.
type Exporter interface {
	// Export runs fn on one snapshot, while writes go on. What the snapshot
	// holds is durable before fn runs, whatever the durability mode says, so
	// that no power loss takes back what a backup has. Records that the engine
	// knows to be damaged are an error. The snapshot is given back when fn
	// returns; Close waits for that.
	Export(ctx context.Context, fn func(Export) error) error
}

// Export is one snapshot of which each record has a stamp: that of the commit
// that wrote it. Stamps start above 0 and rise with each commit for as long as
// the store lives, so a record whose stamp is not above an earlier snapshot's
// is as it was there. Deleted records leave no trace.
type Export interface {
	Reader

	// Stamp is the stamp of the newest commit the snapshot may hold.
	Stamp() uint64

	// Records visits all records in the order of keys until visit returns an
	// error, which comes back as it is, or the context of Export ends. Key and
	// value are valid only during the call.
	Records(visit func(key, value []byte, stamp uint64) error) error
}
