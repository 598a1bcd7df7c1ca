"""The tests in groma-hpcc and the probes in groma-network, as they describe themselves."""

from __future__ import annotations

from pathlib import Path

import msgspec

from groma.errors import GromaError
from groma.hpccoutf.headlines import DEFINITIONS
from groma.launch import native
from groma.launch.mpi_programs import MpiProgram, mpi_programs

NETWORK_PROGRAM = "groma-network"

TESTS = frozenset(one.test for one in DEFINITIONS)
"""Those of groma-hpcc, also where it is not built."""


class BenchmarkInfo(msgspec.Struct, frozen=True):
    """What a test says of itself; `order` is its place in a run."""

    name: str
    title: str
    measures: str
    formula: str
    validation: str
    reference: str
    order: int


def benchmarks_of(program: MpiProgram) -> list[BenchmarkInfo]:
    """All tests of one build, in the order of a run."""
    path = Path(program.path)
    return [native.decoded(line, BenchmarkInfo, path) for line in native.ask(path, "list").splitlines()]


def benchmarks_here(folder: str | None = None) -> list[BenchmarkInfo]:
    """Those of the first build there is; none where groma-hpcc is missing or broken."""
    try:
        return benchmarks_of(mpi_programs(folder=folder)[0])
    except GromaError:
        return []


def network_probes_here(folder: str | None = None) -> list[native.ProbeInfo]:
    """Those of the first build there is; none where groma-network is missing or broken."""
    try:
        return native.catalogue(Path(mpi_programs(NETWORK_PROGRAM, folder)[0].path))
    except GromaError:
        return []
