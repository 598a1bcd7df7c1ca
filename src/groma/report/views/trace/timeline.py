"""What each rank did when: its time in states over the time of the trace."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from groma.facts.trace import TraceFacts
from groma.record.units import format_number, format_share, scale_of
from groma.report.blocks import Drawing, Figure, Legend, Note
from groma.report.views.registry import view
from groma.report.words.names import short_name
from groma.trace.statistics import NOT_CREATED, RUNNING
from groma.trace.timeline import Phase, computing, least_efficient, states_in, times_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.trace import TraceState, TraceTimeline, TraceTimelineRow
    from groma.record import Record
    from groma.report.views.registry import Blocks

MOST_PARTS = 7
"""As many as there are colours: of more states, the last part is all others."""

LEAST_SPREAD = 0.2
"""Between the shares of rows in a phase, to tell which of them compute and which wait."""


class TimelineLine(msgspec.Struct, kw_only=True):
    """For each part the whole per cent of each bin; no list for a part that the row does not have.

    They are of the time that the threads of the row were there: where they were not, all parts have 0.
    """

    name: str
    shares: list[list[int]]


class TimelineChart(Drawing, kw_only=True):
    """Rows of bins of `width` (s) from `begin` on. `absent` is what a bin without any part means."""

    kind: Literal["timeline"] = "timeline"
    begin: float
    width: float
    bins: int
    row_title: str = "rank"
    absent: str = "not there, or not traced"
    parts: list[Legend]
    rows: list[TimelineLine]


class Part(NamedTuple):
    """What has one colour: a state, or all those that have none of their own."""

    name: str
    states: frozenset[int]


@view("results", order=0, of=TraceFacts)
def timeline(record: Record[TraceFacts]) -> Blocks:
    found = record.facts.timeline
    if found is None or not found.rows:
        return []
    parts = _parts(record.facts.states)
    most = max(row.threads for row in found.rows)
    grouped = f" A row is {most:,} neighbouring ranks." if most > 1 else ""
    figure = Figure(
        id="trace-timeline",
        title="Timeline",
        what="What ranks did over the time of the trace. The height of a colour is the share of its state in "
        f"the time of the bin. Where there is none, a rank was not there, or was not traced.{grouped}",
        method="times from the begin to the end of each state, summed over bins, from one trace",
        drawing=TimelineChart(
            begin=found.begin,
            width=found.width,
            bins=found.bins,
            parts=[Legend(name=one.name, tone=tone) for tone, one in enumerate(parts)],
            rows=[TimelineLine(name=row.name, shares=_shares(row, parts, found.bins)) for row in found.rows],
        ),
    )
    return [*(Note(text=one) for one in _finding(found, parts)), figure]


def _parts(states: Sequence[TraceState]) -> list[Part]:
    """Running first, then the longest."""
    shown = [one for one in states if one.state != NOT_CREATED]
    ordered = sorted(shown, key=lambda one: one.state != RUNNING)
    own = ordered if len(ordered) <= MOST_PARTS else ordered[: MOST_PARTS - 1]
    others = frozenset(one.state for one in ordered[len(own) :])
    parts = [Part(short_name(one.label), frozenset({one.state})) for one in own]
    return [*parts, Part("other states", others)] if others else parts


def _shares(row: TraceTimelineRow, parts: Sequence[Part], bins: int) -> list[list[int]]:
    each = [states_in(row, Phase(one, one + 1)) for one in range(bins)]
    there = [sum(times.values()) for times in each]
    made = []
    for part in parts:
        inside = (sum(times.get(state, 0) for state in part.states) for times in each)
        shares = [
            round(100 * time / whole) if whole else 0 for time, whole in zip(inside, there, strict=True)
        ]
        made.append(shares if any(shares) else [])
    return made


def _finding(found: TraceTimeline, parts: Sequence[Part]) -> list[str]:
    """When ranks compute least, who does, and what they do instead; nothing where none computes."""
    within = computing(found)
    if within is None or not parts:
        return []
    running = parts[0].name
    all_of_it = within == Phase(0, found.bins)
    where = "in all" if all_of_it else f"from {_from_to(found, within)}, between start and end"
    whole = format_share(times_in(found.rows, within).share)
    phase = least_efficient(found, within)
    if phase is None:
        text = f"{running} takes {whole} of the time of the ranks {where}; no part has much less for long."
        return [f"{text}{_spread(found, within)}"]
    share = format_share(times_in(found.rows, phase).share)
    part = format_share((phase.end - phase.first) / found.bins)
    text = (
        f"The ranks lose most from {_from_to(found, phase)} ({part} of the trace): {running} takes {share} "
        f"of their time there, and {whole} {where}."
    )
    return [f"{text}{_spread(found, phase)}{_instead(found, parts, phase)}"]


def _from_to(found: TraceTimeline, phase: Phase) -> str:
    """With the digits that tell one bin from the next."""
    begin, end = (found.begin + found.width * one for one in phase)
    divisor, unit = scale_of(end, "s")
    digits = max(3, math.ceil(math.log10(end / found.width)) + 1)
    first, last = (format_number(one / divisor, digits) for one in (begin, end))
    return f"{first} to {last} {unit}"


def _instead(found: TraceTimeline, parts: Sequence[Part], phase: Phase) -> str:
    times = [states_in(row, phase) for row in found.rows]
    there = sum(sum(one.values()) for one in times)
    sums = [(sum(one.get(state, 0) for one in times for state in part.states), part) for part in parts[1:]]
    if not there or not sums:
        return ""
    time, longest = max(sums, key=lambda one: one[0])
    return f" The largest part of the rest is {longest.name} ({format_share(time / there)})."


def _spread(found: TraceTimeline, phase: Phase) -> str:
    rows = [(times_in([row], phase), row) for row in found.rows]
    shares = [(times.share, _who(row)) for times, row in rows if times.there]
    (least, idle), (most, busy) = min(shares), max(shares)
    if most - least < LEAST_SPREAD:
        return ""
    return (
        f" The share is largest on {busy} ({format_share(most)}) and least on {idle} ({format_share(least)})."
    )


def _who(row: TraceTimelineRow) -> str:
    return f"rank{'s' if row.threads > 1 else ''} {row.name}"
