#!/usr/bin/env bash
# test_native.sh PRESET: builds and runs the native tests of a preset, or says why there are none.
set -euo pipefail
preset=$1
tools/configure.sh "$preset"
if ! grep -q '^GROMA_HAS_TESTS:INTERNAL=ON' "build/$preset/CMakeCache.txt"; then
  echo "native tests skipped: GoogleTest was not found (Debian: apt-get install libgtest-dev)"
  exit 0
fi
cmake --build "build/$preset" --parallel "$(nproc)" -- --quiet
ctest --test-dir "build/$preset" --output-on-failure --parallel "$(nproc)" --quiet ||
  exec ctest --test-dir "build/$preset" --rerun-failed --output-on-failure
