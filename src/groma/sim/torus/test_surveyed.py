"""A surveyed machine costs what its survey measured: messages, not packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.conftest import ROOT
from groma.machine.files import find_machine
from groma.sim.torus.simulation_plan import SimulationOptions, plan_of
from groma.sim.torus.surveyed import machine_of_profile

if TYPE_CHECKING:
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
