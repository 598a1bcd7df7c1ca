#!/usr/bin/env bash
# system_packages.sh LIST…: installs what is missing of Debian package lists when root, or sudo without a
# password, is there. Without it says what stays off and goes on: only a compiler is indispensable.
set -euo pipefail

# shellcheck disable=SC1091
release() { (. /etc/os-release && echo "$ID $VERSION_ID") 2>/dev/null || echo unknown; }

wanted() {
  local packages
  packages=$(sed 's/#.*//' "$@" | grep .)
  case $(release) in
    "ubuntu 22.04") packages+=$'\npython3.11\npython3.11-venv' ;; # its python3 is older
  esac
  case $(release) in
    ubuntu*) grep -vx chromium <<<"$packages" ;; # there it only points at a snap, which containers cannot run
    *) echo "$packages" ;;
  esac
}

missing() {
  local package
  while read -r package; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"; else sudo -n env DEBIAN_FRONTEND=noninteractive "$@"; fi
}

may_install() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }

install() {
  local log
  log=$(mktemp)
  echo "setup: installing $*"
  if as_root apt-get update >"$log" 2>&1 && as_root apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1; then
    rm -f "$log"
    return
  fi
  grep -E '^(E|W):' "$log" | tail -n 3 || true
  echo "setup: not all system packages could be installed (log: $log); going on without: $*"
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  mapfile -t packages < <(wanted "$@" | missing)
  if [ "${#packages[@]}" -gt 0 ]; then
    if may_install; then
      install "${packages[@]}"
    else
      echo "setup: no root here; going on without system packages: ${packages[*]}"
    fi
  fi
fi

command -v "${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || {
  echo "setup: no C++ compiler found; install one with C++20 (Debian: apt-get install g++) or name it in CXX" >&2
  exit 4
}
