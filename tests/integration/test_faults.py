"""Every validation of groma-hpcc finds faults: one is planted in a run by a preloaded library.

The library is native/testing/faults.cpp. A fault strikes one call of BLAS or FFTW, one message, or one word
of memory. A run without a fault counts the calls, so that the first and the last of them can be struck.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from planted_faults import ALWAYS, MPIS, run_with_fault

# Given, so that no measurement for planning calls BLAS as well.
RATES = (
    "multiply=1e9,solve=1e9,bandwidth=1e9,transpose=1e9,transform=1e9,shared_transform=1e9,"
    "updates=1e9,shared_updates=1e9"
)
SMALL = ("-N", "128", "--nb", "32", "--rates", RATES)


class Calls(NamedTuple):
    """Calls of one kind in a run of one test: of the ranks, or of one of them."""

    test: str
    ranks: int
    call: str
    rank: int | None = None
    least: int = 8  # bytes

    @property
    def variables(self) -> dict[str, str]:
        only = {} if self.rank is None else {"GROMA_FAULT_RANK": str(self.rank)}
        # Ranks that share a node would read each other's memory instead of sending messages.
        return only | {"GROMA_FAULT_LEAST": str(self.least), "GROMA_FAULT_NODES": "1"}


class Fault(NamedTuple):
    """`at`: which of the calls, from the first (0) to the last (1); `times`: so many from there on."""

    calls: Calls
    kind: str
    at: float
    times: int = 1

    def __str__(self) -> str:
        which = "" if self.calls.rank is None else f"-rank{self.calls.rank}"
        return f"{self.calls.test}-{self.calls.ranks}{which}-{self.calls.call}-{self.kind}-{self.at}"


def faults(calls: Calls, *kinds: tuple[str, float], count: int = 1) -> list[Fault]:
    return [Fault(calls, kind, at, count) for kind, at in kinds]


# One rank: its products are the one that warms up, star, single, star, single.
ON_ONE_RANK = [
    *faults(
        Calls("dgemm", 1, "dgemm"),
        ("flip", 0.0), ("flip", 0.25), ("nan", 0.5), ("drop", 0.75), ("garbage", 1.0),
    ),
    *faults(Calls("dgemm", 1, "dgemm"), ("nan", 0.0), ("garbage", 0.25), count=ALWAYS),
    *faults(Calls("fft", 1, "fft"), ("flip", 0.0), ("nan", 0.5), ("drop", 0.7), ("garbage", 1.0)),
    *faults(Calls("fft", 1, "fft"), ("garbage", 0.5), count=ALWAYS),
    *faults(Calls("fft", 1, "memory"), ("flip", 0.4), ("nan", 1.0)),
    *faults(Calls("hpl", 1, "dgemm"), ("flip", 0.0), ("nan", 0.3), ("drop", 0.5), ("garbage", 0.9)),
    *faults(Calls("hpl", 1, "dtrsm"), ("nan", 0.0), ("garbage", 0.5), ("drop", 1.0)),
    *faults(Calls("hpl", 1, "memory"), ("flip", 0.0), ("nan", 1.0)),
    # Three barriers a repetition: what is spoilt before the first one of them is transposed.
    *faults(Calls("ptrans", 1, "memory"), ("nan", 0.0), ("flip", 0.4), ("flip", 0.8)),
    *faults(Calls("stream", 1, "memory"), ("flip", 0.43), ("nan", 0.43)),
    *faults(Calls("stream", 1, "memory"), ("nan", 0.5), count=ALWAYS),
    # Each sequence in turn: four barriers around the table of all ranks, one before star, two around single.
    *faults(Calls("random_access", 1, "memory"), ("flip", 0.1), ("flip", 0.46), ("flip", 0.5)),
]  # fmt: skip

# Bytes. Shorter messages are those of barriers. Receives are not struck: their room says nothing of what
# comes. FaultyMessages, a native test, has updates that are lost.
MANY_UPDATES = 512

BETWEEN_RANKS = [
    *faults(Calls("dgemm", 2, "dgemm", rank=1), ("nan", 1.0)),
    *faults(Calls("fft", 2, "fft", rank=1), ("flip", 1.0)),
    *faults(Calls("fft", 2, "send"), ("flip", 1.0), ("nan", 0.5), ("garbage", 0.0)),
    *faults(Calls("fft", 2, "receive"), ("drop", 0.5), ("drop", 1.0)),
    *faults(Calls("hpl", 2, "send"), ("flip", 1.0), ("nan", 0.5), ("garbage", 0.0)),
    *faults(Calls("hpl", 2, "receive"), ("drop", 0.5)),
    *faults(Calls("ptrans", 2, "send"), ("flip", 1.0), ("nan", 0.5), ("garbage", 0.0)),
    *faults(Calls("ptrans", 2, "receive"), ("drop", 1.0)),
    *faults(Calls("random_access", 2, "send", least=MANY_UPDATES), ("flip", 0.5), ("garbage", 0.3)),
    *faults(Calls("random_access", 2, "memory", rank=1), ("flip", 0.5)),
    *faults(Calls("stream", 2, "memory", rank=1), ("nan", 0.5), count=ALWAYS),
]

# On a grid of 2x2, ranks of a column find a pivot by reduction; shorter ones belong to the verification.
A_PIVOT = 256
BETWEEN_MORE_RANKS = [
    *faults(Calls("hpl", 4, "reduce", least=A_PIVOT), ("flip", 0.0), ("nan", 0.3)),
    *faults(Calls("hpl", 4, "reduce", rank=3, least=A_PIVOT), ("flip", 0.3)),
    *faults(Calls("hpl", 4, "send"), ("flip", 0.5)),
    *faults(Calls("ptrans", 4, "send", rank=2), ("flip", 0.5)),
    *faults(Calls("fft", 3, "send", rank=2), ("flip", 0.5)),
    *faults(Calls("random_access", 3, "send", rank=1, least=MANY_UPDATES), ("flip", 0.5)),
    *faults(Calls("dgemm", 4, "dgemm", rank=2), ("flip", 1.0)),
]

LONG_MESSAGES = 2_000_000
OF_LONG_MESSAGES = [
    *faults(Calls("effective_bandwidth", 2, "send", least=LONG_MESSAGES), ("flip", 0.0), count=ALWAYS),
    *faults(Calls("effective_bandwidth", 2, "receive", least=LONG_MESSAGES), ("drop", 0.0), count=ALWAYS),
]


class Run(NamedTuple):
    code: int
    success: str
    calls: int  # of the rank that has the fewest
    planted: int
    text: str


def run(mpi: str, calls: Calls, fault: str, folder: Path) -> Run:
    log, output = folder / "faults.log", folder / "hpccoutf.txt"
    # A round of the message tests is long enough, and needs some time. Without a budget no message is sent
    # for planning.
    effort = ("1", "10s") if calls.test == "effective_bandwidth" else ("2", "0s")
    limits = ("--repeat", effort[0], "--budget", effort[1])
    program = ["groma-hpcc", *SMALL, *limits, "--only", calls.test, "--output", str(output)]
    variables = calls.variables | {"GROMA_FAULT": f"{calls.call} {fault}", "GROMA_FAULT_LOG": str(log)}
    done = run_with_fault(mpi, calls.ranks, variables, program, folder)
    text = done.stdout + done.stderr
    assert log.exists(), text
    lines = [[int(word) for word in line.split()] for line in log.read_text().splitlines()]
    assert len(lines) == calls.ranks, text
    found = re.search(r"^Success=(\d)$", output.read_text(), re.MULTILINE)
    assert found, text
    counted = [number for rank, number, _ in lines if calls.rank in {None, rank}]
    return Run(done.returncode, found[1], min(counted), sum(planted for *_, planted in lines), text)


@functools.cache
def calls_without_fault(mpi: str, calls: Calls) -> int:
    with TemporaryDirectory() as folder:
        done = run(mpi, calls, "none 1 1", Path(folder))
    assert (done.code, done.success, done.planted) == (0, "1", 0), done.text
    assert done.calls > 0
    return done.calls


def expect_found(mpi: str, fault: Fault, folder: Path) -> None:
    number = 1
    if fault.at > 0.0:
        number += round(fault.at * (calls_without_fault(mpi, fault.calls) - 1))
    done = run(mpi, fault.calls, f"{fault.kind} {number} {fault.times}", folder)
    assert done.planted > 0, done.text
    assert done.code == 3, done.text
    assert done.success == "0"
    assert "FAILED" in (folder / "hpccoutf.txt").read_text()


@pytest.mark.parametrize("fault", ON_ONE_RANK, ids=str)
def test_a_fault_on_one_rank_is_found(fault: Fault, tmp_path: Path) -> None:
    expect_found(MPIS[0], fault, tmp_path)


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("fault", [*BETWEEN_RANKS, *BETWEEN_MORE_RANKS, *OF_LONG_MESSAGES], ids=str)
def test_a_fault_between_ranks_is_found(fault: Fault, mpi: str, tmp_path: Path) -> None:
    expect_found(mpi, fault, tmp_path)
