// Keypact serves Redis's five data types over HTTP from a store on disk and
// enforces a contract per key pattern.
//
// This package reads the settings, joins the rooms (engine, store, service,
// doors) and runs them until a signal ends the process.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// version is set when the binary is linked.
var version = ""

func main() {
	os.Exit(run(os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// Exit codes. Anything but exitOK means that the command did not do its work.
const (
	exitOK     = 0
	exitFailed = 1 // while running
	exitUsage  = 2 // settings or arguments are wrong
)

// command is one word after the program's name.
type command struct {
	name, about string
	run         func(args []string, getenv func(string) string, stdout, stderr io.Writer) int
}

func commands() []command {
	return []command{
		{"serve", "run the service", runServe},
		{"health", "ask a running service whether it is ready (exit code 0 or 1)", runHealth},
		{"backup", "copy a store to a file while it is served", runBackup},
		{"restore", "make a store of backups", runRestore},
		{"verify", "look whether all records of a store fit together, and mend what can be", runVerify},
		{"contracts", "contracts lint FILE|DIR... : check files of contracts", runContracts},
		{"version", "print the version", runVersion},
	}
}

// run carries out one command line and returns the exit code.
func run(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		printUsage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		printUsage(stdout)
		return exitOK
	case "-version", "--version":
		args = []string{"version"}
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:], getenv, stdout, stderr)
		}
	}
	_, _ = fmt.Fprintf(stderr, "keypact: no command %q; see keypact --help\n", args[0])
	return exitUsage
}

func runVersion(_ []string, _ func(string) string, stdout, _ io.Writer) int {
	_, _ = fmt.Fprintf(stdout, "keypact %s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK
}

// versionText is the linked version, or else what the module system knows.
func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// refuse reports wrong settings, one line each, and returns exitUsage.
func refuse(command string, err error, stderr io.Writer) int {
	var config *ConfigError
	if errors.As(err, &config) && len(config.Problems) > 1 {
		_, _ = fmt.Fprintf(stderr, "keypact %s: %d settings are wrong\n", command, len(config.Problems))
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		_, _ = fmt.Fprintf(stderr, "keypact %s: %s\n", command, line)
	}
	return exitUsage
}
