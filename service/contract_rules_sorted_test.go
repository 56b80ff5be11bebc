package service_test

// Cases of TestEveryWriteUnderEveryRule for sets and sorted sets.

var setRules = []ruleCase{
	{
		ops: "SetAdd SADD", verb: "SADD", typ: "set", request: `"key":"k:#","members":["1","1234","1"]`,
		breaches: []breach{
			{"element", "items: {maxLength: 3}", "", "value.length members/1"},
			{"element", "items: {pattern: '^[2-9]'}", "", "value.pattern members/0, value.pattern members/1"},
			{"count", "maxItems: 1", "", "items.max members"},
		},
	},
	{
		ops: "SetMemberAdd", verb: "SADD", typ: "set", request: `"key":"k:#","member":"1234"`,
		breaches: []breach{{"element", "items: {maxLength: 3}", "", "value.length member"}},
	},
	{
		ops: "SetMemberAdd", verb: "SADD", typ: "set", seed: oneMember, request: `"key":"k:#","member":"1234"`,
		breaches: []breach{{"count", "maxItems: 1", "", "items.max member"}},
	},
	{
		ops: "SetRemove SREM", verb: "SREM", typ: "set", seed: oneMember, request: `"key":"k:#","members":["a","b"]`,
	},
	{
		ops: "SetMemberRemove", verb: "SREM", typ: "set", seed: oneMember, request: `"key":"k:#","member":"a"`,
	},
	{
		ops: "SetPop SPOP", verb: "SPOP", typ: "set", seed: oneMember, request: `"key":"k:#","count":2`,
		breaches: []breach{{"argument", "operations: {SPOP: {count: {max: 1}}}", "", "argument.range count"}},
	},
	{
		ops: "SetMove SMOVE", verb: "SREM", typ: "set", seed: oneMember, request: `"key":"k:#","member":"a","destination":"free:#"`,
	},
	{
		ops: "SetMove SMOVE", verb: "SADD", typ: "set", seed: memberToMove, at: "destination",
		request:  `"key":"free:#","member":"1234","destination":"k:#"`,
		breaches: []breach{{"element", "items: {maxLength: 3}", "", "value.length member"}},
	},
	{
		ops: "SetMove SMOVE", verb: "SADD", typ: "set", seed: append(oneMember, memberToMove...), at: "destination",
		request:  `"key":"free:#","member":"1234","destination":"k:#"`,
		breaches: []breach{{"count", "maxItems: 1", "", "items.max member"}},
	},
	{
		ops: "SetUnion SUNIONSTORE", verb: "SUNIONSTORE", typ: "set", seed: setsToJoin, at: "destination",
		request: `"keys":["free:#","more:#"],"destination":"k:#"`, breaches: storedBreaches,
	},
	{
		ops: "SetInter SINTERSTORE", verb: "SINTERSTORE", typ: "set", seed: setsToJoin, at: "destination",
		request: `"keys":["free:#","more:#"],"destination":"k:#"`, breaches: storedBreaches,
	},
	{
		ops: "SetDiff SDIFFSTORE", verb: "SDIFFSTORE", typ: "set", seed: setsToJoin, at: "destination",
		request: `"keys":["free:#","none:#"],"destination":"k:#"`, breaches: storedBreaches,
	},
	{
		ops: "SetDelete", verb: "DEL", typ: "set", seed: oneMember, request: `"key":"k:#"`,
	},
}

var (
	oneMember    = []string{`SADD "key":"k:#","members":["a"]`}
	memberToMove = []string{`SADD "key":"free:#","members":["1234"]`}
	setsToJoin   = []string{`SADD "key":"free:#","members":["1","1234"]`, `SADD "key":"more:#","members":["1","1234"]`}

	storedBreaches = []breach{
		{"element", "items: {maxLength: 3}", "", "value.length keys"},
		{"count", "maxItems: 1", "", "items.max keys"},
	}
)

var zsetRules = []ruleCase{
	{
		ops: "ZSetAdd ZADD", verb: "ZADD", typ: "zset",
		request: `"key":"k:#","members":[{"member":"1","score":0.5},{"member":"1234","score":10}]`,
		breaches: []breach{
			{"element", "items: {maxLength: 3}", "", "value.length members/1/member"},
			{"element", "score: {maximum: 9}", "", "number.maximum members/1/score"},
			{"element", "score: {type: integer}", "", "format.integer members/0/score"},
			{"element", "score: {minimum: 0}", `"key":"k:#","members":[{"member":"1","score":"inf"}]`, "number.notFinite members/0/score"},
			{"count", "maxItems: 1", "", "items.max members"},
		},
	},
	{
		ops: "ZSetAdd ZADD", verb: "ZADD", typ: "zset", seed: oneScore,
		request: `"key":"k:#","members":[{"member":"a","score":10}],"if":["present","greater"]`,
		breaches: []breach{
			{"element", "score: {maximum: 9}", "", "number.maximum members/0/score"},
			{"count", "maxItems: 1", `"key":"k:#","members":[{"member":"b","score":1}],"if":"greater"`, "items.max members"},
		},
	},
	{
		ops: "ZSetMemberSet", verb: "ZADD", typ: "zset", request: `"key":"k:#","member":"1234","score":10`,
		breaches: []breach{
			{"element", "items: {maxLength: 3}", "", "value.length member"},
			{"element", "score: {maximum: 9}", "", "number.maximum score"},
		},
	},
	{
		ops: "ZSetMemberSet", verb: "ZADD", typ: "zset", seed: oneScore, request: `"key":"k:#","member":"1234","score":10`,
		breaches: []breach{{"count", "maxItems: 1", "", "items.max member"}},
	},
	{
		ops: "ZSetMemberIncr ZINCRBY", verb: "ZINCRBY", typ: "zset", request: `"key":"k:#","member":"1234","by":10`,
		breaches: []breach{
			{"element", "items: {maxLength: 3}", "", "value.length member"},
			{"element", "score: {maximum: 9}", "", "number.maximum by"},
		},
	},
	{
		ops: "ZSetMemberIncr ZINCRBY", verb: "ZINCRBY", typ: "zset", seed: oneScore, request: `"key":"k:#","member":"1234"`,
		breaches: []breach{
			{"element", "score: {maximum: 5}", `"key":"k:#","member":"a"`, "number.maximum by"},
			{"element", "score: {type: integer}", `"key":"k:#","member":"a","by":0.5`, "format.integer by"},
			{"count", "maxItems: 1", "", "items.max member"},
		},
	},
	{
		ops: "ZSetRemove ZREM", verb: "ZREM", typ: "zset", seed: oneScore, request: `"key":"k:#","members":["a","b"]`,
	},
	{
		ops: "ZREMRANGEBYRANK", verb: "ZREMRANGEBYRANK", typ: "zset", seed: oneScore, request: `"key":"k:#","min":0,"max":-1`,
	},
	{
		ops: "ZREMRANGEBYSCORE", verb: "ZREMRANGEBYSCORE", typ: "zset", seed: oneScore, request: `"key":"k:#","min":"(0","max":"inf"`,
	},
	{
		ops: "ZREMRANGEBYLEX", verb: "ZREMRANGEBYLEX", typ: "zset", seed: oneScore, request: `"key":"k:#","min":"-","max":"[z"`,
	},
	{
		ops: "ZSetMemberRemove", verb: "ZREM", typ: "zset", seed: oneScore, request: `"key":"k:#","member":"a"`,
	},
	{
		ops: "ZSetPop ZPOPMIN", verb: "ZPOPMIN", typ: "zset", seed: oneScore, request: `"key":"k:#","count":2`,
		breaches: []breach{{"argument", "operations: {ZPOPMIN: {count: {max: 1}}}", "", "argument.range count"}},
	},
	{
		ops: "ZPOPMAX", verb: "ZPOPMAX", typ: "zset", seed: oneScore, request: `"key":"k:#","count":2`,
		breaches: []breach{{"argument", "operations: {ZPOPMAX: {count: {max: 1}}}", "", "argument.range count"}},
	},
	{
		ops: "ZSetDelete", verb: "DEL", typ: "zset", seed: oneScore, request: `"key":"k:#"`,
	},
}

var oneScore = []string{`ZADD "key":"k:#","members":[{"member":"a","score":5}]`}
