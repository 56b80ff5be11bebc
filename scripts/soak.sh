#!/usr/bin/env bash
# soak.sh: the long forms. Kills the service a hundred times, runs each property
# test many more times than `make test` does, and every fuzz target for longer.
#   CRASH_ROUNDS, CHECKS and FUZZTIME set how long.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "== crash: ${CRASH_ROUNDS:=100} rounds"
KEYPACT_CRASH_ROUNDS=$CRASH_ROUNDS go test -count=1 -timeout 4h -run '^TestCrash$' -v .

echo "== properties: ${CHECKS:=20000} checks each"
scripts/drawing.sh | while read -r package; do
	go test -count=1 -timeout 4h "$package" -rapid.checks "$CHECKS"
done

echo "== beside redis: a million operations, a new seed"
KEYPACT_REDIS_OPERATIONS=${OPERATIONS:-1000000} go test -count=1 -timeout 4h -run '^TestBesideRedis$' -v ./service/servicetest

FUZZTIME=${FUZZTIME:-5m} scripts/fuzz.sh
