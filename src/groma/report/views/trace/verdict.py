"""What a program spent in MPI, in one sentence and a few figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.trace import TraceFacts
from groma.record.counting import counted
from groma.record.units import format_share, format_value
from groma.report.blocks import Note, Tile, lead_and_tiles
from groma.report.views.registry import view
from groma.report.words.text import joined

if TYPE_CHECKING:
    from groma.facts.trace import TraceEfficiencies, TraceRank
    from groma.record import Record
    from groma.report.views.registry import Blocks


@view("verdict", order=0, of=TraceFacts)
def verdict(record: Record[TraceFacts]) -> Blocks:
    facts = record.facts
    there = [one for one in facts.ranks if one.present]
    if sum(one.lifetime for one in there) <= 0:
        return [Note(text="The trace has no time.")]
    tiles = [*_efficiency_tiles(facts.efficiencies, there), _mpi_tile(there), *_message_tile(facts)]
    return lead_and_tiles(_lead(facts, there), tiles)


def _lead(facts: TraceFacts, there: list[TraceRank]) -> str:
    program = facts.tracing.program.rpartition("/")[2] if facts.tracing else facts.trace
    inside = _share_of_mpi(there)
    who = f"{counted(len(there), 'thread')} on {counted(facts.nodes, 'node')}"
    found = facts.efficiencies
    efficient = f" Its parallel efficiency is {format_share(found.parallel)}." if found else ""
    return (
        f"{program or 'The program'}: {who} for {format_value(facts.duration, 's')}, of which "
        f"{format_share(inside)} in MPI.{efficient}"
    )


def _share_of_mpi(there: list[TraceRank]) -> float:
    return sum(one.in_mpi for one in there) / sum(one.lifetime for one in there)


def _efficiency_tiles(found: TraceEfficiencies | None, there: list[TraceRank]) -> list[Tile]:
    if found is None:
        return []
    most = max(there, key=lambda one: one.useful)
    least = min(there, key=lambda one: one.useful)
    return [
        Tile(
            title="Parallel efficiency",
            value=format_share(found.parallel),
            lines=["load balance times communication efficiency"],
        ),
        Tile(
            title="Load balance",
            value=format_share(found.load_balance),
            lines=[
                "mean over longest useful time",
                f"longest: rank {most.name}, {format_value(most.useful, 's')}",
                f"shortest: rank {least.name}, {format_value(least.useful, 's')}",
            ],
        ),
        Tile(
            title="Communication efficiency",
            value=format_share(found.communication),
            lines=["longest useful time over run time"],
        ),
    ]


def _mpi_tile(there: list[TraceRank]) -> Tile:
    inside = sum(one.in_mpi for one in there)
    own = [one.tracer_in_mpi for one in there if one.tracer_in_mpi is not None]
    tracer = f"{format_value(sum(own), 's')} of it is the tracer's" if own else ""
    calls = f"{sum(one.calls for one in there):,} calls"
    return Tile(
        title="In MPI",
        value=format_share(_share_of_mpi(there)),
        lines=[joined(f"{format_value(inside, 's')} over all threads", tracer), calls],
    )


def _message_tile(facts: TraceFacts) -> list[Tile]:
    found = facts.messages
    if found.count == 0:
        return []
    value, _, unit = format_value(float(found.bytes), "B").partition(" ")
    mean = format_value(found.bytes / found.count, "B")
    lines = [f"{found.count:,} messages of {mean} in the mean", counted(found.pairs, "pair") + " of ranks"]
    return [Tile(title="Sent between ranks", value=value, unit=unit, lines=lines)]
