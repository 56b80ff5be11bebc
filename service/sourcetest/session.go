package sourcetest

const setString = "StringSet SET SETNX"

// session is a session of n letters that lives a minute.
func session(n int) []string {
	return []string{`SET "key":"session:#","value":"` + times(n, "a") + `","ttl":"1m"`}
}

// sessionWith are the members that set a session with a time to live.
func sessionWith(value, ttl string) string { return `"key":"session:#","value":` + value + ttl }

const hour = `,"ttl":"1h"`

var sessionValues = []Try{
	{"no byte", nil, setString, sessionWith(`""`, hour), "value.bytes value", ""},
	{"1 byte", nil, setString, sessionWith(`"a"`, hour), OK, ""},
	{"2048 bytes", nil, setString, sessionWith(`"`+times(2048, "a")+`"`, hour), OK, ""},
	{"2049 bytes", nil, setString, sessionWith(`"`+times(2049, "a")+`"`, hour), "value.bytes value", "at most 2048 bytes"},
	{"2048 bytes of 2 to a character", nil, setString, sessionWith(`"`+times(1024, "é")+`"`, hour), OK, ""},
	{"2049 bytes, half as many characters", nil, setString, sessionWith(`"`+times(1024, "é")+`a"`, hour), "value.bytes value", ""},
	{"not UTF-8", nil, setString, sessionWith(`{"base64":"/w=="}`, hour), "value.encoding value", ""},
	{"a character of 2 bytes", nil, setString, sessionWith(`{"base64":"w6k="}`, hour), OK, ""},
	{"half a character", nil, setString, sessionWith(`{"base64":"qQ=="}`, hour), "value.encoding value", ""},
	{"too long and not UTF-8", nil, setString, sessionWith(`{"base64":"`+times(683, "////")+`"}`, hour), "value.bytes value, value.encoding value", ""},
	{"a number", nil, setString, sessionWith(`1e3`, hour), OK, ""},
	{"null", nil, setString, sessionWith(`null`, hour), Malformed, ""},
	{"several", nil, "StringsSet MSET MSETNX", `"pairs":[{"key":"session:#","value":"a"},{"key":"free:#","value":""}],"ttl":"1h"`, OK, ""},
	{
		"one of several", nil, "StringsSet MSET MSETNX",
		`"pairs":[{"key":"free:#","value":""},{"key":"session:#","value":""}],"ttl":"1h"`, "value.bytes pairs/1/value", "",
	},
}

var sessionLifetimes = []Try{
	{"no TTL", nil, setString, sessionWith(`"a"`, ""), "ttl.required ttl", "at most 1h"},
	{"no TTL for several", nil, "StringsSet MSET", `"pairs":[{"key":"session:#","value":"a"}]`, "ttl.required ttl", ""},
	{"3600 s", nil, setString + " SETEX", sessionWith(`"a"`, `,"ttl":3600`), OK, ""},
	{"3601 s", nil, setString + " SETEX", sessionWith(`"a"`, `,"ttl":3601`), "ttl.max ttl", ""},
	{"an hour and a millisecond", nil, setString, sessionWith(`"a"`, `,"ttl":"3600001ms"`), "ttl.max ttl", ""},
	{"a millisecond", nil, setString, sessionWith(`"a"`, `,"ttl":"1ms"`), OK, ""},
	{"a moment in an hour", nil, setString, sessionWith(`"a"`, `,"expires_at":"2027-01-15T09:00:00Z"`), OK, ""},
	{"a moment too far", nil, setString, sessionWith(`"a"`, `,"expires_at":"2027-01-15T09:00:00.001Z"`), "ttl.max ttl", ""},
	{"a moment gone by", nil, setString, sessionWith(`"a"`, `,"expires_at":"2027-01-15T08:00:00Z"`), Malformed, ""},
	{"0", nil, setString, sessionWith(`"a"`, `,"ttl":0`), Malformed, ""},
	{"-1", nil, setString, sessionWith(`"a"`, `,"ttl":-1`), Malformed, ""},
	{"a fraction of a second", nil, setString, sessionWith(`"a"`, `,"ttl":1.5`), Malformed, ""},
	{"a TTL that is kept", session(1), "StringSet SET", sessionWith(`"b"`, `,"keep_ttl":true`), OK, ""},
	{"a TTL to keep that is not there", nil, setString, sessionWith(`"b"`, `,"keep_ttl":true`), "ttl.required ttl", ""},
	{"a TTL that is dropped", session(1), "StringSet SET", sessionWith(`"b"`, ""), "ttl.required ttl", ""},
	{"the same value, its TTL dropped", session(1), "StringSet SET", sessionWith(`"a"`, ""), "ttl.required ttl", ""},
	{"made to stay", session(1), "KeyTTLClear PERSIST", `"key":"session:#"`, "ttl.required key", ""},
	{"prolonged to 3600 s", session(1), "KeyTTLSet EXPIRE PEXPIRE", `"key":"session:#","ttl":3600`, OK, ""},
	{"prolonged to 3601 s", session(1), "KeyTTLSet EXPIRE PEXPIRE", `"key":"session:#","ttl":"3601s"`, "ttl.max ttl", ""},
	{"prolonged too far", session(1), "KeyTTLSet EXPIREAT", `"key":"session:#","expires_at":"2027-01-15T09:00:00.001Z"`, "ttl.max ttl", ""},
	{"expired at once", session(1), "KeyTTLSet EXPIREAT", `"key":"session:#","expires_at":"2027-01-15T07:00:00Z"`, OK, ""},
	{"deleted", session(1), "StringDelete KeyDelete DEL", `"key":"session:#"`, OK, ""},
}

var sessionEdits = []Try{
	{"appended to 2048 bytes", session(2047), "StringPatch APPEND", `"key":"session:#","append":"a"`, OK, ""},
	{"appended to 2049 bytes", session(2047), "StringPatch APPEND", `"key":"session:#","append":"é"`, "value.bytes append", ""},
	{"half a character appended", session(1), "StringPatch APPEND", `"key":"session:#","append":{"base64":"ww=="}`, "value.encoding append", ""},
	{"appended to nothing, no TTL", nil, "StringPatch APPEND", `"key":"session:#","append":"a"`, "ttl.required ttl", ""},
	{"appended to nothing", nil, "StringPatch APPEND", `"key":"session:#","append":"a","ttl":"1h"`, OK, ""},
	{"nothing appended to nothing", nil, "StringPatch APPEND", `"key":"session:#","append":"","ttl":"1h"`, "value.bytes append", ""},
	{"written up to 2048 bytes", session(1), "StringPatch SETRANGE", `"key":"session:#","offset":2047,"value":"a"`, OK, ""},
	{"written up to 2049 bytes", session(1), "StringPatch SETRANGE", `"key":"session:#","offset":2048,"value":"a"`, "value.bytes value", ""},
	{"written into a character", sessionOf("é"), "StringPatch SETRANGE", `"key":"session:#","offset":1,"value":"a"`, "value.encoding value", ""},
	{"written into nothing, no TTL", nil, "StringPatch SETRANGE", `"key":"session:#","offset":0,"value":"a"`, "ttl.required ttl", ""},
	{"counted up", sessionOf("9"), "StringIncr INCR", `"key":"session:#"`, OK, ""},
	{"counted without TTL", nil, "StringIncr INCR", `"key":"session:#"`, "ttl.required ttl", ""},
	{"counted with TTL", nil, "StringIncr INCR", `"key":"session:#","ttl":"1h"`, OK, ""},
	{"counted with too long a TTL", nil, "StringIncr INCR", `"key":"session:#","ttl":"2h"`, "ttl.max ttl", ""},
	{"a decimal without TTL", nil, "StringIncr INCRBYFLOAT", `"key":"session:#","by":0.5`, "ttl.required ttl", ""},
}

// sessionOf is a session of some text.
func sessionOf(text string) []string {
	return []string{`SET "key":"session:#","value":"` + text + `","ttl":"1m"`}
}

// elsewhere is a key that no contract governs.
func elsewhere(members string) []string { return []string{`SET "key":"free:#",` + members} }

const (
	renames = "KeyRename RENAME RENAMENX"
	copies  = "KeyCopy COPY"

	intoSession = `"key":"free:#","destination":"session:#"`
	outOf       = `"key":"session:#","destination":"free:#"`
)

var sessionMoves = []Try{
	{"renamed in", elsewhere(`"value":"a","ttl":"1h"`), renames, intoSession, OK, ""},
	{"renamed in, no TTL", elsewhere(`"value":"a"`), renames, intoSession, "ttl.required destination", ""},
	{"renamed in, too long a TTL", elsewhere(`"value":"a","ttl":"2h"`), renames, intoSession, "ttl.max destination", ""},
	{"renamed in, 2049 bytes", elsewhere(`"value":"` + times(2049, "a") + `","ttl":"1h"`), renames, intoSession, "value.bytes destination", ""},
	{"renamed in, a set", []string{`SADD "key":"free:#","members":["a"],"ttl":"1h"`}, renames, intoSession, "type.locked destination", ""},
	{"renamed out", session(1), renames, outOf, OK, ""},
	{"copied in", elsewhere(`"value":"a","ttl":"1h"`), copies, intoSession, OK, ""},
	{"copied in, no TTL", elsewhere(`"value":"a"`), copies, intoSession, "ttl.required destination", ""},
	{"copied in, empty", elsewhere(`"value":"","ttl":"1h"`), copies, intoSession, "value.bytes destination", ""},
	{"copied in, a hash", []string{`HSET "key":"free:#","fields":{"a":"b"},"ttl":"1h"`}, copies, intoSession, "type.locked destination", ""},
	{"copied over another", append(session(1), elsewhere(`"value":"b"`)...), copies, intoSession + `,"replace":true`, "ttl.required destination", ""},
	{"copied out", session(1), copies, outOf, OK, ""},
	{"a hash", nil, "HashSet HSET", `"key":"session:#","fields":{"a":"b"},"ttl":"1h"`, "type.locked key", ""},
	{"a field", nil, "HashFieldSet HSETNX", `"key":"session:#","field":"a","value":"b","ttl":"1h"`, "type.locked key", ""},
	{"a count in a field", nil, "HashFieldIncr HINCRBY", `"key":"session:#","field":"a","by":1,"ttl":"1h"`, "type.locked key", ""},
	{"a list", nil, "ListPush RPUSH", `"key":"session:#","items":["a"],"ttl":"1h"`, "type.locked key", ""},
	{"a set", nil, "SetAdd SADD", `"key":"session:#","members":["a"],"ttl":"1h"`, "type.locked key", ""},
	{"a member", nil, "SetMemberAdd", `"key":"session:#","member":"a","ttl":"1h"`, "type.locked key", ""},
	{"a sorted set", nil, "ZSetAdd ZADD", `"key":"session:#","members":[{"member":"a","score":1}],"ttl":"1h"`, "type.locked key", ""},
	{"a score", nil, "ZSetMemberSet", `"key":"session:#","member":"a","score":1,"ttl":"1h"`, "type.locked key", ""},
	{"a key of another shape", nil, setString, `"key":"session:#:x","value":""`, OK, ""},
	{"a key without its variable", nil, "SET", `"key":"session:","value":""`, OK, ""},
}
