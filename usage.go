package main

import (
	"fmt"
	"io"
	"strings"
)

// printUsage is the answer to keypact --help.
func printUsage(w io.Writer) {
	_, _ = fmt.Fprint(w, `Keypact: Redis's five data types over HTTP, on disk, under contracts.

Usage:
  keypact COMMAND [flags]

Commands:
`)
	for _, c := range subcommands() {
		_, _ = fmt.Fprintf(w, "  %-10s %s\n", c.name, c.about)
	}
	_, _ = fmt.Fprint(w, `
Start here:
  keypact serve --data ./data --contracts contracts.yaml
  keypact serve --help
`)
}

// printServeHelp is the answer to keypact serve --help.
func printServeHelp(w io.Writer) {
	_, _ = fmt.Fprint(w, `Usage:
  keypact serve [flags]

Each flag can also be given as an environment variable: --cors-origins is
KEYPACT_CORS_ORIGINS. A flag wins. All settings are checked before anything
starts. SIGHUP reads the contracts again, SIGTERM and SIGINT end the service
after the requests in flight.

Flags:
`)
	printSettings(w, settings, func(s setting) bool { return !s.limit() })
	_, _ = fmt.Fprint(w, "\nLimits, past which a request is refused:\n")
	printSettings(w, settings, setting.limit)
}

// limit says that the setting is one of Config.Limits.
func (s setting) limit() bool { return strings.HasPrefix(s.name, "max-") || s.name == "default-page" }

func printSettings(w io.Writer, list []setting, want func(setting) bool) {
	for _, s := range list {
		if !want(s) {
			continue
		}
		flag := strings.TrimRight("--"+s.name+" "+s.arg, " ")
		fallback := ""
		if s.fallback != "" && !s.switches() {
			fallback = " (default " + s.fallback + ")"
		}
		_, _ = fmt.Fprintf(w, "  %-28s %s%s\n", flag, s.about, fallback)
	}
}
