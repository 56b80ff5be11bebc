package service

import (
	"encoding/base64"
	"errors"
	"slices"
)

// Cursor is a place between two elements of an ordered collection: right after
// the element it names. So it neither skips nor repeats an element that was
// there all along, and it outlives writes and restarts. Clients must not look
// inside. nil is the start.
type Cursor []byte

// cursorForm is the first byte of every cursor, so that the place after the
// empty element differs from the start, and so that another form can follow.
const cursorForm = 1

var errCursor = errors.New("is not a cursor of this service")

// after is the cursor behind an element.
func after(element []byte) Cursor { return append(Cursor{cursorForm}, element...) }

// element is the element that the cursor stands behind; nil is the start.
func (c Cursor) element() []byte {
	if len(c) == 0 {
		return nil
	}
	return c[1:]
}

// MarshalText writes the cursor for an answer.
func (c Cursor) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, c), nil
}

// UnmarshalText reads a cursor of an earlier answer. The empty text is the
// start.
func (c *Cursor) UnmarshalText(text []byte) error {
	raw, err := base64.RawURLEncoding.Strict().AppendDecode(nil, text)
	if err != nil || slices.ContainsFunc(text, func(b byte) bool { return b == '\n' || b == '\r' }) {
		return errCursor
	}
	if len(raw) > 0 && raw[0] != cursorForm {
		return errCursor
	}
	*c = raw
	return nil
}

// Page is how a request asks for a part of a collection. A page may hold fewer
// elements than it asks for, even none, while a cursor says that more follow.
type Page struct {
	Match  Bytes  `json:"match,omitzero"` // Redis's glob pattern; nil matches all
	Cursor Cursor `json:"cursor,omitzero"`
	Limit  int    `json:"limit,omitzero" validate:"min=0,page"` // 0 is the default
}

// defaultPage is the limit of a page that was not told the configured one.
const defaultPage = 100

func (p *Page) defaults(l Limits) {
	if p.Limit == 0 {
		p.Limit = l.DefaultPage
	}
}

// limit is how many elements the page may hold.
func (p Page) limit() int {
	if p.Limit == 0 {
		return defaultPage
	}
	return p.Limit
}

// scanned is how many elements the page may look at: more than it may hold, so
// that a pattern that few match needs few pages, but not without end.
func (p Page) scanned() int { return max(10*p.limit(), leastScanned) }

const leastScanned = 1000

// matcher tells whether an element is wanted; nil if all are.
func (p Page) matcher() func([]byte) bool {
	if p.Match == nil {
		return nil
	}
	return newGlob(p.Match).Match
}

// next is the cursor behind the last element looked at; nil if it is the end.
func next(last []byte) Cursor {
	if last == nil {
		return nil
	}
	return after(last)
}
