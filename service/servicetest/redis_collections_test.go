package servicetest

import (
	"fmt"
	"strings"

	"keypact/service"
)

var listTwins = []func(p *pair) twin{
	func(p *pair) twin {
		k, name := p.key(), p.one("LPUSH", "RPUSH", "LPUSH", "RPUSH", "LPUSHX", "RPUSHX")
		items, args := p.parts()
		return twin{entry{name, on(k, "items", items)}, append(command(name, k), args...), func(r any) string {
			if r == int64(0) {
				return "precondition"
			}
			return fmt.Sprintf(`{"length":%d}`, r)
		}}
	},
	func(p *pair) twin {
		k, start, stop := p.key(), p.small(), p.small()
		length, _ := p.mini.List(k)
		return twin{entry{"LRANGE", on(k, "start", start, "stop", stop)}, command("LRANGE", k, start, stop),
			emptyOr(p.exists(k), `{"items":%s,"count":`+fmt.Sprint(len(length))+`}`, listOf)}
	},
	func(p *pair) twin {
		k, i := p.key(), p.small()
		return twin{entry{"LINDEX", on(k, "index", i)}, command("LINDEX", k, i), sayText(`{"value":%s}`)}
	},
	func(p *pair) twin {
		k, i, v := p.key(), p.small(), p.part()
		return twin{entry{"LSET", on(k, "index", i, "value", service.Bytes(v))}, command("LSET", k, i, v), func(r any) string {
			return map[bool]string{true: "stored", false: "not_found"}[r == "OK"]
		}}
	},
	func(p *pair) twin {
		k, name, n := p.key(), p.one("LPOP", "RPOP"), 1+p.IntN(3)
		length, _ := p.mini.List(k)
		return twin{entry{name, on(k, "count", n)}, command(name, k, n), func(r any) string {
			if r == nil {
				return "not_found"
			}
			return fmt.Sprintf(`{"items":%s,"count":%d}`, listOf(r), len(length)-len(r.([]any)))
		}}
	},
	func(p *pair) twin {
		a, b, from, to := p.key(), p.key(), p.one("left", "right"), p.one("left", "right")
		length, _ := p.mini.List(a)
		left := len(length) - 1
		for a == b && len(length) == 1 {
			b = p.key() // miniredis forgets when such a list expires
		}
		if a == b && left == 0 {
			b += "'" // miniredis takes the key away for a moment, and its time to live with it
		} else if a == b {
			left++
		}
		return twin{entry{"LMOVE", on(a, "destination", service.Bytes(b), "from", from, "to", to)},
			command("LMOVE", a, b, strings.ToUpper(from), strings.ToUpper(to)), sayText(`{"item":%s,"count":` + fmt.Sprint(left) + `}`)}
	},
	func(p *pair) twin {
		k, where, pivot, v := p.key(), p.one("before", "after"), p.part(), p.part()
		return twin{entry{"LINSERT", on(k, "where", where, "pivot", service.Bytes(pivot), "value", service.Bytes(v))},
			command("LINSERT", k, strings.ToUpper(where), pivot, v), func(r any) string {
				if n, ok := r.(int64); ok && n > 0 {
					return fmt.Sprintf(`{"length":%d}`, n)
				}
				return "not_found"
			}}
	},
	func(p *pair) twin {
		k, n, v := p.key(), p.small()/2, p.part()
		return twin{entry{"LREM", on(k, "count", n, "value", service.Bytes(v))}, command("LREM", k, n, v), p.after(k, 1)("LLEN")}
	},
	func(p *pair) twin {
		k, start, stop := p.key(), p.IntN(3), -1-p.IntN(3)
		length, _ := p.mini.List(k)
		return twin{entry{"LTRIM", on(k, "start", start, "stop", stop)}, command("LTRIM", k, start, stop), func(any) string {
			left, _ := p.mini.List(k)
			return fmt.Sprintf(`{"removed":%d,"count":%d}`, len(length)-len(left), len(left))
		}}
	},
}

var setTwins = []func(p *pair) twin{
	func(p *pair) twin {
		k := p.key()
		list, args := p.parts()
		return twin{entry{"SADD", on(k, "members", list)}, append(command("SADD", k), args...), func(r any) string {
			all, _ := p.mini.Members(k)
			return fmt.Sprintf(`{"added":%d,"count":%d}`, r, len(all))
		}}
	},
	func(p *pair) twin {
		k := p.key()
		list, args := p.parts()
		return twin{entry{"SREM", on(k, "members", list)}, append(command("SREM", k), args...), p.after(k, 1)("SCARD")}
	},
	func(p *pair) twin {
		k, m := p.key(), p.part()
		return twin{entry{"SISMEMBER", on(k, "member", service.Bytes(m))}, command("SISMEMBER", k, m),
			either(fmt.Sprintf(`{"member":%s}`, text(m)), "not_found")}
	},
	func(p *pair) twin {
		a, b, m := p.key(), p.key(), p.part()
		return twin{entry{"SMOVE", on(a, "destination", service.Bytes(b), "member", service.Bytes(m))}, command("SMOVE", a, b, m), either(`{"moved":true}`, "not_found")}
	},
	func(p *pair) twin {
		a, b, name := p.key(), p.key(), p.one("SUNION", "SINTER", "SDIFF")
		return twin{entry{name, members{"keys": []service.Bytes{service.Bytes(a), service.Bytes(b)}}}, command(name, a, b), func(r any) string {
			return fmt.Sprintf(`{"members":%s,"count":%d}`, sortedOf(r), len(r.([]any)))
		}}
	},
	func(p *pair) twin {
		a, b, to, name := p.key(), p.key(), p.key(), p.one("SUNIONSTORE", "SINTERSTORE", "SDIFFSTORE")
		return twin{entry{name, members{"keys": []service.Bytes{service.Bytes(a), service.Bytes(b)}, "destination": service.Bytes(to)}}, command(name, to, a, b), func(r any) string {
			if r == int64(0) {
				p.mini.Del(to) // miniredis leaves an empty set behind
			}
			return say(`{"count":%d}`)(r)
		}}
	},
	func(p *pair) twin {
		k := p.key()
		return twin{entry{"SPOP", on(k, "count", 100)}, command("SPOP", k, 100), func(r any) string {
			if list, _ := r.([]any); len(list) > 0 {
				return fmt.Sprintf(`{"members":%s,"count":0}`, sortedOf(r))
			}
			return "not_found"
		}}
	},
}

// rates are scores, infinities among them.
func (p *pair) rate() string { return p.one("0", "1", "2", "2.5", "-3", "1e20", "inf", "-inf") }

// ours is a score in a request of ours.
func rate(s string) any {
	if strings.HasSuffix(s, "inf") {
		return s
	}
	return scoreOf(s)
}

var zsetTwins = []func(p *pair) twin{
	func(p *pair) twin {
		k, m, s, word := p.key(), p.part(), p.rate(), p.IntN(6)
		mem, args := on(k, "members", []any{members{"member": service.Bytes(m), "score": rate(s)}}), command("ZADD", k)
		if word < 4 {
			mem["if"], args = []string{"absent", "present", "greater", "less"}[word], append(args, []string{"NX", "XX", "GT", "LT"}[word])
		}
		size, _ := p.mini.SortedSet(k)
		_, had := size[m]
		count := int64(len(size))
		return twin{entry{"ZADD", mem}, append(args, "CH", s, m), func(r any) string {
			changed := r.(int64)
			added := changed
			if had {
				added = 0
			}
			return fmt.Sprintf(`{"added":%d,"updated":%d,"unchanged":%d,"count":%d}`, added, changed-added, 1-changed, count+added)
		}}
	},
	func(p *pair) twin {
		k, m, s := p.key(), p.part(), p.one("0", "1", "2.5", "-3", "1e20") // miniredis adds inf and -inf up
		return twin{entry{"ZINCRBY", on(k, "member", service.Bytes(m), "by", rate(s))}, command("ZINCRBY", k, s, m), func(r any) string {
			if _, failed := r.(error); failed || strings.EqualFold(fmt.Sprint(r), "nan") {
				return "invalid"
			}
			return fmt.Sprintf(`{"score":%s}`, shown(scoreOf(r)))
		}}
	},
	func(p *pair) twin {
		k := p.key()
		list, args := p.parts()
		return twin{entry{"ZREM", on(k, "members", list)}, append(command("ZREM", k), args...), p.after(k, 1)("ZCARD")}
	},
	func(p *pair) twin {
		k, start, stop, m := p.key(), p.small(), p.small(), "asc"
		args := command("ZRANGE", k, start, stop)
		if p.IntN(2) == 0 {
			m, args = "desc", append(args, "REV")
		}
		return twin{entry{"ZRANGE", on(k, "min", start, "max", stop, "order", m)}, append(args, "WITHSCORES"), emptyOr(p.exists(k), `{"members":%s}`, scoredOf)}
	},
	func(p *pair) twin {
		k, low, high := p.key(), p.one("-inf", "0", "(1", "2"), p.one("inf", "(2.5", "2", "1e20")
		return twin{entry{"ZRANGE", on(k, "by", "score", "min", low, "max", high)}, command("ZRANGE", k, low, high, "BYSCORE", "WITHSCORES"),
			emptyOr(p.exists(k), `{"members":%s}`, scoredOf)}
	},
	func(p *pair) twin {
		k, low, high := p.key(), p.one("-inf", "0", "(1", "2"), p.one("inf", "(2.5", "2", "1e20")
		return twin{entry{"ZCOUNT", on(k, "min", low, "max", high)}, command("ZCOUNT", k, low, high), say(`{"count":%d}`)}
	},
	func(p *pair) twin {
		k, name, low, high := p.key(), "ZREMRANGEBYSCORE", p.one("-inf", "0", "(1", "2"), p.one("inf", "(2.5", "2")
		return twin{entry{name, on(k, "min", low, "max", high)}, command(name, k, low, high), p.after(k, 1)("ZCARD")}
	},
	func(p *pair) twin {
		k, name, start, stop := p.key(), "ZREMRANGEBYRANK", p.small(), p.small()
		return twin{entry{name, on(k, "min", start, "max", stop)}, command(name, k, start, stop), p.after(k, 1)("ZCARD")}
	},
	func(p *pair) twin {
		k, name, n := p.key(), p.one("ZPOPMIN", "ZPOPMAX"), 1+p.IntN(3)
		size, _ := p.mini.SortedSet(k)
		count := len(size)
		return twin{entry{name, on(k, "count", n)}, command(name, k, n), func(r any) string {
			list, _ := r.([]any)
			if len(list) == 0 {
				return "not_found"
			}
			return fmt.Sprintf(`{"members":%s,"count":%d}`, scoredOf(r), count-len(list)/2)
		}}
	},
	func(p *pair) twin { return p.byLex("ZLEXCOUNT", say(`{"count":%d}`)) },
	func(p *pair) twin { return p.byLex("ZREMRANGEBYLEX", p.after("lex", 1)("ZCARD")) },
	func(p *pair) twin {
		tw := p.byLex("ZRANGE", emptyOr(p.exists("lex"), `{"members":%s}`, func(r any) string {
			var flat []any
			for _, m := range r.([]any) {
				flat = append(flat, m, "0")
			}
			return scoredOf(flat)
		}))
		tw.entry.members["by"], tw.args = "lex", append(tw.args, "BYLEX")
		return tw
	},
	func(p *pair) twin {
		m := p.part()
		done := map[bool]string{true: "stored", false: "created"}[p.mini.Exists("lex") && hasScore(p, m)]
		return twin{entry{"ZSetMemberSet", on("lex", "member", service.Bytes(m), "score", 0)}, command("ZADD", "lex", 0, m), func(any) string { return done }}
	},
}

func hasScore(p *pair, member string) bool {
	all, _ := p.mini.SortedSet("lex")
	_, found := all[member]
	return found
}

// byLex is a command on the key whose scores are all equal.
func (p *pair) byLex(name string, want func(any) string) twin {
	low, high := p.one("-", "[a", "(b"), p.one("+", "[d", "(c", "[\xff\xfe")
	return twin{entry{name, on("lex", "min", service.Bytes(low), "max", service.Bytes(high))}, command(name, "lex", low, high), want}
}
