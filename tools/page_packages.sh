#!/usr/bin/env bash
# page_packages.sh [--omit=dev]: what the report page is built with into viewer/node_modules, also what it is tested
# with unless that is omitted. npm empties the folder first, of the marker as well.
set -euo pipefail
folder=viewer/node_modules
tools/made.sh claim "$folder"
trap 'tools/made.sh mark "$folder"' EXIT
tools/npm.sh ci "$@" --no-audit --no-fund --loglevel=error >/dev/null
if command -v npm >/dev/null; then
  touch "$folder/.done"
  [ "$#" -gt 0 ] || touch "$folder/.done-dev"
fi
