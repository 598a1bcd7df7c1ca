"""Time `make GOAL` in a copy of this tree where nothing is built, without caches of compiler, pip and npm.

.venv/bin/python bench/first_result.py [survey|setup|test|...]

System packages are as they are on this machine. The lines of make come with the seconds since the start.
The last line has the processor time of all that ran.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def copy_tree(to: Path) -> None:
    files = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True)
    present = [name for name in files.splitlines() if (ROOT / name).exists()]
    archive = subprocess.run(["tar", "-c", *present], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x"], cwd=to, input=archive, check=True)


def empty_caches(folder: Path) -> dict[str, str]:
    return {"CCACHE_DISABLE": "1", "PIP_NO_CACHE_DIR": "1", "npm_config_cache": str(folder)}


def main() -> int:
    goal = sys.argv[1] if len(sys.argv) > 1 else "survey"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as packages:
        copy_tree(Path(folder))
        # This script's environment is not the copy's.
        path = os.environ["PATH"].replace(f"{Path(sys.executable).parent}{os.pathsep}", "")
        environment = os.environ | empty_caches(Path(packages)) | {"PATH": path}
        started = time.monotonic()
        command = ["make", "-C", folder, goal]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as make:
            for line in make.stdout or ():
                print(f"{time.monotonic() - started:6.1f} s  {line}", end="", flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{time.monotonic() - started:6.1f} s  make {goal}: exit code {make.returncode}", end="")
    print(f", processor time {used.ru_utime + used.ru_stime:.0f} s")
    return make.returncode


if __name__ == "__main__":
    sys.exit(main())
