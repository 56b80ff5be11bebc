#!/usr/bin/env bash
# gofmt.sh: fails and names the files that gofmt would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bad=$(find . -name '*.go' -not -path './.git/*' -print0 | xargs -0 gofmt -s -l)
[ -z "$bad" ] && exit 0
echo "not gofmt'ed:" >&2
echo "$bad" >&2
exit 1
