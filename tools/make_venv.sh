#!/usr/bin/env bash
# make_venv.sh FOLDER: a virtual environment with pip, by the first way that works on this system. One that is there
# and works is used as it is; one that does not is made anew if it is groma's, and refused if it is not.
# shellcheck disable=SC2317,SC2329 # the ways are called by name
set -euo pipefail
venv=$1

recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() { # PYTHON, else the first on PATH; a pyenv shim without a version behind it fails `recent`
  local name
  for name in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11; do
    if recent "$name"; then
      "$name" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  return 1
}

usable() { "$venv/bin/python" -m pip --version >/dev/null 2>&1; }

with_venv() { "$python" -m venv "$venv"; }
with_virtualenv() { virtualenv -q -p "$python" "$venv" || "$python" -m virtualenv -q "$venv"; }
with_uv() { uv venv -q --seed --allow-existing -p "$python" "$venv"; }
with_outer_pip() {
  "$python" -m venv --without-pip "$venv"
  "$python" -m pip -q --python "$venv/bin/python" install pip
}
with_wheelhouse() { # made by `make wheelhouse` for machines without internet
  local wheel
  wheel=$(find wheelhouse -name 'pip-*.whl' | head -n 1)
  "$python" -m venv --without-pip "$venv"
  "$venv/bin/python" "$wheel/pip" -q install --no-index "$wheel"
}
with_debian_wheel() { # apt-get download needs no root; the package holds pip as one runnable wheel
  local folder stdlib wheel
  folder=$(mktemp -d) || return # set -e does not hold in a condition
  "$python" -m venv --without-pip "$venv"
  (cd "$folder" && apt-get -q download python3-pip-whl && dpkg -x ./python3-pip-whl_*.deb .)
  # The pip of Ubuntu 22.04 needs all of distutils, most of which is a package of its own there.
  stdlib=$("$python" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
  (cd "$folder" && apt-get -q download python3-distutils && dpkg -x ./python3-distutils_*.deb . &&
    cp "$stdlib"/distutils/*.py ".$stdlib/distutils") || true
  wheel=$(find "$folder" -name 'pip-*.whl' | head -n 1)
  PYTHONPATH=$folder$stdlib "$venv/bin/python" "$wheel/pip" -q install --require-hashes -r requirements/pip.lock
  rm -rf "$folder"
}

python=$(find_python) || {
  echo "setup: no Python 3.11 or later found; install it (Debian: apt-get install python3 python3-venv) or name it in PYTHON" >&2
  exit 4
}
if [ ! -L "$venv" ] && usable && recent "$venv/bin/python"; then exit 0; fi
echo "setup: Python environment"
tools/made.sh renew "$venv"
log=$(mktemp)
for way in with_venv with_virtualenv with_uv with_outer_pip with_wheelhouse with_debian_wheel; do
  if (set -e && "$way") >>"$log" 2>&1 && usable; then
    rm -f "$log"
    exit 0
  fi
  tools/made.sh renew "$venv"
done
tools/made.sh remove "$venv"
package=$("$python" -c 'import sysconfig; print(f"python{sysconfig.get_python_version()}-venv")')
echo "setup: $python can make no virtual environment with pip (log: $log); install $package, virtualenv or uv, or without internet see docs/install.md" >&2
exit 4
