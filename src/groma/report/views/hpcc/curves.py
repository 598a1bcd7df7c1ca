"""Times of messages over their size, where `--curves` asked for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.hpcc import HpccFacts
from groma.report.blocks import DataTable, Figure, LineChart, Option, Point, Series, chosen_from
from groma.report.views.messages import MESSAGE_KINDS, MessageKind, bandwidths_over
from groma.report.views.registry import view
from groma.report.views.run.sampled import Spread
from groma.report.words.text import DASH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.hpcc import Figure as Measured
    from groma.record import Record
    from groma.report.views.registry import Blocks

_STATES = {
    "reused": "buffers reused",
    "reused_huge": "buffers reused, on huge pages",
    "rotating": "buffers that no cache holds",
}


@view("messages", order=2, of=HpccFacts)
def curves(record: Record[HpccFacts]) -> Blocks:
    states: dict[str, list[Measured]] = {}
    for test in record.facts.tests:
        for one in test.figures:
            if one.labels.get("purpose") == "curve" and one.series == "time":
                states.setdefault(str(one.labels.get("buffers", "")), []).append(one)
    options = [
        Option(label=f"{kind.name}, {_state_name(state)}", figure=_figure(points, state, kind))
        for state, points in states.items()
        for kind in MESSAGE_KINDS
    ]
    return chosen_from("hpcc-curves", "Over message size:", options)


def _state_name(state: str) -> str:
    return _STATES.get(state, state.replace("_", " "))


def _figure(points: Sequence[Measured], state: str, kind: MessageKind) -> Figure:
    names = dict.fromkeys(_curve_name(one) for one in points)
    rows = [
        [
            _curve_name(one),
            one.labels["bytes"],
            one.value,
            one.value.samples.n if one.value.samples else None,
        ]
        for one in points
    ]
    return Figure(
        id=f"hpcc-curves-{kind.name}-{state.replace('_', '-')}",
        title=kind.title,
        what=f"One way, {_state_name(state)}: median over the repetitions, bars are intervals. Rings are per "
        "rank.",
        method=points[0].value.method,
        drawing=LineChart(
            x=kind.x, y=kind.y, series=[_line(name, tone, points, kind) for tone, name in enumerate(names)]
        ),
        table=DataTable(columns=["pattern", "bytes", "time", "samples"], rows=rows),
        data=points,
    )


def _curve_name(one: Measured) -> str:
    """E.g. `natural ring, sendrecv`; a pair has its ranks."""
    labels = one.labels
    if labels.get("pattern") == "pair":
        return f"pair {labels['client']}{DASH}{labels['server']}"
    return f"{labels.get('pattern', '')}, {labels.get('exchange', '')}".replace("_", " ")


def _line(name: str, tone: int, every: Sequence[Measured], kind: MessageKind) -> Series:
    own = sorted((one for one in every if _curve_name(one) == name), key=lambda one: one.labels["bytes"])
    points = [point for one in own for point in _point(one, kind)]
    return Series(name=name, spread="bars", tone=tone, dashed=tone >= 7, points=points)


def _point(one: Measured, kind: MessageKind) -> list[Point]:
    """Nothing where the bandwidth is not known."""
    size, time = one.labels["bytes"], Spread(one.value.low, one.value.value, one.value.high)
    found = time if kind.name == "time" else bandwidths_over(size, time)
    return [Point(x=size, y=found.median, low=found.low, high=found.high)] if found else []
