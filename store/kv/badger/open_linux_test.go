package badger

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"keypact/store/kv"
)

// Root may write anywhere, so the thread acts as another user meanwhile.
func TestOpenUnwritableDirectory(t *testing.T) {
	dir, err := os.MkdirTemp("", "keypact-readonly-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if os.Geteuid() == 0 {
		const nobody = 65534
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			t.Fatal(err)
		}
		defer unix.SetfsuidRetUid(0)
	}
	db, err := Open(Options{Dir: dir})
	if err == nil {
		db.Close()
		t.Fatal("opened")
	}
	if !errors.Is(err, kv.ErrReadOnly) || !strings.Contains(err.Error(), "directory "+dir+" is not writable") {
		t.Errorf("error is %q", err)
	}
}
