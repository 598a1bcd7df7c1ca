#!/usr/bin/env bash
# tidy.sh: clang-tidy over every native file but tests, again only over those that changed since, or all where a header
# did. It reads the compile commands of build/tidy; nothing is compiled. Sources that fit together are read as one
# (tidy_groups.py).
set -euo pipefail
tools/configure.sh tidy
tree=build/tidy
cmake --build "$tree" --target build.ninja groma_trace_table >/dev/null # files that came or went, and made ones
.venv/bin/python tools/tidy_groups.py "$tree"
done_files=$tree/tidied
mkdir -p "$done_files"
newest_header=$(find native include .clang-tidy \( -name '*.h*' -o -name '*.inc' -o -name .clang-tidy \) -printf '%T@ %p\n' |
  sort -rn | { read -r _ newest && echo "$newest" && cat >/dev/null; })

without_root() { while IFS= read -r path; do printf '%s\n' "${path#"$PWD/"}"; done; }
stamp_of() { echo "$done_files/${1//\//_}"; }
sources_of() { # FILE: itself, or those of a group
  case $1 in
    */groups/*) sed -n 's/^#include "\(.*\)"$/\1/p' "$1" ;;
    *) echo "$1" ;;
  esac
}
newer_than_all() { # STAMP FILE…
  local stamp=$1 file
  shift
  for file in "$@"; do [ "$stamp" -nt "$file" ] || return; done
}
outdated() { # FILE…
  local file sources
  for file in "$@"; do
    mapfile -t sources < <(sources_of "$file")
    newer_than_all "$(stamp_of "$file")" "$file" "$newest_header" "${sources[@]}" || echo "$file"
  done
}
check() { # a group includes sources, which nothing else may
  local checks=
  case $1 in */groups/*) checks=-bugprone-suspicious-include ;; esac
  clang-tidy -p build/tidy/groups --quiet --checks="$checks" "$1" 2>/dev/null && touch "$(stamp_of "$1")"
}
export -f check stamp_of
export done_files

mapfile -t files < <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$tree/groups/compile_commands.json" | without_root | grep -E '^(native|include)/|/groups/' | sort -u)
mapfile -t left < <(outdated "${files[@]}")
# Nice, for what runs beside it waits for others: ranks that poll take all the time that their partners do not get.
# shellcheck disable=SC2016 # the inner shell expands
[ "${#left[@]}" -eq 0 ] || printf '%s\0' "${left[@]}" | nice -n 19 xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$0"'
