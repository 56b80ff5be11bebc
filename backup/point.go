package backup

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Point is a moment of one store: the snapshot of a backup. The zero Point is
// before the first write of every store.
type Point struct {
	Instance uint64 // of the store
	Stamp    uint64 // of the newest commit in it
}

// ErrPoint says that an increment cannot start where it should: the point is of
// another store, or ahead of the present one.
var ErrPoint = errors.New("no increment can start there")

// String is the form that ParsePoint reads, such as "00f3a1b2c3d4e5f6-4711".
func (p Point) String() string { return fmt.Sprintf("%016x-%d", p.Instance, p.Stamp) }

// ParsePoint reads what String writes.
func ParsePoint(text string) (Point, error) {
	instance, stamp, _ := strings.Cut(text, "-")
	var p Point
	var err error
	if p.Instance, err = strconv.ParseUint(instance, 16, 64); err == nil {
		p.Stamp, err = strconv.ParseUint(stamp, 10, 64)
	}
	if err != nil || p.Stamp == 0 || p.String() != text {
		return Point{}, fmt.Errorf("%q is not the point of a backup, such as 00f3a1b2c3d4e5f6-4711", text)
	}
	return p, nil
}

// reachedBy checks that an increment from p to present makes sense.
func (p Point) reachedBy(present Point) error {
	switch {
	case p == Point{}:
		return nil
	case p.Instance != present.Instance:
		return fmt.Errorf("%w: the earlier backup is of the store %016x, this is %016x", ErrPoint, p.Instance, present.Instance)
	case p.Stamp > present.Stamp:
		return fmt.Errorf("%w: the earlier backup goes up to commit %d, this store only to %d", ErrPoint, p.Stamp, present.Stamp)
	}
	return nil
}
