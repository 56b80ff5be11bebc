package command

import (
	"context"
	"time"
)

func debugCommands() []*Command {
	const flags = Admin | NoScript | Loading | Stale
	sub := func(name string, arity int, summary string, fn func(context.Context, *Session, *Args) Reply) *Command {
		return &Command{Name: "DEBUG " + name, Arity: arity, Flags: flags, Group: "server", Since: "1.0.0", Summary: summary, talk: fn}
	}
	return []*Command{{
		Name: "DEBUG", Arity: -2, Flags: flags, Group: "server", Since: "1.0.0", Summary: "Helps to test clients",
		subs: []*Command{
			sub("SLEEP", 3, "Lets this connection, and no other, wait for some seconds", debugSleep),
			sub("SET-ACTIVE-EXPIRE", 3, "Accepted; expired keys are absent either way", debugActiveExpire),
		},
	}}
}

// debugSleep is DEBUG SLEEP seconds. Other connections go on; the end of this
// one, or of the service, ends it.
func debugSleep(ctx context.Context, s *Session, a *Args) Reply {
	seconds, err := a.Float()
	if err != nil {
		return ErrorReply(err)
	}
	const most = 300
	if seconds < 0 || seconds > most {
		return errOutOfRange
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.blocked(cancel)
	defer s.blocked(nil)
	timer := time.NewTimer(time.Duration(seconds * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return OK
}

func debugActiveExpire(_ context.Context, _ *Session, a *Args) Reply {
	if a.OneOf("0", "1") == "" {
		return errSyntax
	}
	return OK
}
