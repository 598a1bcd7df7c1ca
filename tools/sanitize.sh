#!/usr/bin/env bash
# sanitize.sh PRESET…: the native tests of each preset, under its sanitizer; those of the rooms mpi and hpcc under the
# default MPI.
set -euo pipefail
plain_addresses=()
IFS=$'\t' read -r _ GROMA_MPICXX GROMA_MPIEXEC < <(tools/mpis.sh) || true
export GROMA_MPICXX GROMA_MPIEXEC

# With more than 28 random address bits the thread sanitizer of gcc 12 finds no room for its shadow.
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ]; then
  if setarch -R true 2>/dev/null; then
    plain_addresses=(setarch -R)
  else
    echo "sanitize: addresses are randomised and setarch -R is not allowed; the thread sanitizer may not start" >&2
  fi
fi
# Not detect_stack_use_after_return: with it gcc 12 misaligns 64-byte vectors (GCC bug 110027).
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
# MPI and OpenBLAS are not built for sanitizers: what they do among themselves is not ours to judge.
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:ignore_noninstrumented_modules=1}
export PATH=$PATH:/usr/lib/llvm-19/bin # its llvm-symbolizer names the functions of a report
failed=0
for preset in "$@"; do
  "${plain_addresses[@]}" tools/test_native.sh "$preset" groma-tests || failed=1
done
exit "$failed"
