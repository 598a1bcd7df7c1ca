#!/usr/bin/env bash
# tidy.sh: clang-tidy over every native file but tests, again only over those that are older than a header or
# than themselves. It reads the compile commands of build/tidy; nothing is compiled.
set -euo pipefail
tools/configure.sh tidy
tree=build/tidy
cmake --build "$tree" --target build.ninja >/dev/null # for files that came or went since it was configured
done_files=$tree/tidied
mkdir -p "$done_files"
newest_header=$(find native include .clang-tidy \( -name '*.h*' -o -name '*.inc' -o -name .clang-tidy \) -printf '%T@ %p\n' |
  sort -rn | { read -r _ newest && echo "$newest" && cat >/dev/null; })

without_root() { while IFS= read -r path; do printf '%s\n' "${path#"$PWD/"}"; done; }
stamp_of() { echo "$done_files/${1//\//_}"; }
outdated() { # FILE…
  local file stamp
  for file in "$@"; do
    stamp=$(stamp_of "$file")
    { [ "$stamp" -nt "$file" ] && [ "$stamp" -nt "$newest_header" ]; } || echo "$file"
  done
}
check() {
  clang-tidy -p build/tidy --quiet "$1" 2>/dev/null && touch "$(stamp_of "$1")"
}
export -f check stamp_of
export done_files

mapfile -t files < <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$tree/compile_commands.json" | without_root | grep -v '^build/' | sort -u)
mapfile -t left < <(outdated "${files[@]}")
# shellcheck disable=SC2016 # the inner shell expands
[ "${#left[@]}" -eq 0 ] || printf '%s\0' "${left[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$0"'
