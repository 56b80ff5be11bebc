package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// setting is one flag and its environment variable.
type setting struct {
	name     string
	arg      string // what stands for its value in the help; empty for a switch
	fallback string
	about    string
	set      func(c *Config, text string) error
}

// env is the environment variable of the same meaning.
func (s setting) env() string {
	return "KEYPACT_" + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

func (s setting) switches() bool { return s.arg == "" }

// repeats says that the flag may be given many times; each is set in turn.
func (s setting) repeats() bool { return strings.HasSuffix(s.arg, "...") }

// settings are all flags of serve, in the order of the help and of the README.
var settings = []setting{
	addrSetting,
	{"resp", "HOST:PORT", "", "address for Redis clients; none if empty; beyond loopback only with --insecure",
		into(func(c *Config) *string { return &c.RESP }, hostPortOrNone)},
	{"data", "DIR", "data", "directory of the store; created if missing",
		into(func(c *Config) *string { return &c.Data }, notEmpty)},
	{"contracts", "FILE|DIR", "", "contracts to enforce; none if empty; read again on SIGHUP",
		into(func(c *Config) *string { return &c.Contracts }, anyText)},
	{"durability", "MODE", "always", "when a write is answered: always (after the sync), interval or none",
		into(func(c *Config) *string { return &c.Durability }, oneOf("always", "interval", "none"))},
	{"insecure", "", "false", "allow an address that other machines can reach, without access control",
		into(func(c *Config) *bool { return &c.Insecure }, yesOrNo)},
	{"cors-origins", "ORIGINS", "", "origins whose pages may call, separated by commas, or *; none if empty",
		into(func(c *Config) *[]string { return &c.CORSOrigins }, origins)},
	{"log-level", "LEVEL", "info", "debug, info (every request), warn or error",
		into(func(c *Config) *string { return &c.LogLevel }, oneOf("debug", "info", "warn", "error"))},
	{"log-format", "FORMAT", "text", "text or json, on standard error",
		into(func(c *Config) *string { return &c.LogFormat }, oneOf("text", "json"))},
	{"sync-interval", "DURATION", "1s", "pause between syncs under durability interval",
		into(func(c *Config) *time.Duration { return &c.SyncInterval }, duration(time.Millisecond, time.Hour))},
	{"group-commit", "BOOL", "true", "let waiting writes share one sync; false is for measuring",
		into(func(c *Config) *bool { return &c.GroupCommit }, yesOrNo)},
	{"min-free", "SIZE", "256MiB", "free disk space below which writes are refused; 0 checks nothing",
		into(func(c *Config) *int64 { return &c.MinFree }, size64(0, 1<<50))},
	{"memory", "SIZE", "512MiB", "memory to keep to, beside the file system's cache; tables and caches are sized by it",
		into(func(c *Config) *int64 { return &c.Memory }, size64(leastMemory, 1<<40))},
	memtableSetting,
	{"cache", "SIZE", "0", "cache of blocks read from disk; 0 takes a part of --memory",
		into(func(c *Config) *int64 { return &c.Cache }, zeroOr(size64(1<<20, 1<<40)))},
	{"maintenance-interval", "DURATION", "30s", "pause between looks for space that deleted data still takes; 0 never looks",
		into(func(c *Config) *time.Duration { return &c.Maintenance }, zeroOr(duration(time.Second, 24*time.Hour)))},
	{"read-timeout", "DURATION", "1m", "time in which a request body must arrive",
		into(func(c *Config) *time.Duration { return &c.ReadTimeout }, duration(time.Second, time.Hour))},
	{"shutdown-timeout", "DURATION", "30s", "time that requests in flight get at the end",
		into(func(c *Config) *time.Duration { return &c.ShutdownTimeout }, duration(time.Second, time.Hour))},
	{"max-key-bytes", "SIZE", "1024", "a key",
		into(func(c *Config) *int { return &c.Limits.KeyBytes }, size(1, 1024))},
	{"max-field-bytes", "SIZE", "4KiB", "a field or a member",
		into(func(c *Config) *int { return &c.Limits.FieldBytes }, size(1, 4<<10))},
	{"max-value-bytes", "SIZE", "8128KiB", "a value or a list element",
		into(func(c *Config) *int { return &c.Limits.ValueBytes }, size(1, 64<<20))},
	{"max-body-bytes", "SIZE", "16MiB", "a request body",
		into(func(c *Config) *int64 { return &c.Limits.BodyBytes }, size64(1<<10, 256<<20))},
	{"max-header-bytes", "SIZE", "64KiB", "request line and headers",
		into(func(c *Config) *int { return &c.Limits.HeaderBytes }, size(4<<10, 1<<20))},
	{"max-operation-bytes", "SIZE", "8MiB", "what one operation writes",
		into(func(c *Config) *int { return &c.Limits.OpBytes }, size(1<<20, 64<<20))},
	{"max-operation-writes", "COUNT", "50000", "records one operation writes",
		into(func(c *Config) *int { return &c.Limits.OpWrites }, count(1_000, 1_000_000))},
	{"max-batch", "COUNT", "10000", "operations of one batch",
		into(func(c *Config) *int { return &c.Limits.BatchOperations }, count(1, 100_000))},
	{"max-page", "COUNT", "1000", "elements on a page",
		into(func(c *Config) *int { return &c.Limits.PageSize }, count(1, 100_000))},
	{"default-page", "COUNT", "100", "elements on a page that names no limit",
		into(func(c *Config) *int { return &c.Limits.DefaultPage }, count(1, 100_000))},
	{"max-result", "COUNT", "100000", "elements of a whole value or of set algebra",
		into(func(c *Config) *int { return &c.Limits.Result }, count(1, 10_000_000))},
	{"max-depth", "COUNT", "32", "nesting of a JSON body",
		into(func(c *Config) *int { return &c.Limits.Depth }, count(4, 1000))},
	{"max-wait", "DURATION", "5m", "wait of a blocking pop",
		into(func(c *Config) *time.Duration { return &c.Limits.Wait }, duration(time.Second, 24*time.Hour))},
	{"max-script-time", "DURATION", "5s", "run of a script, after which it is undone",
		into(func(c *Config) *time.Duration { return &c.ScriptTime }, duration(time.Millisecond, time.Hour))},
	{"max-connections", "COUNT", "10000", "open connections; more wait to be accepted",
		into(func(c *Config) *int { return &c.Connections }, count(1, 1_000_000))},
}

// addrSetting stands alone because health takes it too.
var addrSetting = setting{"addr", "HOST:PORT", "127.0.0.1:8080", "address to listen on; beyond loopback only with --insecure",
	into(func(c *Config) *string { return &c.Addr }, hostPort)}

// memtableSetting is taken by whoever opens a store.
var memtableSetting = setting{"memtable", "SIZE", "0", "size of one in-memory table, of which there are two; 0 takes a part of --memory",
	into(func(c *Config) *int64 { return &c.Memtable }, zeroOr(size64(4<<20, 4<<30)))}

// into makes a setter of a parser and the place for its result.
func into[T any](field func(*Config) *T, parse func(string) (T, error)) func(*Config, string) error {
	return func(c *Config, text string) error {
		value, err := parse(text)
		if err == nil {
			*field(c) = value
		}
		return err
	}
}

// zeroOr lets 0 pass a parser that would refuse it.
func zeroOr[T any](parse func(string) (T, error)) func(string) (T, error) {
	return func(text string) (value T, err error) {
		if text == "0" {
			return value, nil
		}
		return parse(text)
	}
}

func anyText(text string) (string, error) { return text, nil }

func notEmpty(text string) (string, error) {
	if text == "" {
		return "", errors.New("must not be empty")
	}
	return text, nil
}

func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		for _, word := range words {
			if text == word {
				return word, nil
			}
		}
		return "", fmt.Errorf("%q is not one of %s", text, strings.Join(words, ", "))
	}
}

func yesOrNo(text string) (bool, error) {
	value, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is not true or false", text)
	}
	return value, nil
}

func hostPort(text string) (string, error) {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("%q is not HOST:PORT", text)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("port %q is not a number up to 65535", port)
	} else if strconv.FormatUint(n, 10) != port {
		return "", fmt.Errorf("port %q is not a plain number", port)
	}
	return text, nil
}

func hostPortOrNone(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return hostPort(text)
}

func count(least, most int) func(string) (int, error) {
	return func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0, fmt.Errorf("%q is not a whole number", text)
		}
		if n < least || n > most {
			return 0, fmt.Errorf("%d is not between %d and %d", n, least, most)
		}
		return n, nil
	}
}

// units of sizes; a size without one is in bytes.
var units = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}

func size64(least, most int64) func(string) (int64, error) {
	return func(text string) (int64, error) {
		digits, unit := text, int64(1)
		for _, u := range units {
			if rest, ok := strings.CutSuffix(text, u.name); ok {
				digits, unit = rest, u.bytes
			}
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%q is not a size such as 4096, 64KiB, 16MiB or 1GiB", text)
		}
		if n > most/unit || n*unit < least {
			return 0, fmt.Errorf("%s is not between %d and %d bytes", text, least, most)
		}
		return n * unit, nil
	}
}

func size(least, most int64) func(string) (int, error) {
	parse := size64(least, most)
	return func(text string) (int, error) {
		n, err := parse(text)
		return int(n), err
	}
}

func duration(least, most time.Duration) func(string) (time.Duration, error) {
	return func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration such as 500ms, 30s or 5m", text)
		}
		if d < least || d > most {
			return 0, fmt.Errorf("%v is not between %v and %v", d, least, most)
		}
		return d, nil
	}
}

// origins reads a list of web origins, or the star for all.
func origins(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var list []string
	for _, origin := range strings.Split(text, ",") {
		origin = strings.TrimSpace(origin)
		u, err := url.Parse(origin)
		plain := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && origin == u.Scheme+"://"+u.Host
		if origin != "*" && !plain {
			return nil, fmt.Errorf("%q is not an origin such as https://app.example.com", origin)
		}
		list = append(list, origin)
	}
	return list, nil
}
