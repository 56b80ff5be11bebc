package service_test

// Cases of TestEveryWriteUnderEveryRule for lists.

var listRules = []ruleCase{
	{
		ops: "LPUSH", verb: "LPUSH", typ: "list", request: `"key":"k:#","items":["1","1234"]`, breaches: pushBreaches,
	},
	{
		ops: "ListPush RPUSH", verb: "RPUSH", typ: "list", request: `"key":"k:#","items":["1","1234"]`, breaches: pushBreaches,
	},
	{
		ops: "LPUSHX", verb: "LPUSHX", typ: "list", seed: oneItem, request: `"key":"k:#","items":["1","1234"]`, breaches: pushBreaches,
	},
	{
		ops: "RPUSHX", verb: "RPUSHX", typ: "list", seed: oneItem, request: `"key":"k:#","items":["1","1234"]`, breaches: pushBreaches,
	},
	{
		ops: "ListSet LSET", verb: "LSET", typ: "list", seed: oneItem, request: `"key":"k:#","index":0,"value":"1234"`,
		breaches: []breach{{"element", "items: {maxBytes: 3}", "", "value.bytes value"}},
	},
	{
		ops: "ListInsert LINSERT", verb: "LINSERT", typ: "list", seed: oneItem, request: `"key":"k:#","pivot":"a","value":"1234"`,
		breaches: []breach{
			{"element", "items: {maxBytes: 3}", "", "value.bytes value"},
			{"count", "maxItems: 1", "", "items.max value"},
		},
	},
	{
		ops: "ListPop LPOP", verb: "LPOP", typ: "list", seed: fourItems, request: `"key":"k:#","count":2`,
		breaches: []breach{
			{"argument", "operations: {LPOP: {count: {max: 1}}}", "", "argument.range count"},
			{"argument", "operations: {LPOP: {count: {min: 2}}}", `"key":"k:#"`, "argument.range count"},
		},
	},
	{
		ops: "RPOP", verb: "RPOP", typ: "list", seed: fourItems, request: `"key":"k:#","count":2`,
		breaches: []breach{{"argument", "operations: {RPOP: {count: {max: 1}}}", "", "argument.range count"}},
	},
	{
		ops: "ListPop", verb: "BLPOP", typ: "list", seed: fourItems, request: `"key":"k:#","wait":"5s"`,
		breaches: []breach{{"argument", "operations: {BLPOP: {timeout: {min: 6s}}}", "", "argument.range wait"}},
	},
	{
		ops: "ListPop", verb: "BRPOP", typ: "list", seed: fourItems, request: `"key":"k:#","side":"right","count":1,"wait":5`,
		breaches: []breach{{"argument", "operations: {BRPOP: {timeout: {max: 4s}}}", "", "argument.range wait"}},
	},
	{
		ops: "ListPop", verb: "BLMPOP", typ: "list", seed: fourItems, request: `"key":"k:#","side":"right","count":2,"wait":5`,
		breaches: []breach{
			{"argument", "operations: {BLMPOP: {timeout: {max: 4s}, count: {max: 1}}}", "", "argument.range count, argument.range wait"},
		},
	},
	{
		ops: "ListMove LMOVE", verb: "LPOP", typ: "list", seed: fourItems, request: `"key":"k:#","destination":"free:#"`,
	},
	{
		ops: "RPOPLPUSH", verb: "RPOP", typ: "list", seed: fourItems, request: `"key":"k:#","destination":"free:#"`,
	},
	{
		ops: "ListMove", verb: "BRPOP", typ: "list", seed: fourItems,
		request:  `"key":"k:#","destination":"free:#","from":"right","wait":"5s"`,
		breaches: []breach{{"argument", "operations: {BRPOP: {timeout: {max: 4s}}}", "", "argument.range wait"}},
	},
	{
		ops: "ListMove LMOVE", verb: "RPUSH", typ: "list", seed: itemToMove, request: `"key":"free:#","destination":"k:#"`,
		at: "destination", breaches: movedItem,
	},
	{
		ops: "RPOPLPUSH", verb: "LPUSH", typ: "list", seed: itemToMove, request: `"key":"free:#","destination":"k:#"`,
		at: "destination", breaches: movedItem,
	},
	{
		ops: "ListMove LMOVE", verb: "RPUSH", typ: "list", seed: append(oneItem, itemToMove...),
		request: `"key":"free:#","destination":"k:#"`, at: "destination",
		breaches: []breach{{"count", "maxItems: 1", "", "items.max destination"}},
	},
	{
		ops: "RPOPLPUSH", verb: "LPUSH", typ: "list", seed: append(oneItem, itemToMove...),
		request: `"key":"free:#","destination":"k:#"`, at: "destination",
		breaches: []breach{{"count", "maxItems: 1", "", "items.max destination"}},
	},
	{
		ops: "ListRemove LREM", verb: "LREM", typ: "list", seed: fourItems, request: `"key":"k:#","value":"b"`,
	},
	{
		ops: "ListTrim LTRIM", verb: "LTRIM", typ: "list", seed: fourItems, request: `"key":"k:#","start":1,"stop":2`,
	},
	{
		ops: "ListDelete", verb: "DEL", typ: "list", seed: fourItems, request: `"key":"k:#"`,
	},
}

var (
	oneItem    = []string{`RPUSH "key":"k:#","items":["a"]`}
	fourItems  = []string{`RPUSH "key":"k:#","items":["a","b","c","b"]`}
	itemToMove = []string{`RPUSH "key":"free:#","items":["1234"]`}

	pushBreaches = []breach{
		{"element", "items: {maxBytes: 3}", "", "value.bytes items/1"},
		{"count", "maxItems: 1", "", "items.max items"},
	}
	movedItem = []breach{{"element", "items: {maxBytes: 3}", "", "value.bytes destination"}}
)
