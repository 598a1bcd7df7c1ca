"""A failed check takes the figures with it that it is about, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from groma.facts.hpcc import Figure, HpccTest
from groma.hpccoutf.checked import has_failed
from suite_records import a_test, check, measured


def figure(series: str, mode: str = "mpi", **labels: Any) -> Figure:
    return Figure(series=series, mode=mode, value=measured(1, "flop/s"), labels=labels)


def ptrans(columns: int) -> Figure:
    return figure("ptrans", n=64, nb=1, rows=1, columns=columns, within_nodes="messages")


FIGURES = {
    "hpl": [figure("hpl WR11C2R4 n=64 nb=8 1x2"), figure("hpl WR11C2R4 n=64 nb=8 2x1")],
    "ptrans": [ptrans(2), ptrans(22)],
    "dgemm": [figure("dgemm", "star"), figure("dgemm", "single")],
    "stream": [figure("copy", "star"), figure("triad", "single")],
    "random_access": [
        figure(series, mode)
        for series in ("random_access", "random_access_lcg")
        for mode in ("mpi", "star", "single")
    ],
    "fft": [figure("fft", mode) for mode in ("mpi", "star", "single")],
    "effective_bandwidth": [figure("random_ring_latency"), figure("ping_pong_bandwidth_min")],
}
TAKEN = [
    ("hpl", "HPL residual of hpl WR11C2R4 n=64 nb=8 2x1", [1]),
    ("ptrans", "PTRANS wrong elements, n=64 nb=1 grid=1x2", [0]),
    ("dgemm", "DGEMM residual", [0, 1]),
    ("stream", "STREAM deviation over the bound on rounding errors", [0, 1]),
    ("random_access", "MPIRandomAccess wrong words", [0]),
    ("random_access", "RandomAccess wrong words", [1, 2]),
    ("random_access", "MPIRandomAccess_LCG wrong words", [3]),
    ("random_access", "RandomAccess_LCG wrong words", [4, 5]),
    ("random_access", "RandomAccess updates pending", [0, 1, 2]),
    ("fft", "FFT spectrum", [1, 2]),
    ("fft", "MPI FFT round trip", [0]),
    ("effective_bandwidth", "effective bandwidth wrong messages", [0, 1]),
    ("hpl", "a check that names no case", [0, 1]),
    ("ptrans", "a check that names no case", [0, 1]),
]


def failed(test: HpccTest) -> list[int]:
    return [place for place, one in enumerate(test.figures) if has_failed(test, one)]


@pytest.mark.parametrize(("name", "said", "taken"), TAKEN)
def test_a_failed_check_takes_the_figures_it_is_about(name: str, said: str, taken: list[int]) -> None:
    assert failed(a_test(name, *FIGURES[name], checks=[check(said, passed=False)])) == taken
    assert failed(a_test(name, *FIGURES[name], checks=[check(said)])) == []
