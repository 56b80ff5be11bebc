//go:build !linux

package badger

import "os"

// syncFile flushes f's data and metadata.
func syncFile(f *os.File) error { return f.Sync() }

// needsNativeSync: outside Linux only msync through Badger's own map is sure to
// cover mapped pages.
const needsNativeSync = true
