package contracts

import (
	"math"
	"testing"
)

func TestScores(t *testing.T) {
	for _, tt := range []struct {
		rule  string
		codes map[float64]string
	}{
		{"{type: integer}", map[float64]string{0: "", 1e300: "", -5: "", 0.5: "format.integer", math.MaxFloat64: ""}},
		{"{minimum: -1, maximum: 0.1}", map[float64]string{-1: "", -1.0000000000000002: "number.minimum", 0.1: "", 0.10000000000000002: "number.maximum"}},
		{"{maximum: 9007199254740993}", map[float64]string{9007199254740992: "", 9007199254740994: "number.maximum"}},
		{"{maximum: 9223372036854775808}", map[float64]string{9223372036854775808: "", 9223372036854777856: "number.maximum"}},
		{"{multipleOf: 0.01}", map[float64]string{0.01: "", 0.07: "", 19.99: "", 1.1: "", 0.30000000000000004: "number.multipleOf", 0.015: "number.multipleOf", -0.07: "", 0: "", 1e22: ""}},
		{"{multipleOf: 2.5}", map[float64]string{5: "", 7.5: "", 4: "number.multipleOf", 1e-300: "number.multipleOf"}},
		{"{multipleOf: 3}", map[float64]string{9: "", 10: "number.multipleOf", 1e308: "number.multipleOf", 3e308 / 10: ""}},
	} {
		c := one(t, "key: k\ntype: zset\nscore: "+tt.rule)
		for score, codes := range tt.codes {
			expect(t, tt.rule, c.CheckScore(score), codes)
		}
		expect(t, tt.rule, c.CheckScore(math.NaN()), "number.notFinite")
	}
	bare := one(t, "key: k\ntype: zset")
	expect(t, "no rule", bare.CheckScore(0.1), "")
	expect(t, "no rule, infinite", bare.CheckScore(math.Inf(1)), "number.notFinite")
}

func TestScoresInViolations(t *testing.T) {
	c := one(t, "key: k\ntype: zset\nscore: {maximum: 10.5}")
	for score, want := range map[float64]any{11: int64(11), 11.25: 11.25, 1e300: 1e300} {
		if v := c.CheckScore(score)[0]; v.Limit != 10.5 || v.Actual != want || v.Rule != "#/contracts/it/score/maximum" {
			t.Errorf("%v: %+v", score, v)
		}
	}
}
