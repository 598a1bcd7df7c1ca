#!/usr/bin/env bash
# pip_install.sh VENV ARGUMENT…: pip, quiet. Where it fails, its last words and what to do about them.
set -euo pipefail
venv=$1
shift
log=$(mktemp)
if "$venv/bin/python" -m pip --disable-pip-version-check --quiet --retries 2 install "$@" >"$log" 2>&1; then
  rm -f "$log"
  exit 0
fi
if grep -qE 'No matching distribution|NewConnectionError|Temporary failure|ProxyError|ConnectTimeout' "$log"; then
  echo "setup: Python packages cannot be fetched (pip install $*)" >&2
  echo "setup: without internet, run make wheelhouse on a connected machine and copy the folder here (docs/install.md)" >&2
else
  tail -n 20 "$log" >&2
  echo "setup: pip install $* failed (log: $log)" >&2
fi
exit 4
