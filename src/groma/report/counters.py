"""What counters have to say on a terminal."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from groma.record.units import format_number, format_value
from groma.report.document import Document, Note, Section, StyledText, Table, Text
from groma.report.words.names import short_name

if TYPE_CHECKING:
    from groma.counters.native import (
        CheckedPlan,
        Collision,
        CounterEvent,
        CounterGroup,
        CounterList,
        DerivedMetric,
        EventCount,
        RunCounts,
    )
    from groma.report.document import Block, Cell


def list_document(found: CounterList) -> Document:
    counted = {one.name for one in found.events if one.counted}
    events = [_event_row(one) for one in found.events if one.counted]
    notes = [Note(defect, "docs/counters.md explains groups") for defect in found.defects]
    sections = [
        Section("events", "What this machine counts", [Table(["event", "unit", "what"], events)]),
        Section("missing", "What it does not count", _missing(found.events)),
        Section(
            "groups", "Groups of metrics", [_groups(found.groups, counted), *notes, Text([_hint(counted)])]
        ),
    ]
    return Document([one for one in sections if one.blocks])


def _hint(counted: set[str]) -> str:
    event = "instructions" if "instructions" in counted else "page-faults"
    return f"count a program: groma counters run -e {event} -- ./program"


def _event_row(one: CounterEvent) -> list[Cell]:
    return [one.name, one.unit, f"{one.what} ({one.remark})".strip() if one.remark else one.what]


def _missing(events: list[CounterEvent]) -> list[Block]:
    """One row for each reason: many events share it."""
    rows: list[list[Cell]] = []
    missing = sorted((one for one in events if not one.counted), key=lambda one: one.remark)
    for reason, group in groupby(missing, key=lambda one: one.remark):
        rows.append([reason, ", ".join(one.name for one in group)])
    return [Table(["reason", "events"], rows)] if rows else []


def _groups(groups: list[CounterGroup], counted: set[str]) -> Table:
    rows: list[list[Cell]] = []
    for one in groups:
        lacks = [event for event in one.events if event not in counted and not event.startswith("r")]
        state: Cell = StyledText(f"lacks {', '.join(lacks)}", "dim") if lacks else ""
        metrics = ", ".join(short_name(metric.name) for metric in one.metrics)
        rows.append([one.name, short_name(one.title), metrics, state])
    return Table(["group", "title", "metrics", ""], rows)


def check_document(plan: CheckedPlan) -> Document:
    blocks: list[Block] = [_verdict(plan)]
    rows: list[list[Cell]] = [
        [str(number), ", ".join(events)] for number, events in enumerate(plan.runs, start=1)
    ]
    if rows:
        blocks.append(Table([">run", "events that are counted together"], rows))
    blocks += [Note(_collision(one)) for one in plan.collisions]
    blocks += [Note(f"{one.event}: {one.reason}") for one in plan.unavailable]
    blocks += [Note(remark) for remark in plan.remarks]
    return Document([Section("plan", "Plan", blocks)])


def _verdict(plan: CheckedPlan) -> Text:
    events = sum(len(run) for run in plan.runs)
    if not plan.runs:
        return Text([StyledText("no event can be counted", "bad")])
    if len(plan.runs) == 1:
        return Text([StyledText(f"{events} of {events + len(plan.unavailable)} events fit together", "good")])
    return Text([StyledText(f"the events need {len(plan.runs)} runs of the program", "warn")])


def _collision(one: Collision) -> str:
    if not one.with_:
        return f"{one.event} does not fit beside the events before it"
    if one.alone:
        return f"{one.event} collides with {', '.join(one.with_)}"
    return f"{one.event} finds no counter; without any one of {', '.join(one.with_)} it would"


def run_document(done: RunCounts) -> Document:
    rows = [_count_row(one) for one in done.counts]
    metrics = [_metric_row(one) for one in done.metrics if one.value is not None]
    taken = f"{format_value(done.seconds, 's')} elapsed"
    if done.runs > 1:
        taken += f" on average over {done.runs} runs"
    blocks: list[Block] = [Table([">count", "event", ""], rows)]
    if metrics:
        blocks.append(Table([">value", "metric", "formula"], metrics))
    return Document([Section("counts", "Counts", [*blocks, Text([taken])])])


def _count_row(one: EventCount) -> list[Cell]:
    value: Cell = StyledText("-", "dim") if one.value is None else f"{one.value:,.0f}"
    remarks = [one.remark] if one.remark else []
    if one.share < 1:
        remarks.append(f"counted {100 * one.share:.0f} % of the time, scaled")
    return [value, one.event, StyledText("; ".join(remarks), "dim")]


def _metric_row(one: DerivedMetric) -> list[Cell]:
    unit = "" if one.unit == "1" else f" {one.unit}"
    value = f"{format_number(one.value or 0.0)}{unit}"
    return [value, short_name(one.name), StyledText(short_name(one.formula), "dim")]
