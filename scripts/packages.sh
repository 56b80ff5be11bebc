#!/usr/bin/env bash
# packages.sh NAME...: makes sure that these Debian packages are installed.
# As root, or with sudo that asks nothing, it installs what is missing;
# otherwise it says what is missing and fails.
set -euo pipefail

missing=()
for name in "$@"; do
	if command -v dpkg-query >/dev/null 2>&1; then
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
	elif ! command -v "$name" >/dev/null 2>&1; then
		missing+=("$name")
	fi
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	as_root=(sudo -n)
	if ! sudo -n true 2>/dev/null; then as_root=(); fi
fi
if ! command -v apt-get >/dev/null 2>&1 || { [ "$(id -u)" -ne 0 ] && [ ${#as_root[@]} -eq 0 ]; }; then
	echo "missing: ${missing[*]}" >&2
	echo "install these packages, or run this as root (or with passwordless sudo) on Debian" >&2
	exit 1
fi

# A freshly installed server must not start by itself: tests and benchmarks
# start their own, on loopback, and stop them. Where no policy stands yet, one
# that says no stands while we install.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
	printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
	"${as_root[@]}" chmod 755 "$policy"
	trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi

echo "installing: ${missing[*]}"
get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=2 -o DPkg::Lock::Timeout=60)
log=$(mktemp)
if ! timeout 120 "${get[@]}" update >"$log" 2>&1 ||
	! timeout 420 "${get[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
	tail -n 30 "$log" >&2
	echo "could not install: ${missing[*]}" >&2
	rm -f "$log"
	exit 1
fi
rm -f "$log"
