package service

import (
	"math"
	"strings"

	"pgregory.net/rapid"
)

var setPairs = []func(*rapid.T, string) pair{
	saddPair, saddPair, sremPair, smovePair, sismemberPair, smismemberPair, algebraPair, storePair,
	func(_ *rapid.T, key string) pair { return smembers(key) },
	func(_ *rapid.T, key string) pair {
		return paired(&SetCount{Key: Bytes(key)}, command("SCARD", key), countReply, nil)
	},
}

func withWords(args []any, words []string) []any {
	for _, word := range words {
		args = append(args, word)
	}
	return args
}

func saddPair(t *rapid.T, key string) pair {
	members := drawElements(t)
	return paired(&SetAdd{Key: Bytes(key), Members: texts(members...)}, withWords(command("SADD", key), members),
		func(v any) any { return int64(v.(SetAdded).Added) }, nil)
}

func sremPair(t *rapid.T, key string) pair {
	members := drawElements(t)
	return paired(&SetRemove{Key: Bytes(key), Members: texts(members...)}, withWords(command("SREM", key), members), removedReply, nil)
}

// smovePair leaves the type of an absent source's destination out: Redis looks
// at it only if the source is there.
func smovePair(t *rapid.T, key string) pair {
	to := rapid.SampledFrom([]string{"k3", "k\x00", "k5"}).Draw(t, "destination")
	member := drawElement.Draw(t, "member")
	return paired(&SetMove{Key: Bytes(key), Destination: Bytes(to), Member: Bytes(member)}, command("SMOVE", key, to, member),
		func(any) any { return int64(1) }, int64(0))
}

func sismemberPair(t *rapid.T, key string) pair {
	member := drawElement.Draw(t, "member")
	return paired(&SetMemberGet{Key: Bytes(key), Member: Bytes(member)}, command("SISMEMBER", key, member),
		func(any) any { return int64(1) }, int64(0))
}

func smismemberPair(t *rapid.T, key string) pair {
	members := drawElements(t)
	absent := make([]any, len(members))
	for i := range absent {
		absent[i] = int64(0)
	}
	return paired(&SetMembers{Key: Bytes(key), Members: texts(members...)}, withWords(command("SMISMEMBER", key), members), func(v any) any {
		out := []any{}
		for _, there := range v.(SetPresence).Present {
			n := int64(0)
			if there {
				n = 1
			}
			out = append(out, n)
		}
		return out
	}, absent)
}

func smembers(key string) pair {
	return paired(&SetGet{Key: Bytes(key)}, command("SMEMBERS", key), func(v any) any { return plain(v.(WholeSet).Members) }, []any{})
}

func drawAlgebra(t *rapid.T, key string, destination Bytes) (Op, string, []string) {
	keys := append([]string{key}, rapid.SliceOfN(drawKey, 0, 2).Draw(t, "more keys")...)
	s := SetSources{Keys: texts(keys...), Destination: destination}
	switch rapid.SampledFrom([]string{"SUNION", "SINTER", "SDIFF"}).Draw(t, "algebra") {
	case "SUNION":
		return &SetUnion{s}, "SUNION", keys
	case "SINTER":
		return &SetInter{s}, "SINTER", keys
	}
	return &SetDiff{s}, "SDIFF", keys
}

func algebraPair(t *rapid.T, key string) pair {
	op, name, keys := drawAlgebra(t, key, nil)
	p := paired(op, withWords(command(name), keys), func(v any) any { return plain(v.(SetResult).Members) }, nil)
	p.anyOrder = true
	return p
}

func storePair(t *rapid.T, key string) pair {
	destination := drawKey.Draw(t, "destination")
	op, name, keys := drawAlgebra(t, key, Bytes(destination))
	p := paired(op, withWords(command(name+"STORE", destination), keys), countReply, nil)
	p.emptied = destination
	return p
}

var zsetPairs = []func(*rapid.T, string) pair{
	zaddPair, zaddPair, zincrbyPair, zremPair, zremrangePair, zrangePair, zrangePair, zcountPair, zpopPair, zscorePair, zrankPair,
	func(_ *rapid.T, key string) pair {
		return paired(&ZSetCount{Key: Bytes(key)}, command("ZCARD", key), countReply, nil)
	},
}

// redisScores leaves -0 out: Redis keeps its sign, here it is 0.
var redisScores = drawScore.Filter(func(f float64) bool { return f != 0 || !math.Signbit(f) })

func zaddPair(t *rapid.T, key string) pair {
	op := &ZSetAdd{Key: Bytes(key), If: drawWhen(t)}
	args := command("ZADD", key)
	for _, word := range op.If {
		args = append(args, map[Condition]string{Absent: "NX", Present: "XX", Greater: "GT", Less: "LT"}[word])
	}
	// Not the same member twice: miniredis looks at the conditions only once.
	for _, member := range rapid.SliceOfNDistinct(drawElement, 1, 4, rapid.ID).Draw(t, "members") {
		score := redisScores.Draw(t, "score")
		op.Members = append(op.Members, scored(member, score))
		args = append(args, score, member)
	}
	return paired(op, args, func(v any) any { return int64(v.(ZSetAdded).Added) }, nil)
}

func zincrbyPair(t *rapid.T, key string) pair {
	member, by := drawElement.Draw(t, "member"), rapid.SampledFrom([]float64{1, -1, 0.5, 2}).Draw(t, "by")
	return paired(&ZSetMemberIncr{Key: Bytes(key), Member: Bytes(member), By: new(Score(by))}, command("ZINCRBY", key, by, member),
		func(v any) any { return redisScore(v.(ZSetScore).Score) }, nil)
}

// redisScore is a score as Redis writes it.
func redisScore(s Score) string {
	return strings.ToLower(strings.TrimPrefix(plainScore(s), "+"))
}

func zremPair(t *rapid.T, key string) pair {
	members := drawElements(t)
	return paired(&ZSetRemove{Key: Bytes(key), Members: texts(members...)}, withWords(command("ZREM", key), members), removedReply, nil)
}

// drawScoreRange leaves ranges by member out, which Redis defines only for equal
// scores, and exclusive infinities, which miniredis takes as inclusive.
func drawScoreRange(t *rapid.T, kinds ...string) modelRange {
	r := drawRange(t, kinds...)
	for _, bound := range []*string{&r.least, &r.most} {
		if strings.HasSuffix(*bound, "inf") {
			*bound = strings.TrimPrefix(*bound, "(")
		}
	}
	return r
}

func zremrangePair(t *rapid.T, key string) pair {
	r := drawScoreRange(t, "rank", "score")
	return paired(&ZSetRemove{Key: Bytes(key), By: r.by, Min: bound(r.least), Max: bound(r.most)},
		command("ZREMRANGEBY"+strings.ToUpper(r.by), key, r.least, r.most), removedReply, nil)
}

func zrangePair(t *rapid.T, key string) pair {
	r := drawScoreRange(t, "rank", "score")
	return zrange(key, r.by, r.least, r.most, rapid.Bool().Draw(t, "reverse"))
}

func zrange(key, by, least, most string, reverse bool) pair {
	op := &ZSetRange{Key: Bytes(key), By: by, Min: bound(least), Max: bound(most)}
	args := command("ZRANGE", key, least, most)
	if by == "score" {
		if reverse {
			args = command("ZRANGE", key, most, least)
		}
		args = append(args, "BYSCORE")
	}
	if reverse {
		op.Order = "desc"
		args = append(args, "REV")
	}
	return paired(op, append(args, "WITHSCORES"), func(v any) any {
		out := []any{}
		for _, s := range v.(ZSetMembers).Members {
			out = append(out, string(s.Member), redisScore(s.Score))
		}
		return out
	}, []any{})
}

func zcountPair(t *rapid.T, key string) pair {
	r := drawScoreRange(t, "score")
	return paired(&ZSetCount{Key: Bytes(key), By: r.by, Min: bound(r.least), Max: bound(r.most)}, command("ZCOUNT", key, r.least, r.most), countReply, nil)
}

func zpopPair(t *rapid.T, key string) pair {
	side := rapid.SampledFrom([]string{"min", "max"}).Draw(t, "side")
	n := rapid.Int64Range(1, 3).Draw(t, "count")
	return paired(&ZSetPop{Key: Bytes(key), Side: side, Count: &n}, command("ZPOP"+strings.ToUpper(side), key, n), func(v any) any {
		out := []any{}
		for _, s := range v.(ZSetPopped).Members {
			out = append(out, string(s.Member), redisScore(s.Score))
		}
		return out
	}, []any{})
}

func zscorePair(t *rapid.T, key string) pair {
	member := drawElement.Draw(t, "member")
	return paired(&ZSetMemberGet{Key: Bytes(key), Member: Bytes(member)}, command("ZSCORE", key, member),
		func(v any) any { return redisScore(v.(RankedMember).Score) }, nil)
}

func zrankPair(t *rapid.T, key string) pair {
	member := drawElement.Draw(t, "member")
	if rapid.Bool().Draw(t, "reverse") {
		return paired(&ZSetMemberGet{Key: Bytes(key), Member: Bytes(member)}, command("ZREVRANK", key, member),
			func(v any) any { return int64(v.(RankedMember).ReverseRank) }, nil)
	}
	return paired(&ZSetMemberGet{Key: Bytes(key), Member: Bytes(member)}, command("ZRANK", key, member),
		func(v any) any { return int64(v.(RankedMember).Rank) }, nil)
}
