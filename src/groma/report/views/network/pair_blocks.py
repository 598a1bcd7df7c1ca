"""Latencies between pairs of ranks: as a matrix, or of a sample by blocks of neighbouring ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.report.words.text import DASH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.network import NetworkFacts
    from groma.record import Quantity
    from groma.report.matrices import Matrix

MOST_EMPTY = 0.1
"""Of pairs drawn at random not more than this share of the blocks may stay empty."""


class MeasuredPair(NamedTuple):
    rank: int
    other: int
    latency: Quantity


def pairs_in(network: NetworkFacts) -> list[MeasuredPair]:
    """Each pair once. Of many ranks a profile has no matrix: then a pair has the latency of its layer."""
    facts = network.pairs
    if facts is None:
        return []
    if not facts.latency:
        return [
            MeasuredPair(rank, other, layer.latency)
            for layer in network.layers
            if layer.latency
            for rank, other in layer.pairs
        ]
    return [
        MeasuredPair(facts.ranks[i], facts.ranks[j], latency)
        for i, row in enumerate(facts.latency)
        for j, latency in enumerate(row)
        if latency and j > i
    ]


class RankBlocks(NamedTuple):
    """`size` is how many ranks a block has: a power of two."""

    size: int
    labels: list[str]
    cells: Matrix


def blocks_of(ranks: Sequence[int], pairs: Sequence[MeasuredPair]) -> RankBlocks:
    """Blocks as small as the pairs can fill them."""
    missing = 1 - 2 * len(pairs) / (len(ranks) * (len(ranks) - 1))
    size = 1
    while size < len(ranks) and missing ** (size * size) > MOST_EMPTY:
        size *= 2
    return blocks_of_size(ranks, pairs, size)


def blocks_of_size(ranks: Sequence[int], pairs: Sequence[MeasuredPair], size: int) -> RankBlocks:
    labels = [_span(ranks[first : first + size]) for first in range(0, len(ranks), size)]
    return RankBlocks(size, labels, _block_matrix(ranks, pairs, size))


def pair_matrix(ranks: Sequence[int], pairs: Sequence[MeasuredPair]) -> Matrix:
    """One row and one column for each rank."""
    return _block_matrix(ranks, pairs, 1)


def _span(ranks: Sequence[int]) -> str:
    return str(ranks[0]) if len(ranks) == 1 else f"{ranks[0]}{DASH}{ranks[-1]}"


def _block_matrix(ranks: Sequence[int], pairs: Sequence[MeasuredPair], size: int) -> Matrix:
    block_of = {rank: place // size for place, rank in enumerate(ranks)}
    count = -(-len(ranks) // size)
    found: dict[tuple[int, int], list[Quantity]] = {}
    for pair in pairs:
        one, other = block_of[pair.rank], block_of[pair.other]
        for cell in {(one, other), (other, one)}:
            found.setdefault(cell, []).append(pair.latency)
    return [[_middle(found.get((row, column), [])) for column in range(count)] for row in range(count)]


def _middle(quantities: Sequence[Quantity]) -> Quantity | None:
    """The one in the middle, the lower of two, so that its interval stays true."""
    ordered = sorted(quantities, key=lambda one: one.value)
    return ordered[(len(ordered) - 1) // 2] if ordered else None
