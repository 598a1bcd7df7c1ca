#!/usr/bin/env bash
# build.sh PRESET [TARGET]: configures and builds build/PRESET, silent where nothing changed.
set -euo pipefail
tools/configure.sh "$1"

show() { # one line for all steps of Ninja, and what compilers say; awk would wait for the end
  local line steps=
  while IFS= read -r line; do
    if [[ $line =~ ^\[[0-9]+/([0-9]+)\]\ (.*) ]]; then
      [[ $steps || ${BASH_REMATCH[2]} != Building* ]] || { steps=${BASH_REMATCH[1]} && echo "setup: $1, $steps steps"; }
    elif [[ $line != "ninja: no work"* ]]; then
      printf '%s\n' "$line"
    fi
  done
}
NINJA_STATUS="[%f/%t] " cmake --build "build/$1" --parallel "$(nproc)" --target "${2:-all}" | show "compiling build/$1"
