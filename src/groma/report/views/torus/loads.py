"""How busy the cores of the roles and the links of each direction were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.torus import TorusFacts
from groma.record.units import format_value
from groma.report.blocks import (
    Axis,
    DataTable,
    DotAxis,
    Figure,
    Lane,
    Legend,
    LineChart,
    Point,
    Series,
    Strip,
    StripChart,
)
from groma.report.views.registry import view
from groma.report.words.torus import direction_names, share_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record
    from groma.report.views.registry import Blocks

METHOD = "simulated; exact for this request"


@view("results", order=1, of=TorusFacts)
def roles(record: Record[TorusFacts]) -> Blocks:
    found = record.facts.loads
    if not found:
        return []
    return [
        Figure(
            id="torus-loads",
            title="Work of the cores",
            what="Share of the time in which the cores of a role work, mean over the nodes. The busiest role "
            "limits the rate unless links are full.",
            method=METHOD,
            drawing=StripChart(
                x=DotAxis(title="share of the time", unit="%"),
                strips=[Strip(name=one.role, lanes=[share_lane(one.busy)]) for one in found],
                bars=True,
            ),
            table=DataTable(
                columns=["role", "busy"], rows=[[one.role, share_text(one.busy)] for one in found]
            ),
            data=found,
        )
    ]


def share_lane(share: float, tone: int = 0, what: str = "") -> Lane:
    """A share of the time as a bar, in per cent as its text."""
    percent = 100 * share
    return Lane(value=percent, low=percent, high=percent, tone=tone, text=f"{what}{share_text(share)}")


@view("results", order=2, of=TorusFacts)
def directions(record: Record[TorusFacts]) -> Blocks:
    facts = record.facts
    busy = facts.links.by_direction if facts.links else []
    if not busy:
        return []
    stalled = facts.stalls.by_direction or [0.0] * len(busy)
    names = direction_names(facts.axes)
    rows = list(zip(names, busy, stalled, strict=False))
    return [
        Figure(
            id="torus-directions",
            title="Links by direction",
            what="Mean share of the time in which links of a direction carry packets, and in which they "
            "are idle with a packet to send and no token for it: the next router has no room.",
            method=METHOD,
            drawing=StripChart(
                x=DotAxis(title="share of the time", unit="%"),
                strips=[Strip(name=name, lanes=_lanes(one, other)) for name, one, other in rows],
                legend=[Legend(name="busy", tone=0), Legend(name="stalled", tone=1)],
                bars=True,
            ),
            table=DataTable(
                columns=["direction", "busy", "stalled"],
                rows=[[name, share_text(one), share_text(other)] for name, one, other in rows],
            ),
        )
    ]


def _lanes(busy: float, stalled: float) -> Sequence[Lane]:
    return [share_lane(busy, 0, "busy "), share_lane(stalled, 1, "stalled ")]


@view("results", order=3, of=TorusFacts)
def progress(record: Record[TorusFacts]) -> Blocks:
    """Updates over time; the slope between the ends of the window is the rate."""
    window = record.facts.window
    if window is None:
        return []
    begin, end = (format_value(one, "s") for one in (window.begin, window.end))
    points = [Point(x=time, y=done) for time, done in window.samples]
    return [
        Figure(
            id="torus-progress",
            title="Updates over simulated time",
            what="The rate is the slope after the warm-up.",
            method=f"steady from {begin} to {end}, in {window.batches} batches",
            drawing=LineChart(
                x=Axis(title="simulated time", unit="s"),
                y=Axis(title="updates"),
                series=[Series(name="updates", tone=0, points=points)],
            ),
            table=DataTable(
                columns=["simulated time (s)", "updates"],
                rows=[[f"{point.x:.4g}", f"{point.y:.0f}"] for point in points],
            ),
        )
    ]
