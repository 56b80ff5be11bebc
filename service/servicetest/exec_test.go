package servicetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"keypact/contracts"
	"keypact/service"
	"keypact/store"
	"keypact/store/storetest"
)

// script is an operation that runs others.
type script struct {
	ops  []service.Op
	outs *[]store.Outcome
}

func (s script) Calls() []store.Call { return nil }

func (s script) Writes() bool { return true }

func (s script) Shaped() bool { return true }

func (s script) Apply(tx *store.Tx) (any, error) {
	*s.outs = nil
	for _, op := range s.ops {
		*s.outs = append(*s.outs, tx.Call(op))
	}
	return nil, nil
}

// TestExec runs random lists in mode Exec. Those of the list that succeed must
// come to what they come to in an atomic list, without contracts also to what
// each comes to alone; a script that runs the list must do as the list. A list
// that breaks a rule on a whole value leaves no trace.
func TestExec(t *testing.T) {
	for name, tuning := range map[string]store.Tuning{"calm": calm, "drafts": {LightReads: 2, TreeFrom: 2, TreeRun: 2, TreeNode: 3, ListShift: 1, ListCut: 1}} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				clock := newWall()
				free := rapid.Bool().Draw(t, "without contracts")
				set := contracts.Empty()
				if !free {
					set = parse(t, drawContracts(t, anyWording))
				}
				focus := drawFocus(t)
				var labs [4]*lab // in mode Exec, as a script, atomic, one by one
				for i := range labs {
					tuned := tuning
					if i == 3 {
						tuned = calm
					}
					labs[i] = openLab(t, clock, set, tuned)
					defer labs[i].close(t)
				}
				for range 1 + below(12).Draw(t, "lists") {
					execStep(t, labs, free, focus)
					clock.ms.Add(2_000)
				}
			})
		})
	}
}

func execStep(t *rapid.T, labs [4]*lab, free bool, focus string) {
	list := make([]entry, 1+below(8).Draw(t, "length"))
	for i := range list {
		list[i] = drawEntry(t, labs[0].clock.now(), focus)
		delete(list[i].members, "wait")
	}
	ops := func() []service.Op {
		all := make([]service.Op, len(list))
		for i, e := range list {
			all[i] = e.op(t)
		}
		return all
	}
	before := labs[0].look(t)
	results, err := labs[0].svc.Exec(context.Background(), ops())
	scripted, scriptErr := runScript(t, labs[1], ops())
	if fmt.Sprint(err) != fmt.Sprint(scriptErr) {
		t.Errorf("%v: the list: %v; the script: %v", list, err, scriptErr)
	}
	after := labs[0].look(t)
	if err != nil {
		var refused *service.Error
		if !errors.As(err, &refused) || refused.Kind != service.KindContract || len(refused.Violations) == 0 {
			t.Errorf("%v failed: %v", list, err)
		}
		if diff := storetest.Diff(before.dump, after.dump); diff != "" {
			t.Errorf("%v was refused (%v) and left a trace:\n%s", list, err, diff)
		}
		sameValues(t, "script", after, labs[1].look(t))
		return
	}
	all := ops()
	var good []service.Op
	for i, r := range results {
		if (r.Err == nil) != (scripted[i].Err == nil) {
			t.Errorf("%v: in the list: %v; in the script: %v", list[i], r.Err, scripted[i].Err)
		}
		if r.Err == nil {
			good = append(good, all[i])
		}
	}
	sameValues(t, "script", after, labs[1].look(t))
	if len(good) > 0 {
		if _, err := labs[2].svc.Batch(context.Background(), good); err != nil {
			t.Errorf("%v: an atomic list of those that succeeded: %v", list, err)
		}
	}
	sameValues(t, "atomic", after, labs[2].look(t))
	if free {
		for i, op := range ops() {
			if _, err := labs[3].svc.Do(context.Background(), op); (err == nil) != (results[i].Err == nil) {
				t.Errorf("%v: in the list: %v; alone: %v", list[i], results[i].Err, err)
			}
		}
		sameValues(t, "alone", after, labs[3].look(t))
	}
}

// runScript runs operations inside one, which the service sees first so that
// they get their defaults and their shape is checked.
func runScript(t *rapid.T, l *lab, ops []service.Op) ([]store.Outcome, error) {
	t.Helper()
	all := make([]store.Outcome, len(ops))
	var sound []service.Op
	var at []int
	for i, op := range ops {
		if _, err := l.svc.Validate(context.Background(), op); isShape(err) {
			all[i].Err = err
			continue
		}
		sound, at = append(sound, op), append(at, i)
	}
	var outs []store.Outcome
	_, err := l.svc.Do(context.Background(), script{sound, &outs})
	for i, out := range outs {
		all[at[i]] = out
	}
	return all, err
}

// isShape reports whether the service refused an operation before it ran.
func isShape(err error) bool {
	var failed *service.Error
	return errors.As(err, &failed) && len(failed.Errors) > 0 && failed.Kind != service.KindContract
}

// sameValues wants the same keys in two stores, but for their versions.
func sameValues(t *rapid.T, way string, want, got look) {
	t.Helper()
	for key, v := range want.values {
		other, is := got.values[key]
		if !is || !v.Same(other) || v.Conformant != other.Conformant || v.ContractRevision != other.ContractRevision {
			t.Errorf("%s: key %q is %+v, want %+v", way, key, other, v)
		}
	}
	for key, v := range got.values {
		if _, is := want.values[key]; !is {
			t.Errorf("%s: key %q is %+v, want none", way, key, v)
		}
	}
}
