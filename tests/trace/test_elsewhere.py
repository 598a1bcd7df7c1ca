"""A real program is traced, and its trace replayed on a network that is not here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from traced import GROMA, start, traced

if TYPE_CHECKING:
    from pathlib import Path

    from traced import Programs

BYTES = 10 * 4 * 5000 + 2 * 1000 + 4 * 100 + 2 * 3 * 8 + 3 * 16
"""Exchanges, broadcasts in two halves, exchanges, a reduction with its broadcast, a gather (elsewhere.c)."""


def replayed(trace: str, folder: Path, *options: str) -> dict[str, Any]:
    words = [
        "sim",
        "torus",
        "run",
        "--workload",
        "replay",
        "--trace",
        trace,
        "--threads",
        "1",
        "-q",
        "--json",
    ]
    done = start(GROMA, *words, *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def folder(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds the trace of a run, as groma trace leaves it, in the folder t."""
    place = tmp_path_factory.mktemp("elsewhere")
    run = traced(programs, 4, programs.c("elsewhere"), cwd=place)
    assert run.code == 0, run.said
    return place


def test_a_real_program_runs_on_a_torus(folder: Path) -> None:
    found = replayed("t", folder, "--shape", "2x2")
    assert found["finished"]
    assert found["values"]["message_bytes"] == [BYTES]
    assert found["values"]["ranks"] == [4]


def test_formats_of_a_trace_give_the_same_replay(folder: Path) -> None:
    exported = start(GROMA, "export", "--time-independent", "text", "t", "-q", cwd=folder)
    assert exported.returncode == 0, exported.stderr
    runs = [
        replayed(trace, folder, "--shape", "4", *options)
        for trace, options in (
            ("t/trace.groma", ()),
            ("t/trace.prv", ()),
            ("text", ("--set", "workload.cycles_per_unit=0.85")),
        )
    ]
    times = [one["time"]["value"] for one in runs]
    assert times == [pytest.approx(times[0])] * 3
