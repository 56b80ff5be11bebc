#!/usr/bin/env bash
# test.sh: every test with the race detector. What the tests start, they stop;
# a process of theirs that is still there afterwards fails the run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v "${CC:-gcc}" >/dev/null 2>&1 && ! command -v clang >/dev/null 2>&1; then
	echo "missing: a C compiler (the race detector needs cgo); install gcc" >&2
	exit 1
fi

# All that the run starts inherits this variable, so that leftovers can be told
# from processes of others.
export KEYPACT_TEST_RUN="$$-$(date +%s)"
status=0
CGO_ENABLED=1 go test -race -count=1 -timeout 14m "$@" ./... || status=$?

left=$(grep -lsz "^KEYPACT_TEST_RUN=$KEYPACT_TEST_RUN\$" /proc/[0-9]*/environ 2>/dev/null |
	cut -d/ -f3 | grep -vx "$$" || true)
for pid in $left; do
	name=$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null || true)
	case $name in "" | grep* | cut* | *scripts/test.sh*) continue ;; esac
	echo "left running by a test: $pid $name" >&2
	status=1
done
exit "$status"
