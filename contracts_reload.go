package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"

	"keypact/contracts"
)

// Results of a reload, as the metric names them.
const (
	reloadApplied = "applied"
	reloadRefused = "refused"
)

// reloader reads the contracts again and puts them in force. It is all or
// nothing: whatever is wrong, the last good set stays.
type reloader struct {
	path    string
	log     *slog.Logger
	metrics *metrics
	apply   func(context.Context, *contracts.Set) error
	stale   atomic.Bool
}

// Stale reports whether the last reload was refused, so that the set in force
// is older than the files.
func (r *reloader) Stale() bool { return r.stale.Load() }

// reload reads the files and applies them. Every problem is logged with its
// file, line and column.
func (r *reloader) reload(ctx context.Context) {
	if r.path == "" {
		r.log.Info("contracts not reloaded: the service was started without --contracts")
		return
	}
	set, err := loadContracts(r.path)
	if err == nil {
		err = r.apply(ctx, set)
	}
	if err != nil {
		r.refuse(err)
		return
	}
	r.note(false, reloadApplied)
	r.log.Info("contracts reloaded", "from", r.path, "contracts", len(set.Contracts()))
}

func (r *reloader) refuse(err error) {
	r.note(true, reloadRefused)
	var bad *contracts.LoadError
	if errors.As(err, &bad) {
		for line := range strings.SplitSeq(bad.Error(), "\n") {
			r.log.Error("contract refused", "problem", line)
		}
		r.log.Error("contracts not reloaded: the last good set stays in force", "from", r.path, "problems", len(bad.Problems)+bad.Omitted)
		return
	}
	r.log.Error("contracts not reloaded: the last good set stays in force", "from", r.path, "error", err)
}

func (r *reloader) note(stale bool, result string) {
	r.stale.Store(stale)
	value := 0.0
	if stale {
		value = 1
	}
	r.metrics.stale.Set(value)
	r.metrics.reloads.WithLabelValues(result).Inc()
}
