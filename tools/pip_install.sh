#!/usr/bin/env bash
# pip_install.sh VENV ARGUMENT…: pip, quiet; where it fails, one line that says what to do comes last.
set -euo pipefail
venv=$1
shift
"$venv/bin/python" -m pip --disable-pip-version-check --quiet install "$@" || {
  echo "setup: pip could not install $*" >&2
  echo "setup: without internet, run make wheelhouse on a connected machine and copy the folder here (docs/install.md)" >&2
  exit 4
}
