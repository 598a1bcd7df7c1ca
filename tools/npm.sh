#!/usr/bin/env bash
# npm.sh ARGUMENT…: npm in viewer/. Without Node nothing is done and one line says so.
set -euo pipefail
unset CDPATH
cd -- "$(dirname -- "$0")/../viewer"
if ! command -v npm >/dev/null; then
  echo "page: no Node here, so npm $* was skipped; install Node 18 or later for the report page" >&2
  exit 0
fi
exec npm "$@"
