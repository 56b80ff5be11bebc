package sourcetest

// queued is a queue with two orders in it.
var queued = []string{`LPUSH "key":"queue:order:#","items":["a","b"],"side":"left"`}

// push are the members that push items on the left.
func push(items string) string { return `"key":"queue:order:#","side":"left","items":` + items }

const pushLeft = "ListPush LPUSH"

var queueItems = []Try{
	{"10240 bytes", nil, pushLeft, push(`["` + times(10240, "a") + `"]`), OK, ""},
	{"10241 bytes", nil, pushLeft, push(`["` + times(10241, "a") + `"]`), "value.bytes items/0", "at most 10240 bytes"},
	{"the second of 10241 bytes", nil, pushLeft, push(`["a","` + times(5120, "é") + `a"]`), "value.bytes items/1", ""},
	{"an empty one", nil, pushLeft, push(`[""]`), OK, ""},
	{"any bytes", nil, pushLeft, push(`[{"base64":"/w=="}]`), OK, ""},
	{"none", nil, pushLeft, push(`[]`), Malformed, ""},
	{"moved in, 10241 bytes", longItem, "ListMove LMOVE", moveIn, "value.bytes destination", ""},
	{"moved in", []string{`RPUSH "key":"free:#","items":["a"]`}, "ListMove LMOVE", moveIn, OK, ""},
	{"moved in by the right end", []string{`RPUSH "key":"free:#","items":["a"]`}, "ListMove LMOVE", `"key":"free:#","destination":"queue:order:#"`, denied("destination"), ""},
	{"a set", nil, "SetAdd SADD", `"key":"queue:order:#","members":["a"]`, "operation.denied key, type.locked key", ""},
}

var longItem = []string{`RPUSH "key":"free:#","items":["` + times(10241, "a") + `"]`}

const moveIn = `"key":"free:#","destination":"queue:order:#","to":"left"`

// denied is a command that the queue does not allow.
func denied(at string) string { return "operation.denied " + at }

const queue = `"key":"queue:order:#"`

var queueCommands = []Try{
	{"pushed right", nil, "ListPush RPUSH", queue + `,"items":["a"]`, denied("key"), "allowed: BRPOP, LPUSH"},
	{"pushed right, too long", nil, "ListPush RPUSH", queue + `,"items":["` + times(10241, "a") + `"]`, "operation.denied key, value.bytes items/0", ""},
	{"pushed if there", queued, "ListPush LPUSHX", queue + `,"items":["a"],"side":"left","if":"present"`, denied("key"), ""},
	{"pushed if there, but it is not", nil, "ListPush LPUSHX", queue + `,"items":["a"],"side":"left","if":"present"`, denied("key"), ""},
	{"popped left", queued, "ListPop LPOP", queue, denied("key"), ""},
	{"popped right", queued, "ListPop RPOP", queue + `,"side":"right"`, denied("key"), ""},
	{"popped from nothing", nil, "ListPop RPOP", queue + `,"side":"right"`, denied("key"), ""},
	{"set", queued, "ListSet LSET", queue + `,"index":0,"value":"c"`, denied("key"), ""},
	{"inserted", queued, "ListInsert LINSERT", queue + `,"pivot":"a","value":"c"`, denied("key"), ""},
	{"removed", queued, "ListRemove LREM", queue + `,"value":"a"`, denied("key"), ""},
	{"trimmed", queued, "ListTrim LTRIM", queue + `,"start":0,"stop":0`, denied("key"), ""},
	{"trimmed, nothing", nil, "ListTrim LTRIM", queue + `,"start":0,"stop":0`, denied("key"), ""},
	{"moved out", queued, "ListMove LMOVE", queue + `,"destination":"free:#"`, denied("key"), ""},
	{"moved out on the right", queued, "ListMove RPOPLPUSH", queue + `,"destination":"free:#","from":"right","to":"left"`, denied("key"), ""},
	{"deleted", queued, "ListDelete KeyDelete DEL", queue, denied("key"), ""},
	{"deleted, nothing", nil, "ListDelete KeyDelete DEL", queue, denied("key"), ""},
	{"deleted among others", queued, "KeysDelete UNLINK", `"keys":["free:#","queue:order:#"]`, denied("keys"), ""},
	{"made to expire", queued, "KeyTTLSet EXPIRE PEXPIRE", queue + `,"ttl":"1m"`, denied("key"), ""},
	{"expired at once", queued, "KeyTTLSet EXPIREAT", queue + `,"expires_at":"2020-01-01T00:00:00Z"`, denied("key"), ""},
	{"made to stay", queued, "KeyTTLClear PERSIST", queue, denied("key"), ""},
	{"renamed", queued, renames, queue + `,"destination":"free:#"`, denied("key"), ""},
	{"renamed in", longItem, renames, `"key":"free:#","destination":"queue:order:#"`, "operation.denied destination, value.bytes destination", ""},
	{"renamed to another queue", queued, renames, queue + `,"destination":"queue:order:#x"`, "operation.denied key, operation.denied destination", ""},
	{"copied in", []string{`RPUSH "key":"free:#","items":["a"]`}, copies, `"key":"free:#","destination":"queue:order:#"`, denied("destination"), ""},
	{"copied out", queued, copies, queue + `,"destination":"free:#"`, OK, ""},
	{"replaced by a string", queued, "StringSet SET", queue + `,"value":"a"`, "operation.denied key, type.locked key", ""},
}

var queueWaits = []Try{
	{"1 s", queued, "ListPop", queue + `,"side":"right","wait":"1s"`, OK, ""},
	{"30 s", queued, "ListPop", queue + `,"side":"right","wait":30`, OK, ""},
	{"0.999 s", queued, "ListPop", queue + `,"side":"right","wait":"999ms"`, "argument.range wait", "between 1s and 30s"},
	{"30.001 s", queued, "ListPop", queue + `,"side":"right","wait":"30001ms"`, "argument.range wait", "between 1s and 30s"},
	{"0.999 s, nothing there", nil, "ListPop", queue + `,"side":"right","wait":"0.999s"`, "argument.range wait", ""},
	{"30.001 s, nothing there", nil, "ListPop", queue + `,"side":"right","wait":"30.001s"`, "argument.range wait", ""},
	{"0", queued, "ListPop", queue + `,"side":"right","wait":0`, Malformed, ""},
	{"no time", queued, "ListPop", queue + `,"side":"right"`, denied("key"), ""},
	{"on the left", queued, "ListPop", queue + `,"side":"left","wait":"5s"`, denied("key"), "BLPOP"},
	{"one, said so", queued, "ListPop", queue + `,"side":"right","count":1,"wait":"5s"`, OK, ""},
	{"two", queued, "ListPop", queue + `,"side":"right","count":2,"wait":"5s"`, denied("key"), "BLMPOP"},
	{"moved out", queued, "ListMove", queue + `,"destination":"free:#","from":"right","wait":"1s"`, OK, ""},
	{"moved out, too long a time", queued, "ListMove", queue + `,"destination":"free:#","from":"right","wait":"31s"`, "argument.range wait", ""},
	{"turned round", queued, "ListMove", queue + `,"destination":"queue:order:#","from":"right","to":"left","wait":"30s"`, OK, ""},
}
