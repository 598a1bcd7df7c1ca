"""Commands in the tree of groma, and what was installed from it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def tools() -> dict[str, str]:
    """The environment in which set-up's programs are found, wherever they came from."""
    return os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def run(*command: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env=tools() | environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )


def must(*command: object, **environment: str) -> str:
    done = run(*command, **environment)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def libraries(prefix: Path) -> Path:
    """The folder of libgroma."""
    return next(prefix.glob("**/libgroma.so")).parent


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """groma, installed from the tree that `make setup` builds."""
    where = tmp_path_factory.mktemp("prefix")
    must("bash", "tools/build.sh", "default", "groma-all")
    must("cmake", "--install", "build/default", "--prefix", where)
    return where
