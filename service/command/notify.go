package command

import (
	"strings"
	"sync/atomic"
)

// notifyParameter is the parameter of CONFIG that says which events of keys are
// published.
const notifyParameter = "notify-keyspace-events"

// classes are kinds of events, by the letters that CONFIG has for them.
type classes uint32

// The classes, in the order in which CONFIG GET tells them.
const (
	classGeneric  classes = 1 << iota // g: of any type, such as del
	classString                       // $
	classList                         // l
	classSet                          // s
	classHash                         // h
	classZSet                         // z
	classExpired                      // x
	classEvicted                      // e
	classStream                       // t
	classModule                       // d
	classNew                          // n: a key comes into being
	classKeyspace                     // K: on __keyspace@N__
	classKeyevent                     // E: on __keyevent@N__
	classMiss                         // m: a key is asked for that is not there

	classAll = classNew - 1 // A
)

const classLetters = "g$lshzxetdnKEm"

// parseClasses reads letters; false if one is unknown.
func parseClasses(letters string) (c classes, ok bool) {
	for _, letter := range letters {
		i := strings.IndexRune(classLetters, letter)
		switch {
		case letter == 'A':
			c |= classAll
		case i < 0:
			return 0, false
		default:
			c |= 1 << i
		}
	}
	return c, true
}

// String writes the letters in Redis's order.
func (c classes) String() string {
	var b strings.Builder
	left := c
	if c&classAll == classAll {
		b.WriteByte('A')
		left &^= classAll | classNew
	}
	for i, letter := range classLetters {
		if left&(1<<i) != 0 {
			b.WriteRune(letter)
		}
	}
	return b.String()
}

// notify is which events are published.
type notify struct{ classes atomic.Uint32 }

// set takes the value of the parameter, which has been checked.
func (n *notify) set(value string) {
	c, _ := parseClasses(value)
	n.classes.Store(uint32(c))
}
