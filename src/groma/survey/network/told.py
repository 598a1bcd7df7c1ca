"""What the user told of the network: it starts nothing, and stands beside what is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.interconnect.notation import interconnect_over, order_of, parse_interconnect
from groma.record.units import format_value
from groma.survey.infer.network import declared
from groma.survey.infer.network.names import DISTANCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.launch.shape import Room
    from groma.survey.network.request import NetworkWish


def parameters_of(wish: NetworkWish, probes: Sequence[str], room: Room) -> dict[str, str]:
    """As parameters of the samples of the Distance Benchmark.

    Raises GromaError (exit code 2) for a topology of other nodes, and where that is not among the probes.
    """
    if wish.topology is not None:
        parse_interconnect(wish.topology)
    given = {"--topology": wish.topology, "--link": wish.link}
    option = next((name for name, value in given.items() if value is not None), None)
    if option is not None and DISTANCE not in probes:
        missing = "have distance among the probes" if room.nodes > 1 else "start it on several nodes"
        raise GromaError(
            f"{option} stands beside the bandwidth over distance, which is not measured",
            f"leave it out, or {missing}",
        )
    told = {}
    if wish.topology is not None:
        interconnect_over(wish.topology, room.nodes)
        told[declared.TOPOLOGY] = wish.topology
    if wish.link is not None:
        told[declared.LINK_BANDWIDTH] = str(wish.link)
    return told


def read_as(wish: NetworkWish, room: Room) -> Iterator[str]:
    """For the reader of a plan."""
    if wish.topology is not None:
        interconnect = interconnect_over(wish.topology, room.nodes)
        yield f"told: a {interconnect.title}{order_of(interconnect)}"
    if wish.link is not None:
        yield f"told: the link of a node carries {format_value(wish.link, 'B/s')} in each direction"
