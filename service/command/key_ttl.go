package command

import (
	"math"
	"strings"

	"keypact/store"
)

func keyTTLCommands() []*Command {
	const group = "generic"
	set := func(name, since, summary string) *Command {
		return &Command{Name: name, Arity: -3, Flags: Write | Fast, Keys: oneKey, Group: group, Since: since, Summary: summary, parse: keyExpire}
	}
	get := func(name, since, summary string) *Command {
		return &Command{Name: name, Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey, Group: group, Since: since, Summary: summary, parse: keyTTL}
	}
	return []*Command{
		set("EXPIRE", "1.0.0", "Lets a key expire in some seconds"),
		set("PEXPIRE", "2.6.0", "Lets a key expire in some milliseconds"),
		set("EXPIREAT", "1.2.0", "Lets a key expire at a time in seconds since 1970"),
		set("PEXPIREAT", "2.6.0", "Lets a key expire at a time in milliseconds since 1970"),
		get("TTL", "1.0.0", "Seconds until a key expires"),
		get("PTTL", "2.6.0", "Milliseconds until a key expires"),
		get("EXPIRETIME", "7.0.0", "When a key expires, in seconds since 1970"),
		get("PEXPIRETIME", "7.0.0", "When a key expires, in milliseconds since 1970"),
		{Name: "PERSIST", Arity: 2, Flags: Write | Fast, Keys: oneKey, Group: group, Since: "2.2.0",
			Summary: "Lets a key stay until it is deleted", parse: keyPersist},
	}
}

// expireWhen are the conditions of EXPIRE, which look at the old time.
type expireWhen struct{ absent, present, greater, less bool }

func parseExpireWhen(a *Args) (when expireWhen, err error) {
	for a.More() {
		switch a.OneOf("NX", "XX", "GT", "LT") {
		case "NX":
			when.absent = true
		case "XX":
			when.present = true
		case "GT":
			when.greater = true
		case "LT":
			when.less = true
		default:
			return when, Error("ERR Unsupported option " + printable(a.Next(), 128))
		}
	}
	switch {
	case when.absent && (when.present || when.greater || when.less):
		return when, Error("ERR NX and XX, GT or LT options at the same time are not compatible")
	case when.greater && when.less:
		return when, Error("ERR GT and LT options at the same time are not compatible")
	}
	return when, nil
}

// allows judges the old and the new time, in ms since the epoch; old 0 is never.
func (w expireWhen) allows(old, at int64) bool {
	endless := old
	if old == 0 {
		endless = math.MaxInt64
	}
	return !(w.absent && old != 0 || w.present && old == 0 || w.greater && at <= endless || w.less && at >= endless)
}

// keyExpire is EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT key time [NX|XX|GT|LT].
// A time that has passed deletes the key.
func keyExpire(a *Args) (Call, error) {
	key, word := a.Next(), a.Next()
	when, err := parseExpireWhen(a)
	if err != nil {
		return Call{}, err
	}
	n, err := parseInt(word)
	if err != nil {
		return Call{}, err
	}
	if !strings.HasPrefix(a.name, "P") {
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return Call{}, a.invalidExpiry()
		}
		n *= 1000
	}
	absolute, invalid := strings.HasSuffix(a.name, "AT"), a.invalidExpiry()
	return a.writing(func(tx *store.Tx) (Reply, error) {
		at := n
		if !absolute {
			if at > math.MaxInt64-tx.Now() {
				return nil, fail(invalid)
			}
			at += tx.Now()
		}
		k, err := tx.Key(key)
		if err != nil || !k.Exists() || !when.allows(k.Expires(), at) {
			return Int(0), err
		}
		if at <= tx.Now() {
			tx.Event("del", key)
			return Int(1), k.Remove()
		}
		tx.Event("expire", key)
		return Int(1), k.Expire(at)
	}, key)
}

// keyTTL is TTL, PTTL, EXPIRETIME and PEXPIRETIME key: -2 is no key, -1 is
// never.
func keyTTL(a *Args) (Call, error) {
	key := a.Next()
	seconds, moment := !strings.HasPrefix(a.name, "P"), strings.HasSuffix(a.name, "TIME")
	return a.reading(func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(key)
		switch {
		case err != nil:
			return nil, err
		case !k.Exists():
			return Int(-2), nil
		case k.Expires() == 0:
			return Int(-1), nil
		}
		ms := k.Expires()
		if !moment {
			ms -= tx.Now()
		}
		if seconds {
			return Int((ms + 500) / 1000), nil
		}
		return Int(ms), nil
	}, key)
}

// keyPersist is PERSIST key.
func keyPersist(a *Args) (Call, error) {
	key := a.Next()
	return a.writing(func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(key)
		if err != nil || k.Expires() == 0 {
			return Int(0), err
		}
		tx.Event("persist", key)
		return Int(1), k.Expire(0)
	}, key)
}
