package store

import (
	"slices"
	"strings"
)

// Event says that something happened to a key, in the words of Redis's keyspace
// notifications: https://redis.io/docs/latest/develop/use/keyspace-notifications/.
type Event struct {
	Space string // name of the namespace
	Key   string
	Name  string // such as "set", "lpush", "del" or "expired"
}

// SetNotify turns the calls of Options.Notify on or off; they are off at first,
// so that nothing is gathered while nobody listens.
func (s *Store) SetNotify(on bool) { s.notifying.Store(on && s.notify != nil) }

// Changes counts the effective changes since the store was opened: one for each
// key that an operation changed, and for a flushed namespace its keys. What was
// undone or changed nothing does not count.
func (s *Store) Changes() uint64 { return s.changes.Load() }

// Event says what the running operation did to a key of its namespace. An
// operation that says nothing of a key it changes has the event of its verb; that
// a key is gone, or had expired, the store adds by itself. Listeners hear of it
// when the change is published, and never of one that is undone.
func (tx *Tx) Event(name string, key []byte) { tx.event(tx.op.space, name, key) }

// EventIn is Event for a key of a namespace given by its name; of one that does
// not exist nothing is said.
func (tx *Tx) EventIn(space, name string, key []byte) {
	if i, err := tx.number(space); err == nil {
		tx.event(i, name, key)
	}
}

func (tx *Tx) event(space int, name string, key []byte) {
	if tx.listens {
		tx.op.did.events = append(tx.op.did.events, Event{spaceName(space), string(key), name})
	}
}

// announce counts the change of a key and completes what was said of it.
func (r *record) announce() {
	did := &r.tx.op.did
	overdue := r.stored && !r.loaded.exists
	if overdue {
		did.expired++
	}
	if r.exists || r.loaded.exists {
		did.changes++
	}
	if !r.tx.listens {
		return
	}
	here := func(name string) Event { return Event{spaceName(r.space), string(r.key), name} }
	said := func(name string) bool {
		return slices.ContainsFunc(did.events, func(e Event) bool {
			return e.Key == string(r.key) && e.Space == spaceName(r.space) && (name == "" || e.Name == name)
		})
	}
	gone := !r.exists && r.loaded.exists && !r.moved && r.state.call.Verb != "MOVE"
	if name := r.eventName(gone); name != "" && !said("") {
		did.events = append(did.events, here(name))
	}
	if gone && !said("del") {
		did.events = append(did.events, here("del"))
	}
	if overdue {
		did.events = slices.Insert(did.events, 0, here("expired"))
	}
}

// eventName is the event of the verb that changed the key; empty if there is
// none. A key that is gone because a lifetime or an empty result replaced it only
// has the event of that.
func (r *record) eventName(gone bool) string {
	verb := r.state.call.Verb
	switch {
	case !r.exists && !r.loaded.exists:
		return ""
	case verb == "RENAME" && r.moved:
		return "rename_from"
	case verb == "MOVE" && !r.exists:
		return "move_from"
	}
	name, other := eventNames[verb]
	if !other {
		name = strings.ToLower(verb)
	}
	if gone && !takes[name] {
		return ""
	}
	return name
}

// eventNames are the events of those verbs that are called otherwise.
var eventNames = map[string]string{
	"GETDEL": "del", "GETEX": "expire", "BITOP": "set", "BITFIELD": "setbit", "PFMERGE": "pfadd",
	"HSETNX": "hset", "LPUSHX": "lpush", "RPUSHX": "rpush",
	"BLPOP": "lpop", "BRPOP": "rpop", "LMPOP": "lpop", "BLMPOP": "lpop",
	"ZINCRBY": "zincr", "BZPOPMIN": "zpopmin", "BZPOPMAX": "zpopmax", "ZMPOP": "zpopmin", "BZMPOP": "zpopmin",
	"RENAME": "rename_to", "MOVE": "move_to", "COPY": "copy_to", "SORT": "sortstore",
}

// takes are the events of taking elements out, after which a key may be gone.
var takes = map[string]bool{
	"hdel": true, "lpop": true, "rpop": true, "lrem": true, "ltrim": true, "srem": true, "spop": true, "zrem": true,
	"zpopmin": true, "zpopmax": true, "zremrangebyrank": true, "zremrangebyscore": true, "zremrangebylex": true,
}

// tellPublished counts the list's changes and lets listeners know of them once
// they are published.
func (tx *Tx) tellPublished() {
	s, done := tx.s, &tx.done
	changes, expired, events := done.changes, done.expired, done.events
	if changes == 0 && expired == 0 && len(events) == 0 {
		return
	}
	tx.w.Published(func() {
		s.changes.Add(changes)
		s.sweeper.expired.Add(expired)
		if len(events) > 0 {
			s.notify(events)
		}
	})
}
