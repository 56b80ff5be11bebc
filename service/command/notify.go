package command

import (
	"strings"
	"sync/atomic"

	"keypact/store"
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

// set takes the value of the parameter, which has been checked, and reports
// whether any event is published from now on.
func (n *notify) set(value string) bool {
	c, _ := parseClasses(value)
	n.classes.Store(uint32(c))
	return c&(classKeyspace|classKeyevent) != 0 && c&^(classKeyspace|classKeyevent) != 0
}

// eventClass are the classes of events. What is not listed is generic.
var eventClass = map[string]classes{
	"set": classString, "setrange": classString, "append": classString, "incrby": classString, "incrbyfloat": classString,
	"setbit": classString, "pfadd": classString,
	"lpush": classList, "rpush": classList, "lpop": classList, "rpop": classList, "linsert": classList, "lset": classList,
	"lrem": classList, "ltrim": classList, "sortstore": classList,
	"sadd": classSet, "srem": classSet, "spop": classSet, "sinterstore": classSet, "sunionstore": classSet, "sdiffstore": classSet,
	"hset": classHash, "hdel": classHash, "hincrby": classHash, "hincrbyfloat": classHash,
	"zadd": classZSet, "zincr": classZSet, "zrem": classZSet, "zpopmin": classZSet, "zpopmax": classZSet,
	"zremrangebyscore": classZSet, "zremrangebyrank": classZSet, "zremrangebylex": classZSet,
	"zdiffstore": classZSet, "zinterstore": classZSet, "zunionstore": classZSet, "zrangestore": classZSet,
	"expired": classExpired, "new": classNew,
}

// Notify publishes events of keys, on __keyspace@N__:KEY and __keyevent@N__:EVENT
// for namespace N, as far as notify-keyspace-events asks for them. It is what the
// store's Options.Notify is to call. Misses, class m, are not told.
func (h *Host) Notify(events []store.Event) {
	wanted := classes(h.notify.classes.Load())
	for _, e := range events {
		class, listed := eventClass[e.Name]
		if !listed {
			class = classGeneric
		}
		if wanted&class == 0 {
			continue
		}
		if wanted&classKeyspace != 0 {
			h.broker.Publish([]byte("__keyspace@"+e.Space+"__:"+e.Key), []byte(e.Name))
		}
		if wanted&classKeyevent != 0 {
			h.broker.Publish([]byte("__keyevent@"+e.Space+"__:"+e.Name), []byte(e.Key))
		}
	}
}
