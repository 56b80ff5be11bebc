package service_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"keypact/contracts"
	"keypact/service"
)

// ruleCase is one operation on one governed key, k:#, where # stands for a
// number that no other try uses. Without rules the request succeeds.
type ruleCase struct {
	ops      string   // names of operations and commands that take the request
	verb     string   // the canonical command it counts as on k:#
	typ      string   // type of k:#
	seed     []string // commands that prepare the keys, before there are contracts
	request  string   // members, as in a batch
	at       string   // the member that names k:#; empty is "key"
	breaches []breach
}

// breach is one way in which a contract refuses the operation.
type breach struct {
	class   string // element, count, ttl, required or argument
	rules   string // of the contract
	request string // in place of the case's; may be empty
	want    string // violations with their paths
}

func ruleCases() []ruleCase {
	return slices.Concat(stringRules, hashRules, listRules, setRules, zsetRules, keyRules, arrivalRules())
}

// ruledBy is a set with one contract over k:#.
func ruledBy(typ, rules string) string {
	if !strings.Contains(rules, "ttl:") {
		rules = "ttl: optional, " + rules
	}
	return fmt.Sprintf("format: 1\ncontracts:\n  c: {key: 'k:{id}', type: %s, %s}\n", typ, strings.TrimSuffix(rules, ", "))
}

// TestEveryWriteHasAContractCase fails when an operation or a command is added
// that no case of this table tries under contracts.
func TestEveryWriteHasAContractCase(t *testing.T) {
	tried := make(map[string]bool)
	for _, c := range ruleCases() {
		for _, op := range strings.Fields(c.ops) {
			tried[op] = true
		}
	}
	for _, row := range service.Rows() {
		if !row.Write {
			continue
		}
		if !tried[row.Name] {
			t.Errorf("operation %s writes and has no contract case", row.Name)
		}
		for _, v := range row.Verbs {
			if !tried[v.Name] && !pureRead(v.Name) {
				t.Errorf("command %s of operation %s has no contract case", v.Name, row.Name)
			}
		}
	}
}

// pureRead reports whether a command of a writing operation writes nothing
// itself: SUNION without a destination.
func pureRead(command string) bool {
	return slices.Contains([]string{"SUNION", "SINTER", "SDIFF"}, command)
}

// TestContractsKnowEveryCommand: whatever /batch accepts, and whatever an
// operation counts as, is a word that a contract can say.
func TestContractsKnowEveryCommand(t *testing.T) {
	known := contracts.Verbs()
	for _, typ := range []contracts.Type{"string", "hash", "list", "set", "zset"} {
		known = append(known, contracts.ReadVerbsOf(typ)...)
	}
	twoKeys := []string{"LMOVE", "RPOPLPUSH", "SMOVE"} // judged by what they do to each key
	for _, row := range service.Rows() {
		for _, v := range row.Verbs {
			verb := contracts.CanonicalVerb(v.Name)
			if !slices.Contains(known, verb) && !slices.Contains(twoKeys, verb) && verb != "SCAN" {
				t.Errorf("command %s counts as %s, which no contract can name", v.Name, verb)
			}
		}
	}
	l := openContractLab(t, "")
	for _, c := range ruleCases() {
		for _, name := range strings.Fields(c.ops) {
			op := l.op(name, number(c.request, 0))
			for _, call := range op.Calls() {
				if !slices.Contains(known, call.Verb) {
					t.Errorf("%s counts as %s, which no contract can name", name, call.Verb)
				}
				if string(call.Key) == "k:0" && !call.Read && call.Verb != c.verb {
					t.Errorf("%s {%s} counts as %s, want %s", name, c.request, call.Verb, c.verb)
				}
			}
		}
	}
}

// TestEveryWriteUnderEveryRule tries each write where its command is allowed,
// where it is not, and against every class of rules that it can break.
func TestEveryWriteUnderEveryRule(t *testing.T) {
	l := openContractLab(t, "")
	classes := classBook{wanted: make(map[string]bool), broken: make(map[string]bool)}
	for _, c := range ruleCases() {
		for _, op := range strings.Fields(c.ops) {
			t.Run(op+" as "+c.verb+" on a "+c.typ, func(t *testing.T) {
				l.t = t
				trial{l, c, op}.run(classes)
			})
		}
	}
	for class := range classes.wanted {
		if !classes.broken[class] {
			t.Errorf("no case breaks a rule as %s", class)
		}
	}
}

// classBook has, for each operation, command and type, the classes of rules
// that cases have to break, and those they break.
type classBook struct{ wanted, broken map[string]bool }

// number puts a number in place of every #.
func number(text string, n int) string { return strings.ReplaceAll(text, "#", fmt.Sprint(n)) }

// trial is one operation of one case.
type trial struct {
	lab  *contractLab
	c    ruleCase
	name string
}

// tries numbers the keys of all trials.
var tries int

// prepare writes the seed under a number of its own.
func (tr trial) prepare() int {
	tr.lab.t.Helper()
	tries++
	tr.lab.govern("")
	for _, line := range tr.c.seed {
		tr.lab.must(number(line, tries))
	}
	return tries
}

func (tr trial) run(classes classBook) {
	l, c := tr.lab, tr.c
	l.t.Helper()
	creates, grows := tr.free()
	tr.refused(c.typ, "operations: [MOVE]", c.request, "operation.denied "+tr.at(), true)
	tr.deniedWithoutKeys()
	tr.allowed("operations: [" + c.verb + "]")
	if creates {
		tr.refused(other(c.typ), "", c.request, "type.locked "+tr.at(), false)
		tr.refused(c.typ, "vars: {id: {pattern: '^[a-z]+$'}}", c.request, "key.var "+tr.at(), false)
		tr.timeToLive()
	}
	for _, class := range breakable(c.typ, creates, grows) {
		classes.wanted[tr.name+" "+c.verb+" "+c.typ+": "+class] = true
	}
	for _, b := range c.breaches {
		classes.broken[tr.name+" "+c.verb+" "+c.typ+": "+b.class] = true
		request := b.request
		if request == "" {
			request = c.request
		}
		tr.refused(c.typ, b.rules, request, b.want, true)
	}
}

// breakable are the classes of rules that an operation can break: one that
// makes a value, or adds to one, can break all of the type.
func breakable(typ string, creates, grows bool) []string {
	if !creates && !grows {
		return nil
	}
	classes := []string{"element"}
	if typ != "string" {
		classes = append(classes, "count")
	}
	if typ == "hash" && creates {
		classes = append(classes, "required")
	}
	return classes
}

func (tr trial) at() string {
	if tr.c.at == "" {
		return "key"
	}
	return tr.c.at
}

func other(typ string) string {
	if typ == "string" {
		return "hash"
	}
	return "string"
}

// free runs the request without contracts and says what it does to the key.
func (tr trial) free() (creates, grows bool) {
	l := tr.lab
	l.t.Helper()
	n := tr.prepare()
	before, had := tr.count(n)
	l.must(tr.name + " " + number(tr.c.request, n))
	after, has := tr.count(n)
	return !had && has, after > before
}

// count is the number of elements of k:#, or of bytes.
func (tr trial) count(n int) (size uint64, exists bool) {
	tr.lab.t.Helper()
	result, err := tr.lab.svc.Do(context.Background(), tr.lab.op("TYPE", number(`"key":"k:#"`, n)))
	if err != nil {
		return 0, false
	}
	info := result.Value.(service.KeyDescription)
	if info.Count != nil {
		return *info.Count, true
	}
	return *info.Bytes, true
}

// allowed wants the request to pass.
func (tr trial) allowed(rules string) {
	l := tr.lab
	l.t.Helper()
	n := tr.prepare()
	l.govern(ruledBy(tr.c.typ, rules))
	if got := l.do(tr.name + " " + number(tr.c.request, n)); got != "ok" {
		l.t.Errorf("under {%s}: %s", rules, got)
	}
}

// timeToLive wants a new key to obey the rules on lifetimes.
func (tr trial) timeToLive() {
	tr.lab.t.Helper()
	if strings.Contains(tr.c.request, `"ttl"`) || strings.Contains(tr.c.request, `"expires_at"`) {
		tr.refused(tr.c.typ, "ttl: forbidden", tr.c.request, "ttl.forbidden ttl", true)
		return
	}
	if !tr.takesTTL() {
		tr.refused(tr.c.typ, "ttl: {required: true}", tr.c.request, "ttl.required "+tr.at(), true)
		return
	}
	tr.refused(tr.c.typ, "ttl: {required: true}", tr.c.request, "ttl.required ttl", true)
	withTTL := tr.c.request + `,"ttl":"1m"`
	tr.refused(tr.c.typ, "ttl: {max: 59s}", withTTL, "ttl.max ttl", true)
	tr.refused(tr.c.typ, "ttl: {min: 61s}", withTTL, "ttl.min ttl", true)
	tr.refused(tr.c.typ, "ttl: forbidden", withTTL, "ttl.forbidden ttl", true)
	n := tr.prepare()
	tr.lab.govern(ruledBy(tr.c.typ, "ttl: {required: true, min: 60s, max: 60s}"))
	if got := tr.lab.do(tr.name + " " + number(withTTL, n)); got != "ok" {
		tr.lab.t.Errorf("with the TTL it needs: %s", got)
	}
}

// takesTTL reports whether the operation has a member ttl: all that create a
// key by themselves do, those that move one do not.
func (tr trial) takesTTL() bool {
	moves := []string{"RENAME", "COPY", "SUNIONSTORE", "SINTERSTORE", "SDIFFSTORE"}
	return tr.at() != "destination" && !slices.Contains(moves, tr.c.verb)
}

// deniedWithoutKeys wants the command refused even where there is nothing.
func (tr trial) deniedWithoutKeys() {
	l := tr.lab
	l.t.Helper()
	tries++
	l.govern(ruledBy(tr.c.typ, "operations: [MOVE]"))
	l.refuse(tr.name+" "+number(tr.c.request, tries), "operation.denied "+tr.at())
}
