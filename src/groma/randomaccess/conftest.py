"""A recorded run of route on two ranks, three repetitions, and a setup that it fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from groma.facts.randomaccess import RandomAccessPlan
from groma.launch.command import Command, SelectedLauncher
from groma.launch.launchers import launcher_named
from groma.launch.mpi_programs import MpiProgram
from groma.launch.prepare import Step, Timeouts
from groma.launch.shape import Shape
from groma.randomaccess.setup import Setup
from groma.record import Build
from groma.run.launch_results import EventParser, LaunchResults

RECORDED = Path(__file__).parents[3] / "tests" / "data" / "randomaccess" / "route-2-ranks.jsonl"


@pytest.fixture
def lines() -> list[bytes]:
    return RECORDED.read_bytes().splitlines(keepends=True)


@pytest.fixture
def known(lines: list[bytes]) -> LaunchResults:
    event_parser = EventParser(plan=RandomAccessPlan)
    for line in lines:
        event_parser.take(line)
    return event_parser.results


@pytest.fixture
def setup(known: LaunchResults) -> Setup:
    launcher = launcher_named("openmpi")
    assert launcher is not None  # noqa: S101 - of the table
    assert known.run is not None  # noqa: S101 - of the record
    assert isinstance(known.run.plan, RandomAccessPlan)  # noqa: S101 - as the event_parser was asked
    return Setup(
        selected=SelectedLauncher(
            launcher=launcher, program="/usr/bin/mpirun", version="4.1.4", reason="given"
        ),
        program=MpiProgram(
            path="/opt/groma-randomaccess",
            family="openmpi",
            mpi="Open MPI v4.1.4",
            blas="",
            build=Build(version="1"),
        ),
        shape=Shape(ranks=2, nodes=1, per_node=2),
        plan=known.run.plan,
        steps=(Step("random_access", "Random updates of memory", 1.0),),
        command=Command(words=("mpirun", "groma-randomaccess")),
        timeouts=Timeouts(),
    )
