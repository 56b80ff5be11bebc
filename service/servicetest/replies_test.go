package servicetest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"keypact/service"
)

// The translations of Redis's replies.

// text is a bulk string as JSON.
func text(reply any) string {
	if reply == nil {
		return "null"
	}
	return shown(service.Bytes(reply.(string)))
}

func listOf(reply any) string {
	list, _ := reply.([]any)
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = text(item)
	}
	return "[" + strings.Join(out, ",") + "]"
}

func sortedOf(reply any) string {
	list := slices.Clone(reply.([]any))
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return listOf(list)
}

// pairsOf is a flat list of fields and values.
func pairsOf(reply any) string {
	flat := map[string]string{}
	list := reply.([]any)
	for i := 0; i+1 < len(list); i += 2 {
		flat[list[i].(string)] = list[i+1].(string)
	}
	fields := service.Fields{}
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		fields = append(fields, service.Field{Field: service.Bytes(name), Value: service.Bytes(flat[name])})
	}
	return shown(fields)
}

// scoredOf is a flat list of members and scores.
func scoredOf(reply any) string {
	list, _ := reply.([]any)
	out := []service.ScoredMember{}
	for i := 0; i+1 < len(list); i += 2 {
		out = append(out, service.ScoredMember{Member: service.Bytes(list[i].(string)), Score: scoreOf(list[i+1])})
	}
	return shown(out)
}

func scoreOf(reply any) service.Score {
	f, err := strconv.ParseFloat(reply.(string), 64)
	if err != nil {
		return service.Score(-1e99) // equals no score of these tests
	}
	return service.Score(f)
}

// say puts a reply into one of our answers; an error is an invalid request.
func say(format string) func(any) string {
	return func(reply any) string {
		if _, failed := reply.(error); failed {
			return "invalid"
		}
		return fmt.Sprintf(format, reply)
	}
}

// sayText is say for a bulk string.
func sayText(format string) func(any) string {
	return func(reply any) string {
		if _, failed := reply.(error); failed {
			return "invalid"
		}
		if reply == nil {
			return "not_found"
		}
		return fmt.Sprintf(format, text(reply))
	}
}

// either translates 1 and 0 (or nil).
func either(yes, no string) func(any) string {
	return func(reply any) string {
		switch reply {
		case int64(1), "OK":
			return yes
		case int64(0), nil:
			return no
		}
		if _, failed := reply.(error); failed {
			return "invalid"
		}
		return fmt.Sprint(reply)
	}
}

// emptyOr translates a list that Redis leaves empty for an absent key.
func emptyOr(exists bool, format string, list func(any) string) func(any) string {
	return func(reply any) string {
		if !exists {
			return "not_found"
		}
		return fmt.Sprintf(format, list(reply))
	}
}
