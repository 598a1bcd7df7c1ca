"""Collective calls by communicator, which is named by its ranks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from groma.facts.trace import TraceCollective
from groma.trace.labels import label_of_call
from groma.trace.statistics import lifetimes, mean_of, seconds
from groma.trace.sums import labels_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.trace.sums import CollectiveSum, CommunicatorRanks, TraceSums

Communicator = tuple[int, int]
"""Application and number."""

SHOWN = 3
"""First ranks of a communicator whose ranks are too many to be listed."""


def collectives(sums: TraceSums) -> list[TraceCollective]:
    """The longest first; none in a trace that does not say in which communicators collectives are called."""
    names, labels, whole = _names(sums), labels_of(sums), sum(lifetimes(sums))
    sizes = {(one.application, one.communicator): one.size for one in sums.communicator_ranks}
    made = [
        TraceCollective(
            communicator=names[_communicator_of(one)],
            ranks=sizes.get(_communicator_of(one)),
            call=labels.get((one.type, one.value)) or label_of_call(one.type, one.value),
            count=one.count,
            seconds=seconds(one.time),
            share=one.time / whole if whole else 0.0,
            mean=mean_of(one.time, one.count),
            longest=seconds(one.longest),
            sent=one.sent,
            received=one.received,
        )
        for one in sums.collectives
    ]
    return sorted(made, key=lambda one: (-one.seconds, one.communicator, one.call))


def _communicator_of(one: CollectiveSum) -> Communicator:
    return one.application, one.communicator


def _names(sums: TraceSums) -> Mapping[Communicator, str]:
    """Those of the same ranks, such as duplicates, have their numbers as well."""
    tasks = Counter(application for application, _ in {(one.application, one.task) for one in sums.threads})
    ranks = {
        (one.application, one.communicator): _in_words(one, tasks[one.application])
        for one in sums.communicator_ranks
    }
    called = dict.fromkeys(map(_communicator_of, sums.collectives))
    names = {one: ranks.get(one, "") for one in called}
    alike = Counter((one[0], name) for one, name in names.items())
    told = {
        one: _numbered(name, one[1]) if not name or alike[one[0], name] > 1 else name
        for one, name in names.items()
    }
    return {one: f"application {one[0]}, {name}" if len(tasks) > 1 else name for one, name in told.items()}


def _numbered(name: str, number: int) -> str:
    return f"{name} (communicator {number})" if name else f"communicator {number}"


def _in_words(one: CommunicatorRanks, ranks: int) -> str:
    """E.g. "all 16 ranks", "rank 3", "ranks 0 to 3", "ranks 0, 4, 8, …, 60 (16)"."""
    if one.size == 1:
        return f"rank {one.last}"
    if one.size == ranks:
        return f"all {ranks:,} ranks"
    if one.stride == 1:
        return f"ranks {one.first[0]} to {one.last}"
    if one.size == len(one.first):
        return f"ranks {', '.join(map(str, one.first))}"
    return f"ranks {', '.join(map(str, one.first[:SHOWN]))}, …, {one.last} ({one.size:,})"
