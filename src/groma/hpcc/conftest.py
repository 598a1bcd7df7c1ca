"""A setup that the recorded run of two ranks fits."""

from __future__ import annotations

import pytest

from groma.facts.hpcc import HpccPlan
from groma.hpcc.request import Sizing
from groma.hpcc.setup import Setup
from groma.launch.command import Command, SelectedLauncher
from groma.launch.launchers import launcher_named
from groma.launch.mpi_programs import MpiProgram
from groma.launch.prepare import Step, Timeouts
from groma.launch.shape import Shape
from groma.record import Build


@pytest.fixture
def setup() -> Setup:
    launcher = launcher_named("openmpi")
    assert launcher is not None  # noqa: S101 - of the table
    return Setup(
        selected=SelectedLauncher(
            launcher=launcher, program="/usr/bin/mpirun", version="4.1.4", reason="given"
        ),
        program=MpiProgram(
            path="/opt/groma-hpcc", family="openmpi", mpi="Open MPI v4.1.4", blas="", build=Build(version="1")
        ),
        shape=Shape(ranks=2, nodes=1, per_node=2),
        sizing=Sizing(arguments=(), reason="N as given"),
        plan=HpccPlan(tests=["dgemm", "stream"]),
        steps=(Step("dgemm", "Matrix multiplication", 1.0), Step("stream", "Memory bandwidth", 2.0)),
        command=Command(words=("mpirun", "groma-hpcc")),
        timeouts=Timeouts(),
    )
