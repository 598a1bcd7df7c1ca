"""A stand-in for groma-torus that answers what a test wants and keeps the request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groma import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# No interpreter of ours: the first line of a script cannot name one in a folder with spaces.
SCRIPT = """#!/bin/sh
if [ "$1" = build ]; then
  echo '{{"version": "{version}"}}'
  exit 0
fi
here=${{0%/*}}
head -n 1 >"$here/request.json"
cat "$here/answer"
cat "$here/complaint" >&2
exit {code}
"""


def result(**changed: Any) -> dict[str, Any]:
    """What a run of 64 nodes answers; named fields replace others."""
    shares = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    answer = {
        "event": "result",
        "finished": True,
        "time": 85000.0,
        "packets": 1000,
        "packet_hops": 3000,
        "bytes": 240000.0,
        "updates": 64 * 4096,
        "window": {"samples": [[850.0 * at, 2621.44 * at] for at in range(101)]},
        "latency": {"n": 1000, "min": 100, "p5": 110, "p50": 200, "p95": 400, "max": 900, "mean": 220},
        "stalls": {"tokens": 3264.0, "by_direction": [544.0] * 6},
        "links": {
            "busy": {"min": 0.1, "mean": 0.35, "max": 0.6},
            "by_direction": shares,
            "values": shares * 64,
            "stalled": [one / 10 for one in shares * 64],
        },
        "loads": [0.6, 0.7, 0.8, 0.9],
        "wall": 0.5,
        "memory_per_node": 9000.0,
    }
    return answer | changed


PROGRESS = {"event": "progress", "time": 42000.0, "wall": 0.2, "packets": 500}


class FakeTorus:
    """Lies in a folder as groma-torus."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.answers(PROGRESS, result())

    def answers(self, *events: dict[str, Any], complaint: str = "", code: int = 0) -> None:
        """What it prints, complains of and ends with from now on."""
        self.prints("".join(json.dumps(one) + "\n" for one in events), complaint, code)

    def prints(self, text: str, complaint: str = "", code: int = 0) -> None:
        script = SCRIPT.format(version=__version__, code=code)
        program = self.folder / "groma-torus"
        program.write_text(script)
        program.chmod(0o755)
        (self.folder / "answer").write_text(text)
        (self.folder / "complaint").write_text(complaint)

    @property
    def request(self) -> dict[str, Any]:
        """The request that came last."""
        found: dict[str, Any] = json.loads((self.folder / "request.json").read_text())
        return found

    @property
    def was_started(self) -> bool:
        return (self.folder / "request.json").exists()


@pytest.fixture
def torus_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeTorus:
    """Found before any other native program."""
    folder = tmp_path / "native"
    folder.mkdir()
    monkeypatch.setenv("GROMA_NATIVE_PATH", str(folder))
    return FakeTorus(folder)


def words(*parts: str) -> Sequence[str]:
    """Of a run that every test may begin with: 64 nodes of Blue Gene/P."""
    return ["sim", "torus", "run", "--machine", "bluegene-p", "--shape", "4x4x4", *parts]
