package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"keypact/service"
	"keypact/store"
	"keypact/store/kv/badger"
)

// local is a store in this very process, driven through the service's
// operations, so that no round trip hides the work.
type local struct {
	dir     string
	engine  *badger.DB
	store   *store.Store
	service *service.Service
}

// openLocal opens an empty store in a folder of the scratch folder, with the
// defaults of the service but for what the options say.
func openLocal(ctx context.Context, s settings, name string, engine badger.Options, options store.Options) (*local, error) {
	l := &local{dir: filepath.Join(s.scratch, name)}
	engine.Dir = l.dir
	var err error
	if l.engine, err = badger.Open(engine); err != nil {
		return nil, err
	}
	if l.store, err = store.Open(ctx, l.engine, options); err != nil {
		return nil, errors.Join(err, l.engine.Close())
	}
	if l.service, err = service.New(l.store, service.Options{}); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

// unsynced are the engine's options where the cost of the work itself is
// measured, which a sync would hide.
var unsynced = badger.Options{Durability: badger.None}

// synced are the engine's options where requests that wait for a sync are
// measured.
var synced = badger.Options{Durability: badger.Always}

// close ends the store and removes its folder.
func (l *local) close() error {
	l.store.Close()
	return errors.Join(l.engine.Close(), os.RemoveAll(l.dir))
}

// do runs operations in one transaction. Its error is the first that any of
// them met.
func (l *local) do(ctx context.Context, ops ...store.Op) error {
	out, err := l.store.Do(ctx, store.Each, ops)
	return firstFailure(out, err)
}

func firstFailure(out []store.Outcome, err error) error {
	for i := range out {
		if err == nil {
			err = out[i].Err
		}
	}
	return err
}

// answer runs one reading operation and returns what it answers.
func answer[T any](ctx context.Context, l *local, op store.Op) (T, error) {
	var none T
	out, err := l.store.View(ctx, []store.Op{op})
	if err := firstFailure(out, err); err != nil {
		return none, err
	}
	value, ok := out[0].Value.(T)
	if !ok {
		return none, fmt.Errorf("%T answers %T", op, out[0].Value)
	}
	return value, nil
}

// timed is how long a list of operations in one transaction takes.
func (l *local) timed(ctx context.Context, ops ...store.Op) (time.Duration, error) {
	begin := time.Now()
	err := l.do(ctx, ops...)
	return time.Since(begin), err
}

// settle waits until nothing dead is left and the engine has moved no table for
// a second (for the length of a measurement, if that is less), for at most a
// minute.
func (l *local) settle(ctx context.Context, s settings) error {
	if err := l.store.Sweep(ctx); err != nil {
		return err
	}
	quiet := min(s.length, time.Second)
	size, since := int64(-1), time.Now()
	for begin := since; time.Since(since) < quiet && time.Since(begin) < time.Minute; {
		if now := l.engine.Stats().LSMBytes; now != size {
			size, since = now, time.Now()
		}
		if err := pause(ctx, quiet/20); err != nil {
			return err
		}
	}
	return nil
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
