"""A bed on paper: its hosts, cables, addresses and routes, and the commands of ip and tc that make them.

Every host has a router of its own in front of it. The cable between both stands for the network interface of
the host; the routers are joined to a ring or torus. All of this is data: nothing here is run.
"""

from __future__ import annotations

import math
import re
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

import msgspec

from groma.errors import GromaError
from groma.interconnect.lattice import Lattice, Shape, coordinates, torus
from groma.record.counting import counted
from groma.testbed.rates import Rate, discipline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_HOSTS = 128

_SHAPE = re.compile(r"\d{1,3}(x\d{1,3}){0,5}")


def parse_shape(text: str) -> Shape:
    """Lengths of the dimensions: "9", "4x4", "3x3x3". Raises GromaError (exit code 2)."""
    if not _SHAPE.fullmatch(text):
        raise GromaError(f"{text!r} is not a shape", "write for example 9, 4x4 or 3x3x3")
    shape = tuple(int(length) for length in text.split("x"))
    if not 2 <= math.prod(shape) <= MOST_HOSTS:
        raise GromaError(
            f"a test bed of {counted(math.prod(shape), 'host')} is not possible",
            f"use a shape of 2 to {MOST_HOSTS} hosts",
        )
    return shape


def host_name(node: int) -> str:
    return f"h{node}"


def router_name(node: int) -> str:
    return f"r{node}"


def host_address(node: int) -> str:
    return f"10.77.{node}.2"


class Port(msgspec.Struct, frozen=True):
    """One end of a cable: in which namespace, the name of the device there, its address with its prefix."""

    space: str
    device: str
    address: str

    @property
    def ip(self) -> str:
        return self.address.partition("/")[0]


class Cable(msgspec.Struct, frozen=True):
    """Two ports, one rate in both directions. `name` is "h3-h4", or "h3" of the interface of a host."""

    name: str
    ends: tuple[Port, Port]
    rate: Rate | None


class Plan(msgspec.Struct, frozen=True, dict=True):
    """Rates are in bits per second; None is as fast as the machine."""

    shape: Shape
    link: Rate | None = None
    nic: Rate | None = None

    @cached_property
    def torus(self) -> Lattice:
        """The routers."""
        return torus(*self.shape)

    @property
    def nodes(self) -> range:
        return range(self.torus.nodes)

    @property
    def hosts(self) -> list[str]:
        return [host_name(node) for node in self.nodes]

    @property
    def spaces(self) -> list[str]:
        return [*self.hosts, *(router_name(node) for node in self.nodes)]

    @cached_property
    def cables(self) -> dict[str, Cable]:
        """All by name: the interfaces of hosts first, then those between routers."""
        both = [*(self._interface(node) for node in self.nodes), *self._links()]
        return {cable.name: cable for cable in both}

    def _interface(self, node: int) -> Cable:
        inside = Port(host_name(node), "eth0", f"{host_address(node)}/24")
        outside = Port(router_name(node), "nic", f"10.77.{node}.1/24")
        return Cable(inside.space, (inside, outside), self.nic)

    def _links(self) -> Iterator[Cable]:
        for number, (a, b) in enumerate(self.torus.neighbours()):
            axis = self._axis(a, b)
            high, low = divmod(2 * number, 256)
            plus = Port(router_name(a), f"plus{axis}", f"10.78.{high}.{low}/31")
            minus = Port(router_name(b), f"minus{axis}", f"10.78.{high}.{low + 1}/31")
            yield Cable(f"{host_name(a)}-{host_name(b)}", (plus, minus), self.link)

    def _axis(self, a: int, b: int) -> int:
        pairs = zip(coordinates(self.shape, a), coordinates(self.shape, b), strict=True)
        return next(axis for axis, (one, other) in enumerate(pairs) if one != other)

    @cached_property
    def ports(self) -> dict[str, list[tuple[Port, Cable]]]:
        """Those of each namespace."""
        found: dict[str, list[tuple[Port, Cable]]] = {space: [] for space in self.spaces}
        for cable in self.cables.values():
            for port in cable.ends:
                found[port.space].append((port, cable))
        return found

    def cable(self, name: str) -> Cable:
        """By its name, whichever end comes first in it. Raises GromaError (exit code 2)."""
        found = self.cables.get(name) or self.cables.get("-".join(reversed(name.split("-"))))
        if found is None:
            known = list(self.cables)
            raise GromaError(
                f"the test bed has no cable {name!r}",
                f"cables are {known[0]} … {known[-1]}; see docs/testbed.md",
            )
        return found

    def gateways(self, node: int) -> dict[int, str]:
        """For every other host the address that its packets go to from the router of this node."""
        towards = {}
        for port, cable in self.ports[router_name(node)]:
            other = next(end for end in cable.ends if end is not port)
            towards[other.space] = other.ip
        return {
            target: towards[router_name(self.torus.next_hop(node, target))]
            for target in self.nodes
            if target != node
        }


# ---- commands of ip -batch and tc -batch -------------------------------------------------------------------


def cabling(plan: Plan, holders: Mapping[str, int]) -> list[str]:
    """Commands of ip that lay all cables; `holders` are the processes that hold the namespaces.

    All devices have different numbers: the kernel takes up to a second to see that a pair is up whose ends
    have the same number in their namespaces.
    """
    return [
        f"link add {a.device} index {number} netns {holders[a.space]} "
        f"type veth peer name {b.device} index {number + 1} netns {holders[b.space]}"
        for number, (a, b) in zip(count(10, 2), (cable.ends for cable in plan.cables.values()), strict=False)
    ]


def addressing(plan: Plan, space: str) -> list[str]:
    """Commands of ip inside of a namespace: addresses, devices up, routes."""
    ports = [port for port, _ in plan.ports[space]]
    return [
        "link set lo up",
        *(f"address add {port.address} dev {port.device}" for port in ports),
        *(f"link set {port.device} up" for port in ports),
        *_routes(plan, space),
    ]


def _routes(plan: Plan, space: str) -> list[str]:
    node = int(space[1:])
    if space == host_name(node):
        return [f"route add default via 10.77.{node}.1"]
    return [f"route add 10.77.{target}.0/24 via {ip}" for target, ip in plan.gateways(node).items()]


def shaping(plan: Plan, space: str) -> list[str]:
    """Commands of tc inside of a namespace: the rates of its cables."""
    return [shaped(port, discipline(cable.rate)) for port, cable in plan.ports[space]]


def shaped(port: Port, what: str) -> str:
    """The command of tc that gives the port this discipline."""
    return f"qdisc replace dev {port.device} root {what}"
