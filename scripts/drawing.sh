#!/usr/bin/env bash
# drawing.sh: the packages whose tests draw random cases.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

go list -f '{{$p := .ImportPath}}{{range .TestImports}}{{if eq . "pgregory.net/rapid"}}{{$p}}{{"\n"}}{{end}}{{end}}{{range .XTestImports}}{{if eq . "pgregory.net/rapid"}}{{$p}}{{"\n"}}{{end}}{{end}}' ./... | sort -u
