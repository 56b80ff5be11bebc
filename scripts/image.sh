#!/usr/bin/env bash
# image.sh: builds the container image as keypact:VERSION with docker or, where
# that is missing, buildah. More arguments go to the build command, for example
#   scripts/image.sh --build-arg BUILDER=localhost/go --build-arg RUNTIME=scratch
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || echo dev)}
if docker info >/dev/null 2>&1; then
	exec docker build --build-arg "VERSION=$version" -t "keypact:$version" "$@" .
elif command -v buildah >/dev/null 2>&1; then
	exec buildah bud --format docker --build-arg "VERSION=$version" -t "keypact:$version" "$@" .
fi
echo "missing: a running docker, or buildah" >&2
exit 1
