package main

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"keypact/service"
)

// Config is everything that can be set from outside. One value of it is made at
// the start; nothing else reads flags or the environment.
type Config struct {
	Addr       string
	RESP       string
	Data       string
	Contracts  string
	Durability string
	Insecure   bool

	CORSOrigins []string
	LogLevel    string
	LogFormat   string

	SyncInterval    time.Duration
	GroupCommit     bool
	MinFree         int64
	Memory          int64
	Memtable        int64
	Cache           int64
	Maintenance     time.Duration
	ReadTimeout     time.Duration
	ShutdownTimeout time.Duration
	Connections     int
	ScriptTime      time.Duration
	Limits          service.Limits

	Copy   copyConfig   // of backup and restore
	Verify verifyConfig // of verify
}

// ConfigError lists everything that is wrong with the settings.
type ConfigError struct {
	Problems []string
}

// Error writes one line per problem.
func (e *ConfigError) Error() string { return strings.Join(e.Problems, "\n") }

// errHelp says that the arguments ask for the help text.
var errHelp = errors.New("help asked for")

// load reads the settings of serve: a flag wins over its environment variable,
// which wins over the default. It checks all of them and returns every problem
// at once as a *ConfigError, or errHelp.
func load(args []string, getenv func(string) string) (Config, error) {
	var c Config
	problems, err := read(settings, args, getenv, &c)
	if err != nil {
		return Config{}, err
	}
	if len(problems) == 0 {
		problems = c.check()
	}
	if len(problems) > 0 {
		return Config{}, &ConfigError{Problems: problems}
	}
	return c, nil
}

// read fills c from arguments and environment and returns what is wrong.
func read(list []setting, args []string, getenv func(string) string, c *Config) ([]string, error) {
	given, problems, err := parseArguments(list, args)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		texts, from := []string{s.fallback}, "default of --"+s.name
		if env := getenv(s.env()); env != "" {
			texts, from = []string{env}, s.env()
		}
		if flags, ok := given[s.name]; ok {
			texts, from = flags, "--"+s.name
		}
		for _, text := range texts {
			if err := s.set(c, text); err != nil {
				problems = append(problems, fmt.Sprintf("%s: %v", from, err))
			}
		}
	}
	return problems, nil
}

// parseArguments reads --name value, --name=value and, for a switch, --name. A
// single dash does as well. It goes on after a mistake to find the next.
func parseArguments(list []setting, args []string) (map[string][]string, []string, error) {
	given := make(map[string][]string)
	var problems []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "-h" || arg == "--help" || arg == "-help" {
			return nil, nil, errHelp
		}
		name, ok := strings.CutPrefix(arg, "-")
		if !ok || name == "" {
			problems = append(problems, fmt.Sprintf("unexpected argument %q", arg))
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		s, known := find(list, name)
		switch {
		case !known:
			problems = append(problems, unknownFlag(list, name))
			if !hasValue && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
				args = args[1:] // its value, most likely
			}
			continue
		case hasValue:
		case s.switches():
			value = "true"
		case len(args) == 0:
			problems = append(problems, fmt.Sprintf("--%s: needs a value (%s)", name, s.arg))
			continue
		default:
			value, args = args[0], args[1:]
		}
		if _, twice := given[name]; twice && !s.repeats() {
			problems = append(problems, fmt.Sprintf("--%s: given twice", name))
		}
		given[name] = append(given[name], value)
	}
	return given, problems, nil
}

func find(list []setting, name string) (setting, bool) {
	for _, s := range list {
		if s.name == name {
			return s, true
		}
	}
	return setting{}, false
}

func unknownFlag(list []setting, name string) string {
	for _, s := range list {
		if strings.HasPrefix(s.name, name) || strings.HasPrefix(name, s.name) ||
			strings.ReplaceAll(s.name, "-", "") == strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", "") {
			return fmt.Sprintf("--%s: no such flag; did you mean --%s?", name, s.name)
		}
	}
	return fmt.Sprintf("--%s: no such flag", name)
}

// check judges settings against each other.
func (c Config) check() []string {
	var problems []string
	open := func(name, addr string) {
		if addr != "" && !c.Insecure && !loopback(addr) {
			problems = append(problems, fmt.Sprintf("--%s: %s can be reached from other machines and there is no "+
				"access control yet; bind to 127.0.0.1, or say --insecure if something in front guards it", name, addr))
		}
	}
	open("addr", c.Addr)
	open("resp", c.RESP)
	at := func(low, high int, lowName, highName string) {
		if low > high {
			problems = append(problems, fmt.Sprintf("--%s: %d is more than --%s, which is %d", lowName, low, highName, high))
		}
	}
	l := c.Limits
	at(l.DefaultPage, l.PageSize, "default-page", "max-page")
	at(l.KeyBytes, l.HeaderBytes, "max-key-bytes", "max-header-bytes")
	at(l.ValueBytes, int(l.BodyBytes), "max-value-bytes", "max-body-bytes")
	at(l.ValueBytes+valueOverhead, l.OpBytes, "max-value-bytes plus 64KiB of overhead", "max-operation-bytes")
	return problems
}

// valueOverhead is what a value's record may take besides the value.
const valueOverhead = 64 << 10

// loopback reports whether only this machine can reach the address. A name
// other than localhost may resolve to anything, so it cannot.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
