#!/usr/bin/env bash
# wheelhouse.sh VENV FOLDER: fills FOLDER with every Python and npm package that set-up may want. A clone on
# a machine without internet finds it there and uses nothing else (docs/install.md).
set -euo pipefail
venv=$1
folder=$2
tools/made.sh claim "$folder"
unset PIP_NO_INDEX PIP_FIND_LINKS npm_config_offline
for lock in requirements/*.lock; do
  "$venv/bin/python" -m pip --disable-pip-version-check --quiet download --require-hashes --prefer-binary \
    --dest "$folder" -r "$lock"
done
if [ -f viewer/package-lock.json ]; then
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  cp viewer/package.json viewer/package-lock.json "$copy"
  [ ! -f viewer/.npmrc ] || cp viewer/.npmrc "$copy"
  (cd "$copy" && npm ci --cache "$OLDPWD/$folder/npm" --no-audit --no-fund --loglevel=error >/dev/null)
fi
echo "wheelhouse: $(du -sh "$folder" | cut -f1) in $folder; copy it into the clone on the other machine"
