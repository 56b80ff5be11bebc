package badger

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
)

// engineLogger passes what Badger says on. Its information is for debugging
// here; its debug lines, several per transaction, are dropped unformatted.
type engineLogger struct {
	log  *slog.Logger
	step *atomic.Pointer[func()] // called before each step of a Flatten
}

// flattenStep is how Badger's Flatten announces a step.
const flattenStep = "Attempting to compact with %+v\n"

func (l engineLogger) Errorf(format string, args ...any)   { l.log.Error(line(format, args)) }
func (l engineLogger) Warningf(format string, args ...any) { l.log.Warn(line(format, args)) }
func (l engineLogger) Debugf(string, ...any)               {}

func (l engineLogger) Infof(format string, args ...any) {
	if step := l.step.Load(); step != nil && format == flattenStep {
		(*step)()
		return
	}
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug(line(format, args))
	}
}

func line(format string, args []any) string {
	return "engine: " + strings.TrimSpace(fmt.Sprintf(format, args...))
}
