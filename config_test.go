package main

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keypact/service"
)

// environment makes a getenv of a map.
func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestLoadDefaults(t *testing.T) {
	c, err := load(nil, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := service.Limits{}.WithDefaults()
	if c.Limits != want {
		t.Errorf("limits are %+v, want %+v", c.Limits, want)
	}
	if c.Addr != "127.0.0.1:8080" || c.Durability != "always" || c.Contracts != "" || c.Insecure || !c.GroupCommit {
		t.Errorf("defaults are %+v", c)
	}
}

func TestLoadPrecedence(t *testing.T) {
	env := environment(map[string]string{"KEYPACT_DATA": "from-env", "KEYPACT_DURABILITY": "none", "KEYPACT_CORS_ORIGINS": "https://a.test, http://b.test:8000"})
	c, err := load([]string{"--durability=interval", "-addr", "[::1]:0", "--insecure"}, env)
	if err != nil {
		t.Fatal(err)
	}
	if c.Data != "from-env" {
		t.Errorf("data is %q: the environment does not win over the default", c.Data)
	}
	if c.Durability != "interval" {
		t.Errorf("durability is %q: the flag does not win over the environment", c.Durability)
	}
	if c.Addr != "[::1]:0" || !c.Insecure {
		t.Errorf("addr %q, insecure %v", c.Addr, c.Insecure)
	}
	if want := []string{"https://a.test", "http://b.test:8000"}; !slices.Equal(c.CORSOrigins, want) {
		t.Errorf("origins are %q, want %q", c.CORSOrigins, want)
	}
}

func TestLoadListsEveryProblem(t *testing.T) {
	args := []string{"stray", "--addr", "nowhere", "--durability", "sometimes", "--datadir", "x", "--max-page", "0",
		"--max-body-bytes", "16MB", "--max-wait", "5", "--insecure=perhaps", "--data", "a", "--data", "b", "--cache"}
	_, err := load(args, environment(map[string]string{"KEYPACT_LOG_LEVEL": "loud", "KEYPACT_MAX_DEPTH": "1e3"}))
	var bad *ConfigError
	if !errors.As(err, &bad) {
		t.Fatalf("got %v, want a *ConfigError", err)
	}
	want := []string{
		`unexpected argument "stray"`,
		`--datadir: no such flag; did you mean --data?`,
		`--data: given twice`,
		`--cache: needs a value (SIZE)`,
		`--addr: "nowhere" is not HOST:PORT`,
		`--durability: "sometimes" is not one of always, interval, none`,
		`--insecure: "perhaps" is not true or false`,
		`KEYPACT_LOG_LEVEL: "loud" is not one of debug, info, warn, error`,
		`--max-body-bytes: "16MB" is not a size such as 4096, 64KiB, 16MiB or 1GiB`,
		`--max-page: 0 is not between 1 and 100000`,
		`KEYPACT_MAX_DEPTH: "1e3" is not a whole number`,
		`--max-wait: "5" is not a duration such as 500ms, 30s or 5m`,
	}
	if !reflect.DeepEqual(bad.Problems, want) {
		t.Errorf("problems are\n%s\nwant\n%s", strings.Join(bad.Problems, "\n"), strings.Join(want, "\n"))
	}
}

func TestLoadBindsBeyondLoopbackOnlyWhenTold(t *testing.T) {
	for addr, alone := range map[string]bool{
		"127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true, "localhost:1": true, "LOCALHOST:1": true,
		"0.0.0.0:1": false, ":1": false, "[::]:1": false, "192.168.1.5:1": false, "example.test:1": false,
		"localhost.example.test:1": false, "[::ffff:127.0.0.1]:1": true,
	} {
		_, err := load([]string{"--addr", addr}, environment(nil))
		if (err == nil) != alone {
			t.Errorf("%s without --insecure: %v", addr, err)
		}
		if _, err := load([]string{"--addr", addr, "--insecure"}, environment(nil)); err != nil {
			t.Errorf("%s with --insecure: %v", addr, err)
		}
	}
}

func TestLoadChecksSettingsAgainstEachOther(t *testing.T) {
	for _, args := range [][]string{
		{"--default-page", "500", "--max-page", "400"},
		{"--max-value-bytes", "2MiB", "--max-body-bytes", "1MiB"},
		{"--max-value-bytes", "8MiB"},
	} {
		if _, err := load(args, environment(nil)); err == nil {
			t.Errorf("%q were accepted", args)
		}
	}
}

func TestLoadParsers(t *testing.T) {
	for _, test := range []struct {
		args []string
		ok   bool
	}{
		{[]string{"--min-free", "0"}, true},
		{[]string{"--min-free", "1TiB"}, true},
		{[]string{"--min-free", "-1"}, false},
		{[]string{"--min-free", "9999999TiB"}, false},
		{[]string{"--addr", "127.0.0.1:65536"}, false},
		{[]string{"--addr", "127.0.0.1:http"}, false},
		{[]string{"--addr", "127.0.0.1:+80"}, false},
		{[]string{"--cors-origins", "*"}, true},
		{[]string{"--cors-origins", "https://a.test/"}, false},
		{[]string{"--cors-origins", "a.test"}, false},
		{[]string{"--cors-origins", "https://a.test,,"}, false},
		{[]string{"--data", ""}, false},
		{[]string{"--contracts", ""}, true},
		{[]string{"--group-commit", "false"}, true},
		{[]string{"--group-commit=0"}, true},
		{[]string{"-"}, false},
	} {
		if _, err := load(test.args, environment(nil)); (err == nil) != test.ok {
			t.Errorf("%q: %v", test.args, err)
		}
	}
}

func TestLoadHelp(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"--help"}, {"--addr", "x", "-help"}} {
		if _, err := load(args, environment(nil)); !errors.Is(err, errHelp) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("--addr\x00127.0.0.1:8080", "")
	f.Add("--max-page=7\x00--insecure", "1GiB")
	f.Fuzz(func(t *testing.T, line, env string) {
		c, err := load(strings.Split(line, "\x00"), func(string) string { return env })
		if err == nil && !c.Insecure && !loopback(c.Addr) {
			t.Errorf("%q binds to %s", line, c.Addr)
		}
	})
}
