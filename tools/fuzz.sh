#!/usr/bin/env bash
# fuzz.sh [SECONDS]: feeds mutations of traces and of logs to what reads and replays them, under the address and undefined
# behaviour sanitizers, for so long each. The input of a failure is kept in build/asan/native/groma-fuzz-NAME.input.
set -euo pipefail
seconds=${1:-60}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=0:quarantine_size_mb=16}
export PATH=$PATH:/usr/lib/llvm-19/bin # its llvm-symbolizer names the functions of a report
tools/configure.sh asan
tools/build.sh asan groma-fuzz
build/asan/native/groma-fuzz-prv "$seconds" "$RANDOM" tests/data/traces/*.prv
build/asan/native/groma-fuzz-logs "$seconds" "$RANDOM"
build/asan/native/groma-fuzz-replay "$seconds" "$RANDOM" tests/data/traces/*.prv
build/asan/native/groma-fuzz-actions "$seconds" "$RANDOM" tests/data/traces/*.txt tests/data/traces/smpi/*/*.txt
