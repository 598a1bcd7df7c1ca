#!/usr/bin/env bash
# missing_tools.sh VENV: installs CMake, Ninja and Node from Python packages where the system has none or an
# older one than groma builds with. Without Node only the report page is missing.
set -euo pipefail
venv=$1
here=$(dirname -- "$0")

at_least() { printf '%s\n' "$1" "$2" | sort -CV; }
version() { "$1" --version 2>/dev/null | head -n 1 | grep -oE '[0-9]+(\.[0-9]+)+' || echo 0; }
wheel() {
  echo "setup: $1 comes as a Python package"
  "$here/pip_install.sh" "$venv" --require-hashes -r "requirements/$1.lock"
}

at_least 3.22 "$(version cmake)" || wheel cmake
at_least 1.10 "$(version ninja)" || wheel ninja
# Older ones split the names of headers at these characters.
case $PWD in
  *[\'\"\?\&]*)
    at_least 1.13 "$(version ninja)" || wheel ninja ||
      echo "setup: going on with an older Ninja, which compiles everything each time in a folder of this name"
    ;;
esac
{ at_least 18.18 "$(version node)" && command -v npm >/dev/null; } || wheel node ||
  echo "setup: going on without Node: groma report will have no page template"
