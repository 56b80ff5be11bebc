package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// parameter is one row of the table of parameters.
type parameter struct {
	name, other string // other is the second name that some have
	value       string // to start with
	kind        kind   // nil cannot be changed
}

// kind reads a new value and returns the form it is kept in, or what is wrong
// with it in the words of Redis.
type kind func(value string) (kept, fault string)

// check reads a new value.
func (p *parameter) check(value string) (kept, fault string) {
	if p.kind == nil {
		return value, ""
	}
	return p.kind(value)
}

// parameters are those of Redis 7.0 that clients ask for. Their meaning, where
// they have one here: notify-keyspace-events acts as in Redis; the thresholds of
// encodings decide what OBJECT ENCODING says; all others are only kept.
var parameters = []*parameter{
	{name: notifyParameter, value: "", kind: eventClasses},
	{name: "proto-max-bulk-len", value: "536870912", kind: memory(1 << 20)},
	{name: "hash-max-listpack-entries", other: "hash-max-ziplist-entries", value: "512", kind: anySize},
	{name: "hash-max-listpack-value", other: "hash-max-ziplist-value", value: "64", kind: memory(0)},
	{name: "set-max-intset-entries", value: "512", kind: anySize},
	{name: "zset-max-listpack-entries", other: "zset-max-ziplist-entries", value: "128", kind: anySize},
	{name: "zset-max-listpack-value", other: "zset-max-ziplist-value", value: "64", kind: memory(0)},
	{name: "list-max-listpack-size", other: "list-max-ziplist-size", value: "-2", kind: whole(math.MinInt32, math.MaxInt32)},
	{name: "list-compress-depth", value: "0", kind: whole(0, math.MaxInt32)},
	{name: "stream-node-max-bytes", value: "4096", kind: memory(0)},
	{name: "stream-node-max-entries", value: "100", kind: anySize},
	{name: "hll-sparse-max-bytes", value: "3000", kind: memory(0)},

	{name: "save", value: "", kind: savePoints},
	{name: "appendonly", value: "no", kind: yesNo},
	{name: "appendfsync", value: "always", kind: oneOf("everysec", "always", "no")},
	{name: "rdb-key-save-delay", value: "0", kind: whole(math.MinInt32, math.MaxInt32)},
	{name: "key-load-delay", value: "0", kind: whole(math.MinInt32, math.MaxInt32)},
	{name: "sanitize-dump-payload", value: "no", kind: oneOf("no", "yes", "clients")},
	{name: "maxmemory", value: "0", kind: memory(0)},
	{name: "maxmemory-policy", value: "noeviction", kind: oneOf("volatile-lru", "volatile-lfu", "volatile-random",
		"volatile-ttl", "allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction")},
	{name: "maxmemory-samples", value: "5", kind: whole(1, math.MaxInt32)},
	{name: "maxmemory-clients", value: "0", kind: memory(0)},
	{name: "client-query-buffer-limit", value: "1073741824", kind: memory(1 << 20)},
	{name: "client-output-buffer-limit", value: "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", kind: anyText},
	{name: "busy-reply-threshold", other: "lua-time-limit", value: "5000", kind: anySize},
	{name: "min-replicas-to-write", other: "min-slaves-to-write", value: "0", kind: whole(0, math.MaxInt32)},
	{name: "min-replicas-max-lag", other: "min-slaves-max-lag", value: "10", kind: whole(0, math.MaxInt32)},
	{name: "replica-serve-stale-data", other: "slave-serve-stale-data", value: "yes", kind: yesNo},
	{name: "replica-read-only", other: "slave-read-only", value: "yes", kind: yesNo},
	{name: "repl-backlog-size", value: "1048576", kind: memory(1)},
	{name: "timeout", value: "0", kind: whole(0, math.MaxInt32)},
	{name: "tcp-keepalive", value: "300", kind: whole(0, math.MaxInt32)},
	{name: "hz", value: "10", kind: whole(0, math.MaxInt32)},
	{name: "loglevel", value: "notice", kind: oneOf("debug", "verbose", "notice", "warning")},
	{name: "slowlog-log-slower-than", value: "-1", kind: whole(-1, math.MaxInt64)},
	{name: "slowlog-max-len", value: "128", kind: anySize},
	{name: "latency-monitor-threshold", value: "0", kind: anySize},
	{name: "latency-tracking", value: "yes", kind: yesNo},
	{name: "lfu-log-factor", value: "10", kind: whole(0, math.MaxInt32)},
	{name: "lfu-decay-time", value: "1", kind: whole(0, math.MaxInt32)},
	{name: "lazyfree-lazy-eviction", value: "yes", kind: yesNo},
	{name: "lazyfree-lazy-expire", value: "yes", kind: yesNo},
	{name: "lazyfree-lazy-server-del", value: "yes", kind: yesNo},
	{name: "lazyfree-lazy-user-del", value: "yes", kind: yesNo},
	{name: "lazyfree-lazy-user-flush", value: "yes", kind: yesNo},
	{name: "activedefrag", value: "no", kind: yesNo},
	{name: "activerehashing", value: "yes", kind: yesNo},
	{name: "tracking-table-max-keys", value: "1000000", kind: anySize},

	{name: "databases", value: strconv.Itoa(databases)},
	{name: "maxclients", value: "10000"},
	{name: "cluster-enabled", value: "no"},
	{name: "port", value: "0"},
	{name: "bind", value: ""},
	{name: "unixsocket", value: ""},
	{name: "dir", value: ""},
	{name: "dbfilename", value: ""},
	{name: "requirepass", value: ""},
	{name: "enable-debug-command", value: "yes"},
}

// findParameter finds a row by either of its names, in small letters.
func findParameter(name string) *parameter {
	for _, p := range parameters {
		if p.name == name || p.other == name && name != "" {
			return p
		}
	}
	return nil
}

var anySize = whole(0, math.MaxInt64)

// whole is a kind of whole numbers, the ends included.
func whole(least, most int64) kind {
	return func(value string) (string, string) {
		n, err := parseInt([]byte(value))
		switch {
		case err != nil:
			return "", "argument couldn't be parsed into an integer"
		case n < least || n > most:
			return "", fmt.Sprintf("argument must be between %d and %d inclusive", least, most)
		}
		return value, ""
	}
}

// memory is a kind of sizes in bytes, which may have a unit: k is 1000, kb is
// 1024, and so on.
func memory(least int64) kind {
	units := []struct {
		name   string
		factor int64
	}{
		{"kb", 1 << 10}, {"mb", 1 << 20}, {"gb", 1 << 30}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"b", 1}, {"", 1},
	}
	return func(value string) (string, string) {
		text, factor := strings.ToLower(value), int64(1)
		for _, unit := range units {
			if digits, ok := strings.CutSuffix(text, unit.name); ok {
				text, factor = digits, unit.factor
				break
			}
		}
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil || n > uint64(math.MaxInt64/factor) {
			return "", "argument must be a memory value"
		}
		size := int64(n) * factor
		if size < least {
			return "", fmt.Sprintf("argument must be between %d and %d inclusive", least, int64(math.MaxInt64))
		}
		return strconv.FormatInt(size, 10), ""
	}
}

func yesNo(value string) (string, string) {
	if value = strings.ToLower(value); value != "yes" && value != "no" {
		return "", "argument must be 'yes' or 'no'"
	}
	return value, ""
}

func anyText(value string) (string, string) { return value, "" }

// oneOf is a kind of words.
func oneOf(words ...string) kind {
	return func(value string) (string, string) {
		for _, word := range words {
			if strings.EqualFold(word, value) {
				return word, ""
			}
		}
		return "", "argument(s) must be one of the following: " + strings.Join(words, ", ")
	}
}

// savePoints reads pairs of seconds and changes; none are allowed.
func savePoints(value string) (string, string) {
	words := strings.Fields(value)
	fault := ""
	if len(words)%2 != 0 {
		fault = "Invalid save parameters"
	}
	for i, word := range words {
		n, err := parseInt([]byte(word))
		if err != nil || n < 0 || n == 0 && i%2 == 0 {
			fault = "Invalid save parameters"
		}
	}
	return strings.Join(words, " "), fault
}

// eventClasses reads the letters of notify-keyspace-events.
func eventClasses(value string) (string, string) {
	classes, ok := parseClasses(value)
	if !ok {
		return "", "Invalid event class character. Use 'Ag$lshzxeKEtmdn'."
	}
	return classes.String(), ""
}
