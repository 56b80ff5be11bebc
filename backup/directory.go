package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// unfinished is the folder in which a store is built until it is whole. Its
// name is what the service says if it finds one.
const unfinished = "unfinished-restore"

// last is the file that makes a directory a store, so it moves in last.
const last = "MANIFEST"

// Directory is a directory that a store is restored into. The store is built in
// a folder inside of it, which no service takes for a store, and moves up when
// it is whole. (Not in a folder beside it: the directory may be a mount.)
type Directory struct {
	path string
	made bool // it was not there
}

// OpenDirectory makes ready a directory that is missing or empty. One that
// holds anything is refused.
func OpenDirectory(path string) (*Directory, error) {
	d := &Directory{path: path}
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.made = true
		err = os.MkdirAll(path, 0o700)
	case err == nil:
		for _, e := range entries {
			if e.Name() == unfinished {
				return nil, fmt.Errorf("directory %s holds what an earlier restore left; empty it first", path)
			}
			if e.Name() != "lost+found" {
				return nil, fmt.Errorf("directory %s is not empty: it holds %s", path, e.Name())
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return d, os.Mkdir(d.Build(), 0o700)
}

// Build is where the store is built.
func (d *Directory) Build() string { return filepath.Join(d.path, unfinished) }

// Finish moves the store, which is closed, to where it is served. After an
// error or a crash in between the directory is still no store.
func (d *Directory) Finish() error {
	entries, err := os.ReadDir(d.Build())
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if err := SyncPath(filepath.Join(d.Build(), e.Name())); err != nil {
			return err
		}
		if e.Name() == last {
			found = true
			continue
		}
		if err := d.move(e.Name()); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("there is no store in %s", d.Build())
	}
	if err := SyncPath(d.path); err != nil {
		return err
	}
	if err := d.move(last); err != nil {
		return err
	}
	if err := os.Remove(d.Build()); err != nil {
		return err
	}
	return errors.Join(SyncPath(d.path), SyncPath(filepath.Dir(d.path)))
}

// Abandon removes what was built.
func (d *Directory) Abandon() error {
	err := os.RemoveAll(d.Build())
	if err == nil && d.made {
		err = os.Remove(d.path)
	}
	return err
}

func (d *Directory) move(name string) error {
	return os.Rename(filepath.Join(d.Build(), name), filepath.Join(d.path, name))
}

// SyncPath makes a file, or the names in a folder, last through a power loss.
// Some file systems cannot sync folders, which is no error.
func SyncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
