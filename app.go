package main

import (
	"context"
	_ "embed" // of the specification
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"keypact/api"
	"keypact/contracts"
	"keypact/service"
	"keypact/service/command"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/web"
)

// specification is the document at /openapi.yaml.
//
//go:embed openapi.yaml
var specification []byte

// app is one running service: the rooms, joined.
type app struct {
	config   Config
	log      *slog.Logger
	metrics  *metrics
	engine   *badger.DB
	store    *store.Store
	reloader *reloader
	handler  http.Handler
	commands *command.Host
	fatal    chan error  // the engine's last word
	stopping atomic.Bool // no longer ready
	copying  sync.Mutex  // held by the backup that runs

	verifying sync.Mutex // held by the verification that runs
}

// openApp opens the engine and builds everything on it. What it opened before a
// failure it closes again.
func openApp(ctx context.Context, c Config, set *contracts.Set, log *slog.Logger) (_ *app, err error) {
	a := &app{config: c, log: log, metrics: newMetrics(), fatal: make(chan error, 1)}
	if a.engine, err = badger.Open(a.engineOptions()); err != nil {
		return nil, err
	}
	var db kv.DB = a.engine
	if !c.GroupCommit {
		db = &ungrouped{DB: db}
	}
	a.store, err = store.Open(ctx, db, store.Options{
		Contracts: set, Logger: log, Report: a.metrics.observeViolations, Limits: c.Limits.Store(),
		Notify: func(events []store.Event) { a.commands.Notify(events) }, // off until the commands turn it on
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store in %s: %w", c.Data, err), a.engine.Close())
	}
	a.metrics.watch(a.figures)
	a.reloader = &reloader{path: c.Contracts, log: log, metrics: a.metrics, apply: a.store.SetContracts}
	if err := a.openDoors(); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// openDoors puts the HTTP door on the store, and what both command doors share.
func (a *app) openDoors() error {
	svc, err := service.New(a.store, service.Options{Limits: a.config.Limits, Logger: a.log})
	if err != nil {
		return err
	}
	a.commands = command.New(svc, command.Options{
		Logger: a.log, Version: versionText(), Parameters: a.config.parameters(), Info: a.info, ScriptTime: a.config.ScriptTime,
	})
	handler, err := api.New(svc, api.Options{
		Logger: a.log, Observer: a.metrics, CORS: api.CORS{Origins: a.config.CORSOrigins},
		Ready: a.ready, Spec: specification, Landing: web.Page(versionText()), Metrics: a.metrics.handler(),
		Backup: a.backup, Verify: a.verify, Redis: a.commands,
	})
	if err != nil {
		return err
	}
	a.handler = web.WithParts(handler)
	return nil
}

// ready is the answer of the readiness route.
func (a *app) ready(ctx context.Context) api.Readiness {
	err := a.engine.View(ctx, func(kv.Reader) error { return nil })
	return api.Readiness{Ready: err == nil && !a.stopping.Load(), StaleContracts: a.reloader.Stale()}
}

func (a *app) engineOptions() badger.Options {
	durability, _ := badger.ParseDurability(a.config.Durability) // checked when it was loaded
	o := badger.Options{
		Dir: a.config.Data, Durability: durability, SyncInterval: a.config.SyncInterval,
		MinFreeBytes: a.config.MinFree, Essential: store.Essential, Maintenance: a.config.Maintenance,
		MaxTxnBytes: a.config.Limits.OpBytes, MaxTxnWrites: a.config.Limits.OpWrites,
		Logger: a.log, OnCommit: a.metrics.observeCommit,
		OnFatal: func(err error) { a.fatal <- err },
	}
	a.config.sizeEngine(&o)
	if o.MinFreeBytes == 0 {
		o.MinFreeBytes = -1 // zero would be the engine's default
	}
	if o.Maintenance == 0 {
		o.Maintenance = -1
	}
	return o
}

// close ends the store and the engine. It may be called after store.Close.
func (a *app) close() error {
	a.store.Close()
	if err := a.engine.Close(); err != nil {
		return fmt.Errorf("close store in %s: %w", a.config.Data, err)
	}
	return nil
}

// figures are asked for by each scrape of the metrics.
func (a *app) figures(ctx context.Context) figures {
	s := a.engine.Stats()
	keys, err := a.store.Keys(ctx)
	if err != nil {
		keys = -1
	}
	reclaiming, err := a.store.Reclaiming(ctx)
	if err != nil {
		reclaiming.Backlog = -1
	}
	return figures{
		Keys: keys, Reclaiming: reclaiming, Waiting: int64(a.store.Waiting()), Engine: s,
		Contracts: a.store.Contracts().Contracts(),
	}
}

// ungrouped lets one write in at a time, so that none shares a commit with
// another. It is there to measure what sharing is worth.
type ungrouped struct {
	kv.DB
	turn sync.Mutex
}

// Update waits for its turn and runs alone.
func (u *ungrouped) Update(ctx context.Context, fn func(kv.Txn) error) error {
	u.turn.Lock()
	defer u.turn.Unlock()
	return u.DB.Update(ctx, fn)
}
