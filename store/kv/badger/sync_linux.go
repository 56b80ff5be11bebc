package badger

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncFile flushes f's data, which on Linux includes pages that were dirtied
// through another descriptor's memory map, as Badger's are.
func syncFile(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if err != unix.EINTR {
			return err
		}
	}
}

// needsNativeSync is false where syncFile covers mapped pages.
const needsNativeSync = false
