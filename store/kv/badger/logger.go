package badger

import (
	"fmt"
	"log/slog"
	"strings"
)

// engineLogger passes what Badger says on. Its information is for debugging
// here; its debug lines, several per transaction, are dropped unformatted.
type engineLogger struct{ log *slog.Logger }

func (l engineLogger) Errorf(format string, args ...any)   { l.log.Error(line(format, args)) }
func (l engineLogger) Warningf(format string, args ...any) { l.log.Warn(line(format, args)) }
func (l engineLogger) Infof(format string, args ...any)    { l.log.Debug(line(format, args)) }
func (l engineLogger) Debugf(string, ...any)               {}

func line(format string, args []any) string {
	return "engine: " + strings.TrimSpace(fmt.Sprintf(format, args...))
}
