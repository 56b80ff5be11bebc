package sourcetest

const (
	addMembers = "SetAdd SADD"
	addMember  = "SetMemberAdd"
)

// tag are the members that add a tag among others.
func tag(text string) string { return `"key":"tags:#","members":["ok","` + text + `"]` }

// tagMembers tries texts among others, and by themselves.
func tagMembers() []Try {
	var out []Try
	for _, t := range []struct{ name, text, code string }{
		{"no character", "", "value.length"},
		{"1 character", "标", ""},
		{"50 characters", times(50, "标"), ""},
		{"51 characters", times(51, "标"), "value.length"},
		{"a blank", "a b", "value.excludes"},
		{"a tab", `a\tb`, "value.excludes"},
		{"a line end", `ab\n`, "value.excludes"},
		{"a no-break space", "a\u00a0b", "value.excludes"},
		{"an ideographic space", "a\u3000b", "value.excludes"},
		{"a byte order mark", "\ufeffab", "value.excludes"},
		{"a line separator", "a\u2028b", "value.excludes"},
		{"a zero width space", "a\u200bb", ""},
		{"a comma", "a,b", "value.excludes"},
		{"a semicolon", "a;b", "value.excludes"},
		{"a fullwidth comma and semicolon", "a，b；", ""},
		{"a slash and a percent sign", "a/b%2Fc", ""},
		{"too long, with a comma", times(51, ","), "value.excludes value.length"},
	} {
		among, alone := OK, OK
		switch t.code {
		case "":
		case "value.excludes value.length":
			among, alone = "value.excludes members/1, value.length members/1", "value.excludes member, value.length member"
		default:
			among, alone = t.code+" members/1", t.code+" member"
		}
		out = append(out,
			Try{t.name, nil, addMembers, tag(t.text), among, ""},
			Try{t.name + ", moved in", []string{`SADD "key":"free:#","members":["` + t.text + `"]`}, "SetMove SMOVE",
				`"key":"free:#","member":"` + t.text + `","destination":"tags:#"`, alone, ""})
		if t.text != "" { // no path has an empty segment
			out = append(out, Try{t.name + " alone", nil, addMember, `"key":"tags:#","member":"` + t.text + `"`, alone, ""})
		}
	}
	return out
}

// fullTags is a set of 500 tags.
var fullTags = []string{`SADD "key":"tags:#","members":` + List(`"t%d"`, 1, 500)}

const intoTags = `"destination":"tags:#","keys":["free:#"]`

// sources are sets that a contract does not govern.
func sources(last int) []string {
	return []string{`SADD "key":"free:#","members":` + List(`"t%d"`, 1, last)}
}

var tagCounts = []Try{
	{"500 members", nil, addMembers, `"key":"tags:#","members":` + List(`"t%d"`, 1, 500), OK, ""},
	{"501 members", nil, addMembers, `"key":"tags:#","members":` + List(`"t%d"`, 1, 501), "items.max members", "at most 500 members"},
	{"member 500 again", fullTags, addMembers, `"key":"tags:#","members":["t500","t1","t500"]`, OK, ""},
	{"member 501", fullTags, addMembers, `"key":"tags:#","members":["t500","t501"]`, "items.max members", ""},
	{"member 500 again, alone", fullTags, addMember, `"key":"tags:#","member":"t500"`, OK, ""},
	{"member 501, alone", fullTags, addMember, `"key":"tags:#","member":"t501"`, "items.max member", ""},
	{"member 501 moved in", append(sources(501), fullTags...), "SetMove SMOVE", `"key":"free:#","member":"t501","destination":"tags:#"`, "items.max member", ""},
	{"member 500 moved in", append(sources(501), fullTags...), "SetMove SMOVE", `"key":"free:#","member":"t500","destination":"tags:#"`, OK, ""},
	{"moved out", fullTags, "SetMove SMOVE", `"key":"tags:#","member":"t500","destination":"free:#"`, OK, ""},
	{"500 members stored", sources(500), "SetUnion SUNIONSTORE", intoTags, OK, ""},
	{"501 members stored", sources(501), "SetUnion SUNIONSTORE", intoTags, "items.max keys", ""},
	{"501 members stored by an intersection", sources(501), "SetInter SINTERSTORE", intoTags, "items.max keys", ""},
	{"501 members stored by a difference", sources(501), "SetDiff SDIFFSTORE", intoTags, "items.max keys", ""},
	{"a bad member stored", []string{`SADD "key":"free:#","members":["a b"]`}, "SetUnion SUNIONSTORE", intoTags, "value.excludes keys", ""},
	{"501 members renamed in", sources(501), renames + " " + copies, `"key":"free:#","destination":"tags:#"`, "items.max destination", ""},
	{"a member taken", fullTags, "SetPop SPOP", `"key":"tags:#","count":3`, OK, ""},
	{"a member removed", fullTags, "SetRemove SREM", `"key":"tags:#","members":["t1"]`, OK, ""},
	{"a member removed alone", fullTags, "SetMemberRemove", `"key":"tags:#","member":"t1"`, OK, ""},
	{"deleted", fullTags, "SetDelete KeyDelete DEL", `"key":"tags:#"`, OK, ""},
	{"a list", nil, pushLeft, `"key":"tags:#","side":"left","items":["a"]`, "type.locked key", ""},
}

const (
	addScores = "ZSetAdd ZADD"
	setScore  = "ZSetMemberSet"
	addTo     = "ZSetMemberIncr ZINCRBY"
)

// product are the members that score one product among others.
func product(member, score string) string {
	return `"key":"hot:products:#","members":[{"member":"1","score":1},{"member":"` + member + `","score":` + score + `}]`
}

// scored are the members that score one product by itself.
func scored(member, rest string) string {
	return `"key":"hot:products:#","member":"` + member + `",` + rest
}

var productMembers = []Try{
	{"digits", nil, addScores, product("7", "1"), OK, ""},
	{"leading zeros", nil, addScores, product("007", "1"), OK, ""},
	{"no digit", nil, addScores, product("", "1"), "value.pattern members/1/member", ""},
	{"a letter between", nil, addScores, product("1a1", "1"), "value.pattern members/1/member", ""},
	{"a sign", nil, addScores, product("-1", "1"), "value.pattern members/1/member", ""},
	{"a line end", nil, addScores, product(`1\n`, "1"), "value.pattern members/1/member", ""},
	{"fullwidth digits", nil, addScores, product("７", "1"), "value.pattern members/1/member", ""},
	{"Arabic digits", nil, addScores, product("٧", "1"), "value.pattern members/1/member", ""},
	{"digits alone", nil, setScore, scored("7", `"score":1`), OK, ""},
	{"fullwidth digits alone", nil, setScore, scored("７", `"score":1`), "value.pattern member", ""},
	{"fullwidth digits counted", nil, addTo, scored("７", `"by":1`), "value.pattern member", ""},
	{"member and score", nil, addScores, product("x", "-1"), "value.pattern members/1/member, number.minimum members/1/score", ""},
	{"a set", nil, addMembers, `"key":"hot:products:#","members":["1"]`, "type.locked key", ""},
}

// best is a product with the greatest score.
var best = []string{`ZADD "key":"hot:products:#","members":[{"member":"7","score":1000000000}]`}

var productScores = []Try{
	{"0", nil, addScores, product("7", "0"), OK, ""},
	{"-0", nil, addScores, product("7", "-0"), OK, ""},
	{"10^9", nil, addScores, product("7", "1000000000"), OK, ""},
	{"1e9", nil, addScores, product("7", "1e9"), OK, ""},
	{"10^9+1", nil, addScores, product("7", "1000000001"), "number.maximum members/1/score", ""},
	{"10^9+0.5", nil, addScores, product("7", "1000000000.5"), "format.integer members/1/score, number.maximum members/1/score", ""},
	{"-1", nil, addScores, product("7", "-1"), "number.minimum members/1/score", ""},
	{"0.5", nil, addScores, product("7", "0.5"), "format.integer members/1/score", ""},
	{"inf", nil, addScores, product("7", `"inf"`), "number.notFinite members/1/score", ""},
	{"-inf", nil, addScores, product("7", `"-inf"`), "number.notFinite members/1/score", ""},
	{"nan", nil, addScores, product("7", `"nan"`), Malformed, ""},
	{"1e400", nil, addScores, product("7", `1e400`), Malformed, ""},
	{"a text", nil, addScores, product("7", `"7"`), Malformed, ""},
	{"10^9 alone", nil, setScore, scored("7", `"score":1e9`), OK, ""},
	{"10^9+1 alone", nil, setScore, scored("7", `"score":1000000001`), "number.maximum score", ""},
	{"0.5 alone", nil, setScore, scored("7", `"score":0.5`), "format.integer score", ""},
	{"inf alone", nil, setScore, scored("7", `"score":"+inf"`), "number.notFinite score", ""},
	{"counted to 10^9+1", best, addTo, scored("7", `"by":1`), "number.maximum by", ""},
	{"counted to 0", best, addTo, scored("7", `"by":-1e9`), OK, ""},
	{"counted to -1", best, addTo, scored("7", `"by":-1000000001`), "number.minimum by", ""},
	{"counted by 0.5", best, addTo, scored("7", `"by":-0.5`), "format.integer by", ""},
	{"counted by inf", best, addTo, scored("7", `"by":"inf"`), "number.notFinite by", ""},
	{"counted to 10^9 from nothing", nil, addTo, scored("7", `"by":1e9`), OK, ""},
	{"raised within", best, addScores, product("7", "1000000001") + `,"if":["present","greater"]`, "number.maximum members/1/score", ""},
	{"a worse score that is not taken", best, addScores, product("7", "1000000001") + `,"if":"less"`, OK, ""},
}

// fullProducts are 1000 products.
var fullProducts = []string{`ZADD "key":"hot:products:#","members":` + List(`{"member":"%d","score":5}`, 1, 1000)}

var productCounts = []Try{
	{"1000 members", nil, addScores, `"key":"hot:products:#","members":` + List(`{"member":"%d","score":5}`, 1, 1000), OK, ""},
	{"1001 members", nil, addScores, `"key":"hot:products:#","members":` + List(`{"member":"%d","score":5}`, 1, 1001), "items.max members", ""},
	{"member 1000 again", fullProducts, addScores, product("1000", "6"), OK, ""},
	{"member 1001", fullProducts, addScores, product("1001", "6"), "items.max members", ""},
	{"member 1001 alone", fullProducts, setScore, scored("1001", `"score":6`), "items.max member", ""},
	{"member 1001 counted", fullProducts, addTo, scored("1001", `"by":1`), "items.max member", ""},
	{"member 1000 counted", fullProducts, addTo, scored("1000", `"by":1`), OK, ""},
	{"deleted", best, "ZSetDelete KeyDelete DEL", `"key":"hot:products:#"`, OK, ""},
	{"popped", fullProducts, "ZSetPop ZPOPMIN", `"key":"hot:products:#","count":2`, OK, ""},
	{"removed", fullProducts, "ZSetRemove ZREM", `"key":"hot:products:#","members":["1"]`, OK, ""},
	{"removed alone", fullProducts, "ZSetMemberRemove", `"key":"hot:products:#","member":"1"`, OK, ""},
}
