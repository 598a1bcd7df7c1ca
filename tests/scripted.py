"""Small scripts that stand in for native programs, and lines of the protocol that they speak."""

import stat
import sys
from pathlib import Path

BEGIN = (
    b'{"event":"begin","probe":"p","seed":3,"parameters":{"rounds":"2"},"cases":[{"unit":"s"},{"unit":"s"}]}'
)
ROUND = b'{"event":"round","round":0,"elapsed":0.5,"fixed_work":1e-5,"wall_over_cpu":1.25,"steal":0.0}'
END = b'{"event":"end","ended":"stable"}'


def sample(case: int, value: str) -> bytes:
    return f'{{"event":"sample","case":{case},"round":0,"value":{value}}}'.encode()


def program(folder: Path, body: str) -> Path:
    path = folder / "groma-probe"
    # A first line cannot name a Python whose path has a space; the second is shell and Python.
    start = f'#!/bin/sh\n"exec" "{sys.executable}" "$0" "$@"\n'
    path.write_text(f"{start}import sys, time, signal, os\n{body}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
