package encoding

// Type says what a key holds. The numbers are frozen.
type Type byte

// The five types.
const (
	TypeString Type = 1
	TypeHash   Type = 2
	TypeList   Type = 3
	TypeSet    Type = 4
	TypeZSet   Type = 5
)

var typeNames = [...]string{
	TypeString: "string", TypeHash: "hash", TypeList: "list", TypeSet: "set", TypeZSet: "zset",
}

// Valid reports whether t is one of the five types.
func (t Type) Valid() bool { return t >= TypeString && t <= TypeZSet }

// String is the type's name as Redis's TYPE says it, or "unknown".
func (t Type) String() string {
	if !t.Valid() {
		return "unknown"
	}
	return typeNames[t]
}

// ParseType is the inverse of String. Names are lower case.
func ParseType(name string) (Type, bool) {
	for t := TypeString; t <= TypeZSet; t++ {
		if typeNames[t] == name {
			return t, true
		}
	}
	return 0, false
}

// AppendIndexValue appends the value of a record whose key says everything:
// score, expiry and field expiry. It is one flags byte, because no value is
// ever empty: some engines refuse that.
func AppendIndexValue(dst []byte) []byte { return append(dst, 0) }

// ParseIndexValue checks the value of such a record.
func ParseIndexValue(src []byte) error {
	c := cursor{rest: src}
	c.flags(0)
	return c.end("index value")
}
