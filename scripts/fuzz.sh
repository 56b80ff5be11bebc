#!/usr/bin/env bash
# fuzz.sh: runs every fuzz target of the module, one after another, each for
# FUZZTIME. Stops at the first finding.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

time=${FUZZTIME:-30s}
go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | while read -r package; do
	go test -list '^Fuzz' "$package" | { grep '^Fuzz' || true; } | while read -r target; do
		echo "== $package $target ($time)"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
	done
done
