"""A surveyed machine costs what its survey measured: messages, not packets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groma.conftest import ROOT
from groma.machine.files import find_machine
from groma.sim.torus.simulation_plan import SimulationOptions, plan_of
from groma.sim.torus.surveyed import machine_of_profile

if TYPE_CHECKING:
    from pathlib import Path

    from groma.machine.description import Machine
    from groma.sim.torus.protocol import Processor
    from groma.sim.torus.simulation_plan import SimulationPlan

HALF_THE_LATENCY = 15_000
"""ns of 30 µs between nodes: what a message costs each of its ends where the profile has no LogGP."""


@pytest.fixture
def surveyed() -> Machine:
    return machine_of_profile(ROOT / "tests/data/profiles/network.json")


def planned(machine: Machine, workload: str, *settings: str) -> SimulationPlan:
    return plan_of(SimulationOptions(machine=machine, workload=workload, shape="4x4", settings=settings))


def processor(machine: Machine, workload: str, *settings: str) -> Processor:
    return planned(machine, workload, *settings).request.processor


@pytest.mark.parametrize("workload", ["halo", "distance", "broadcast", "replay"])
def test_the_overhead_is_that_of_a_message_not_of_its_packets(workload: str, surveyed: Machine) -> None:
    costs = processor(surveyed, workload)
    assert costs.message == HALF_THE_LATENCY
    assert (costs.send, costs.receive.single, costs.receive.each, costs.call) == (0, 0, 0, 0)


@pytest.mark.parametrize("workload", ["uniform", "tornado", "randomaccess"])
def test_a_packet_that_is_a_message_of_its_own_costs_the_overhead(workload: str, surveyed: Machine) -> None:
    costs = processor(surveyed, workload)
    assert (costs.send, costs.receive.single, costs.receive.each) == (HALF_THE_LATENCY,) * 3


@pytest.mark.parametrize("workload", ["all-to-all", "two-phase"])
@pytest.mark.parametrize(("size", "packets"), [(1, 1), (240, 1), (241, 2), (2400, 10)])
def test_packets_of_an_all_to_all_share_the_overhead_of_their_message(
    workload: str, size: int, packets: int, surveyed: Machine
) -> None:
    costs = processor(surveyed, workload, f"workload.bytes={size}")
    assert costs.send == HALF_THE_LATENCY / packets
    assert costs.receive.single == costs.receive.each == HALF_THE_LATENCY / packets


def test_a_hop_of_which_nothing_is_known_is_short_but_no_cycle(surveyed: Machine) -> None:
    """A step of the simulator is as long as a hop: with one of a cycle it takes minutes for some messages."""
    hop = planned(surveyed, "halo").request.network.hop_latency
    assert hop == 64
    assert hop < 0.01 * 2 * HALF_THE_LATENCY
    faster = planned(surveyed, "halo", "processor.frequency=1e8").request.network.hop_latency
    assert faster == pytest.approx(6.4, abs=0.5), "a hop keeps its time"


def test_a_hop_is_short_but_no_cycle_where_the_overheads_are_longer_than_the_latency(tmp_path: Path) -> None:
    """The o of LogGP and the latency are measured apart: twice the one may exceed the other."""
    machine = with_overhead(20e-6, tmp_path)
    hop = planned(machine, "halo").request.network.hop_latency
    assert hop == 64
    assert processor(machine, "halo").message == 20_000
    assert machine.network.hop_latency.source.endswith("the overheads leave less of it")
    assert planned(with_overhead(10e-6, tmp_path), "halo").request.network.hop_latency == 10_000


def profile_document() -> dict[str, Any]:
    profile: dict[str, Any] = json.loads((ROOT / "tests/data/profiles/network.json").read_text("utf-8"))
    return profile


def read_back(profile: dict[str, Any], folder: Path) -> Machine:
    file = folder / "profile.json"
    file.write_text(json.dumps(profile), encoding="utf-8")
    return machine_of_profile(file)


def with_overhead(seconds: float, folder: Path) -> Machine:
    """The profile of 30 µs between nodes with this o of LogGP."""
    profile = profile_document()
    bounds = {"value": seconds, "low": seconds, "high": seconds}
    for layer in profile["facts"]["network"]["layers"]:
        layer["loggp"] = {"o": {**bounds, "unit": "s", "confidence": 0.95, "method": "given"}}
    return read_back(profile, folder)


def test_a_profile_without_cores_does_not_say_how_many_there_are(tmp_path: Path) -> None:
    profile = profile_document()
    profile["facts"]["node"]["cores"] = []
    machine = read_back(profile, tmp_path)
    assert not machine.processor.cores.surveyed
    assert planned(machine, "access").cores is None
    assert planned(read_back(profile_document(), tmp_path), "access").cores == 4


def test_a_cost_that_is_given_is_not_shared(surveyed: Machine) -> None:
    costs = processor(surveyed, "all-to-all", "workload.bytes=2400", "processor.send=70")
    assert (costs.send, costs.receive.single) == (70, HALF_THE_LATENCY / 10)


def test_costs_of_packets_that_a_paper_gives_stay_those_of_packets() -> None:
    machine = find_machine("bluegene-l")
    for workload in ("halo", "all-to-all"):
        costs = processor(machine, workload, "workload.bytes=2400")
        assert (costs.message, costs.send, costs.receive.single) == (None, 70, 348)


def test_what_a_survey_measured_keeps_its_time_at_another_frequency(surveyed: Machine) -> None:
    assert processor(surveyed, "halo", "processor.frequency=2e9").message == 2 * HALF_THE_LATENCY
    assert processor(surveyed, "uniform", "processor.frequency=2e9").send == 2 * HALF_THE_LATENCY


def test_a_list_of_parameters_says_that_messages_were_surveyed(surveyed: Machine) -> None:
    found = {one.name: one for one in planned(surveyed, "halo").parameters}
    assert found["processor.message"].surveyed
    assert not found["processor.send"].surveyed
    assert not found["processor.send"].assumed


def test_long_messages_reach_the_bandwidth_that_was_measured(surveyed: Machine) -> None:
    """4 kB in 111.92 µs, of which two processes of a node have 1.9 together; packets of 240 B take 270 B."""
    measured = 4096 / 0.00011192 * 2 / 1.9
    network = planned(surveyed, "distance").request.network
    payload = network.packet_largest - network.packet_header
    link = network.bytes_per_cycle * 1e9
    assert link * payload / (network.packet_largest + network.packet_on_wire) == pytest.approx(measured)
