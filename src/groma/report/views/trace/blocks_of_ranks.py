"""Ranks of a trace in rows: one each, or neighbours together where they are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.trace import TraceFacts, TraceRank

MOST_ROWS = 64


class RankBlock(NamedTuple):
    """Ranks that stand together; `name` is that of the only one, or of the first and the last."""

    name: str
    ranks: Sequence[TraceRank]


def rank_blocks(facts: TraceFacts) -> list[RankBlock]:
    """Those that were traced, in their order, in at most MOST_ROWS blocks of one size."""
    ranks = [one for one in facts.ranks if one.present]
    size = -(-len(ranks) // MOST_ROWS) or 1
    return [_block(ranks[first : first + size]) for first in range(0, len(ranks), size)]


def _block(ranks: Sequence[TraceRank]) -> RankBlock:
    first, last = ranks[0].name, ranks[-1].name
    return RankBlock(first if first == last else f"{first} to {last}", ranks)
