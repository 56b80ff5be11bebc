package servicetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"keypact/contracts"
	"keypact/service"
)

// TestNoUpdateIsLost lets 50 clients count up one string and one hash field and
// fill one list, 200 times each. Nothing is lost, nothing is answered twice,
// and nobody is told of a conflict.
func TestNoUpdateIsLost(t *testing.T) {
	const clients, times = 50, 200
	l := openLab(t, newWall(), contracts.Empty(), restless)
	defer l.close(t)
	replies := map[string]*sync.Map{"INCR": {}, "HINCRBY": {}, "RPUSH": {}}
	var running sync.WaitGroup
	for c := range clients {
		running.Go(func() {
			for n := range times {
				for name, members := range map[string]string{
					"INCR": `{}`, "HINCRBY": `{"field":"f","by":1}`, "RPUSH": fmt.Sprintf(`{"items":["%d-%d"]}`, c, n),
				} {
					result, err := l.svc.Do(context.Background(), fromText(t, name, name, members))
					if err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					if _, twice := replies[name].LoadOrStore(shown(result.Value), true); twice {
						t.Errorf("%s answered %s twice", name, shown(result.Value))
					}
				}
			}
		})
	}
	running.Wait()
	ask := func(name, key, members string) any {
		result, err := l.svc.Do(context.Background(), fromText(t, name, key, members))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return result.Value
	}
	const all = clients * times
	if got := shown(ask("GET", "INCR", "{}")); got != fmt.Sprintf(`{"value":"%d"}`, all) {
		t.Errorf("the string holds %s", got)
	}
	if got := shown(ask("HGET", "HINCRBY", `{"field":"f"}`)); got != fmt.Sprintf(`{"value":"%d"}`, all) {
		t.Errorf("the field holds %s", got)
	}
	if got := shown(ask("LLEN", "RPUSH", "{}")); got != fmt.Sprintf(`{"count":%d}`, all) {
		t.Errorf("the list counts %s", got)
	}
	distinct := map[string]bool{}
	for _, item := range ask("LRANGE", "RPUSH", "{}").(service.ListItems).Items {
		distinct[string(item)] = true
	}
	if len(distinct) != all {
		t.Errorf("the list holds %d distinct elements, not %d", len(distinct), all)
	}
	l.look(t)
}
