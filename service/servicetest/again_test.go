package servicetest

import "testing"

// TestSameValueIsNoChange: a value that is written again at the same moment,
// with the lifetime that its contract supplies, keeps its revision.
func TestSameValueIsNoChange(t *testing.T) {
	const yaml = "format: 1\ncontracts: {c: {key: 'a:1', type: string, ttl: {default: 30s}}}"
	l := openLab(t, newWall(), parse(t, yaml), calm)
	defer l.close(t)
	list := []entry{{"SET", members{"key": "a:1", "value": "v"}}}
	before := l.look(t)
	for range 3 {
		results := l.run(t, single, list)
		after := l.look(t)
		judgeStep(t, before, after, list, results)
		before = after
	}
	if v := before.values["a:1"]; v.Changes != 1 || v.Expires != noon+30_000 {
		t.Errorf("%+v", v)
	}
}
