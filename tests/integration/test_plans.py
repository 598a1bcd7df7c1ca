"""Python knows all that native programs plan."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.hpcc import HpccPlan
from groma.facts.randomaccess import RandomAccessPlan
from groma.host.host import Host
from groma.hpcc.request import SuiteRequest
from groma.hpcc.setup import prepare
from groma.launch.benchmarks import TESTS, benchmarks_here, network_probes_here
from groma.launch.mpi_programs import mpi_programs
from groma.launch.prepare import LaunchOptions
from groma.launch.shape import RequestedShape
from groma.survey.probe_names import network_probes

if TYPE_CHECKING:
    from groma.record.launch import Plan


@pytest.mark.parametrize(
    ("program", "arguments", "plan"),
    [
        ("groma-hpcc", ("--ranks", "2", "--n", "500"), HpccPlan),
        ("groma-randomaccess", ("--ranks", "4", "--nodes", "2", "--table", "2^16"), RandomAccessPlan),
    ],
)
def test_a_plan_loses_nothing_as_it_is_read(
    program: str, arguments: tuple[str, ...], plan: type[Plan]
) -> None:
    words = [mpi_programs(program)[0].path, "plan", *arguments]
    said = subprocess.run(words, capture_output=True, check=True, timeout=60).stdout
    known = msgspec.to_builtins(msgspec.json.decode(said, type=plan))
    assert known | msgspec.json.decode(said) == known


@pytest.mark.parametrize(
    ("memory", "fits"),
    [("25", False), ("287KiB", False), ("0.00001%", False), ("288KiB", True), ("1%", True)],
)
def test_memory_that_no_matrix_fits_into_is_refused(memory: str, *, fits: bool) -> None:
    """A forgotten % is an amount of bytes."""
    request = SuiteRequest(memory=memory, only=("hpl",), shape=RequestedShape(ranks=1))
    if fits:
        assert prepare(Host(), request, LaunchOptions()).plan.hpl
        return
    with pytest.raises(GromaError, match="no room for one block: N=192 takes 288 KiB") as refusal:
        prepare(Host(), request, LaunchOptions())
    assert "25%" in refusal.value.next_step
    assert refusal.value.exit_code == ExitCode.USAGE


def test_what_the_programs_list_is_known_where_they_are_not_built() -> None:
    assert {one.name for one in benchmarks_here()} == TESTS
    assert {one.name for one in network_probes_here()} == network_probes()
