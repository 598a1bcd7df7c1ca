#!/usr/bin/env bash
# build.sh PRESET [TARGET]: configures and builds build/PRESET, silent where nothing changed.
set -euo pipefail
tools/configure.sh "$1"
cmake --build "build/$1" --parallel "$(nproc)" --target "${2:-all}" -- --quiet | { grep -v '^ninja: no work' || true; }
