package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"keypact/contracts"
)

// maxContractBytes bounds one file of contracts.
const maxContractBytes = 8 << 20

// loadContracts reads the set from a file, or from the .yaml and .yml files of
// a folder. An empty path is the empty set. It is all or nothing: problems in
// the files come as a *contracts.LoadError, each with file, line and column.
func loadContracts(path string) (*contracts.Set, error) {
	if path == "" {
		return contracts.Empty(), nil
	}
	sources, err := contractSources(path)
	if err != nil {
		return nil, err
	}
	return contracts.Parse(sources...)
}

// contractSources reads the files that path stands for.
func contractSources(path string) ([]contracts.Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read contracts: %w", err)
	}
	names := []string{path}
	if info.IsDir() {
		if names, err = contractFiles(path); err != nil {
			return nil, err
		}
	}
	sources := make([]contracts.Source, 0, len(names))
	for _, name := range names {
		data, err := readContractFile(name)
		if err != nil {
			return nil, fmt.Errorf("read contracts: %w", err)
		}
		sources = append(sources, contracts.Source{Name: name, Data: data})
	}
	return sources, nil
}

// contractFiles lists the contract files of a folder, hidden ones left out. A
// folder without any is an error: the empty set must be asked for.
func contractFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read contracts: %w", err)
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name)) && !strings.HasPrefix(name, ".") && !entry.IsDir() {
			names = append(names, filepath.Join(dir, name))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("read contracts: no .yaml or .yml file in %s", dir)
	}
	return names, nil
}

func readContractFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxContractBytes+1))
	if err == nil && len(data) > maxContractBytes {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxContractBytes)
	}
	return data, err
}

const lintUsage = `Usage:
  keypact contracts lint FILE|DIR...

Checks contracts as the service would load them, all files together, then
looks for what loads but is probably not meant. Exit code 1 if the set does not
load or a finding is an error; warnings alone leave it at 0.
`

// runContracts carries out keypact contracts lint.
func runContracts(args []string, _ func(string) string, stdout, stderr io.Writer) int {
	help := slices.ContainsFunc(args, func(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" })
	if help {
		_, _ = fmt.Fprint(stdout, lintUsage)
		return exitOK
	}
	if len(args) < 2 || args[0] != "lint" {
		_, _ = fmt.Fprint(stderr, lintUsage)
		return exitUsage
	}
	set, err := lintSources(args[1:])
	if err != nil {
		var bad *contracts.LoadError
		if errors.As(err, &bad) {
			_, _ = fmt.Fprintln(stdout, bad)
		} else {
			_, _ = fmt.Fprintf(stderr, "keypact contracts lint: %v\n", err)
		}
		return exitFailed
	}
	findings := contracts.Lint(set)
	code := exitOK
	for _, finding := range findings {
		_, _ = fmt.Fprintln(stdout, finding)
		if finding.Severity == contracts.SeverityError {
			code = exitFailed
		}
	}
	_, _ = fmt.Fprintf(stdout, "%d contracts, %d findings\n", len(set.Contracts()), len(findings))
	return code
}

func lintSources(paths []string) (*contracts.Set, error) {
	var sources []contracts.Source
	for _, path := range paths {
		more, err := contractSources(path)
		if err != nil {
			return nil, err
		}
		sources = append(sources, more...)
	}
	return contracts.Parse(sources...)
}
