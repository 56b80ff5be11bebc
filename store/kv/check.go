package kv

import (
	"context"
	"errors"
)

// ErrDamaged says that what the engine keeps is not what was written.
var ErrDamaged = errors.New("kv: damaged")

// Checker is a DB that can tell whether what it keeps on disk is what was
// written.
type Checker interface {
	// CheckStorage reads everything that is kept and compares it with its
	// checksums, while reads and writes go on. What does not match is an
	// ErrDamaged that says where; another error says that it could not be found
	// out. A record in a damaged part may be absent for all other reads.
	CheckStorage(ctx context.Context) error
}
