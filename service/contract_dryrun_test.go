package service_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"keypact/service"
)

// bulkContracts are strict about what is there, and want a field.
const bulkContracts = `format: 1
contracts:
  lists: {key: 'lists:{x}', type: list, existing: strict, ttl: optional, items: {maxBytes: 10}}
  hashes: {key: 'hashes:{x}', type: hash, ttl: optional, required: [must], fields: {must: {type: string}}, additionalFields: true}
`

// agrees fails unless an operation that is asked about and then done has the
// same verdict.
func (l *contractLab) agrees(t *testing.T, what string, op service.Op, valid bool) {
	t.Helper()
	verdict, err := l.svc.Validate(context.Background(), op)
	if err != nil || verdict.Valid != valid {
		t.Errorf("%s: asked: %+v, %v", what, verdict, err)
	}
	_, err = l.svc.Do(context.Background(), op)
	var refused *service.Error
	if (err == nil) != valid || err != nil && !errors.As(err, &refused) {
		t.Fatalf("%s: done: %v", what, err)
	}
	if refused == nil {
		return
	}
	texts := func(list []service.Violation) (out []string) {
		for _, v := range list {
			out = append(out, fmt.Sprint(v.Code, v.Path, v.Detail, v.Phase, v.Operation, v.Verb))
		}
		return out
	}
	if asked, done := texts(verdict.Violations), texts(refused.Violations); !slices.Equal(asked, done) {
		t.Errorf("%s: asked\n%q\ndone\n%q", what, asked, done)
	}
}

// TestADryRunJudgesWhatItDoesNotWrite: an operation that fills a new generation
// in steps is judged on its content, whether it is asked about or done.
func TestADryRunJudgesWhatItDoesNotWrite(t *testing.T) {
	for _, bad := range []bool{false, true} {
		l := openContractLab(t, "")
		push := &service.ListPush{Key: service.Bytes("lists:1")}
		hash := &service.HashSet{Key: service.Bytes("source")}
		for i := range 3000 {
			push.Items = append(push.Items, service.Bytes("x"), service.Bytes(fmt.Sprint(i)))
			hash.Fields = append(hash.Fields, service.Field{Field: service.Bytes(fmt.Sprint(i)), Value: service.Bytes("v")})
		}
		if bad {
			push.Items = append(push.Items, service.Bytes("longer than ten"), service.Bytes("another one"))
		} else {
			hash.Fields = append(hash.Fields, service.Field{Field: service.Bytes("must"), Value: service.Bytes("v")})
		}
		for _, op := range []service.Op{push, hash} {
			if _, err := l.svc.Do(context.Background(), op); err != nil {
				t.Fatal(err)
			}
		}
		l.govern(bulkContracts)
		what := map[bool]string{false: "sound", true: "at fault"}[bad]
		l.agrees(t, "a list "+what, &service.ListRemove{Key: service.Bytes("lists:1"), Value: service.Bytes("x")}, !bad)
		l.agrees(t, "a hash "+what, &service.KeyCopy{Key: service.Bytes("source"), Destination: service.Bytes("hashes:1")}, !bad)
	}
}
