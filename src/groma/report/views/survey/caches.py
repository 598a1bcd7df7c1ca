"""Every cache level with all that was found out about it, and the reach of the address translation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.survey import SurveyFacts
from groma.report.blocks import DataTable, Note, not_measured, table_figure
from groma.report.views.registry import view
from groma.report.words.node import (
    cache_name,
    entries_of_tlb,
    indexed_by,
    indexing_note,
    pages_of_tlb,
    sharing,
)
from groma.report.words.text import sentence

if TYPE_CHECKING:
    from groma.facts.survey import Cache, Tlb
    from groma.record import Record
    from groma.report.blocks import Cell
    from groma.report.views.registry import Blocks

MOST_GROUPS = 8
"""Of more groups that share a cache only the number is given."""

_COLUMNS = ("level", "size", "latency", "in cycles", "line", "ways", "indexed by", "shared by", "remarks")


@view("latency", order=2, of=SurveyFacts)
def caches(record: Record[SurveyFacts]) -> Blocks:
    levels = record.facts.node.caches
    if not levels:
        return [not_measured("Cache levels")]
    figure = table_figure(
        "caches",
        "Cache levels",
        "Data caches as measured, with intervals. Cores are logical numbers; groups share one cache.",
        DataTable(columns=_COLUMNS, rows=[_cache_row(cache) for cache in levels]),
        method=levels[0].size.method,
        data=levels,
    )
    reasons = [f"{cache_name(cache)}: {indexing_note(cache.indexing)}" for cache in levels if cache.indexing]
    return [*figure, *(Note(text=sentence(reason)) for reason in reasons)]


def _cache_row(cache: Cache) -> list[Cell]:
    return [
        cache_name(cache),
        cache.size,
        cache.latency,
        cache.latency_cycles,
        cache.line,
        cache.associativity,
        indexed_by(cache.indexing),
        sharing(cache.shared_by, MOST_GROUPS),
        "; ".join(cache.notes),
    ]


@view("latency", order=3, of=SurveyFacts)
def address_translation(record: Record[SurveyFacts]) -> Blocks:
    levels = record.facts.node.tlb
    if not levels:
        return [not_measured("Address translation (TLB)")]
    return table_figure(
        "tlb",
        "Address translation",
        "Memory that each level of the TLB reaches without a miss, and the time that a miss adds to a load.",
        DataTable(
            columns=["level", "page", "reach", "entries", "cost of a miss"],
            rows=[_tlb_row(level) for level in levels],
        ),
        method=levels[0].reach.method,
        data=levels,
    )


def _tlb_row(level: Tlb) -> list[Cell]:
    return [f"L{level.level}", pages_of_tlb(level), level.reach, entries_of_tlb(level), level.miss_cost]
