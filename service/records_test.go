package service

import (
	"context"

	"keypact/store/kv"
	"keypact/store/storetest"
)

// checkRecords looks at every record, past the service, and wants them to fit
// together; see storetest.Check.
func (l *lab) checkRecords(t testingT) {
	t.Helper()
	now, err := l.db.Now(context.Background())
	if err != nil {
		t.Fatalf("%v", err)
	}
	err = l.db.View(context.Background(), func(r kv.Reader) error {
		for _, fault := range storetest.Check(r, now.UnixMilli()) {
			t.Errorf("records: %s", fault)
		}
		return nil
	})
	if err != nil {
		t.Errorf("records: %v", err)
	}
}
