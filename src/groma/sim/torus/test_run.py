"""What a record of a run warns of."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groma.machine.files import find_machine
from groma.sim.torus.conftest import result
from groma.sim.torus.infer import facts_of
from groma.sim.torus.protocol import Result
from groma.sim.torus.run import advice_of, advice_of_cores, advice_of_waiting
from groma.sim.torus.simulation_plan import SimulationOptions, SimulationPlan, plan_of

NOTHING_SENT = {"packets": 0, "packet_hops": 0, "bytes": 0.0, "updates": 0, "window": {}, "latency": None}


def planned(workload: str, *settings: str, machine: str = "bluegene-l") -> SimulationPlan:
    options = SimulationOptions(
        machine=find_machine(machine), workload=workload, shape="4x4x4", settings=settings
    )
    return plan_of(options)


def codes(plan: SimulationPlan, **changed: Any) -> list[str]:
    answer = result(loads=[], **changed)
    del answer["event"]
    return [one.code for one in advice_of(facts_of(plan, msgspec.convert(answer, Result)))]


@pytest.mark.parametrize("workload", ["transpose", "tornado", "fan", "broadcast"])
def test_a_run_without_packets_says_so(workload: str) -> None:
    """Such as a tornado on dimensions of two nodes: half way round, less one, is the node itself."""
    assert codes(planned(workload), **NOTHING_SENT) == ["torus.idle"]
    assert "torus.idle" not in codes(planned(workload))
    assert "torus.idle" not in codes(planned(workload), **NOTHING_SENT, finished=False)


def test_a_program_that_only_computes_is_replayed_without_a_warning() -> None:
    assert codes(planned("replay", "workload.file=none.txt"), **NOTHING_SENT) == []


@pytest.mark.parametrize(
    ("machine", "processes", "warned"),
    [("bluegene-l", 2, False), ("bluegene-l", 3, True), ("bluegene-p", 4, False), ("bluegene-p", 5, True)],
)
def test_more_processes_than_cores_are_warned_of(machine: str, processes: int, warned: bool) -> None:
    found = advice_of_cores(planned("access", f"workload.cores={processes}", machine=machine))
    assert [one.code for one in found] == (["torus.cores"] if warned else [])


def test_cores_of_which_nothing_is_known_are_no_limit() -> None:
    plan = planned("access", "workload.cores=3")._replace(cores=None)
    assert advice_of_cores(plan) == []


@pytest.mark.parametrize(
    ("places", "waiting", "warned"), [(0, 1500, True), (0, 100, False), (0, 400, False), (8, 1500, False)]
)
def test_updates_that_wait_more_and_more_are_warned_of(places: int, waiting: int, warned: bool) -> None:
    """As in a hypercube, where those that receive generate nothing. Each of the 64 nodes applied 4096."""
    plan = planned("randomaccess", f"network.reception_packets={places}", machine="bluegene-p")
    answer = result(waiting=64 * waiting)
    del answer["event"]
    found = advice_of_waiting(plan, msgspec.convert(answer, Result))
    assert [one.code for one in found] == (["torus.waiting"] if warned else [])
