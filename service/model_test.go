package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"keypact/store"
)

// model is what lists, sets and sorted sets mean, in plain Go.
type model struct {
	now  int64
	keys map[string]*modelValue
}

// modelValue is one key; exactly one of the three is in use.
type modelValue struct {
	kind    string
	list    []string
	members map[string]float64 // of a set too, all scores 0
	expires int64
}

func (v *modelValue) size() int { return len(v.list) + len(v.members) }

func (m *model) clone() *model {
	out := &model{now: m.now, keys: make(map[string]*modelValue, len(m.keys))}
	for key, v := range m.keys {
		out.keys[key] = &modelValue{v.kind, slices.Clone(v.list), maps.Clone(v.members), v.expires}
	}
	return out
}

// open finds a key; an absent one is an empty value that is not among the keys.
func (m *model) open(key, kind string) (*modelValue, error) {
	v := m.keys[key]
	if v != nil && v.kind != kind {
		return nil, store.ErrWrongType
	}
	if v == nil {
		v = &modelValue{kind: kind, members: map[string]float64{}}
	}
	return v, nil
}

// present is open for a key that has to be there.
func (m *model) present(key, kind string) (*modelValue, error) {
	v, err := m.open(key, kind)
	if err == nil && m.keys[key] == nil {
		err = store.ErrNotFound
	}
	return v, err
}

// keep puts a value back among the keys, or removes it if it is empty.
func (m *model) keep(key string, v *modelValue, e Expiry) {
	if v.size() == 0 {
		delete(m.keys, key)
		return
	}
	if e.TTL != 0 {
		v.expires = m.now + e.TTL.Milliseconds()
	}
	m.keys[key] = v
}

// pass lets time go by.
func (m *model) pass(d time.Duration) {
	m.now += d.Milliseconds()
	maps.DeleteFunc(m.keys, func(_ string, v *modelValue) bool { return v.expires != 0 && v.expires <= m.now })
}

// step is one operation with what the model makes of it. An operation that
// leaves something to chance is checked after the fact instead.
type modelStep struct {
	op    Op
	want  func(m *model) (any, error)
	check func(m *model, value any, err error) error
}

// The keys and elements of the model tests: few, so that they meet.
var (
	drawKey     = rapid.SampledFrom([]string{"k1", "k2", "k3", "k4", "k\x00"})
	drawElement = rapid.SampledFrom([]string{"a", "b", "c", "d", "a\x00", "", "\xff\xff"})
	drawBound   = rapid.Int64Range(-6, 6)
)

// rare is true about one time in ten. Draws of numbers favour small ones.
func rare(t *rapid.T, what string) bool {
	return rapid.SampledFrom([]bool{false, false, false, false, true, false, false, false, false, false}).Draw(t, what)
}

func drawExpiry(t *rapid.T) Expiry {
	if !rare(t, "with ttl") {
		return Expiry{}
	}
	return Expiry{TTL: TTL(rapid.IntRange(1, 3).Draw(t, "ttl")) * TTL(time.Second)}
}

func drawElements(t *rapid.T) []string {
	return rapid.SliceOfN(drawElement, 1, 4).Draw(t, "elements")
}

// drawStep draws an operation, most of the time of the type that its key has
// in most cases, so that values grow.
func drawStep(t *rapid.T) modelStep {
	key := drawKey.Draw(t, "key")
	steps := map[string][]drawOp{"k1": listSteps, "k2": listSteps, "k3": setSteps, "k\x00": setSteps, "k4": zsetSteps}[key]
	if rare(t, "another type") {
		steps = rapid.SampledFrom([][]drawOp{listSteps, setSteps, zsetSteps}).Draw(t, "type")
	}
	return rapid.SampledFrom(steps).Draw(t, "operation")(t, key)
}

type drawOp = func(t *rapid.T, key string) modelStep

// TestModel runs random operations, alone, in lists that fail one by one and in
// lists that fail together, and compares every answer and at the end every key
// with the model's, then every record on the disk with its key.
func TestModel(t *testing.T) {
	var l *lab
	runs := 0
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		if runs%100 == 0 { // what is deleted stays on the disk, and every run looks at all of it
			l = openLab(outer, "", store.Limits{})
		}
		runs++
		m := &model{now: l.clock.Load(), keys: map[string]*modelValue{}}
		l.wipe(t)
		for range rapid.IntRange(10, 60).Draw(t, "lists") {
			if rare(t, "time passes") {
				l.clock.Add(1000)
				m.pass(time.Second)
			}
			steps := rapid.SliceOfN(rapid.Custom(drawStep), 2, 8).Draw(t, "steps")
			if rapid.Bool().Draw(t, "atomic") {
				m = l.atomic(t, m, steps)
			} else {
				l.each(t, m, steps)
			}
		}
		l.compare(t, m)
		l.checkRecords(t)
	})
}

func (l *lab) wipe(t testingT) {
	for _, key := range []string{"k1", "k2", "k3", "k4", "k\x00"} {
		if _, err := l.store.Do(context.Background(), store.Each, []Op{&KeyDelete{Key: Bytes(key)}}); err != nil {
			t.Fatal(err)
		}
	}
}

// testingT is what *testing.T and *rapid.T have in common here.
type testingT interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

func opsOf(steps []modelStep) []Op {
	ops := make([]Op, len(steps))
	for i, s := range steps {
		ops[i] = s.op
	}
	return ops
}

func (l *lab) each(t *rapid.T, m *model, steps []modelStep) {
	outs, err := l.store.Do(context.Background(), store.Each, opsOf(steps))
	if err != nil {
		t.Fatal(err)
	}
	for i, out := range outs {
		if err := steps[i].judge(m, out.Value, out.Err); err != nil {
			t.Fatalf("operation %d, %T %s: %v", i, steps[i].op, text(steps[i].op), err)
		}
	}
}

// judge runs the step on the model, which a failing one must leave alone.
func (s modelStep) judge(m *model, value any, err error) error {
	if s.check != nil {
		return s.check(m, value, err)
	}
	before := m.clone()
	want, failed := s.want(m)
	if failed != nil {
		m.keys = before.keys
	}
	if got := answer(value, err); got != answer(want, failed) {
		return fmt.Errorf("got %s, want %s", got, answer(want, failed))
	}
	return nil
}

func (l *lab) atomic(t *rapid.T, m *model, steps []modelStep) *model {
	steps = slices.DeleteFunc(steps, func(s modelStep) bool { return s.check != nil })
	outs, err := l.store.Do(context.Background(), store.Atomic, opsOf(steps))
	after := m.clone()
	for i, s := range steps {
		want, failed := s.want(after)
		if failed != nil {
			var at *store.OperationError
			if !errors.As(err, &at) || at.Operation != i || answer(nil, at.Err) != answer(nil, failed) {
				t.Fatalf("operation %d, %T %s: got %v, want %v", i, s.op, text(s.op), err, failed)
			}
			return m
		}
		if err == nil && answer(outs[i].Value, nil) != answer(want, nil) {
			t.Fatalf("operation %d, %T %s: got %s, want %s", i, s.op, text(s.op), answer(outs[i].Value, nil), answer(want, nil))
		}
	}
	if err != nil {
		t.Fatalf("the list failed: %v", err)
	}
	return after
}

// compare reads every key whole.
func (l *lab) compare(t *rapid.T, m *model) {
	for _, key := range []string{"k1", "k2", "k3", "k4", "k\x00"} {
		got := "absent"
		for _, read := range []Op{&ListRange{Key: Bytes(key)}, &SetGet{Key: Bytes(key)}, &ZSetRange{Key: Bytes(key)}} {
			out, err := l.store.View(context.Background(), []Op{read})
			if err != nil {
				t.Fatal(err)
			}
			if out[0].Err == nil {
				got = text(out[0].Value)
			}
		}
		if want := m.whole(key); got != want {
			t.Fatalf("key %q: got %s, want %s", key, got, want)
		}
	}
}

func (m *model) whole(key string) string {
	v := m.keys[key]
	if v == nil {
		return "absent"
	}
	switch v.kind {
	case "list":
		return text(ListItems{Items: texts(v.list...), Count: uint64(len(v.list))})
	case "set":
		left := Remaining{}
		if v.expires != 0 {
			left = Remaining{TTLMillis: v.expires - m.now, ExpiresAt: TimeOf(v.expires)}
		}
		return text(WholeSet{Members: texts(slices.Sorted(maps.Keys(v.members))...), Count: uint64(len(v.members)), Remaining: left})
	}
	return text(ZSetMembers{Members: v.inOrder()})
}
