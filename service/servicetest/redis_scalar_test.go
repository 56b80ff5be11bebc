package servicetest

import (
	"fmt"
	"strings"
	"time"

	"keypact/service"
)

func (p *pair) one(list ...string) string { return list[p.IntN(len(list))] }
func (p *pair) part() string {
	return p.one("a", "b", "c", "d", "e", "a\x00", "", "\xff\xfe", "7", "42")
}
func (p *pair) small() int             { return p.IntN(13) - 6 }
func (p *pair) exists(key string) bool { return p.mini.Exists(key) }

// key draws a key that mostly holds the type whose turn it is.
func (p *pair) key() string {
	kind := p.kind
	if kind == "key" || p.IntN(5) == 0 {
		kind = p.one("string", "hash", "list", "set", "zset")
	}
	return kind + p.one("1", "2", "3")
}

func (p *pair) parts() (ours []service.Bytes, theirs []any) {
	for range 1 + p.IntN(4) {
		s := p.part()
		ours, theirs = append(ours, service.Bytes(s)), append(theirs, s)
	}
	return ours, theirs
}

// on is a member list with the key.
func on(key string, more ...any) members {
	m := members{"key": service.Bytes(key)}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return m
}

func command(args ...any) []any { return args }

// twins draw one operation each, by the type they are about.
var twins = []struct {
	kind  string
	draws []func(p *pair) twin
}{
	{"string", stringTwins}, {"hash", hashTwins}, {"list", listTwins}, {"set", setTwins}, {"zset", zsetTwins}, {"key", keyTwins},
}

var stringTwins = []func(p *pair) twin{
	func(p *pair) twin {
		k, v, ms := p.key(), p.part(), 1+p.IntN(90_000)
		there := p.exists(k)
		done := map[bool]string{true: "stored", false: "created"}[there]
		switch p.IntN(5) {
		case 0:
			return twin{entry{"SET", on(k, "value", service.Bytes(v), "ttl", fmt.Sprint(ms, "ms"))}, command("SET", k, v, "PX", ms), either(done, "precondition")}
		case 1:
			return twin{entry{"SETNX", on(k, "value", service.Bytes(v))}, command("SET", k, v, "NX"), either(done, "precondition")}
		case 2:
			return twin{entry{"SET", on(k, "value", service.Bytes(v), "if", "present")}, command("SET", k, v, "XX"), either(done, "precondition")}
		case 3:
			return twin{entry{"SET", on(k, "value", service.Bytes(v), "keep_ttl", true)}, command("SET", k, v, "KEEPTTL"), either(done, "precondition")}
		}
		return twin{entry{"SET", on(k, "value", service.Bytes(v))}, command("SET", k, v), either(done, "precondition")}
	},
	func(p *pair) twin {
		k, start, stop := p.key(), p.small(), p.IntN(7)-1
		return twin{entry{"GETRANGE", on(k, "start", start, "stop", stop)}, command("GETRANGE", k, start, stop),
			emptyOr(p.exists(k), `{"value":%s}`, text)}
	},
	func(p *pair) twin {
		k := p.key()
		return twin{entry{"STRLEN", on(k)}, command("STRLEN", k), say(`{"length":%d}`)}
	},
	func(p *pair) twin {
		k, v := p.key(), p.part()
		return twin{entry{"APPEND", on(k, "append", service.Bytes(v))}, command("APPEND", k, v), say(`{"length":%d}`)}
	},
	func(p *pair) twin {
		k, v, at := p.key(), p.one("xy", "z"), p.IntN(5)
		return twin{entry{"SETRANGE", on(k, "offset", at, "value", service.Bytes(v))}, command("SETRANGE", k, at, v), say(`{"length":%d}`)}
	},
	func(p *pair) twin {
		k, by := p.key(), p.small()
		if v, _ := p.mini.Get(k); strings.HasPrefix(strings.TrimPrefix(v, "-"), "0") && v != "0" {
			k += "'" // miniredis takes 07 for an integer
		}
		return twin{entry{"INCRBY", on(k, "by", by)}, command("INCRBY", k, by), say(`{"value":%d}`)}
	},
	func(p *pair) twin {
		k, by := p.key(), float64(p.small())/4
		if v, _ := p.mini.Get(k); len(v) > 12 {
			k += "'" // past the digits of a double
		}
		return twin{entry{"INCRBYFLOAT", on(k, "by", by)}, command("INCRBYFLOAT", k, by), func(r any) string {
			if s, ok := r.(string); ok {
				return fmt.Sprintf(`{"value":%s}`, s)
			}
			return "invalid"
		}}
	},
	func(p *pair) twin {
		a, b, v, w := p.key(), p.key(), p.part(), p.part()
		pairs := []any{on(a, "value", service.Bytes(v)), on(b, "value", service.Bytes(w))}
		if p.IntN(2) == 0 {
			return twin{entry{"MSETNX", members{"pairs": pairs}}, command("MSETNX", a, v, b, w), either(told(a, b, 0, 0), "precondition")}
		}
		had := 0
		for _, k := range []string{a, b} {
			if p.exists(k) {
				had++
			}
		}
		return twin{entry{"MSET", members{"pairs": pairs}}, command("MSET", a, v, b, w), either(told(a, b, had, had), "")}
	},
	func(p *pair) twin {
		a, b := p.key(), p.key()
		return twin{entry{"MGET", members{"keys": []service.Bytes{service.Bytes(a), service.Bytes(b)}}}, command("MGET", a, b),
			func(r any) string { return fmt.Sprintf(`{"values":%s}`, listOf(r)) }}
	},
}

// told is the answer of MSET to two keys, of which some were there.
func told(a, b string, had, _ int) string {
	count := 2
	if a == b {
		count, had = 1, had/2
	}
	return fmt.Sprintf(`{"count":%d,"created":%d}`, count, count-had)
}

var hashTwins = []func(p *pair) twin{
	func(p *pair) twin {
		k, f, v := p.key(), p.part(), p.part()
		return twin{entry{"HashFieldSet", on(k, "field", service.Bytes(f), "value", service.Bytes(v))}, command("HSET", k, f, v), either("created", "stored")}
	},
	func(p *pair) twin {
		k, f, v := p.key(), p.part(), p.part()
		return twin{entry{"HSETNX", on(k, "field", service.Bytes(f), "value", service.Bytes(v))}, command("HSETNX", k, f, v), either("created", "precondition")}
	},
	func(p *pair) twin {
		k, f := p.key(), p.part()
		return twin{entry{"HGET", on(k, "field", service.Bytes(f))}, command("HGET", k, f), sayText(`{"value":%s}`)}
	},
	func(p *pair) twin {
		k := p.key()
		fields, args := p.parts()
		remaining := p.after(k, len(args))
		return twin{entry{"HDEL", on(k, "fields", fields)}, append(command("HDEL", k), args...), remaining("HLEN")}
	},
	func(p *pair) twin {
		k := p.key()
		return twin{entry{"HLEN", on(k)}, command("HLEN", k), say(`{"count":%d}`)}
	},
	func(p *pair) twin {
		k, f, by := p.key(), p.part(), p.small()
		return twin{entry{"HINCRBY", on(k, "field", service.Bytes(f), "by", by)}, command("HINCRBY", k, f, by), say(`{"value":%d}`)}
	},
}

var keyTwins = []func(p *pair) twin{
	func(p *pair) twin {
		k := p.key()
		return twin{entry{"DEL", on(k)}, command("DEL", k), either("stored", "not_found")}
	},
	func(p *pair) twin {
		k := p.key()
		return twin{entry{"EXISTS", on(k)}, command("EXISTS", k), either(`{"exists":true}`, `{"exists":false}`)}
	},
	func(p *pair) twin {
		k, word := p.key(), p.IntN(5)
		d := time.Duration(1+p.IntN(100)) * time.Second
		if p.mini.TTL(k) == d {
			d += time.Second // miniredis takes an equal time for a lesser one
		}
		m, args := on(k, "ttl", d.String()), command("PEXPIRE", k, d.Milliseconds())
		if word < 4 {
			m["if"], args = []string{"absent", "present", "greater", "less"}[word], append(args, []string{"NX", "XX", "GT", "LT"}[word])
		}
		unmet := map[bool]string{true: "precondition", false: "not_found"}[p.exists(k)]
		at := moment(p.clock.now() + d.Milliseconds())
		return twin{entry{"PEXPIRE", m}, args, either(fmt.Sprintf(`{"ttl_ms":%d,"expires_at":%q}`, d.Milliseconds(), at), unmet)}
	},
	func(p *pair) twin {
		k := p.key()
		found := map[bool]string{true: "stored", false: "not_found"}[p.exists(k)]
		return twin{entry{"PERSIST", on(k)}, command("PERSIST", k), func(any) string { return found }}
	},
	func(p *pair) twin {
		a, b := p.key(), p.key()
		return twin{entry{"RENAME", on(a, "destination", service.Bytes(b))}, command("RENAME", a, b), func(r any) string {
			return map[bool]string{true: `{"renamed":true}`, false: "not_found"}[r == "OK"]
		}}
	},
	func(p *pair) twin {
		a, b, replace := p.key(), p.key(), p.IntN(2) == 0
		args := command("COPY", a, b)
		if replace {
			args = append(args, "REPLACE")
			if a != b && p.exists(a) {
				p.mini.Del(b) // miniredis keeps the time to live of what it replaces
			}
		}
		unmet := map[bool]string{true: "precondition", false: "not_found"}[p.exists(a)]
		if a == b && p.exists(a) {
			unmet = "invalid"
		}
		return twin{entry{"COPY", on(a, "destination", service.Bytes(b), "replace", replace)}, args, func(r any) string {
			return map[bool]string{true: `{"copied":true}`, false: unmet}[r == int64(1)]
		}}
	},
}

// after translates a removal: how many elements went, and, asked afterwards,
// how many are left.
func (p *pair) after(key string, _ int) func(count string) func(any) string {
	return func(count string) func(any) string {
		return func(reply any) string {
			left, err := p.client.Do(p.t.Context(), count, key).Int()
			if err != nil {
				return "wrong_type"
			}
			return fmt.Sprintf(`{"removed":%d,"count":%d}`, reply, left)
		}
	}
}
