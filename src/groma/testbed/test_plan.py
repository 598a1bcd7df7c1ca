"""The commands for ip and tc make a network in which every host reaches every other on the right way."""

from __future__ import annotations

import ipaddress
import math
import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groma.errors import ExitCode, GromaError
from groma.interconnect.lattice import coordinates
from groma.testbed.plan import (
    MOST_HOSTS,
    Plan,
    addressing,
    cabling,
    host_address,
    parse_shape,
    shaping,
)

shapes = (
    st.lists(st.integers(1, 6), min_size=1, max_size=3)
    .map(tuple)
    .filter(lambda shape: 2 <= math.prod(shape) <= 36)
)
plans = st.builds(Plan, shapes, st.none() | st.just(10**8), st.none() | st.just(10**9))

ADDRESS = re.compile(r"address add (?P<ip>[\d.]+)/(?P<prefix>\d+) dev (?P<device>\w+)")
ROUTE = re.compile(r"route add (?P<net>\S+) via (?P<via>[\d.]+)")


class Network:
    """What the commands make, read back from them alone."""

    def __init__(self, plan: Plan) -> None:
        self.owner: dict[str, str] = {}
        self.routes: dict[str, dict[str, str]] = {}
        for space in plan.spaces:
            commands = "\n".join(addressing(plan, space))
            self.owner |= {found["ip"]: space for found in ADDRESS.finditer(commands)}
            self.routes[space] = {found["net"]: found["via"] for found in ROUTE.finditer(commands)}

    def path(self, source: str, ip: str) -> list[str]:
        """The namespaces that a packet passes."""
        passed = [source]
        while self.owner[ip] != passed[-1] and len(passed) < 100:
            passed.append(self.next(passed[-1], ip))
        return passed

    def next(self, space: str, ip: str) -> str:
        if space.startswith("r") and space[1:] == ip.split(".")[2]:
            return self.owner[ip]
        net = f"{ip.rpartition('.')[0]}.0/24"
        return self.owner[self.routes[space].get(net) or self.routes[space]["default"]]


@settings(max_examples=40, deadline=None)
@given(plans)
def test_every_host_reaches_every_other_on_a_shortest_way(plan: Plan) -> None:
    network = Network(plan)
    for source in plan.nodes:
        for target in plan.nodes:
            if source == target:
                continue
            passed = network.path(f"h{source}", host_address(target))
            assert passed[0] == f"h{source}"
            assert passed[-1] == f"h{target}"
            assert len(passed) == plan.torus.distance(source, target) + 3


@settings(max_examples=20, deadline=None)
@given(plans)
def test_packets_turn_into_later_dimensions_only(plan: Plan) -> None:
    network = Network(plan)
    target = plan.nodes[-1]
    for source in plan.nodes[:-1]:
        routers = [int(space[1:]) for space in network.path(f"h{source}", host_address(target))[1:-1]]
        where = [coordinates(plan.shape, node) for node in routers]
        axes = [
            next(axis for axis, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1])
            for a, b in pairwise(where)
        ]
        assert axes == sorted(axes)


@given(plans)
def test_cables_have_two_ends_with_the_same_rate(plan: Plan) -> None:
    holders = {space: number for number, space in enumerate(plan.spaces)}
    assert len(cabling(plan, holders)) == len(plan.cables)
    rates = [line.partition(" root ")[2] for space in plan.spaces for line in shaping(plan, space)]
    wanted = Counter(cable.rate for cable in plan.cables.values())
    assert sorted(Counter(rates).values()) == sorted(
        2 * sum(count for rate, count in wanted.items() if rate == one) for one in wanted
    )


@given(plans)
def test_no_address_and_no_device_is_given_twice(plan: Plan) -> None:
    ports = [port for ports in plan.ports.values() for port, _ in ports]
    assert len({port.ip for port in ports}) == len(ports)
    assert len({(port.space, port.device) for port in ports}) == len(ports)


@given(plans)
def test_both_ends_of_a_cable_are_in_one_network(plan: Plan) -> None:
    for cable in plan.cables.values():
        a, b = (ipaddress.ip_interface(end.address) for end in cable.ends)
        assert a.network == b.network


def test_the_largest_bed_has_addresses_for_all() -> None:
    plan = Plan(parse_shape("8x4x4"))
    assert len(plan.hosts) == MOST_HOSTS
    for ports in plan.ports.values():
        for port, _ in ports:
            assert ipaddress.ip_interface(port.address)


def test_a_cable_is_known_from_either_end() -> None:
    plan = Plan((9,), 10**8)
    assert plan.cable("h4-h3") is plan.cable("h3-h4")
    assert plan.cable("h0-h8").name == "h8-h0"
    assert plan.cable("h3").ends[0].device == "eth0"


def test_a_cable_that_is_not_there_is_refused() -> None:
    with pytest.raises(GromaError, match="no cable 'h3-h5'") as refused:
        Plan((9,)).cable("h3-h5")
    assert refused.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize("text", ["", "x", "4x", "axb", "-9", "4 x 4", "9.5"])
def test_what_is_no_shape_is_refused(text: str) -> None:
    with pytest.raises(GromaError, match="is not a shape"):
        parse_shape(text)


@pytest.mark.parametrize("text", ["1", "0", "129", "0x4", "1x1", "999x999"])
def test_a_bed_too_small_or_too_large_is_refused(text: str) -> None:
    with pytest.raises(GromaError, match="is not possible"):
        parse_shape(text)
