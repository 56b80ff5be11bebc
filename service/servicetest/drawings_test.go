package servicetest

// members shortens the tables below.
type members = map[string]any

// onKey is an operation with no member but the key.
func onKey(kind string) drawing {
	return func(d *draw) members { return members{"key": d.key(kind)} }
}

var stringDrawings = map[string]drawing{
	"StringGet": onKey("string"), "StringLength": onKey("string"), "StringDelete": onKey("string"),
	"StringSet": func(d *draw) members {
		m := members{"key": d.key("string"), "value": d.text(), "if": d.conditions("absent", "present"), "media_type": d.conditions("text/plain")}
		if d.chance(4) {
			m["keep_ttl"] = true
			return m
		}
		return d.expiring(m)
	},
	"StringPatch": func(d *draw) members {
		if d.chance(2) {
			return d.expiring(members{"key": d.key("string"), "append": d.text()})
		}
		return d.expiring(members{"key": d.key("string"), "offset": pick(d, 0, 1, 3), "value": d.text()})
	},
	"StringRange": func(d *draw) members {
		return members{"key": d.key("string"), "start": d.position(), "stop": d.position()}
	},
	"StringIncr": func(d *draw) members {
		return d.expiring(members{"key": d.key("string"), "by": maybe[any](d, 1, -1, 7, 0, 1.5, 0.25, 9223372036854775807), "decimal": maybe(d, true)})
	},
	"StringsGet": func(d *draw) members { return members{"keys": d.keys("string")} },
	"StringsSet": func(d *draw) members {
		pairs := make([]any, pick(d, 1, 2, 3))
		for i := range pairs {
			pairs[i] = members{"key": d.key("string"), "value": d.text()}
		}
		return d.expiring(members{"pairs": pairs, "if": d.conditions("absent")})
	},
}

var hashDrawings = map[string]drawing{
	"HashGet": onKey("hash"), "HashCount": onKey("hash"), "HashDelete": onKey("hash"),
	"HashFields": func(d *draw) members {
		if d.chance(2) {
			return members{"key": d.key("hash"), "fields": d.elements()}
		}
		return d.page(members{"key": d.key("hash")})
	},
	"HashSet": func(d *draw) members {
		fields := make([]any, pick(d, 1, 2, 3, 4))
		for i := range fields {
			fields[i] = members{"field": d.element(), "value": d.text()}
		}
		return d.expiring(members{"key": d.key("hash"), "fields": fields})
	},
	"HashRemove":   func(d *draw) members { return members{"key": d.key("hash"), "fields": d.elements()} },
	"HashFieldGet": func(d *draw) members { return members{"key": d.key("hash"), "field": d.element()} },
	"HashFieldSet": func(d *draw) members {
		return d.expiring(members{"key": d.key("hash"), "field": d.element(), "value": d.text(), "if": d.conditions("absent")})
	},
	"HashFieldRemove": func(d *draw) members { return members{"key": d.key("hash"), "field": d.element()} },
	"HashFieldIncr": func(d *draw) members {
		return d.expiring(members{"key": d.key("hash"), "field": d.element(), "by": maybe[any](d, 1, -1, 7, 1.5), "decimal": maybe(d, true)})
	},
}

var listDrawings = map[string]drawing{
	"ListCount": onKey("list"), "ListDelete": onKey("list"),
	"ListRange": func(d *draw) members {
		return members{"key": d.key("list"), "start": d.position(), "stop": d.position()}
	},
	"ListGet": func(d *draw) members { return members{"key": d.key("list"), "index": d.position()} },
	"ListPush": func(d *draw) members {
		return d.expiring(members{"key": d.key("list"), "items": d.elements(), "side": maybe(d, "left", "right"), "if": d.conditions("present")})
	},
	"ListSet": func(d *draw) members {
		return members{"key": d.key("list"), "index": d.position(), "value": d.text()}
	},
	"ListPop": func(d *draw) members {
		return members{"key": d.key("list"), "side": maybe(d, "left", "right"), "count": maybe(d, 1, 2, 9), "wait": d.wait()}
	},
	"ListMove": func(d *draw) members {
		return members{"key": d.key("list"), "destination": d.key("list"), "from": maybe(d, "left", "right"), "to": maybe(d, "left", "right"), "wait": d.wait()}
	},
	"ListInsert": func(d *draw) members {
		return members{"key": d.key("list"), "pivot": d.element(), "value": d.text(), "where": maybe(d, "before", "after")}
	},
	"ListRemove": func(d *draw) members {
		return members{"key": d.key("list"), "value": d.element(), "count": pick(d, -2, -1, 0, 1, 2)}
	},
	"ListTrim": func(d *draw) members {
		return members{"key": d.key("list"), "start": d.position(), "stop": d.position()}
	},
}

// algebra combines sets, and mostly stores the result.
func algebra(d *draw) members {
	m := members{"keys": d.keys("set"), "limit": maybe(d, 1, 2, 0)}
	if !d.chance(3) {
		m["destination"] = d.key("set")
	}
	return m
}

func onMember(kind string) drawing {
	return func(d *draw) members { return members{"key": d.key(kind), "member": d.element()} }
}

var setDrawings = map[string]drawing{
	"SetGet": onKey("set"), "SetCount": onKey("set"), "SetDelete": onKey("set"),
	"SetMembers": func(d *draw) members {
		if d.chance(2) {
			return members{"key": d.key("set"), "members": d.elements()}
		}
		return d.page(members{"key": d.key("set")})
	},
	"SetMemberGet": onMember("set"), "SetMemberRemove": onMember("set"),
	"SetRandom":    func(d *draw) members { return members{"key": d.key("set"), "count": maybe(d, 1, 2, -3)} },
	"SetAdd":       func(d *draw) members { return d.expiring(members{"key": d.key("set"), "members": d.elements()}) },
	"SetRemove":    func(d *draw) members { return members{"key": d.key("set"), "members": d.elements()} },
	"SetMemberAdd": func(d *draw) members { return d.expiring(members{"key": d.key("set"), "member": d.text()}) },
	"SetPop":       func(d *draw) members { return members{"key": d.key("set"), "count": maybe(d, 1, 2, 9)} },
	"SetMove": func(d *draw) members {
		return members{"key": d.key("set"), "destination": d.key("set"), "member": d.element()}
	},
	"SetUnion": algebra, "SetInter": algebra, "SetDiff": algebra,
}

// bounds adds a range of a sorted set.
func (d *draw) bounds(m members, by ...string) members {
	switch m["by"] = pick(d, by...); m["by"] {
	case "score":
		m["min"], m["max"] = pick[any](d, "-inf", "(1", 0, 2), pick[any](d, "inf", "(3", 2, 50)
	case "lex":
		m["min"], m["max"] = pick[any](d, "-", "[a", "(a"), pick[any](d, "+", "[c", "(c")
	case "rank":
		m["min"], m["max"] = d.position(), d.position()
	}
	return m
}

var zsetDrawings = map[string]drawing{
	"ZSetDelete":    onKey("zset"),
	"ZSetMemberGet": onMember("zset"), "ZSetMemberRemove": onMember("zset"),
	"ZSetRange": func(d *draw) members {
		switch {
		case d.chance(3):
			return members{"key": d.key("zset"), "members": d.elements()}
		case d.chance(3):
			return d.page(members{"key": d.key("zset"), "by": "member"})
		}
		return d.bounds(members{"key": d.key("zset"), "order": maybe(d, "asc", "desc"), "offset": maybe(d, 0, 1), "limit": maybe(d, 1, 2)}, "rank", "score", "lex")
	},
	"ZSetCount": func(d *draw) members { return d.bounds(members{"key": d.key("zset")}, "score", "lex") },
	"ZSetAdd": func(d *draw) members {
		list := make([]any, pick(d, 1, 2, 3))
		for i := range list {
			list[i] = members{"member": d.element(), "score": d.score()}
		}
		return d.expiring(members{"key": d.key("zset"), "members": list, "if": d.zsetConditions()})
	},
	"ZSetRemove": func(d *draw) members {
		if d.chance(2) {
			return members{"key": d.key("zset"), "members": d.elements()}
		}
		return d.bounds(members{"key": d.key("zset")}, "rank", "score", "lex")
	},
	"ZSetMemberSet": func(d *draw) members {
		return d.expiring(members{"key": d.key("zset"), "member": d.element(), "score": d.score(), "if": d.zsetConditions()})
	},
	"ZSetMemberIncr": func(d *draw) members {
		by := d.score()
		if d.chance(3) {
			by = nil
		}
		return d.expiring(members{"key": d.key("zset"), "member": d.element(), "by": by, "if": d.zsetConditions()})
	},
	"ZSetPop": func(d *draw) members {
		return members{"key": d.key("zset"), "side": maybe(d, "min", "max"), "count": maybe(d, 1, 2, 9)}
	},
}

func (d *draw) zsetConditions() any {
	return d.conditions("absent", "present", "greater", "less", []string{"present", "greater"})
}

var keyDrawings = map[string]drawing{
	"KeyExists": onKey("any"), "KeyTTLGet": onKey("any"), "KeyTTLClear": onKey("any"), "KeyDelete": onKey("any"),
	"KeyInfo":    func(d *draw) members { return members{"key": d.key("any"), "type": d.conditions("string", "list")} },
	"KeysDelete": func(d *draw) members { return members{"keys": d.keys("any")} },
	"KeysPage":   func(d *draw) members { return d.page(members{"type": maybe(d, "set", "hash")}) },
	"KeyTTLSet": func(d *draw) members {
		m := d.expiring(members{"key": d.key("any"), "if": d.conditions("absent", "present", "greater", "less")})
		if m["ttl"] == nil && m["expires_at"] == nil {
			m["expires_at"] = pick(d, "2020-01-01T00:00:00Z", "2040-01-01T00:00:00Z")
		}
		return m
	},
	"KeyRename": func(d *draw) members {
		return members{"key": d.key("any"), "destination": d.key("any"), "if": d.conditions("absent")}
	},
	"KeyCopy": func(d *draw) members {
		return members{"key": d.key("any"), "destination": d.key("any"), "replace": maybe(d, true)}
	},
}
