"""`groma trace` over hosts of a bed: one trace of the logs of all hosts, on one scale of time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mpis import AS_ANYBODY
from traced import Traced, assert_equals_what_it_did, stated_clock_error

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from traced import Programs

    Groma = Callable[..., subprocess.CompletedProcess[str]]

HOSTS = 2
RANKS = 4
# Over TCP with UCX, ranks of MPICH before 4.2 may wait for ever in MPI_Finalize, also without the tracer:
# a rank that has finished no longer answers others. With one boot id they use shared memory.
_BED = {"openmpi": (), "mpich": ("--shared-boot-id",)}
_CLOCK_ERROR = 91000003


@pytest.fixture
def traced_on_bed(in_bed: Groma, programs: Programs, tmp_path: Path) -> Callable[..., Traced]:
    """A program under the tracer, with ranks on each host. No command has a list of hosts."""

    def run(*words: object) -> Traced:
        groma = (sys.executable, "-m", "groma", "trace", "-o", str(tmp_path / "t"))
        program = ("mpirun", "-n", str(RANKS), *map(str, words))
        bed = ("--shape", str(HOSTS), "--mpi", programs.name, "-q", *_BED[programs.name])
        done = in_bed(*bed, "--", *groma, "--", *program, **AS_ANYBODY)
        return Traced(done.returncode, done.stdout, done.stderr, tmp_path / "t")

    return run


def test_ranks_on_hosts_have_one_trace(
    traced_on_bed: Callable[..., Traced], programs: Programs, tmp_path: Path
) -> None:
    # Open MPI 4.1 makes no window between hosts where threads may call it, also without the tracer.
    words = [tmp_path, "no-windows"] if programs.name == "openmpi" else [tmp_path]
    run = traced_on_bed(programs.c("calls"), *words)
    assert run.code == 3, run.said
    assert_equals_what_it_did(run, tmp_path, RANKS)
    hosts = {one["rank"]: one["host"] for one in run.summary["threads"]}
    assert sorted(hosts.values()) == sorted(RANKS // HOSTS * ["h0", "h1"])
    assert names_of_nodes(run) == ["h0", "h1"]


def test_clocks_of_hosts_agree_within_the_error_that_is_stated(
    traced_on_bed: Callable[..., Traced], programs: Programs
) -> None:
    """No rank leaves a barrier before all ranks are in it, and no message arrives before it is sent."""
    run = traced_on_bed(programs.c("ends"), "clocks")
    assert run.code == 0, run.said
    error = stated_clock_error(run)
    assert "clocks of hosts" in run.said
    for row in run.trace.rows:
        (stated,) = [pairs[_CLOCK_ERROR] for _, pairs in run.trace.events[row] if _CLOCK_ERROR in pairs]
        assert abs(stated - (0 if row[1] - 1 in first_of(run) else error)) <= 1, "in the trace as well"
    barriers = [
        [one for one in run.trace.calls[row] if run.names[one.value] == "Barrier"] for row in run.trace.rows
    ]
    for one in zip(*barriers, strict=True):
        assert min(call.end for call in one) > max(call.begin for call in one) - 2 * error
    assert all(one.physical_receive > one.logical_send - 2 * error for one in run.trace.messages)


def first_of(run: Traced) -> set[int]:
    """The ranks on the host whose clock is the reference."""
    hosts = {one["rank"]: one["host"] for one in run.summary["threads"]}
    return {rank for rank, host in hosts.items() if host == run.summary["hosts"][0]["name"]}


def names_of_nodes(run: Traced) -> list[str]:
    """As the .row has them."""
    lines = next(run.folder.glob("*.row")).read_text().splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("LEVEL NODE SIZE")) + 1
    return lines[begin : begin + int(lines[begin - 1].split()[-1])]
