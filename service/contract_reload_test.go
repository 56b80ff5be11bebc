package service_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"keypact/service"
)

// lettered is a set of contracts under which values start with a letter.
func lettered(letter string) string {
	return "format: 1\ncontracts:\n" +
		"  left:  {key: 'left:{id}', type: string, ttl: optional, value: {pattern: '^" + letter + "'}}\n" +
		"  right: {key: 'right:{id}', type: string, ttl: optional, value: {pattern: '^" + letter + "'}}\n"
}

// TestEachWriteSeesOneSetOfContracts exchanges two sets under running writers:
// a batch that obeys one of them passes or breaks both rules of the other, and
// one that mixes them breaks exactly one.
func TestEachWriteSeesOneSetOfContracts(t *testing.T) {
	l := openContractLab(t, lettered("a"))
	sets := []string{lettered("a"), lettered("b")}
	var passed, refused atomic.Int64
	stop := make(chan struct{})
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				l.writeBoth(w, i, &passed, &refused)
			}
		})
	}
	for i := 0; i < 200 || passed.Load() < 20 || refused.Load() < 20; i++ {
		l.govern(sets[i%2])
	}
	close(stop)
	group.Wait()
}

// writeBoth writes under both contracts in one batch: a and a, a and b, ...
func (l *contractLab) writeBoth(w, i int, passed, refused *atomic.Int64) {
	first, second := "a", "b"
	if i&1 != 0 {
		first = "b"
	}
	if i&2 != 0 {
		second = "a"
	}
	_, err := l.svc.Batch(context.Background(), []service.Op{
		&service.StringSet{Key: service.Bytes(fmt.Sprintf("left:%d", w)), Value: service.Bytes(first)},
		&service.StringSet{Key: service.Bytes(fmt.Sprintf("right:%d", w)), Value: service.Bytes(second)},
	})
	found := violationsOf(err)
	switch {
	case first == second && err == nil:
		passed.Add(1)
	case first == second && len(found) == 2:
		if found[0].Rule[strings.LastIndex(found[0].Rule, "/"):] != "/pattern" || found[0].Detail != found[1].Detail {
			l.t.Errorf("one batch was judged by two sets: %s and %s", found[0].Detail, found[1].Detail)
		}
		refused.Add(1)
	case first != second && len(found) == 1:
		refused.Add(1)
	default:
		l.t.Errorf("%s and %s: %s", first, second, verdict(err))
	}
}

// TestAWaitingPopIsJudgedAnew: a reload that forbids what an operation waits
// for answers it at once, and the element that comes later stays. One that
// leaves it allowed lets it wait on.
func TestAWaitingPopIsJudgedAnew(t *testing.T) {
	const allowed = "format: 1\ncontracts:\n  q: {key: 'q:{id}', type: list, ttl: optional, operations: {LPUSH: {}, BRPOP: {timeout: {max: 2m}}}}\n"
	l := openContractLab(t, allowed)
	wait := func(key string) chan string {
		answer := make(chan string, 1)
		go func() {
			result, err := l.svc.Do(context.Background(), &service.ListPop{
				Key: service.Bytes(key), Side: "right", Wait: service.TTL(60e9),
			})
			if err != nil {
				answer <- verdict(err)
				return
			}
			items := result.Value.(service.ListItems).Items
			answer <- fmt.Sprintf("%s", items)
		}()
		return answer
	}
	first := wait("q:1")
	l.await(1)
	l.govern(strings.Replace(allowed, "2m", "1m", 1))
	second := wait("q:2")
	l.await(2)
	l.govern(strings.Replace(allowed, "BRPOP: {timeout: {max: 2m}}", "BRPOP: {timeout: {max: 59s}}", 1))
	for _, answer := range []chan string{first, second} {
		if got := <-answer; got != "argument.range wait" {
			t.Errorf("a waiting pop was answered %s", got)
		}
	}
	l.must(`LPUSH "key":"q:1","items":["a"]`)
	if got := l.answer(`LLEN "key":"q:1"`); got != `{"count":1}` {
		t.Errorf("the element that came later: %s", got)
	}
	l.govern(allowed)
	third := wait("q:3")
	l.await(1)
	l.govern(strings.Replace(allowed, "2m", "1m", 1))
	l.must(`LPUSH "key":"q:3","items":["b"]`)
	if got := <-third; got != "[b]" {
		t.Errorf("the pop that may wait on was answered %s", got)
	}
}

// await blocks until so many operations wait.
func (l *contractLab) await(n int) {
	for l.store.Waiting() != n {
		runtime.Gosched()
	}
}

// TestARefusedPushWakesNobody: what a contract refuses is never seen, not even
// by those who wait for it.
func TestARefusedPushWakesNobody(t *testing.T) {
	l := openContractLab(t, "format: 1\ncontracts:\n  q: {key: 'q:{id}', type: list, ttl: optional, items: {maxBytes: 3}}\n")
	answer := make(chan string, 1)
	go func() {
		result, err := l.svc.Do(context.Background(), &service.ListPop{Key: service.Bytes("q:1"), Wait: service.TTL(60e9)})
		if err != nil {
			answer <- verdict(err)
			return
		}
		answer <- fmt.Sprintf("%s", result.Value.(service.ListItems).Items)
	}()
	l.await(1)
	l.refuse(`RPUSH "key":"q:1","items":["abc","long"]`, "value.bytes items/1")
	if got := l.batch(`RPUSH "key":"q:1","items":["abc"]`, `RPUSH "key":"q:1","items":["long"]`); got != "value.bytes 1/items/0" {
		t.Errorf("a batch: %s", got)
	}
	l.must(`SADD "key":"other","members":["a"]`)
	if l.store.Waiting() != 1 {
		t.Fatal("a refused push woke the one who waits")
	}
	l.must(`RPUSH "key":"q:1","items":["ok"]`)
	if got := <-answer; got != "[ok]" {
		t.Errorf("the pop was answered %s", got)
	}
}
