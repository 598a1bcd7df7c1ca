"""Words for simulated tori, on the terminal and on the page alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from groma.record.units import format_number
from groma.report.words.text import joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.facts.torus import SimulatedWith, TorusFacts

LONGEST = 4
"""More numbers under one name are shown by their extremes."""


def run_title(facts: TorusFacts) -> str:
    """E.g. "randomaccess (multi-core) on bluegene-p, torus 8x8x8"."""
    algorithm = f" ({facts.algorithm})" if facts.algorithm else ""
    return f"{facts.workload}{algorithm} on {facts.machine}, {facts.title}"


def direction_names(axes: Sequence[str]) -> list[str]:
    """In the order of the ports: x+, x-, y+, y- and so on."""
    return [f"{axis}{sign}" for axis in axes for sign in "+-"]


def fills_torus(facts: TorusFacts, nodes: Sequence[Sequence[float]]) -> bool:
    """Whether there is a value for each direction of each node; a record may be damaged."""
    ports = 2 * len(facts.axes)
    return (
        len(facts.axes) == len(facts.shape)
        and len(nodes) == math.prod(facts.shape)
        and all(len(one) == ports for one in nodes)
    )


def share_text(share: float) -> str:
    """E.g. "12.3 %"; "0 %" only for nothing at all."""
    return f"{format_number(100 * share)} %"


def parameter_text(one: SimulatedWith) -> str:
    if one.value is None:
        return "-"
    value = one.value if isinstance(one.value, str) else format_number(one.value)
    return joined(value, one.unit, by=" ")


def source_text(one: SimulatedWith) -> str:
    """Among parameters that are all assumed, or none."""
    return one.source.removeprefix("assumed: ")


def whole_source(one: SimulatedWith) -> str:
    """Among all parameters: says which are assumed."""
    return one.source


class _Meaning(NamedTuple):
    unit: str
    what: str


_ARRIVED_LATE = "from when a packet was due until it arrived, "
_MEANINGS = {
    "offered": _Meaning("B/cycle", "by each node; 0 for as much as goes"),
    "accepted": _Meaning("B/cycle", "for each node, in packets that arrived in the window"),
    "bound": _Meaning("B/cycle", "of uniform traffic, for each node"),
    "latency_of_window.n": _Meaning("packets", "that arrived in the window"),
    "latency_of_window.mean": _Meaning("cycles", _ARRIVED_LATE + "mean"),
    "latency_of_window.max": _Meaning("cycles", _ARRIVED_LATE + "longest"),
    "message_bytes": _Meaning("B", "of messages that arrived"),
    "bytes_per_cycle": _Meaning("B/cycle", "of messages, until the last one arrived"),
    "bytes_per_cycle_of_rank": _Meaning("B/cycle", "of messages to a rank, until it had finished"),
    "last_arrival": _Meaning("cycles", "until the last message was complete"),
    "least_time": _Meaning("cycles", "if links of the busiest dimension never waited"),
    "share_of_peak": _Meaning("", "of the rate with the least time"),
    "most_stored": _Meaning("packets", "at an intermediate node"),
    "finished_at": _Meaning("cycles", "until the last rank had finished"),
    "rank_finished.min": _Meaning("cycles", "until the first rank had finished"),
    "rank_finished.max": _Meaning("cycles", "until the last rank had finished"),
    "out_of_order": _Meaning("packets", "that did not follow the highest one of their message"),
    "busiest_processor": _Meaning("", "share of the time in which it worked"),
    "ranks": _Meaning("ranks", "of the trace"),
    "unsized": _Meaning("calls", "with types of unknown size"),
    "center.node": _Meaning("", "number of the node in the middle"),
    "center.stalled": _Meaning("", "share of the time in which a link of it waits for tokens"),
    "center.received": _Meaning("B", "by the node in the middle"),
    "center.sent": _Meaning("B", "by the node in the middle"),
    "stalled": _Meaning("", "share of the time in which this sender waits for tokens"),
    "astray": _Meaning("updates", "that came to another node than their owner"),
    "bucket": _Meaning("updates", "at most in a packet"),
    "trace.states": _Meaning("records", "of states in the trace"),
    "trace.messages": _Meaning("records", "of messages in the trace"),
    "trace.message_bytes": _Meaning("B", "of these messages"),
}
"""Of the values of workloads, by their names or what stands before the last point of these."""


def value_rows(values: Mapping[str, Sequence[float]]) -> list[list[str]]:
    """Name, numbers (many of them by their number and extremes), unit and meaning of each value."""
    return [[name, _numbers(some), *_meaning(name)] for name, some in values.items() if some]


def _meaning(name: str) -> _Meaning:
    of_all = _MEANINGS.get(name.rpartition(".")[0], _Meaning("", ""))
    return _MEANINGS.get(name, of_all)


def _numbers(some: Sequence[float]) -> str:
    if len(some) <= LONGEST:
        return " ".join(map(format_number, some))
    return f"{len(some)} from {format_number(min(some))} to {format_number(max(some))}"
