"""The sections of a trace on the terminal: the tables of `groma stat`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.report import trace_statistics as tables
from groma.report.terminal import Sections, add_common_sections

if TYPE_CHECKING:
    from groma.facts.trace import TraceFacts
    from groma.record import Record
    from groma.report.terminal import Blocks

    Trace = Record[TraceFacts]

SECTIONS = Sections()


@SECTIONS.section("trace", "Trace", "facts")
def trace(record: Trace) -> Blocks:
    return tables.trace_blocks(record.facts)


@SECTIONS.section("states", "Time in states", "facts", "states")
def states(record: Trace) -> Blocks:
    return tables.states(record.facts)


@SECTIONS.section("calls", "Time in MPI calls", "facts", "calls")
def calls(record: Trace) -> Blocks:
    return tables.calls(record.facts)


@SECTIONS.section("call_sites", "Time at call sites", "facts", "call_sites")
def call_sites(record: Trace) -> Blocks:
    return tables.call_sites(record.facts)


@SECTIONS.section("collectives", "Collectives by communicator", "facts", "collectives")
def collectives(record: Trace) -> Blocks:
    return tables.collectives(record.facts)


@SECTIONS.section("bandwidths", "Bandwidth of calls", "facts", "bandwidths")
def bandwidths(record: Trace) -> Blocks:
    return tables.bandwidths(record.facts)


@SECTIONS.section("ranks", "Time of ranks", "facts", "ranks")
def ranks(record: Trace) -> Blocks:
    return tables.ranks(record.facts)


@SECTIONS.section("messages", "Messages", "facts", "messages")
def messages(record: Trace) -> Blocks:
    return tables.messages(record.facts)


@SECTIONS.section("regions", "Time in regions", "facts", "regions")
def regions(record: Trace) -> Blocks:
    return tables.regions(record.facts)


@SECTIONS.section("counters", "Counters", "facts", "counters")
def counters(record: Trace) -> Blocks:
    return tables.counters(record.facts)


add_common_sections(SECTIONS)
