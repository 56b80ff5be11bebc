//go:build linux || darwin || freebsd

package badger

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeBytes returns the space in dir's file system that this user may fill.
func freeBytes(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return uint64(max(st.Bavail, 0)) * uint64(st.Bsize), nil
}

// allocated is what the file takes on disk: logs are sparse.
func allocated(info os.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}
