"""A recorded run of route on two ranks, three repetitions, and a setup that it fits."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groma.launch.command import Chosen, Command
from groma.launch.gather import Gathered, Gatherer
from groma.launch.job import Patience
from groma.launch.launchers import launcher_named
from groma.launch.mpi_programs import MpiProgram
from groma.launch.prepare import Prepared, Step
from groma.launch.shape import Shape
from groma.record import Build

RECORDED = Path(__file__).parents[3] / "tests" / "data" / "randomaccess" / "route-2-ranks.jsonl"


@pytest.fixture
def lines() -> list[bytes]:
    return RECORDED.read_bytes().splitlines(keepends=True)


@pytest.fixture
def known(lines: list[bytes]) -> Gathered:
    gatherer = Gatherer()
    for line in lines:
        gatherer.take(line)
    return gatherer.gathered


@pytest.fixture
def setup(lines: list[bytes]) -> Prepared:
    launcher = launcher_named("openmpi")
    assert launcher is not None  # noqa: S101 - of the table
    return Prepared(
        chosen=Chosen(launcher=launcher, program="/usr/bin/mpirun", version="4.1.4", reason="given"),
        program=MpiProgram(
            path="/opt/groma-randomaccess",
            family="openmpi",
            mpi="Open MPI v4.1.4",
            blas="",
            build=Build(version="1"),
        ),
        shape=Shape(ranks=2, nodes=1, per_node=2),
        plan=msgspec.json.decode(lines[0])["plan"],
        steps=(Step("random_access", "Random updates of memory", 1.0),),
        command=Command(words=("mpirun", "groma-randomaccess")),
        patience=Patience(),
    )
