"""From the sums over a trace, and what its tracer said, to the facts of a record. Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from groma.facts.trace import TraceClock, TraceFacts, TraceRecords, TraceType, Tracing
from groma.trace import statistics as of
from groma.trace.bandwidths import bandwidths
from groma.trace.communicators import collectives
from groma.trace.summary import tracer_cost
from groma.trace.sums import length_of
from groma.trace.timeline import timeline_of

if TYPE_CHECKING:
    from groma.trace.merging import MergeSummary, ThreadTimes
    from groma.trace.sums import TraceSums


def trace_facts(sums: TraceSums, name: str = "", summary: MergeSummary | None = None) -> TraceFacts:
    """`summary` is what the merge said of a trace that groma took."""
    costs = {} if summary is None else {_place(one): tracer_cost(one) for one in summary.threads}
    ranks = of.times_of_ranks(sums, costs)
    duration = of.seconds(length_of(sums))
    return TraceFacts(
        trace=name,
        created=sums.created,
        duration=duration,
        threads=len(sums.threads),
        nodes=sums.nodes,
        hosts=sums.node_names,
        ranks=ranks,
        records=TraceRecords(**asdict(sums.records)),
        efficiencies=of.efficiencies(ranks, duration) if of.tells_useful_time(sums) else None,
        states=of.times_in_states(sums),
        calls=of.times_in_calls(sums),
        call_sites=of.call_sites(sums),
        collectives=collectives(sums),
        messages=of.messages(sums),
        sizes=of.sizes(sums),
        pairs=of.pairs(sums),
        bandwidths=bandwidths(sums),
        regions=of.times_in_regions(sums),
        counters=of.counter_totals(sums),
        types=[TraceType(**asdict(one)) for one in sums.types],
        timeline=timeline_of(sums),
        tracing=None if summary is None else _tracing(summary),
    )


def _place(thread: ThreadTimes) -> of.Place:
    return thread.application, thread.rank, thread.thread


def _tracing(summary: MergeSummary) -> Tracing:
    return Tracing(
        program=summary.program,
        library=summary.library,
        logs=summary.logs,
        log_bytes=summary.log_bytes,
        hosts=[TraceClock(**asdict(one)) for one in summary.hosts],
    )
