package service_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/service"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// contractLab is a service on a store in memory whose contracts can be
// exchanged and whose clock stands still until it is moved.
type contractLab struct {
	t     testing.TB
	svc   *service.Service
	store *store.Store
	db    kv.DB
	clock atomic.Int64 // ms since the epoch
}

// labStart is where the clock starts: 2027-01-15T08:00:00Z.
const labStart = 1_800_000_000_000

func openContractLab(t testing.TB, yaml string) *contractLab {
	t.Helper()
	l := &contractLab{t: t}
	l.clock.Store(labStart)
	db, err := badger.Open(badger.Options{
		InMemory: true, MinFreeBytes: -1,
		Clock: func() time.Time { return time.UnixMilli(l.clock.Load()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	l.db = db
	if l.store, err = store.Open(context.Background(), db, store.Options{Contracts: l.parse(yaml), Sweep: -1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.store.Close)
	if l.svc, err = service.New(l.store, service.Options{}); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *contractLab) parse(yaml string) *contracts.Set {
	l.t.Helper()
	if yaml == "" {
		return contracts.Empty()
	}
	set, err := contracts.Parse(contracts.Source{Name: "test.yaml", Data: []byte(yaml)})
	if err != nil {
		l.t.Fatalf("%v in\n%s", err, yaml)
	}
	return set
}

// govern puts other contracts in force.
func (l *contractLab) govern(yaml string) {
	l.t.Helper()
	if err := l.store.SetContracts(context.Background(), l.parse(yaml)); err != nil {
		l.t.Fatal(err)
	}
}

// clear removes all that keys hold, so that what many tries leave behind need
// not be read again and again. Contracts stay.
func (l *contractLab) clear() {
	l.t.Helper()
	err := l.db.Update(context.Background(), func(w kv.Txn) error {
		for _, from := range []encoding.Family{encoding.FamilyCounter, encoding.FamilyMeta} {
			bounds := kv.Range{Lower: []byte{byte(from)}, KeysOnly: true}
			if from == encoding.FamilyCounter {
				bounds.Upper = []byte{byte(from) + 1}
			}
			var keys [][]byte
			if err := w.Scan(bounds, func(key, _ []byte) bool {
				keys = append(keys, slices.Clone(key))
				return true
			}); err != nil {
				return err
			}
			for _, key := range keys {
				if err := w.Delete(key); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// step moves the clock.
func (l *contractLab) step(d time.Duration) { l.clock.Add(d.Milliseconds()) }

// empty makes an empty operation of a definition row or of a Redis command.
func (l *contractLab) empty(name string) service.Op {
	l.t.Helper()
	if op, _, isCommand := service.NewOp(name); isCommand {
		return op
	}
	rows := service.Rows()
	i := slices.IndexFunc(rows, func(r service.Row) bool { return r.Name == name })
	if i < 0 {
		l.t.Fatalf("there is no operation or command %s", name)
	}
	return rows[i].New()
}

// op makes an operation of a definition row or of a Redis command, and the
// members that an entry of a batch would have.
func (l *contractLab) op(name, members string) service.Op {
	l.t.Helper()
	op := l.empty(name)
	if err := json.Unmarshal([]byte("{"+members+"}"), op, json.RejectUnknownMembers(true)); err != nil {
		l.t.Fatalf("%s {%s}: %v", name, members, err)
	}
	if _, _, isCommand := service.NewOp(name); isCommand {
		if err := service.CheckVerb(op, name); err != nil {
			l.t.Fatalf("%s {%s}: %v", name, members, err)
		}
	}
	return op
}

// split parts "COMMAND members" in two.
func split(line string) (name, members string) {
	name, members, _ = strings.Cut(strings.TrimSpace(line), " ")
	return name, members
}

// do runs "COMMAND members" and says what came of it, see verdict.
func (l *contractLab) do(line string) string {
	l.t.Helper()
	name, members := split(line)
	_, err := l.svc.Do(context.Background(), l.op(name, members))
	return verdict(err)
}

// must runs commands that have to succeed.
func (l *contractLab) must(lines ...string) {
	l.t.Helper()
	for _, line := range lines {
		if got := l.do(line); got != "ok" {
			l.t.Fatalf("%.200s: %s", line, got)
		}
	}
}

// answer runs "COMMAND members" and returns the body of the answer, or the
// verdict if there is none.
func (l *contractLab) answer(line string) string {
	l.t.Helper()
	name, members := split(line)
	result, err := l.svc.Do(context.Background(), l.op(name, members))
	if err != nil || result.Value == nil {
		return verdict(err)
	}
	return asText(l.t, result.Value)
}

func asText(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// batch runs commands as one transaction. Paths of violations start with the
// number of their operation.
func (l *contractLab) batch(lines ...string) string {
	l.t.Helper()
	ops := make([]service.Op, len(lines))
	for i, line := range lines {
		ops[i] = l.op(split(line))
	}
	_, err := l.svc.Batch(context.Background(), ops)
	var failed *service.Error
	if errors.As(err, &failed) && failed.Kind == service.KindContract {
		return violationText(failed.Violations, true)
	}
	return verdict(err)
}

// verdict is "ok", or "code path" of each violation with commas between, or the
// kind and code of another error.
func verdict(err error) string {
	var failed *service.Error
	switch {
	case err == nil:
		return "ok"
	case !errors.As(err, &failed):
		return "no *Error: " + err.Error()
	case failed.Kind == service.KindContract:
		return violationText(failed.Violations, false)
	}
	return string(failed.Kind) + " " + failed.Code
}

func violationText(found []store.Violation, numbered bool) string {
	texts := make([]string, len(found))
	for i, v := range found {
		path := v.Path
		if numbered {
			path = append([]string{fmt.Sprint(v.Operation)}, path...)
		}
		texts[i] = v.Code + " " + strings.Join(path, "/")
	}
	return strings.Join(texts, ", ")
}

// records are all records of the engine but the lease on versions, which may
// run ahead of what was written.
func (l *contractLab) records() map[string]string {
	l.t.Helper()
	all := make(map[string]string)
	err := l.db.View(context.Background(), func(r kv.Reader) error {
		return r.Scan(kv.Range{}, func(key, value []byte) bool {
			if string(key) != string(encoding.SequenceKey()) {
				all[string(key)] = string(value)
			}
			return true
		})
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return all
}

// unchanged reports what differs between now and an earlier state.
func (l *contractLab) unchanged(before map[string]string) error {
	l.t.Helper()
	after := l.records()
	if maps.Equal(before, after) {
		return nil
	}
	var diff []string
	for key, value := range after {
		if old, ok := before[key]; !ok || old != value {
			diff = append(diff, fmt.Sprintf("%x written", key))
		}
	}
	for key := range before {
		if _, ok := after[key]; !ok {
			diff = append(diff, fmt.Sprintf("%x removed", key))
		}
	}
	slices.Sort(diff)
	return fmt.Errorf("the store changed: %s", strings.Join(diff[:min(len(diff), 5)], ", "))
}

// refuse runs a command that must be refused with the given violations and
// must leave no trace, alone and in a batch.
func (l *contractLab) refuse(line, want string) {
	l.t.Helper()
	before := l.records()
	if got := l.do(line); got != want {
		l.t.Errorf("%.200s: %s, want %s", line, got, want)
	}
	if err := l.unchanged(before); err != nil {
		l.t.Errorf("%.200s: %v", line, err)
	}
}
