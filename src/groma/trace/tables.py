"""The tables of a trace as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, get_origin, get_type_hints

import msgspec

from groma.trace.bandwidths import FASTEST, STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from groma.facts.trace import TraceFacts


def table_csv(facts: TraceFacts, table: str) -> str:
    """One of the tables, with a header. What a rank has in each state and call is left to JSON."""
    text = io.StringIO()
    rows: Iterable[Mapping[str, object]]
    if table == "rank_counters":
        columns, rows = ["rank", "counter", "total"], _rank_counters(facts)
    elif table == "rank_bandwidths":
        columns, rows = ["rank", "call", "min", "max", "count"], _rank_bandwidths(facts)
    else:
        columns, rows = _columns(type(facts), table), msgspec.to_builtins(getattr(facts, table))
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _rank_counters(facts: TraceFacts) -> Iterator[dict[str, object]]:
    for rank in facts.ranks:
        for counter, total in rank.counters.items():
            yield {"rank": rank.name, "counter": counter, "total": total}


def _rank_bandwidths(facts: TraceFacts) -> Iterator[dict[str, object]]:
    labels = {f"{one.type}:{one.value}": one.label for one in facts.calls}
    for rank in facts.ranks:
        for call, bins in rank.bandwidths.items():
            for least, count in bins.items():
                most = None if least >= FASTEST else least + STEP
                yield {
                    "rank": rank.name,
                    "call": labels.get(call, call),
                    "min": float(least),
                    "max": most,
                    "count": count,
                }


def _columns(facts: type[TraceFacts], table: str) -> list[str]:
    """Fields of a row, also where there is none."""
    (row,) = get_type_hints(facts)[table].__args__
    return [name for name, hint in get_type_hints(row).items() if get_origin(hint) is not dict]
