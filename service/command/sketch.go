package command

import (
	"bytes"
	"encoding/binary"

	"github.com/axiomhq/hyperloglog"
)

// A sketch is a string: 16 bytes of head, and the form of package hyperloglog
// with 2^14 registers. The head is laid out as that of Redis, whose own forms
// have other numbers and are refused as foreign:
//
//	0   "HYLL"
//	4   the form of what follows: sketchForm
//	5   three zero bytes
//	8   the count, 64 bits, least byte first; the highest bit says that it is out of date
//
// The count is kept where it costs little: when a sketch begins and when some
// are merged. Adding only says that it is out of date.
const (
	sketchMagic     = "HYLL"
	sketchForm      = 0x4b
	sketchHead      = 16
	sketchPrecision = 14 // 2^14 registers have a standard error of 0.81 %
	sketchStale     = 1 << 63
	sketchSparse    = 3000 // bytes up to which a sketch stays a list of what was added, as in Redis
)

// Errors of strings that are no sketches.
const (
	errNoSketch     = Error("WRONGTYPE Key is not a valid HyperLogLog string value.")
	errBrokenSketch = Error("INVALIDOBJ Corrupted HLL object detected")
)

// parseSketch reads a sketch; that of no bytes is empty. The error is one of
// those above.
func parseSketch(value []byte) (*hyperloglog.Sketch, error) {
	sketch := hyperloglog.New14()
	if value == nil {
		return sketch, nil
	}
	if err := checkSketch(value); err != nil {
		return nil, err
	}
	if err := sketch.UnmarshalBinary(value[sketchHead:]); err != nil {
		return nil, fail(errBrokenSketch)
	}
	return sketch, nil
}

// checkSketch looks at the head, and at the precision, which the library reads
// from the form: sketches of another cannot be merged.
func checkSketch(value []byte) error {
	if len(value) < sketchHead || string(value[:4]) != sketchMagic || value[4] != sketchForm {
		return fail(errNoSketch)
	}
	if len(value) < sketchHead+2 || value[sketchHead+1] != sketchPrecision {
		return fail(errBrokenSketch)
	}
	return nil
}

// settle brings a sketch into its lasting form and writes it as the library
// does. Two that hold the same are the same bytes if each was read from, or
// began without, such bytes.
func settle(sketch *hyperloglog.Sketch) (settled *hyperloglog.Sketch, body []byte, err error) {
	if body, err = sketch.MarshalBinary(); err != nil || !sparse(body) {
		return sketch, body, err
	}
	// Estimate orders what was added to a sparse sketch.
	sketch.Estimate()
	if body, err = sketch.MarshalBinary(); err != nil || len(body) <= sketchSparse {
		return sketch, body, err
	}
	dense := hyperloglog.NewNoSparse()
	if err = dense.Merge(sketch); err != nil {
		return nil, nil, err
	}
	body, err = dense.MarshalBinary()
	return dense, body, err
}

// sparse says that a body is a list of what was added, and not registers.
func sparse(body []byte) bool { return body[3] == 1 }

// formatSketch writes a sketch with its count, or without it.
func formatSketch(sketch *hyperloglog.Sketch, counted bool) ([]byte, error) {
	sketch, body, err := settle(sketch)
	if err != nil {
		return nil, err
	}
	count := uint64(sketchStale)
	if counted {
		count = sketch.Estimate()
	}
	out := make([]byte, 0, sketchHead+len(body))
	out = append(out, sketchMagic...)
	out = append(out, sketchForm, 0, 0, 0)
	out = binary.LittleEndian.AppendUint64(out, count)
	return append(out, body...), nil
}

// addToSketch adds elements to a sketch and reports whether it has changed. The
// sketch of no bytes begins.
func addToSketch(value []byte, elements [][]byte) (added []byte, changed bool, err error) {
	sketch, err := parseSketch(value)
	if err != nil {
		return nil, false, err
	}
	for _, element := range elements {
		sketch.Insert(element)
	}
	added, err = formatSketch(sketch, value == nil)
	if err != nil || value == nil {
		return added, true, err
	}
	return added, !bytes.Equal(added[sketchHead:], value[sketchHead:]), nil
}

// mergeSketches is the union of sketches, at least one; nil ones are empty.
func mergeSketches(values [][]byte) (*hyperloglog.Sketch, error) {
	var union *hyperloglog.Sketch
	for _, value := range values {
		sketch, err := parseSketch(value)
		if err != nil {
			return nil, err
		}
		if union == nil {
			union = sketch
			continue
		}
		if err := union.Merge(sketch); err != nil {
			return nil, err
		}
	}
	return union, nil
}

// countSketch is the number of elements in the union of sketches.
func countSketch(values [][]byte) (uint64, error) {
	if len(values) == 1 && len(values[0]) >= sketchHead {
		count := binary.LittleEndian.Uint64(values[0][8:])
		if _, err := parseSketch(values[0]); err != nil || count&sketchStale == 0 {
			return count, err
		}
	}
	union, err := mergeSketches(values)
	if err != nil {
		return 0, err
	}
	return union.Estimate(), nil
}
