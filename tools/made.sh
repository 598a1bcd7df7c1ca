#!/usr/bin/env bash
# made.sh claim|renew|mark|remove FOLDER… | clean: the folders that set-up makes, all of them in the clone. Each holds a
# marker. A folder without it is its owner's: it is neither taken over (claim and renew, which claims it empty: exit
# code 4) nor removed. Links are not followed. `mark` puts back the marker of a claimed folder; `clean` removes the
# build trees and the report page.
set -euo pipefail
unset CDPATH
cd -- "$(dirname -- "$0")/.."
marker=.made-by-groma
page=src/groma/report/assets/report.html

is_marked() { [ -f "$1/$marker" ]; }
mark() { echo "groma's make made this folder, fills it and removes it" >"$1/$marker"; }
is_empty() { [ -d "$1" ] && [ -z "$(ls -A "$1")" ]; }

is_linked() { # whether it, or a folder on the way to it, is a symbolic link
  local way=$1
  until [ "$way" = . ]; do
    [ ! -L "$way" ] || return 0
    way=$(dirname "$way")
  done
  return 1
}

owner_of() { # FOLDER
  if is_linked "$1"; then
    echo link
  elif is_marked "$1"; then
    echo groma
  elif [ ! -e "$1" ] || is_empty "$1"; then
    echo nobody
  elif is_marked "$1"; then # by another process, meanwhile
    echo groma
  else
    echo user
  fi
}

refuse_outside() { # FOLDER
  case /$1/ in
    // | //* | */./* | */../* | /-*)
      echo "made.sh: '$1' names no folder inside the clone" >&2
      exit 2
      ;;
  esac
}

refuse_to_claim() { # FOLDER WHY
  echo "setup: $1 $2, so nothing is written there; rename or remove it, then try again" >&2
  exit 4
}
claim() { # FOLDER
  local parent
  case $(owner_of "$1") in
    link) refuse_to_claim "$1" "is a symbolic link or lies behind one" ;;
    user) refuse_to_claim "$1" "was not made by groma" ;;
    nobody)
      parent=$(dirname "$1")
      [ -d "$parent" ] || claim "$parent"
      mkdir -p "$1"
      mark "$1"
      ;;
  esac
}

renew() { # FOLDER
  [ "$(owner_of "$1")" != groma ] || remove "$1"
  claim "$1"
}

remove() { # FOLDER
  case $(owner_of "$1") in
    link) echo "kept: $1 is a symbolic link or lies behind one" >&2 ;;
    user) echo "kept: $1 was not made by groma" >&2 ;;
    groma) rm -rf "./$1" ;;
  esac
}

clean() {
  local tree
  for tree in build/.done build/*/; do remove "${tree%/}"; done
  if ! is_linked build && is_marked build && [ "$(ls -A build)" = "$marker" ]; then remove build; fi
  if ! is_linked "$page" && grep -qs 'id="groma-records"' "$page"; then rm -f "$page"; fi
}

verb=$1
shift
set -- "${@#"$PWD/"}"
for folder in "$@"; do refuse_outside "$folder"; done
case $verb in
  claim | mark | renew | remove) for folder in "$@"; do "$verb" "$folder"; done ;;
  clean) clean ;;
esac
