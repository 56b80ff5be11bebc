package contracts

import (
	"slices"
	"strings"
)

// Every effect has one verb that a contract may name: INCR counts as INCRBY,
// SETEX as SET. The tables below list them by the type they work on; the verbs
// of keys work on every type.
var (
	writeVerbs = map[Type][]string{
		TypeString: {"APPEND", "BITFIELD", "BITOP", "GETDEL", "GETEX", "INCRBY", "INCRBYFLOAT", "PFADD", "PFMERGE",
			"SET", "SETBIT", "SETRANGE"},
		TypeHash: {"HDEL", "HEXPIRE", "HINCRBY", "HINCRBYFLOAT", "HPERSIST", "HSET", "HSETNX"},
		TypeList: {"BLMPOP", "BLPOP", "BRPOP", "LINSERT", "LMPOP", "LPOP", "LPUSH", "LPUSHX", "LREM", "LSET", "LTRIM",
			"RPOP", "RPUSH", "RPUSHX"},
		TypeSet: {"SADD", "SDIFFSTORE", "SINTERSTORE", "SPOP", "SREM", "SUNIONSTORE"},
		TypeZSet: {"BZMPOP", "BZPOPMAX", "BZPOPMIN", "ZADD", "ZDIFFSTORE", "ZINCRBY", "ZINTERSTORE", "ZMPOP", "ZPOPMAX",
			"ZPOPMIN", "ZRANGESTORE", "ZREM", "ZREMRANGEBYLEX", "ZREMRANGEBYRANK", "ZREMRANGEBYSCORE", "ZUNIONSTORE"},
	}
	keyVerbs = []string{"COPY", "DEL", "EXPIRE", "MOVE", "PERSIST", "RENAME", "RESTORE", "SORT"}

	readVerbs = map[Type][]string{
		TypeString: {"BITCOUNT", "BITPOS", "GET", "GETBIT", "GETRANGE", "LCS", "PFCOUNT", "STRLEN"},
		TypeHash:   {"HEXISTS", "HGET", "HGETALL", "HKEYS", "HLEN", "HMGET", "HRANDFIELD", "HSCAN", "HSTRLEN", "HTTL", "HVALS"},
		TypeList:   {"LINDEX", "LLEN", "LPOS", "LRANGE"},
		TypeSet: {"SCARD", "SDIFF", "SINTER", "SINTERCARD", "SISMEMBER", "SMEMBERS", "SMISMEMBER", "SRANDMEMBER", "SSCAN",
			"SUNION"},
		TypeZSet: {"ZCARD", "ZCOUNT", "ZDIFF", "ZINTER", "ZINTERCARD", "ZLEXCOUNT", "ZMSCORE", "ZRANDMEMBER", "ZRANGE",
			"ZRANK", "ZREVRANK", "ZSCAN", "ZSCORE", "ZUNION"},
	}
	keyReadVerbs = []string{"DUMP", "EXISTS", "TTL", "TYPE"}
)

// countsAs maps the names that are not canonical to the one that a contract
// writes instead.
var countsAs = map[string]string{
	"SETNX": "SET", "SETEX": "SET", "PSETEX": "SET", "GETSET": "SET", "MSET": "SET", "MSETNX": "SET", "MSETEX": "SET",
	"INCR": "INCRBY", "DECR": "INCRBY", "DECRBY": "INCRBY", "MGET": "GET", "SUBSTR": "GETRANGE", "BITFIELD_RO": "GETBIT",
	"HMSET": "HSET", "HPEXPIRE": "HEXPIRE", "HEXPIREAT": "HEXPIRE", "HPEXPIREAT": "HEXPIRE",
	"HPTTL": "HTTL", "HEXPIRETIME": "HTTL", "HPEXPIRETIME": "HTTL",
	"UNLINK": "DEL", "PEXPIRE": "EXPIRE", "EXPIREAT": "EXPIRE", "PEXPIREAT": "EXPIRE", "RENAMENX": "RENAME",
	"PTTL": "TTL", "EXPIRETIME": "TTL", "PEXPIRETIME": "TTL",
	"ZREVRANGE": "ZRANGE", "ZRANGEBYSCORE": "ZRANGE", "ZREVRANGEBYSCORE": "ZRANGE", "ZRANGEBYLEX": "ZRANGE",
	"ZREVRANGEBYLEX": "ZRANGE",
}

// judgedTwice are the commands that take from one key and give to another.
// Each of the two keys is judged by the effect on it.
var judgedTwice = map[string]string{
	"LMOVE":      "is judged as a pop of its source and a push to its destination; name LPOP or RPOP for the source, LPUSH or RPUSH for the destination",
	"RPOPLPUSH":  "is judged as RPOP of its source and LPUSH to its destination; name those",
	"BLMOVE":     "is judged as a pop of its source and a push to its destination; name BLPOP or BRPOP for the source, LPUSH or RPUSH for the destination",
	"BRPOPLPUSH": "is judged as BRPOP of its source and LPUSH to its destination; name those",
	"SMOVE":      "is judged as SREM from its source and SADD to its destination; name those",
}

// rangedArguments lists, by verb, the arguments whose range a contract can limit.
var rangedArguments = map[string][]string{
	"BLPOP": {"timeout"}, "BRPOP": {"timeout"}, "BZPOPMIN": {"timeout"}, "BZPOPMAX": {"timeout"},
	"BLMPOP": {"timeout", "count"}, "BZMPOP": {"timeout", "count"},
	"LPOP": {"count"}, "RPOP": {"count"}, "LMPOP": {"count"}, "SPOP": {"count"},
	"ZPOPMIN": {"count"}, "ZPOPMAX": {"count"}, "ZMPOP": {"count"},
	"HRANDFIELD": {"count"}, "SRANDMEMBER": {"count"}, "ZRANDMEMBER": {"count"},
}

// Verbs lists all canonical verbs that change a key, sorted.
func Verbs() []string {
	out := slices.Clone(keyVerbs)
	for _, list := range writeVerbs {
		out = append(out, list...)
	}
	slices.Sort(out)
	return out
}

// VerbsOf lists the canonical verbs that change a key of the type, sorted:
// those of the type and those of every key. For an unknown type only the
// latter remain.
func VerbsOf(t Type) []string { return sortedUnion(writeVerbs[t], keyVerbs) }

// ReadVerbsOf lists the verbs that only read a key of the type, sorted.
func ReadVerbsOf(t Type) []string { return sortedUnion(readVerbs[t], keyReadVerbs) }

func sortedUnion(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return out
}

// CanonicalVerb gives the name under which a contract knows a command: INCRBY
// for INCR, and the command itself where it has no other name. Capitals are
// expected.
func CanonicalVerb(command string) string {
	if verb, ok := countsAs[command]; ok {
		return verb
	}
	return command
}

// verbAdvice says what is wrong with a name in operations, or nothing if a
// contract of that type may use it.
func verbAdvice(verb string, t Type, readsListed bool) string {
	if slices.Contains(VerbsOf(t), verb) {
		return ""
	}
	if slices.Contains(ReadVerbsOf(t), verb) {
		if readsListed {
			return ""
		}
		return "is a read, and reads are open; write reads: listed to limit them too"
	}
	if advice := judgedTwice[verb]; advice != "" {
		return advice
	}
	if canonical, ok := countsAs[verb]; ok {
		return "counts as " + canonical + "; write " + canonical
	}
	if owner := verbOwner(verb); owner != "" {
		return "is a command of a " + string(owner) + ", not of a " + string(t) + meantVerb(verb, t, readsListed)
	}
	if upper := strings.ToUpper(verb); upper != verb && verbAdvice(upper, t, readsListed) == "" {
		return "must be written in capitals: " + upper
	}
	return "is not a command of a " + string(t) + meantVerb(verb, t, readsListed)
}

func verbOwner(verb string) Type {
	for _, t := range types {
		if slices.Contains(writeVerbs[t], verb) || slices.Contains(readVerbs[t], verb) {
			return t
		}
	}
	return ""
}

func meantVerb(verb string, t Type, readsListed bool) string {
	candidates := VerbsOf(t)
	if readsListed {
		candidates = append(candidates, ReadVerbsOf(t)...)
	}
	if meant := nearest(verb, candidates); meant != "" {
		return "; did you mean " + meant + "?"
	}
	return ""
}
