"""Threads of a program may have small stacks, keep no memory after their end, and go on while MPI ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from installed import must
from traced import GROMA, start, traced

if TYPE_CHECKING:
    from pathlib import Path

    from traced import Programs

MOST_STATIC = 512
"""Bytes of a thread's stack that the tracer takes."""
HEADER, CHUNK = 4, 256
"""KiB that the log of a thread takes in memory: its header stays, its chunk goes with the thread."""


def test_values_of_threads_may_come_while_mpi_ends(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 1, programs.c("threads"), "race", cwd=tmp_path, options=("--buffer", "4MiB"))
    assert (run.code, run.output) == (0, "ended well\n"), run.said
    assert all(one["finished"] and one["damaged_chunks"] == 0 for one in run.summary["threads"])
    logs = list((run.folder / "logs").glob("*.log"))
    assert 1 < len(logs) <= 65
    assert sum(log.stat().st_size % (CHUNK * 1024) != HEADER * 1024 for log in logs) > 0, "they are cut"


def test_a_thread_may_have_the_smallest_stack(programs: Programs, tmp_path: Path) -> None:
    alone = start(programs.mpi.launcher, "-n", 1, programs.c("threads"), "small", cwd=tmp_path)
    run = traced(programs, 1, programs.c("threads"), "small", cwd=tmp_path)
    assert (run.code, run.output) == (0, alone.stdout), run.said


def test_the_tracer_takes_little_of_each_stack(programs: Programs) -> None:
    library = GROMA.parents[1] / "lib/groma" / programs.name / "lib/libgroma-trace.so"
    segments = must("readelf", "-lW", library)
    found = re.search(r"^ *TLS +\S+ \S+ \S+ \S+ (\S+)", segments, re.MULTILINE)
    assert found is not None
    assert int(found[1], 16) < MOST_STATIC


def test_a_thread_that_ended_keeps_little_memory(programs: Programs, tmp_path: Path) -> None:
    options = ("--count-misses", "--call-sites")
    run = traced(programs, 1, programs.c("threads"), "ended", 400, cwd=tmp_path, options=options)
    assert run.code == 0, run.said
    assert int(run.output) <= HEADER + 8
    threads = run.summary["threads"]
    assert all(one["finished"] and one["damaged_chunks"] == 0 for one in threads)
    calls = [sum(call["count"] for call in one["calls"]) for one in threads[1:]]
    assert sorted(calls) == [1] * 396 + [2] * 4, "also a call at the end of a thread"
