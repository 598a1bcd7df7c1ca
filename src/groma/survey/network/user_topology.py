"""What the user knows of the network, to be compared with what is measured; it starts nothing."""

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
    from groma.survey.network.request import NetworkRequest


def parameters_of(request: NetworkRequest, probes: Sequence[str], room: Room) -> dict[str, str]:
    """As parameters of the samples of the Distance Benchmark.

    Raises GromaError (exit code 2) for a topology of other nodes, and where that is not among the probes.
    """
    if request.topology is not None:
        parse_interconnect(request.topology)
    given = {"--topology": request.topology, "--link": request.link}
    option = next((name for name, value in given.items() if value is not None), None)
    if option is not None and DISTANCE not in probes:
        missing = "add distance to the probes" if room.nodes > 1 else "use several nodes"
        raise GromaError(
            f"{option} needs the bandwidth over distance, which is not measured",
            f"omit it, or {missing}",
        )
    parameters = {}
    if request.topology is not None:
        interconnect_over(request.topology, room.nodes)
        parameters[declared.TOPOLOGY] = request.topology
    if request.link is not None:
        parameters[declared.LINK_BANDWIDTH] = str(request.link)
    return parameters


def notes_of(request: NetworkRequest, room: Room) -> Iterator[str]:
    """For the reader of a plan."""
    if request.topology is not None:
        interconnect = interconnect_over(request.topology, room.nodes)
        yield f"given: a {interconnect.title}{order_of(interconnect)}"
    if request.link is not None:
        yield f"given: the link of a node carries {format_value(request.link, 'B/s')} in each direction"
