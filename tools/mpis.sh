#!/usr/bin/env bash
# mpis.sh: the MPI implementations of this machine, one a line: name, C++ compiler wrapper, launcher. The first is
# the default. A cluster's own MPI (whatever mpicxx is on PATH) comes first, then Debian's, which have suffixes.
set -euo pipefail

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
  local folder
  folder=$(dirname "$(command -v "$1")")
  for launcher in mpiexec mpirun; do
    [ ! -x "$folder/$launcher$2" ] || { echo "$folder/$launcher$2" && return; }
  done
  command -v mpiexec || command -v mpirun || true
}

declare -A seen=()
for suffix in "" .openmpi .mpich; do
  wrapper=mpicxx$suffix
  command -v "$wrapper" >/dev/null || continue
  name=$(name_of "$wrapper")
  [ -z "${seen[$name]:-}" ] || continue
  launcher=$(launcher_beside "$wrapper" "$suffix")
  [ -n "$launcher" ] || continue
  seen[$name]=1
  echo "$name $(command -v "$wrapper") $launcher"
done
