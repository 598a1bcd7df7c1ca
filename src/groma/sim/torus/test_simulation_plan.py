"""A request holds what was asked for, as the simulator reads it."""

from __future__ import annotations

from typing import Any

import pytest

from groma.errors import GromaError
from groma.machine.files import find_machine
from groma.sim.torus.protocol import Run
from groma.sim.torus.simulation_plan import SimulationOptions, plan_of
from groma.sim.torus.workloads import WORKLOADS


def workload(name: str, *settings: str, shape: str = "4x4x2") -> dict[str, Any]:
    options = SimulationOptions(
        machine=find_machine("bluegene-l"), workload=name, shape=shape, settings=settings, run=Run()
    )
    return plan_of(options).request.workload


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload_has_no_member_without_a_value(name: str) -> None:
    """The simulator refuses members that it does not know, and null."""
    assert None not in workload(name).values()


def test_lists_are_typed_with_commas() -> None:
    assert workload("broadcast", "workload.dimensions=0,2")["dimensions"] == [0.0, 2.0]
    named = workload("fan", "workload.from=7")
    assert named["from"] == [7.0]
    assert "senders" not in named, "a number of senders beside their names is refused"


def test_a_shift_needs_only_the_dimensions_in_which_it_goes() -> None:
    assert workload("shift")["offsets"] == [1.0, 0.0, 0.0]
    assert workload("shift", "workload.offsets=0,2,1")["offsets"] == [0.0, 2.0, 1.0]


def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(GromaError) as refused:
        workload("shift", "workload.offsets=far")
    assert "workload.offsets=1,0,0" in refused.value.next_step


def test_buckets_of_an_algorithm_take_the_place_of_fifos() -> None:
    machine = find_machine("bluegene-p")
    of_update = plan_of(SimulationOptions(machine=machine, run=Run())).request.network
    assert (of_update.injection_packets, of_update.reception_packets) == (1, 4)
    assert of_update.routing == "deterministic"
    other = plan_of(SimulationOptions(machine=machine, workload="uniform", run=Run())).request.network
    assert (other.injection_packets, other.reception_packets) == (8, 0)
    assert other.routing == "adaptive"
    chosen = plan_of(SimulationOptions(machine=machine, routing="adaptive", run=Run())).request.network
    assert chosen.routing == "adaptive", "what the user says holds"
