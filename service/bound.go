package service

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Bound is one end of a range over a sorted set. What it means depends on what
// the range goes by: a rank (0, -1), a score (5, (5, inf), or a member ([a,
// (a, - and +). nil is "not given".
//
// In JSON it is a number, a string, or {"base64": ".."} for members that are
// not UTF-8; in a query the same text without quotes.
type Bound []byte

// ScoreBound is one end of a range of scores.
type ScoreBound struct {
	Value     float64
	Exclusive bool
}

// LexBound is one end of a range of members. Infinite is -1 before all
// members, 1 after all of them, 0 at Member.
type LexBound struct {
	Member    []byte
	Exclusive bool
	Infinite  int
}

var (
	errRankBound  = errors.New("must be a 64-bit integer when the range goes by rank")
	errScoreBound = errors.New(`must be a number, "(" and a number, "inf" or "-inf" when the range goes by score`)
	errLexBound   = errors.New(`must start with "[" or "(", or be "-" or "+" when the range goes by lex`)
)

// Rank reads the bound as a rank; negative ones count from the end.
func (b Bound) Rank() (int64, error) {
	number, err := ParseNumber(string(b))
	if err != nil {
		return 0, errRankBound
	}
	rank, ok := number.Int64()
	if !ok {
		return 0, errRankBound
	}
	return rank, nil
}

// Score reads the bound as a score, exclusive after "(".
func (b Bound) Score() (ScoreBound, error) {
	text, exclusive := strings.CutPrefix(string(b), "(")
	score, err := ParseScore(text)
	if errors.Is(err, errScoreRange) {
		// Beyond every double is as good as infinite, but for the end itself.
		f, _ := strconv.ParseFloat(text, 64)
		return ScoreBound{Value: f, Exclusive: true}, nil
	}
	if err != nil {
		return ScoreBound{}, errScoreBound
	}
	return ScoreBound{Value: float64(score), Exclusive: exclusive}, nil
}

// Lex reads the bound as a member: "[a" with it, "(a" without it, "-" and "+"
// beyond all of them.
func (b Bound) Lex() (LexBound, error) {
	switch {
	case string(b) == "-":
		return LexBound{Infinite: -1}, nil
	case string(b) == "+":
		return LexBound{Infinite: 1}, nil
	case len(b) > 0 && (b[0] == '[' || b[0] == '('):
		return LexBound{Member: b[1:], Exclusive: b[0] == '('}, nil
	}
	return LexBound{}, errLexBound
}

// UnmarshalJSONFrom reads a number, a string or {"base64": ".."}.
func (b *Bound) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return (*Bytes)(b).UnmarshalJSONFrom(dec)
}

// MarshalJSONTo writes a string, or {"base64": ".."}.
func (b Bound) MarshalJSONTo(enc *jsontext.Encoder) error { return Bytes(b).MarshalJSONTo(enc) }

// UnmarshalText takes the text of a query member as it is.
func (b *Bound) UnmarshalText(text []byte) error { return (*Bytes)(b).UnmarshalText(text) }
