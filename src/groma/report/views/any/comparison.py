"""Several records of a kind without a comparison of its own: their quantities, and in what they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.facts.kinds import kind_named
from groma.facts.named import named_quantities_of
from groma.facts.record_differences import differences
from groma.report.blocks import table_figure
from groma.report.views.comparing import Headline, compared, headline_figure
from groma.report.views.registry import comparison, has_comparison
from groma.report.views.run.differences import differing_table
from groma.report.words.text import id_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record
    from groma.report.blocks import Block
    from groma.report.views.registry import Blocks, Named

_DERIVED = frozenset({"balance", "comparison", "history"})
"""Kinds that are of many records themselves."""


@comparison(order=9, of=object)
def quantities(records: Sequence[Named]) -> Blocks:
    by_kind: dict[str, list[Named]] = {}
    for one in records:
        if _is_meant(one.record):
            by_kind.setdefault(one.record.kind, []).append(one)
    return [block for kind, alike in by_kind.items() if len(alike) > 1 for block in _compared(kind, alike)]


def _is_meant(record: Record[Any]) -> bool:
    kind = kind_named(record.kind)
    is_read = kind is None or isinstance(record.facts, kind.facts)
    return is_read and record.kind not in _DERIVED and not has_comparison(record)


def _compared(kind: str, records: Sequence[Named]) -> list[Block]:
    every = compared(records, _headlines)
    return [
        *headline_figure(id_of(kind, "quantities"), "Main quantities", every),
        *_differences(kind, records),
    ]


def _headlines(record: Record[Any]) -> list[Headline]:
    return [
        Headline(one.name.partition(".")[2], one.quantity)
        for one in named_quantities_of(record)
        if not one.detail
    ]


def _differences(kind: str, records: Sequence[Named]) -> list[Block]:
    found = differences([one.record for one in records])
    return table_figure(
        id_of(kind, "differences"),
        "Differences around the numbers",
        "A difference of a value may come from any of these.",
        differing_table([(one.what, list(one.values)) for one in found], [one.name for one in records]),
    )
