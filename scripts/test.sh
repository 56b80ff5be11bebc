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
# Random tests draw the same cases in every run, so that a red run is about the
# change at hand; make soak draws new ones.
export KEYPACT_REDIS_SEED=${KEYPACT_REDIS_SEED:-1}
status=0
mapfile -t packages < <(go list ./...)
mapfile -t drawing < <(scripts/drawing.sh)
mapfile -t others < <(printf '%s\n' "${packages[@]}" | grep -vxF "$(printf '%s\n' "${drawing[@]}")")
export CGO_ENABLED=1
go test -race -count=1 -timeout 14m "$@" "${others[@]}" || status=$?
go test -race -count=1 -timeout 14m "$@" "${drawing[@]}" -rapid.seed=1 -rapid.nofailfile || status=$?

# leftovers prints the processes of this run that are still there.
leftovers() {
	grep -lsz "^KEYPACT_TEST_RUN=$KEYPACT_TEST_RUN\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 |
		while read -r pid; do
			name=$({ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null || true)
			case $name in "" | grep* | cut* | *scripts/test.sh*) continue ;; esac
			echo "$pid $name"
		done || true
}

# What was told to end gets a moment to do so.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	left=$(leftovers)
	[ -n "$left" ] || exit "$status"
	sleep 1
done
echo "left running by a test:" >&2
echo "$left" >&2
exit 1
