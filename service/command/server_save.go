package command

import (
	"context"
	"time"
)

func saveCommands() []*Command {
	const admin = Admin | NoScript
	row := func(name string, arity int, flags Flag, since, summary string, fn func(context.Context, *Session, *Args) Reply) *Command {
		return &Command{Name: name, Arity: arity, Flags: flags, Group: "server", Since: since, Summary: summary, talk: fn}
	}
	wait := row("WAIT", 3, NoScript, "3.0.0", "Waits for replicas, of which there are none", waitReplicas)
	wait.Group = "generic"
	return []*Command{
		row("SAVE", 1, admin|NoMulti, "1.0.0", "Nothing is left to do: what was acknowledged is on disk", save),
		row("BGSAVE", -1, admin, "1.0.0", "As SAVE", saveBehind),
		row("BGREWRITEAOF", 1, admin, "1.0.0", "As SAVE", rewriteLog),
		row("LASTSAVE", 1, Loading|Stale|Fast|Admin, "1.0.0", "When a save was asked for last, or the service began", lastSave),
		row("SHUTDOWN", -1, admin|NoMulti|Loading|Stale, "1.0.0", "Refused: who runs the process ends it", shutdown),
		wait,
	}
}

// markSaved notes that a save was asked for. The store writes all changes by
// itself before it acknowledges them.
func (h *Host) markSaved(ctx context.Context) error {
	f, err := h.service.Figures(ctx, false)
	if err != nil {
		return err
	}
	h.saves.Add(1)
	h.saved.Store(h.now().Unix())
	h.savedChanges.Store(f.Changes)
	return nil
}

func save(ctx context.Context, s *Session, _ *Args) Reply {
	if err := s.host.markSaved(ctx); err != nil {
		return ErrorReply(err)
	}
	return OK
}

// saveBehind is BGSAVE [SCHEDULE].
func saveBehind(ctx context.Context, s *Session, a *Args) Reply {
	if a.More() && (!a.Token("SCHEDULE") || a.More()) {
		return errSyntax
	}
	if err := s.host.markSaved(ctx); err != nil {
		return ErrorReply(err)
	}
	return Status("Background saving started")
}

func rewriteLog(ctx context.Context, s *Session, _ *Args) Reply {
	if err := s.host.markSaved(ctx); err != nil {
		return ErrorReply(err)
	}
	return Status("Background append only file rewriting started")
}

func lastSave(_ context.Context, s *Session, _ *Args) Reply { return Int(s.host.saved.Load()) }

// shutdown is SHUTDOWN with any options. No client ends the process, in which
// other doors are open too.
func shutdown(_ context.Context, _ *Session, _ *Args) Reply {
	return Error("ERR Errors trying to SHUTDOWN. Commands do not end this service: stop its process.")
}

// waitReplicas is WAIT replicas timeout. There are no replicas: none are waited
// for at once, any at all in vain.
func waitReplicas(ctx context.Context, s *Session, a *Args) Reply {
	replicas, err := a.Int()
	if err != nil {
		return ErrorReply(err)
	}
	ms, err := a.Int()
	switch {
	case err != nil:
		return Error("ERR timeout is not an integer or out of range")
	case ms < 0:
		return Error("ERR timeout is negative")
	case replicas <= 0 || s.inExec:
		return Int(0)
	}
	s.client.Flush()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.blocked(cancel)
	defer s.blocked(nil)
	var over <-chan time.Time // a timeout of 0 never ends
	if ms > 0 {
		timer := time.NewTimer(time.Duration(min(ms, maxWait)) * time.Millisecond)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-ctx.Done():
	}
	if cause, ok := context.Cause(ctx).(unblocked); ok && cause.withError {
		return cause.reply(Call{})
	}
	return Int(0)
}

// maxWait keeps milliseconds within what a duration can hold.
const maxWait = int64(1<<63-1) / int64(time.Millisecond)
