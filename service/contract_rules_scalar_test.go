package service_test

// Cases of TestEveryWriteUnderEveryRule for strings, hashes and keys.

var stringRules = []ruleCase{
	{
		ops: "StringSet SET SETNX", verb: "SET", typ: "string", request: `"key":"k:#","value":"1234"`,
		breaches: []breach{
			{"element", "value: {maxBytes: 3}", "", "value.bytes value"},
			{"element", "value: {type: integer, maximum: 1233}", "", "number.maximum value"},
			{"element", "value: {encoding: utf-8}", `"key":"k:#","value":{"base64":"/w=="}`, "value.encoding value"},
		},
	},
	{
		ops: "SETEX", verb: "SET", typ: "string", request: `"key":"k:#","value":"1234","ttl":"1m"`,
		breaches: []breach{
			{"element", "value: {maxLength: 3}", "", "value.length value"},
			{"ttl", "ttl: {max: 59s}", "", "ttl.max ttl"},
			{"ttl", "ttl: {max: 59s}", `"key":"k:#","value":"1","expires_at":"2027-01-15T08:01:00Z"`, "ttl.max ttl"},
		},
	},
	{
		ops: "StringSet SET", verb: "SET", typ: "string", seed: []string{`SET "key":"k:#","value":"1"`},
		request: `"key":"k:#","value":"1234","if":"present"`,
		breaches: []breach{
			{"element", "value: {enum: ['1']}", "", "value.enum value"},
			{"ttl", "ttl: {required: true}", `"key":"k:#","value":"1","keep_ttl":true`, "ttl.required ttl"},
		},
	},
	{
		ops: "StringPatch APPEND", verb: "APPEND", typ: "string", request: `"key":"k:#","append":"1234"`,
		breaches: []breach{{"element", "value: {maxBytes: 3}", "", "value.bytes append"}},
	},
	{
		ops: "StringPatch APPEND", verb: "APPEND", typ: "string", seed: []string{`SET "key":"k:#","value":"12"`},
		request: `"key":"k:#","append":"34"`,
		breaches: []breach{
			{"element", "value: {maxBytes: 3}", "", "value.bytes append"},
			{"ttl", "ttl: {max: 59s}", `"key":"k:#","append":"34","ttl":"1m"`, "ttl.max ttl"},
		},
	},
	{
		ops: "StringPatch SETRANGE", verb: "SETRANGE", typ: "string", request: `"key":"k:#","offset":2,"value":"34"`,
		breaches: []breach{
			{"element", "value: {maxBytes: 3}", "", "value.bytes value"},
			{"element", "value: {pattern: '^[0-9]*$'}", "", "value.pattern value"}, // the gap is zero bytes
		},
	},
	{
		ops: "StringIncr INCR", verb: "INCRBY", typ: "string", request: `"key":"k:#"`,
		breaches: []breach{{"element", "value: {type: integer, maximum: 0}", "", "number.maximum by"}},
	},
	{
		ops: "DECR", verb: "INCRBY", typ: "string", request: `"key":"k:#"`,
		breaches: []breach{{"element", "value: {type: integer, minimum: 0}", "", "number.minimum by"}},
	},
	{
		ops: "INCRBY", verb: "INCRBY", typ: "string", request: `"key":"k:#","by":2`,
		breaches: []breach{{"element", "value: {type: integer, multipleOf: 3}", "", "number.multipleOf by"}},
	},
	{
		ops: "DECRBY", verb: "INCRBY", typ: "string", request: `"key":"k:#","by":2`,
		breaches: []breach{{"element", "value: {type: integer, minimum: -1}", "", "number.minimum by"}},
	},
	{
		ops: "StringIncr INCRBYFLOAT", verb: "INCRBYFLOAT", typ: "string", request: `"key":"k:#","by":0.5`,
		breaches: []breach{{"element", "value: {type: integer}", "", "format.integer by"}},
	},
	{
		ops: "StringsSet MSET MSETNX", verb: "SET", typ: "string", at: "pairs",
		request: `"pairs":[{"key":"free:#","value":"12345"},{"key":"k:#","value":"1234"}]`,
		breaches: []breach{
			{"element", "value: {maxBytes: 3}", "", "value.bytes pairs/1/value"},
			{"element", "value: {maxBytes: 3}", `"pairs":[{"key":"k:#","value":"12345"},{"key":"k:#","value":"1234"}]`, "value.bytes pairs/1/value"},
		},
	},
	{
		ops: "StringDelete", verb: "DEL", typ: "string", seed: []string{`SET "key":"k:#","value":"1"`}, request: `"key":"k:#"`,
	},
}

var hashRules = []ruleCase{
	{
		ops: "HashSet HSET HMSET", verb: "HSET", typ: "hash", request: `"key":"k:#","fields":{"n":"1234","m":"1"}`,
		breaches: []breach{
			{"element", "additionalFields: true, fields: {n: {maxLength: 3}}", "", "value.length fields/n"},
			{"element", "fields: {m: {}}", "", "field.unknown fields/n"},
			{
				"element", "fields: {m: {maxLength: 3}}",
				`"key":"k:#","fields":[{"field":"m","value":"1234"},{"field":"n","value":"1"}]`,
				"value.length fields/0/value, field.unknown fields/1/field",
			},
			{"count", "maxItems: 1", "", "items.max fields"},
			{"required", "required: [o]", "", "field.missing fields"},
		},
	},
	{
		ops: "HashSet HSET", verb: "HSET", typ: "hash", seed: []string{`HSET "key":"k:#","fields":{"m":"1"}`},
		request: `"key":"k:#","fields":{"n":"1234"}`,
		breaches: []breach{
			{"element", "fields: {m: {}}", "", "field.unknown fields/n"},
			{"count", "maxItems: 1", "", "items.max fields"},
		},
	},
	{
		ops: "HashFieldSet", verb: "HSET", typ: "hash", request: `"key":"k:#","field":"n","value":"1234"`,
		breaches: fieldBreaches("value"),
	},
	{
		ops: "HashFieldSet", verb: "HSET", typ: "hash", seed: oneField, request: `"key":"k:#","field":"n","value":"1234"`,
		breaches: oneFieldMore,
	},
	{
		ops: "HSETNX", verb: "HSETNX", typ: "hash", request: `"key":"k:#","field":"n","value":"1234"`,
		breaches: fieldBreaches("value"),
	},
	{
		ops: "HSETNX", verb: "HSETNX", typ: "hash", seed: oneField, request: `"key":"k:#","field":"n","value":"1234"`,
		breaches: oneFieldMore,
	},
	{
		ops: "HashFieldIncr HINCRBY", verb: "HINCRBY", typ: "hash", request: `"key":"k:#","field":"n","by":2`,
		breaches: append(fieldBreaches("by")[1:], breach{"element", "fields: {n: {type: integer, maximum: 1}}", "", "number.maximum by"}),
	},
	{
		ops: "HINCRBYFLOAT", verb: "HINCRBYFLOAT", typ: "hash", request: `"key":"k:#","field":"n","by":0.5`,
		breaches: append(fieldBreaches("by")[1:], breach{"element", "fields: {n: {type: integer}}", "", "format.integer by"}),
	},
	{
		ops: "HashFieldIncr HINCRBY", verb: "HINCRBY", typ: "hash", seed: oneField, request: `"key":"k:#","field":"n","by":2`,
		breaches: oneFieldMore,
	},
	{
		ops: "HINCRBYFLOAT", verb: "HINCRBYFLOAT", typ: "hash", seed: oneField, request: `"key":"k:#","field":"n","by":0.5`,
		breaches: oneFieldMore,
	},
	{
		ops: "HashRemove HDEL", verb: "HDEL", typ: "hash", seed: []string{`HSET "key":"k:#","fields":{"m":"1","n":"1"}`},
		request:  `"key":"k:#","fields":["x","n"]`,
		breaches: []breach{{"required", "required: [n]", "", "field.missing fields"}},
	},
	{
		ops: "HashFieldRemove", verb: "HDEL", typ: "hash", seed: []string{`HSET "key":"k:#","fields":{"m":"1","n":"1"}`},
		request:  `"key":"k:#","field":"n"`,
		breaches: []breach{{"required", "required: [n]", "", "field.missing field"}},
	},
	{
		ops: "HashDelete", verb: "DEL", typ: "hash", seed: []string{`HSET "key":"k:#","fields":{"m":"1"}`}, request: `"key":"k:#"`,
	},
}

// fieldBreaches are those of an operation on the one field n, the first of
// them for one that writes 1234.
func fieldBreaches(data string) []breach {
	return []breach{
		{"element", "fields: {n: {maxLength: 3}}", "", "value.length " + data},
		{"element", "fields: {m: {}}", "", "field.unknown field"},
		{"required", "required: [o]", "", "field.missing field"},
	}
}

// oneField is a hash that is full if it may have one field.
var oneField = []string{`HSET "key":"k:#","fields":{"m":"1"}`}

var oneFieldMore = []breach{{"count", "maxItems: 1", "", "items.max field"}}

var keyRules = []ruleCase{
	{
		ops: "KeyDelete DEL", verb: "DEL", typ: "set", seed: []string{`SADD "key":"k:#","members":["a"]`}, request: `"key":"k:#"`,
	},
	{
		ops: "KeysDelete UNLINK", verb: "DEL", typ: "set", seed: []string{`SADD "key":"k:#","members":["a"]`},
		request: `"keys":["free:#","k:#"]`, at: "keys",
	},
	{
		ops: "KeyTTLSet EXPIRE PEXPIRE", verb: "EXPIRE", typ: "set", seed: []string{`SADD "key":"k:#","members":["a"]`},
		request:  `"key":"k:#","ttl":"1m"`,
		breaches: expiryBreaches,
	},
	{
		ops: "EXPIREAT", verb: "EXPIRE", typ: "string", seed: []string{`SET "key":"k:#","value":"a"`},
		request:  `"key":"k:#","expires_at":"2027-01-15T08:01:00Z"`,
		breaches: expiryBreaches,
	},
	{
		ops: "KeyTTLClear PERSIST", verb: "PERSIST", typ: "hash", seed: []string{`HSET "key":"k:#","fields":{"m":"1"},"ttl":"1m"`},
		request:  `"key":"k:#"`,
		breaches: []breach{{"ttl", "ttl: {required: true}", "", "ttl.required key"}},
	},
	{
		ops: "KeyRename RENAME RENAMENX", verb: "RENAME", typ: "string", seed: []string{`SET "key":"k:#","value":"1"`},
		request: `"key":"k:#","destination":"free:#"`,
	},
}

// arrivals are values that RENAME and COPY bring to k:#, one of each type, with
// the rules they break there.
var arrivals = []ruleCase{
	{
		typ: "string", seed: []string{`SET "key":"free:#","value":"1234"`},
		breaches: []breach{{"element", "value: {maxBytes: 3}", "", "value.bytes destination"}},
	},
	{
		typ: "hash", seed: []string{`HSET "key":"free:#","fields":{"m":"1","n":"1234"}`},
		breaches: []breach{
			{"element", "additionalFields: true, fields: {n: {maxLength: 3}}", "", "value.length destination"},
			{"element", "fields: {n: {}}", "", "field.unknown destination"},
			{"count", "maxItems: 1", "", "items.max destination"},
			{"required", "required: [o]", "", "field.missing destination"},
		},
	},
	{
		typ: "list", seed: []string{`RPUSH "key":"free:#","items":["1","1234"]`},
		breaches: []breach{
			{"element", "items: {maxBytes: 3}", "", "value.bytes destination"},
			{"count", "maxItems: 1", "", "items.max destination"},
		},
	},
	{
		typ: "set", seed: []string{`SADD "key":"free:#","members":["1","1234"]`},
		breaches: []breach{
			{"element", "items: {maxBytes: 3}", "", "value.bytes destination"},
			{"count", "maxItems: 1", "", "items.max destination"},
		},
	},
	{
		typ: "zset", seed: []string{`ZADD "key":"free:#","members":[{"member":"1","score":0.5},{"member":"1234","score":1}]`},
		breaches: []breach{
			{"element", "items: {maxBytes: 3}", "", "value.bytes destination"},
			{"element", "score: {type: integer}", "", "format.integer destination"},
			{"count", "maxItems: 1", "", "items.max destination"},
		},
	},
}

// arrivalRules tries RENAME and COPY with every type.
func arrivalRules() []ruleCase {
	var out []ruleCase
	for _, c := range arrivals {
		c.at, c.request = "destination", `"key":"free:#","destination":"k:#"`
		c.ops, c.verb = "KeyRename RENAME RENAMENX", "RENAME"
		out = append(out, c)
		c.ops, c.verb = "KeyCopy COPY", "COPY"
		out = append(out, c)
	}
	return out
}

var expiryBreaches = []breach{
	{"ttl", "ttl: {max: 59s}", "", "ttl.max ttl"},
	{"ttl", "ttl: {min: 61s}", "", "ttl.min ttl"},
	{"ttl", "ttl: forbidden", "", "ttl.forbidden ttl"},
}
