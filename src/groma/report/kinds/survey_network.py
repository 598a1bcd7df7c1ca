"""The network part of a profile on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.facts.matrices import Entry, entries_of, sparse_entries
from groma.record.counting import counted
from groma.record.units import format_quantity, format_value
from groma.report.document import Block, Note, Pairs, StyledText, Text
from groma.report.matrices import LARGEST_SHOWN, matrix_blocks
from groma.report.terminal import table
from groma.report.words.network import (
    at_once_words,
    design_words,
    groups_words,
    in_pieces,
    level_words,
    meanwhile,
    structure_words,
    uplink_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groma.facts.network import (
        Access,
        CommunicationLayer,
        Distance,
        DistanceLoad,
        NetworkFacts,
        NetworkTopology,
        PairLatencies,
        Receiver,
        ReceiverPhase,
        SlowPart,
    )
    from groma.facts.survey import SurveyFacts
    from groma.record import Quantity, Record
    from groma.report.document import Cell
    from groma.report.terminal import Blocks

_MOST_NAMES = 12
_STATISTICS = (">times as long", ">mean bandwidth", ">slowest rank", ">harmonic mean")


# ---- layers ------------------------------------------------------------------------------------------------


def layer_blocks(network: NetworkFacts) -> list[Block]:
    items: list[tuple[str, Cell]] = []
    if network.topology is not None:
        items += _structure(network.topology)
    if network.pairs is not None:
        items.append(("pairs", design_words(network.pairs.design)))
    if network.node_pairs is not None:
        facts = network.node_pairs
        items.append(("pairs of nodes", f"{design_words(facts.design)}; {at_once_words(facts)}"))
    columns = ["layer", "one-way latency", "bandwidth", "protocol switch", ">pairs"]
    layers = table(columns, [_layer_row(layer) for layer in network.layers])
    return [*([Pairs(items)] if items else []), *layers, *_loggp_table(network.layers)]


def _structure(topology: NetworkTopology) -> Iterator[tuple[str, Cell]]:
    """A line for each thing that is known of it. The levels hold the groups, where there are levels."""
    yield "structure", structure_words(topology)
    if uplink := uplink_words(topology):
        yield "uplink", uplink
    if topology.groups and not topology.levels:
        yield "groups", groups_words(topology, topology.groups)
    for number, level in enumerate(topology.levels, start=1):
        what = level_words(level, is_smallest=number == 1)
        yield f"level {number}", f"{what}: {groups_words(topology, level.groups)}"


def _layer_row(layer: CommunicationLayer) -> list[Cell]:
    return [
        layer.name,
        format_quantity(layer.latency),
        format_quantity(layer.bandwidth),
        ", ".join(f"at {format_quantity(one.bytes, interval=False)}" for one in layer.switches) or "-",
        str(len(layer.pairs)) if layer.pairs else "-",
    ]


def _loggp_table(layers: Sequence[CommunicationLayer]) -> list[Block]:
    known = [(layer.name, layer.loggp) for layer in layers if layer.loggp]
    rows: list[list[Cell]] = [
        [name, *(format_quantity(one) for one in (found.L, found.o, found.g, found.G))]
        for name, found in known
    ]
    notes = [f"{name}: {note}" for name, found in known for note in found.notes]
    return [*table(["LogGP", "latency L", "overhead o", "gap g", "gap per byte G"], rows), *_notes(notes)]


def curve_blocks(network: NetworkFacts) -> list[Block]:
    return [block for layer in network.layers for block in (*_curve(layer), *_concurrency(layer))]


def _curve(layer: CommunicationLayer) -> list[Block]:
    rows: list[list[Cell]] = [
        [format_value(point.bytes, "B"), format_quantity(point.time), format_quantity(point.bandwidth)]
        for point in layer.curve
    ]
    return table([">message", "one-way time", "bandwidth"], rows, layer.name)


def _concurrency(layer: CommunicationLayer) -> list[Block]:
    rows: list[list[Cell]] = [
        [
            str(point.messages),
            format_quantity(point.bandwidth),
            format_quantity(point.slowest, interval=False),
            format_quantity(point.scaling),
        ]
        for point in layer.concurrency
    ]
    columns = [">concurrent messages", "bandwidth of all", ">by the slowest", "times one"]
    return table(columns, rows, f"{layer.name}, concurrent")


def pair_blocks(network: NetworkFacts) -> list[Block]:
    facts = network.pairs
    return [*(_rank_pairs(facts) if facts else []), *_node_pairs(network)]


def _rank_pairs(facts: PairLatencies) -> list[Block]:
    hosts = dict.fromkeys(host for host in facts.hosts if host)
    where = [Text([f"ranks on {counted(len(hosts), 'node')}: {' '.join(list(hosts)[:_MOST_NAMES])}"])]
    return [
        *(where if hosts else []),
        *matrix_blocks("one-way latency", facts.ranks, entries_of(facts.latency)),
    ]


def _node_pairs(network: NetworkFacts) -> list[Block]:
    facts = network.node_pairs
    if facts is None or facts.latency is None:
        return []
    names = [host or str(rank) for rank, host in zip(facts.ranks, facts.hosts, strict=True)]
    pairs = list(sparse_entries(facts.latency))
    mirrored = [Entry(one.column, one.row, one.quantity) for one in pairs]
    shown = [*pairs, *mirrored] if len(names) <= LARGEST_SHOWN else pairs
    return matrix_blocks("one-way latency between nodes", names, shown)


# ---- sweeps ------------------------------------------------------------------------------------------------


def distance_blocks(network: NetworkFacts) -> list[Block]:
    facts = network.distance
    if facts is None:
        return []
    columns = [">distance", *_STATISTICS, "", *(title for title, _ in _load_columns(facts))]
    rows = [_distance_row(facts, d) for d in _entries(facts.ratio)]
    size = format_value(facts.message, "B")
    caption = f"{counted(facts.nodes, 'node')}, one process on each, messages of {size}"
    caption += f"{in_pieces([facts.piece])}{_beside(facts)}"
    return [*table(columns, rows, caption), *map(_slow_note, facts.slow), *_notes(facts.notes)]


def _distance_row(facts: Distance, distance: int) -> list[Cell]:
    remark = "exchange" if any(facts.exchange[distance - 1 : distance]) else ""
    return [str(distance), *_statistics(facts, distance - 1), remark, *_load_cells(facts, distance)]


def _entries(ratio: Sequence[Quantity | None]) -> list[int]:
    return [number for number, one in enumerate(ratio, start=1) if one is not None]


def _statistics(facts: Distance | Access, index: int) -> list[Cell]:
    return [
        format_quantity(facts.ratio[index]),
        _bandwidth(facts.bandwidth, index),
        *(_bandwidth(one.bandwidth if one else [], index) for one in (facts.slowest, facts.harmonic)),
    ]


def _bandwidth(some: Sequence[Quantity | None], index: int) -> str:
    return format_quantity(some[index] if index < len(some) else None, interval=False)


def _beside(facts: Distance) -> str:
    """What the figures stand beside: "; beside the declared torus 4x4, links of 50.0 MB/s"."""
    reported = [f"the {facts.loads_of} {facts.structure}"] if facts.loads else []
    if facts.link_bandwidth is not None:
        reported.append(f"links of {format_value(facts.link_bandwidth, 'B/s')}")
    return f"; compared with {', '.join(reported)}" if reported else ""


_LOADS: tuple[tuple[str, Callable[[DistanceLoad], str]], ...] = (
    (">hops", lambda load: f"{load.hops:.2f}"),
    (">by link shares", lambda load: f"{load.ratio:.2f} x"),
)
_AT_LINK_RATE: tuple[str, Callable[[DistanceLoad], str]] = (
    ">by link rate",
    lambda load: format_value(load.bandwidth, "B/s") if load.bandwidth is not None else "-",
)


def _load_columns(facts: Distance) -> Sequence[tuple[str, Callable[[DistanceLoad], str]]]:
    """Titles, and what to write of a load."""
    if not facts.loads:
        return ()
    return _LOADS if facts.link_bandwidth is None else (*_LOADS, _AT_LINK_RATE)


def _load_cells(facts: Distance, distance: int) -> list[Cell]:
    load = facts.loads[distance - 1] if distance <= len(facts.loads) else None
    return ["-" if load is None else write(load) for _, write in _load_columns(facts)]


def _slow_note(part: SlowPart) -> Note:
    or_sound = f"; or the network is a {part.otherwise} with nothing slow" if part.otherwise else ""
    return Note(
        f"messages over the {part.title} take longer than others: {format_quantity(part.factor)}{or_sound}",
        "check its cable, adapter and switch port",
    )


def access_blocks(network: NetworkFacts) -> list[Block]:
    facts = network.access
    if facts is None:
        return []
    columns = [">processes per node", *_STATISTICS, ""]
    rows = [_access_row(facts, number) for number in _entries(facts.ratio)]
    size = format_value(facts.message, "B")
    caption = f"{facts.processes} processes in total; each sends {size} to the next node"
    return [*table(columns, rows, caption + in_pieces(facts.pieces)), *_notes(facts.notes)]


def _access_row(facts: Access, number: int) -> list[Cell]:
    remark = "exchange" if number <= len(facts.exchange) and facts.exchange[number - 1] else ""
    return [str(number), *_statistics(facts, number - 1), remark]


# ---- receiver ----------------------------------------------------------------------------------------------


def receiver_blocks(network: NetworkFacts) -> list[Block]:
    facts = network.receiver
    if facts is None:
        return []
    columns = [">senders", ">targets", "receives", "sends", ">slowest sender"]
    rows = [_phase_row(phase) for phase in facts.phases]
    size = format_value(facts.message, "B")
    caption = f"{facts.messages} messages of {size} from each sender, to {facts.host or 'one node'}"
    return [Pairs(list(_limits(facts))), *table(columns, rows, caption), *_notes(facts.notes)]


def _limits(facts: Receiver) -> Iterator[tuple[str, Cell]]:
    for limit in facts.limits:
        filled = "is saturated by" if limit.saturated else "is not saturated by"
        value = limit.sending
        span = f"{value.value:.2g} [{value.low:.2g}, {value.high:.2g}] senders"
        yield meanwhile(limit.receiving), f"{filled} {span}, receives {format_quantity(limit.bandwidth)}"


def _phase_row(phase: ReceiverPhase) -> list[Cell]:
    slowest = max(phase.slowed, key=lambda one: one.value, default=None)
    return [
        str(phase.sending),
        str(phase.receiving),
        format_quantity(phase.bandwidth),
        format_quantity(phase.outgoing),
        f"{slowest.value:.2f} x as long" if slowest else "-",
    ]


def _notes(notes: Sequence[str]) -> list[Block]:
    return [Text([StyledText(note, "dim") for note in notes])] if notes else []


# ---- as sections of a profile ------------------------------------------------------------------------------


class NetworkSection(NamedTuple):
    """A section of a profile; `fact` is where its JSON lies in the network part."""

    name: str
    title: str
    fact: tuple[str, ...]
    build: Callable[[Record[SurveyFacts]], Blocks]
    at_a_glance: bool = True


def _of_network(
    blocks: Callable[[NetworkFacts], Sequence[Block]],
) -> Callable[[Record[SurveyFacts]], Blocks]:
    def build(record: Record[SurveyFacts]) -> Blocks:
        return blocks(record.facts.network) if record.facts.network else []

    return build


NETWORK_SECTIONS = (
    NetworkSection("network", "Network", (), _of_network(layer_blocks)),
    NetworkSection(
        "network-curves", "Network by message size", ("layers",), _of_network(curve_blocks), False
    ),
    NetworkSection("network-pairs", "Pairs of ranks", ("pairs",), _of_network(pair_blocks), False),
    NetworkSection("network-distance", "Network by distance", ("distance",), _of_network(distance_blocks)),
    NetworkSection("network-access", "Network by processes", ("access",), _of_network(access_blocks)),
    NetworkSection("network-receiver", "One receiver", ("receiver",), _of_network(receiver_blocks)),
)
"""In the order in which they are read."""
