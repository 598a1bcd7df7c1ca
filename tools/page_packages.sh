#!/usr/bin/env bash
# page_packages.sh: what the report page is built with, into viewer/node_modules. npm empties the folder first, of the
# marker as well.
set -euo pipefail
folder=viewer/node_modules
tools/made.sh claim "$folder"
trap 'tools/made.sh mark "$folder"' EXIT
tools/npm.sh ci --no-audit --no-fund --loglevel=error >/dev/null
! command -v npm >/dev/null || touch "$folder/.done"
