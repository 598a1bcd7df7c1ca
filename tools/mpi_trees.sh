#!/usr/bin/env bash
# mpi_trees.sh build PREFIX | test: what runs under MPI, in a tree of its own for each implementation there is
# (build/openmpi, build/mpich). Built programs go to PREFIX/lib/groma/NAME/bin, the default's also to PREFIX/bin.
set -euo pipefail
verb=$1
prefix=${2:-}
default=

link() { # TARGET PATH: never over a file
  if [ -e "$2" ] && [ ! -L "$2" ]; then
    echo "setup: $2 is not a link of groma's and stays; remove it for ${2##*/} of the default MPI" >&2
  else
    ln -sfn "$1" "$2"
  fi
}

link_programs() { # NAME
  local program
  for program in "$prefix/lib/groma/$1/bin"/*; do
    link "../lib/groma/$1/bin/${program##*/}" "$prefix/bin/${program##*/}"
  done
}

build() { # NAME
  tools/build.sh "$1" groma-mpi
  cmake --install "build/$1" --prefix "$prefix/lib/groma/$1" --component mpi >/dev/null
  [ -n "$default" ] || link_programs "$1"
}

# What needs no MPI is the same in every tree and tested in the first.
check() { # NAME
  if [ -z "$default" ]; then
    tools/test_native.sh "$1" groma-mpi-all
  else
    tools/test_native.sh "$1" groma-mpi-tests '^mpi-'
  fi
}

tools/build.sh default groma_base_archive
export GROMA_BASE=$PWD/build/default/native/libgroma_base_archive.a
while IFS=$'\t' read -r name compiler launcher <&3; do
  export GROMA_MPICXX=$compiler GROMA_MPIEXEC=$launcher GROMA_UNITY=${default:+ON} # an edit is tried in the first
  case $verb in
    build) build "$name" ;;
    test) check "$name" ;;
  esac
  default=${default:-$name}
done 3< <(tools/mpis.sh)
[ -n "$default" ] || echo "setup: no MPI found; groma-hpcc, groma-randomaccess and groma-network are off (Debian: apt-get install libopenmpi-dev openmpi-bin)"
