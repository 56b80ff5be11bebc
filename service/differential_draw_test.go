package service

import (
	"slices"
	"time"

	"pgregory.net/rapid"
)

var (
	showLength  = func(v any) string { return say("%d", v.(Length).Length) }
	showCounted = func(v any) string { return string(v.(Counted).Value) }
	showRemoved = func(v any) string { return say("%d", v.(Removal).Removed) }
	showOne     = func(any) string { return "1" }
	twinKeys    = []string{"k1", "k2", "k3", "key:4"}
	twinKey     = rapid.SampledFrom(twinKeys)
	twinField   = rapid.SampledFrom([]string{"", "a", "b", "\xff\x00"})
	twinText    = rapid.SampledFrom([]string{"", "x", "10", "-7", "1.5", "a b", "\x00\xff"})
	twinInt     = rapid.SampledFrom([]int64{1, -1, 5, 1000})
	twinDraws   = []func(*rapid.T, string) twin{
		twinSet, twinSet, twinAppend, twinOverlay, twinRange, twinReads, twinReads, twinIncr, twinIncr, twinMany,
		twinHashSet, twinHashSet, twinHashSetNew, twinHashRemove, twinHashIncr, twinHashReads, twinHashReads,
		twinDelete, twinExpire, twinPersist, twinRename, twinCopy,
	}
)

func twinSet(t *rapid.T, key string) twin {
	op := &StringSet{Key: Bytes(key), Value: Bytes(twinText.Draw(t, "value"))}
	tw := twin{op: op, redis: []any{"SET", key, string(op.Value)}}
	switch rapid.IntRange(0, 5).Draw(t, "how") {
	case 0:
		op.TTL = TTL(2 * time.Second)
		tw.redis = append(tw.redis, "PX", 2000)
	case 1:
		op.KeepTTL = true
		tw.redis = append(tw.redis, "KEEPTTL")
	case 2:
		op.If = Only(Absent)
		tw.redis = append(tw.redis, "NX")
	case 3:
		op.If = Only(Present)
		tw.redis = append(tw.redis, "XX")
	}
	return tw
}

func twinAppend(t *rapid.T, key string) twin {
	tail := twinText.Draw(t, "tail")
	return twin{redis: []any{"APPEND", key, tail}, op: &StringPatch{Key: Bytes(key), Append: Bytes(tail)}, show: showLength}
}

func twinOverlay(t *rapid.T, key string) twin {
	offset, part := rapid.Int64Range(0, 8).Draw(t, "offset"), twinText.Draw(t, "part")
	if part == "" {
		part = "y" // miniredis pads before it looks; the case has a test of its own
	}
	return twin{
		redis: []any{"SETRANGE", key, offset, part},
		op:    &StringPatch{Key: Bytes(key), Offset: &offset, Value: Bytes(part)}, show: showLength,
	}
}

func twinRange(t *rapid.T, key string) twin {
	start, stop := rapid.Int64Range(-5, 5).Draw(t, "start"), rapid.Int64Range(-1, 5).Draw(t, "stop")
	return twin{
		redis: []any{"GETRANGE", key, start, stop},
		op:    &StringRange{Key: Bytes(key), Start: start, Stop: &stop},
		show:  func(v any) string { return string(v.(StringPart).Value) }, absent: "\x00empty",
	}
}

func twinReads(t *rapid.T, key string) twin {
	switch rapid.IntRange(0, 5).Draw(t, "which") {
	case 0:
		return twin{redis: []any{"STRLEN", key}, op: &StringLength{Key: Bytes(key)}, show: showLength}
	case 1:
		return twin{redis: []any{"EXISTS", key}, op: &KeyExists{Key: Bytes(key)}, show: func(v any) string {
			return say("%d", count(v.(Existence).Exists))
		}}
	case 2:
		return twin{redis: []any{"TYPE", key}, op: &KeyInfo{Key: Bytes(key)}, absent: "none", show: func(v any) string {
			return v.(KeyDescription).Type
		}}
	case 3:
		return twin{redis: []any{"PTTL", key}, op: &KeyTTLGet{Key: Bytes(key)}, absent: "-2", show: func(v any) string {
			if ms := v.(Lifetime).TTLMillis; ms != nil {
				return say("%d", *ms)
			}
			return "-1"
		}}
	case 4:
		return twin{redis: []any{"MGET", "k1", "k2", key}, op: &StringsGet{Keys: texts("k1", "k2", key)}, show: func(v any) string {
			return listed(v.(Values).Values)
		}}
	}
	return twin{redis: []any{"GET", key}, op: &StringGet{Key: Bytes(key)}, show: func(v any) string {
		return string(v.(StringValue).Value)
	}}
}

func twinIncr(t *rapid.T, key string) twin {
	if rapid.IntRange(0, 3).Draw(t, "decimal") == 0 {
		by := rapid.SampledFrom([]string{"0.5", "-0.25", "2", "10.75"}).Draw(t, "by")
		return twin{
			redis: []any{"INCRBYFLOAT", key, by},
			op:    &StringIncr{Key: Bytes(key), By: Number(by), Decimal: true}, show: showCounted,
		}
	}
	by := twinInt.Draw(t, "by")
	return twin{redis: []any{"INCRBY", key, by}, op: &StringIncr{Key: Bytes(key), By: NumberOf(by)}, show: showCounted}
}

func twinMany(t *rapid.T, key string) twin {
	other, value := twinKey.Draw(t, "other"), twinText.Draw(t, "value")
	op := &StringsSet{Pairs: []KeyValue{{Bytes(key), Bytes("1")}, {Bytes(other), Bytes(value)}}}
	tw := twin{op: op, redis: []any{"MSET", key, "1", other, value}, show: func(any) string { return "OK" }}
	if rapid.Bool().Draw(t, "if absent") {
		op.If = Only(Absent)
		tw.redis[0], tw.show, tw.unmet = "MSETNX", showOne, "0"
	}
	return tw
}

func twinHashSet(t *rapid.T, key string) twin {
	op := &HashSet{Key: Bytes(key)}
	tw := twin{op: op, redis: []any{"HSET", key}, show: func(v any) string { return say("%d", v.(FieldsStored).Added) }}
	for range rapid.IntRange(1, 3).Draw(t, "fields") {
		name, value := twinField.Draw(t, "field"), twinText.Draw(t, "value")
		op.Fields = append(op.Fields, Field{Field: Bytes(name), Value: Bytes(value)})
		tw.redis = append(tw.redis, name, value)
	}
	return tw
}

func twinHashSetNew(t *rapid.T, key string) twin {
	name := twinField.Draw(t, "field")
	return twin{
		redis: []any{"HSETNX", key, name, "new"},
		op:    &HashFieldSet{Key: Bytes(key), Field: Bytes(name), Value: Bytes("new"), If: Only(Absent)},
		show:  showOne, unmet: "0",
	}
}

func twinHashRemove(t *rapid.T, key string) twin {
	names := rapid.SliceOfN(twinField, 1, 3).Draw(t, "fields")
	tw := twin{op: &HashRemove{Key: Bytes(key), Fields: texts(names...)}, redis: []any{"HDEL", key}, show: showRemoved}
	for _, name := range names {
		tw.redis = append(tw.redis, name)
	}
	return tw
}

func twinHashIncr(t *rapid.T, key string) twin {
	name, by := twinField.Draw(t, "field"), twinInt.Draw(t, "by")
	return twin{
		redis: []any{"HINCRBY", key, name, by},
		op:    &HashFieldIncr{Key: Bytes(key), Field: Bytes(name), By: NumberOf(by)}, show: showCounted,
	}
}

func twinHashReads(t *rapid.T, key string) twin {
	name := twinField.Draw(t, "field")
	switch rapid.IntRange(0, 3).Draw(t, "which") {
	case 0:
		return twin{redis: []any{"HGET", key, name}, op: &HashFieldGet{Key: Bytes(key), Field: Bytes(name)}, show: func(v any) string {
			return string(v.(Value).Value)
		}}
	case 1:
		return twin{redis: []any{"HLEN", key}, op: &HashCount{Key: Bytes(key)}, show: func(v any) string {
			return say("%d", v.(Total).Count)
		}}
	case 2:
		return twin{
			redis: []any{"HMGET", key, "a", "b"}, op: &HashFields{Key: Bytes(key), Fields: texts("a", "b")},
			absent: listed([]Bytes{nil, nil}), show: func(v any) string {
				fields := v.(FieldsPage).Fields
				return listed([]Bytes{fields[0].Value, fields[1].Value})
			},
		}
	}
	return twin{redis: []any{"HGETALL", key}, op: &HashGet{Key: Bytes(key)}, absent: "[]", show: func(v any) string {
		var parts []string
		for _, f := range v.(HashValue).Fields {
			parts = append(parts, string(f.Field)+"="+string(f.Value))
		}
		slices.Sort(parts)
		return say("%q", parts)
	}}
}

func twinDelete(_ *rapid.T, key string) twin {
	return twin{redis: []any{"DEL", key}, op: &KeyDelete{Key: Bytes(key)}, show: showOne, absent: "0"}
}

func twinExpire(t *rapid.T, key string) twin {
	seconds := rapid.Int64Range(1, 3).Draw(t, "ttl")
	op := &KeyTTLSet{Key: Bytes(key), Expiry: Expiry{TTL: TTL(time.Duration(seconds) * time.Second)}}
	tw := twin{op: op, redis: []any{"PEXPIRE", key, seconds * 1000}, show: showOne, absent: "0", unmet: "0"}
	switch word := rapid.SampledFrom([]string{"", "NX", "XX"}).Draw(t, "if"); word {
	case "NX":
		op.If = Only(Absent)
		tw.redis = append(tw.redis, word)
	case "XX":
		op.If = Only(Present)
		tw.redis = append(tw.redis, word)
	}
	return tw
}

func twinPersist(_ *rapid.T, key string) twin {
	return twin{redis: []any{"PERSIST", key}, op: &KeyTTLClear{Key: Bytes(key)}, silent: true}
}

func twinRename(t *rapid.T, key string) twin {
	to := twinKey.Draw(t, "destination")
	op := &KeyRename{Key: Bytes(key), Destination: Bytes(to)}
	if rapid.Bool().Draw(t, "if absent") {
		op.If = Only(Absent)
		return twin{redis: []any{"RENAMENX", key, to}, op: op, show: showOne, absent: "ERR", unmet: "0"}
	}
	return twin{redis: []any{"RENAME", key, to}, op: op, absent: "ERR"}
}

func twinCopy(t *rapid.T, key string) twin {
	to := twinKey.Draw(t, "destination")
	if to == key {
		return twinDelete(t, key) // Redis and miniredis disagree about a copy onto itself
	}
	op := &KeyCopy{Key: Bytes(key), Destination: Bytes(to)}
	return twin{redis: []any{"COPY", key, to}, op: op, show: showOne, absent: "0", unmet: "0"}
}
