"""Every parameter that the native probes declare can be set to what it is by default."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from groma.launch import native
from groma.launch.benchmarks import NETWORK_PROGRAM
from groma.launch.mpi_programs import mpi_programs
from groma.survey.assignments import assigned_in

TYPES = {
    *("bytes", "seconds", "count", "integer", "number", "text", "found"),
    *("core", "cores", "shares", "sizes"),
}


def _catalogue(of_network: bool) -> list[native.ProbeInfo]:
    program = Path(mpi_programs(NETWORK_PROGRAM)[0].path) if of_network else native.native_program()
    return native.catalogue(program)


def _is_known(parameter: native.ParameterInfo) -> bool:
    """A type, also with a bound behind it, or a choice or list of names that has the default."""
    name = re.sub(r"[<>]=[0-9]+$", "", parameter.type)
    choices = set(name.removeprefix("list of ").split("|"))
    return name in TYPES or choices.issuperset(parameter.standard.split(","))


@pytest.mark.parametrize("of_network", [False, True])
def test_the_values_at_each_depth_are_of_the_type_that_is_declared(of_network: bool) -> None:
    catalogue = _catalogue(of_network)
    chosen = [probe.name for probe in catalogue]
    for probe in catalogue:
        for one in probe.parameters:
            assert _is_known(one), f"{probe.name}.{one.name}"
            if one.type != "found":
                for value in (one.quick, one.standard, one.thorough):
                    found = assigned_in([f"{probe.name}.{one.name}={value}"], catalogue, chosen)
                    assert found == {probe.name: {one.name: value}}


def test_sizes_times_and_choices_are_declared_as_such() -> None:
    types = {f"{probe.name}.{one.name}": one.type for probe in _catalogue(False) for one in probe.parameters}
    assert types["load_latency.max_size"] == "bytes"
    assert types["cache_associativity.search"] == "seconds"
    assert types["numa_read.over"] == "auto|cores|nodes"
    assert types["tlb_reach.core"] == "core"
    assert types["memory_bandwidth.slice"] == "bytes>=65536"
    assert types["memory_bandwidth.kernels"].startswith("list of ")
    assert types["clock.budget"] == "seconds"
