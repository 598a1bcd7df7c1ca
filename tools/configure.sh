#!/usr/bin/env bash
# configure.sh PRESET: configures build/PRESET with Ninja unless that is done already. A tree is laid anew
# when it was left half done, or the CMake it was made with is gone (it may have lain in a removed .venv). Where CI is
# set, warnings are errors. Trees of sanitizers are compiled by Clang where it is there with their libraries, unless CXX
# says otherwise.
set -euo pipefail
preset=$1
tree=build/$preset
tools/made.sh claim "$tree"
new_packages() { # the tree `default` uses none of those that `make setup` adds for MPI
  find build/.done -name 'system*' ! -name "$([ "$preset" != default ] || echo system)" -newer "$tree/build.ninja" 2>/dev/null
}
cached() { sed -n "s/^$1:[A-Z]*=//p" "$tree/CMakeCache.txt" 2>/dev/null; }

clang_with_sanitizers() {
  local one
  for one in address,undefined thread; do
    clang++-19 -fsanitize=$one -x c++ -o /dev/null - <<<'#include <string>
int main() {}' 2>/dev/null || return 1
  done
}

if [ -f "$tree/build.ninja" ] && [ -x "$(cached CMAKE_COMMAND)" ] && [ -x "$(cached CMAKE_MAKE_PROGRAM)" ] &&
  [ "$tree/build.ninja" -nt CMakePresets.json ] && [ -z "$(new_packages)" ]; then
  exit 0
fi
case $preset in
  asan | tsan) [ -n "${CXX:-}" ] || ! clang_with_sanitizers || export CC=clang-19 CXX=clang++-19 ;;
esac
{ [ -f "$tree/build.ninja" ] && [ -x "$(cached CMAKE_COMMAND)" ]; } || tools/made.sh renew "$tree"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if cmake --preset "$preset" -G Ninja ${CI:+-D GROMA_WARNINGS_AS_ERRORS=ON} >"$log" 2>&1; then
  sed -n '/^-- groma /,$p' "$log" | grep -E '^-- (groma|  )' | cut -c4-
  touch "$tree/build.ninja"
else
  cat "$log" >&2
  exit 4
fi
