"""Runs of programs under `groma trace`, and a fixture, for all tests by way of conftest.py."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import strict_prv
from installed import must
from mpis import AS_ANYBODY, Mpi, mpis

HERE = Path(__file__).parent / "trace"
"""Where the programs are."""
GROMA = Path(sys.executable).parent / "groma"


class Traced(NamedTuple):
    """A run under the tracer. `said` is what groma and the program wrote to the standard error."""

    code: int
    output: str
    said: str
    folder: Path

    @property
    def trace(self) -> strict_prv.Trace:
        return strict_prv.read(next(self.folder.glob("*.prv")))

    @property
    def summary(self) -> Any:
        return json.loads((self.folder / "summary.json").read_text())

    @property
    def pcf(self) -> str:
        return next(self.folder.glob("*.pcf")).read_text()

    @property
    def names(self) -> dict[int, str]:
        """The calls by their values, as the .pcf has them."""
        found = re.findall(r"^(\d+) +MPI_(\w+)$", self.pcf, re.MULTILINE)
        return {int(value): name for value, name in found}


class Programs:
    """Compiled once for each MPI."""

    def __init__(self, name: str, mpi: Mpi, folder: Path) -> None:
        self.name, self.mpi, self.folder = name, mpi, folder

    def c(self, source: str) -> Path:
        target = self.folder / f"{source}-{self.name}"
        if not target.exists():
            must(self.mpi.compiler, "-O1", "-w", HERE / f"{source}.c", "-o", target, "-lpthread", "-ldl")
        return target

    def fortran(self, interface: int) -> Path:
        target = self.folder / f"fortran{interface}-{self.name}"
        if not target.exists():
            options = ["-cpp", f"-DINTERFACE={interface}", "-fallow-argument-mismatch", "-w"]
            must(self.mpi.fortran, *options, HERE / "calls.f90", f"-J{self.folder}", "-o", target)
        return target


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Programs of each MPI that is here."""
    if request.param not in mpis():
        pytest.skip(f"no {request.param} here")
    return Programs(request.param, mpis()[request.param], tmp_path_factory.mktemp("programs"))


def start(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=os.environ | AS_ANYBODY,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def traced(
    programs: Programs,
    ranks: int,
    *words: object,
    cwd: Path,
    options: tuple[str, ...] = (),
    launcher: Path | None = None,
) -> Traced:
    """`launcher` stands in for that of the MPI."""
    command = [launcher or programs.mpi.launcher, "-n", ranks, *words]
    done = start(GROMA, "trace", "-o", "t", *options, "--", *command, cwd=cwd)
    return Traced(done.returncode, done.stdout, done.stderr, cwd / "t")


def noted(folder: Path, rank: int) -> tuple[list[str], Counter[tuple[int, int, int]]]:
    """The calls that a rank made, and what it sent: destination, tag and bytes."""
    lines = (folder / f"{rank}.calls").read_text().splitlines()
    sent = [tuple(map(int, line.split()[1:])) for line in lines if line.startswith(">")]
    return [line for line in lines if not line.startswith(">")], Counter(sent)  # type: ignore[arg-type]


def started_on_hosts(cwd: Path) -> Path:
    """A script that starts a command under a host name of its own: each rank then stands for a host.

    Skips the test where no host can be named.
    """
    if os.geteuid() != 0 or start("unshare", "-u", "true", cwd=cwd).returncode != 0:
        pytest.skip("no host can be named here")
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    script = cwd / "named"
    script.write_text(f'#!/bin/sh\nexec unshare -u sh -c \'hostname host{rank}; exec "$@"\' - "$@"\n')
    script.chmod(0o755)
    return script


def stated_clock_error(run: Traced) -> float:
    """Nanoseconds, of the second host of `ends clocks`, whose clock is compared with that of the first."""
    reference, other = run.summary["hosts"]
    assert (reference["aligned_by"], other["aligned_by"]) == ("reference", "messages")
    assert other["comparisons"] == 4, "at the begin, after 16 and 256 collectives, and at the end"
    error: float = other["error"] * 1e9
    assert 0 < error < 1e8, "far less than between clocks that nobody compared"
    return error


def assert_equals_what_it_did(run: Traced, folder: Path, ranks: int) -> None:
    trace, names = run.trace, run.names
    assert len(trace.rows) == ranks
    for row in trace.rows:
        calls, sent = noted(folder, row[1] - 1)
        assert [names[one.value] for one in trace.calls[row]] == calls
        seen = Counter(
            (one.receiver[1] - 1, one.tag, one.size) for one in trace.messages if one.sender == row
        )
        assert seen == sent
    assert run.summary["unmatched_sends"] == run.summary["unmatched_receives"] == 0
