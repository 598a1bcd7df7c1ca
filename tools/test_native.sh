#!/usr/bin/env bash
# test_native.sh PRESET [TARGET [PATTERN]]: builds and runs the native tests of a preset (of those, what TARGET builds
# and PATTERN names), or says why there are none.
set -euo pipefail
preset=$1
tools/configure.sh "$preset"
if ! grep -q '^GROMA_HAS_TESTS:INTERNAL=ON' "build/$preset/CMakeCache.txt"; then
  echo "native tests skipped: GoogleTest was not found (Debian: apt-get install libgtest-dev)"
  exit 0
fi
nice -n 10 tools/build.sh "$preset" "${2:-all}" # tests in a browser run beside it and wait for frames
log=build/$preset/ctest.log
if ctest --test-dir "build/$preset" --output-on-failure --parallel "$(nproc)" --no-tests=error ${2:+-E _NOT_BUILT} ${3:+-R "$3"} >"$log" 2>&1; then
  grep 'tests passed' "$log" | sed "s/^/native ($preset): /"
else
  grep -vE "^ *(Start [0-9]+:|[0-9]+/[0-9]+ Test .* Passed )" "$log"
  exit 1
fi
