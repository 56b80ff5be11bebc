package sourcetest

const (
	setFields = "HashSet HSET HMSET"
	setField  = "HashFieldSet HSETNX"

	// family is one picture of five code points.
	family = "\U0001F468\u200d\U0001F469\u200d\U0001F467"
)

// profile are the members that set one field among others.
func profile(field, value string) string {
	return `"key":"profile:#","fields":{"` + field + `":` + value + `}`
}

// one are the members that set one field by itself.
func one(field, value string) string {
	return `"key":"profile:#","field":"` + field + `","value":` + value
}

var profileTexts = []Try{
	{"no character", nil, setFields, profile("nickname", `""`), "value.length fields/nickname", ""},
	{"1 character", nil, setFields, profile("nickname", `"日"`), OK, ""},
	{"32 characters", nil, setFields, profile("nickname", `"`+times(32, "日")+`"`), OK, ""},
	{"33 characters", nil, setFields, profile("nickname", `"`+times(33, "日")+`"`), "value.length fields/nickname", "at most 32"},
	{"32 code points of pictures", nil, setFields, profile("nickname", `"`+times(6, family)+`ab"`), OK, ""},
	{"33 code points of pictures", nil, setFields, profile("nickname", `"`+times(6, family)+`abc"`), "value.length fields/nickname", ""},
	{"32 code points with accents", nil, setFields, profile("nickname", `"`+times(16, "e\u0301")+`"`), OK, ""},
	{"33 code points with accents", nil, setFields, profile("nickname", `"`+times(16, "e\u0301")+`e"`), "value.length fields/nickname", ""},
	{"32 characters in a field", nil, setField, one("nickname", `"`+times(32, "日")+`"`), OK, ""},
	{"33 characters in a field", nil, setField, one("nickname", `"`+times(33, "日")+`"`), "value.length value", ""},
	{"no character in a field", nil, setField, one("nickname", `""`), "value.length value", ""},

	{"no avatar", nil, setFields, profile("avatar", `""`), OK, ""},
	{"a URL", nil, setFields, profile("avatar", `"https://example.com/a.png?b=c#d"`), OK, ""},
	{"a URL in a field", nil, setField, one("avatar", `"http://example.com:8080/"`), OK, ""},
	{"a blank", nil, setFields, profile("avatar", `" "`), "format.url fields/avatar", ""},
	{"a script", nil, setFields, profile("avatar", `"javascript:alert(1)"`), "format.url fields/avatar", ""},
	{"a script in a field", nil, setField, one("avatar", `"javascript:alert(1)"`), "format.url value", ""},
	{"no scheme", nil, setFields, profile("avatar", `"//example.com/a.png"`), "format.url fields/avatar", ""},
	{"no host", nil, setFields, profile("avatar", `"http:"`), "format.url fields/avatar", ""},
	{"a password", nil, setFields, profile("avatar", `"https://a:b@example.com/"`), "format.url fields/avatar", ""},
	{"a URL and a line end", nil, setFields, profile("avatar", `"https://example.com/\n"`), "format.url fields/avatar", ""},

	{"no date", nil, setFields, profile("vip_expire", `""`), OK, ""},
	{"a date", nil, setFields, profile("vip_expire", `"2027-04-23"`), OK, ""},
	{"a leap day", nil, setField, one("vip_expire", `"2028-02-29"`), OK, ""},
	{"no leap day", nil, setFields, profile("vip_expire", `"2025-02-29"`), "format.date fields/vip_expire", "or empty"},
	{"no leap day in a field", nil, setField, one("vip_expire", `"2025-02-29"`), "format.date value", ""},
	{"the year 0", nil, setFields, profile("vip_expire", `"0000-01-01"`), "format.date fields/vip_expire", ""},
	{"the month 13", nil, setFields, profile("vip_expire", `"2027-13-01"`), "format.date fields/vip_expire", ""},
	{"a short date", nil, setFields, profile("vip_expire", `"2027-4-23"`), "format.date fields/vip_expire", ""},
	{"a date and time", nil, setFields, profile("vip_expire", `"2027-04-23T00:00:00Z"`), "format.date fields/vip_expire", ""},
	{"a year", nil, setFields, profile("vip_expire", `2027`), "format.date fields/vip_expire", ""},
}

// levels is a profile that has a level.
func levels(level string) []string { return []string{`HSET ` + profile("level", `"`+level+`"`)} }

var profileLevels = []Try{
	{"0", nil, setFields, profile("level", `"0"`), "number.minimum fields/level", ""},
	{"1", nil, setFields, profile("level", `"1"`), OK, ""},
	{"100", nil, setFields, profile("level", `"100"`), OK, ""},
	{"101", nil, setFields, profile("level", `"101"`), "number.maximum fields/level", "at most 100"},
	{"0 in a field", nil, setField, one("level", `"0"`), "number.minimum value", ""},
	{"1 in a field", nil, setField, one("level", `"1"`), OK, ""},
	{"100 in a field", nil, setField, one("level", `100`), OK, ""},
	{"101 in a field", nil, setField, one("level", `101`), "number.maximum value", ""},
	{"the number 0", nil, setFields, profile("level", `0`), "number.minimum fields/level", ""},
	{"the number 1e2", nil, setFields, profile("level", `1e2`), OK, ""},
	{"the number 1.01e2", nil, setFields, profile("level", `1.01e2`), "number.maximum fields/level", ""},
	{"the number 100.0", nil, setFields, profile("level", `100.0`), OK, ""},
	{"the number 7.5", nil, setFields, profile("level", `7.5`), "format.integer fields/level", ""},
	{"a number beyond 64 bits", nil, setFields, profile("level", `1e30`), "number.maximum fields/level", ""},
	{"the text 1e2", nil, setFields, profile("level", `"1e2"`), "format.integer fields/level", ""},
	{"the text 007", nil, setFields, profile("level", `"007"`), "format.integer fields/level", ""},
	{"the text +5", nil, setFields, profile("level", `"+5"`), "format.integer fields/level", ""},
	{"a text with a blank", nil, setFields, profile("level", `" 5"`), "format.integer fields/level", ""},
	{"an Arabic digit", nil, setFields, profile("level", `"٣"`), "format.integer fields/level", ""},
	{"an empty level", nil, setFields, profile("level", `""`), "format.integer fields/level", ""},
	{"null", nil, setFields, profile("level", `null`), Malformed, ""},
	{"true", nil, setFields, profile("level", `true`), Malformed, ""},
	{"counted to 1", nil, "HashFieldIncr HINCRBY", `"key":"profile:#","field":"level","by":1`, OK, ""},
	{"counted to 0", levels("1"), "HashFieldIncr HINCRBY", `"key":"profile:#","field":"level","by":-1`, "number.minimum by", ""},
	{"counted to 100", levels("99"), "HashFieldIncr HINCRBY", `"key":"profile:#","field":"level","by":1`, OK, ""},
	{"counted to 101", levels("99"), "HashFieldIncr HINCRBY", `"key":"profile:#","field":"level","by":2`, "number.maximum by", ""},
	{"counted to 101 from nothing", nil, "HashFieldIncr HINCRBY", `"key":"profile:#","field":"level","by":101`, "number.maximum by", ""},
	{"counted to 1.5", levels("1"), "HashFieldIncr HINCRBYFLOAT", `"key":"profile:#","field":"level","by":0.5`, "format.integer by", ""},
	{"an undeclared count", nil, "HashFieldIncr HINCRBY", `"key":"profile:#","field":"levels","by":1`, "field.unknown field", "did you mean 'level'"},
}

var profileFields = []Try{
	{"a slip", nil, setFields, profile("nickame", `"x"`), "field.unknown fields/nickame", "did you mean 'nickname'"},
	{"a slip in a field", nil, setField, one("nickame", `"x"`), "field.unknown field", "did you mean 'nickname'"},
	{"a capital", nil, setFields, profile("Level", `"1"`), "field.unknown fields/Level", "did you mean 'level'"},
	{"the empty name", nil, setFields, profile("", `"1"`), "field.unknown fields/", ""},
	{"a name to escape", nil, setFields, profile("a/b~c d", `"1"`), "field.unknown fields/a~1b~0c d", ""},
	{
		"all faults at once", nil, setFields,
		`"key":"profile:#","fields":{"nickame":"x","level":200,"vip_expire":"soon","nickname":"Ada"}`,
		"field.unknown fields/nickame, number.maximum fields/level, format.date fields/vip_expire", "",
	},
	{
		"listed fields", nil, setFields,
		`"key":"profile:#","fields":[{"field":"level","value":0},{"field":{"base64":"/w=="},"value":"x"}]`,
		"number.minimum fields/0/value, field.unknown fields/1/field", "",
	},
	{
		"the last of two holds", nil, setFields,
		`"key":"profile:#","fields":[{"field":"level","value":0},{"field":"level","value":1}]`, OK, "",
	},
	{"a field removed", levels("5"), "HashRemove HDEL", `"key":"profile:#","fields":["level","nickame"]`, OK, ""},
	{"a field removed alone", levels("5"), "HashFieldRemove", `"key":"profile:#","field":"level"`, OK, ""},
	{"deleted", levels("5"), "HashDelete KeyDelete DEL", `"key":"profile:#"`, OK, ""},
	{"deleted among others", levels("5"), "KeysDelete UNLINK", `"keys":["profile:#","free:#"]`, OK, ""},
	{"no TTL is needed, any is good", nil, setFields, profile("level", `1`) + `,"ttl":"3650d"`, OK, ""},
	{"a set", nil, "SetAdd SADD", `"key":"profile:#","members":["a"]`, "type.locked key", ""},
	{"a string", nil, setString, `"key":"profile:#","value":"a"`, "type.locked key", ""},
	{
		"renamed in", []string{`HSET "key":"free:#","fields":{"level":"101","x":"y"}`}, renames + " " + copies,
		`"key":"free:#","destination":"profile:#"`, "field.unknown destination, number.maximum destination", "",
	},
}
