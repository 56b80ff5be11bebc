package verify

import (
	"context"

	"keypact/store/kv"
)

// Held is how many entries a walk holds at most, but for the bitmap of
// versions, and the depth of the paths down trees.
func Held(ctx context.Context, r kv.Reader, o Options) (most int, err error) {
	w := newWalk(ctx, r, o)
	w.o.Progress = func(Progress) {
		held := len(w.sequences) + len(w.counters) + len(w.namespaces) + len(w.names) + len(w.contracts) + len(w.keys) +
			len(w.dead) + len(w.parts) + len(w.flushed) + len(w.stages) + len(w.renamed) + len(w.report.Faults) + len(w.merged)
		most = max(most, held)
	}
	w.everyRecord = 1
	_, err = w.run()
	return most, err
}
