// Package sourcetest has tries of the five contracts in examples/contracts.yaml,
// each limit and one past it, in one table that every door is held against.
// Only tests import it.
package sourcetest

import (
	"fmt"
	"slices"
	"strings"
)

// Try is one request under the example contracts. In keys, # stands for a
// number that no other try uses.
type Try struct {
	Name    string
	Setup   []string // "COMMAND members", which must succeed under the contracts
	Ops     string   // operations ("HashSet") and commands ("HSET") that take the request
	Members string   // as in a batch, without the braces

	// Want is what comes of it: OK; Malformed; or "code path" of each violation
	// with commas between, in any order, where a path has its parts parted by
	// slashes as in a JSON Pointer.
	Want   string
	Detail string // what the detail of a violation must contain; may be empty
}

// What may come of a try beside violations.
const (
	OK        = "ok"
	Malformed = "malformed"
)

// Start is where the clocks of tests must stand, 2027-01-15T08:00:00Z, in ms
// since the epoch: some tries name moments.
const Start = 1_800_000_000_000

// Tries lists all tries, by contract.
func Tries() map[string][]Try {
	return map[string][]Try{
		"session":      slices.Concat(sessionValues, sessionLifetimes, sessionEdits, sessionMoves),
		"profile":      slices.Concat(profileTexts, profileLevels, profileFields),
		"order-queue":  slices.Concat(queueItems, queueCommands, queueWaits),
		"tags":         slices.Concat(tagMembers(), tagCounts),
		"hot-products": slices.Concat(productMembers, productScores, productCounts),
	}
}

// Number puts a number in place of every #.
func Number(text string, n int) string { return strings.ReplaceAll(text, "#", fmt.Sprint(n)) }

// Split parts "COMMAND members" in two.
func Split(line string) (command, members string) {
	command, members, _ = strings.Cut(line, " ")
	return command, members
}

// Same reports whether two lists of violations are the same but for their order.
func Same(a, b string) bool {
	return strings.Join(slices.Sorted(strings.SplitSeq(a, ", ")), ", ") == strings.Join(slices.Sorted(strings.SplitSeq(b, ", ")), ", ")
}

// times repeats a text.
func times(n int, text string) string { return strings.Repeat(text, n) }

// List is a JSON list of the texts that a format makes of the numbers from
// first to last.
func List(format string, first, last int) string {
	var out strings.Builder
	out.WriteString("[")
	for i := first; i <= last; i++ {
		if i > first {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, format, i)
	}
	out.WriteString("]")
	return out.String()
}
