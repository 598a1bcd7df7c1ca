"""Associativity of caches: from chains of conflicting lines, and from sets that were made to overflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.record import Quantity
from groma.stats.resampling import answer_shares, certainty, low_decile
from groma.survey.infer.selection import matching, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from groma.record import ProbeSamples

    Chains = Mapping[tuple[int, int], NDArray[np.float64]]

CHAINS = "largest number of lines at multiples of the way size that still hit; ways of {0} bytes"
OVERFLOW = "number of lines that fill a set; {0} of {1} searches agree"

_HIT = 1.2
"""Latency over that of a hit up to which all lines of a chain are taken to hit."""

_LIKELY = 0.05
_FEWEST_SEARCHES = 4
_LEAST_AGREEMENT = 0.6


def associativity(samples: ProbeSamples, level: int) -> Quantity | None:
    """Ways of a level of cache, None where it is not determined (see `why_undetermined`)."""
    if level == 1:
        return _first_level(samples)
    return _second_level(samples) if level == 2 else None


def why_undetermined(level: int) -> str:
    """What to tell a reader where `associativity` gives nothing."""
    if level == 1:
        return "associativity not determined: chains of conflicting lines show no clear step"
    if level == 2:
        return "associativity not determined: too few searches found an overflowing set, or they disagree"
    return "associativity not determined: unpublished hashes select the sets of shared caches"


def _first_level(samples: ProbeSamples) -> Quantity | None:
    chains = {
        (case["stride_bytes"], case["lines"]): values
        for case, values in matching(samples, measure="chain")
        if case["lines"] > 0
    }
    if not chains or not all(chains.values()):
        return None
    shares = answer_shares(chains, _ways_and_way_size, rounds=60)
    best = next(iter(shares))
    if best is None:
        return None
    ways_shares: dict[int, float] = {}
    for answer, share in shares.items():
        if answer is not None:
            ways_shares[answer[0]] = ways_shares.get(answer[0], 0.0) + share
    likely = [ways for ways, share in ways_shares.items() if share >= _LIKELY]
    return Quantity(
        value=best[0],
        unit="ways",
        low=min(likely),
        high=max(likely),
        confidence=certainty(ways_shares[best[0]], min(len(values) for values in chains.values())),
        method=CHAINS.format(best[1]),
    )


def _ways_and_way_size(chains: Chains) -> tuple[int, int] | None:
    """The first run of two strides or more at which equally many lines hit, with its first stride.

    Below the way size a stride twice as large makes half as many lines conflict, so there is no run. At
    larger strides than those of the run pages may also compete for the sets of a TLB; they are not looked at.
    """
    fast = {key: low_decile(values) for key, values in chains.items()}
    hit = min(fast.values())
    strides = sorted({stride for stride, _ in fast})
    fitting = [_lines_that_fit(fast, stride, hit) for stride in strides]
    for stride, ways, following in zip(strides, fitting, fitting[1:], strict=False):
        if ways is not None and ways == following:
            return ways, stride
    return None


def _lines_that_fit(fast: Mapping[tuple[int, int], float], stride: int, hit: float) -> int | None:
    """The most lines before the first miss, None where even the longest chain hits.

    A cache holds the shortest chain, and what overflows stays so with more lines: anything else is noise.
    """
    counts = sorted(lines for one, lines in fast if one == stride)
    missing = [fast[stride, lines] > _HIT * hit for lines in counts]
    fitting = missing.count(False)
    if fitting in {0, len(counts)} or any(missing[:fitting]):
        return None
    return counts[fitting - 1]


def _second_level(samples: ProbeSamples) -> Quantity | None:
    """The commonest result of the searches, if most of those that found anything agree."""
    found = [ways for ways in map(round, values_of(samples, measure="overflow", level=2)) if ways > 0]
    if len(found) < _FEWEST_SEARCHES:
        return None
    commonest = max(set(found), key=lambda ways: (found.count(ways), ways))
    agreeing = found.count(commonest)
    if agreeing < _LEAST_AGREEMENT * len(found):
        return None
    shares = answer_shares({"searches": [float(ways) for ways in found]}, _mode)
    likely = [ways for ways, share in shares.items() if share >= _LIKELY]
    return Quantity(
        value=commonest,
        unit="ways",
        low=min(likely),
        high=max(likely),
        confidence=certainty(shares.get(commonest, 0.0), agreeing),
        method=OVERFLOW.format(agreeing, len(found)),
    )


def _mode(groups: Mapping[str, NDArray[np.float64]]) -> int:
    ways, counts = np.unique(groups["searches"], return_counts=True)
    return int(ways[int(np.argmax(counts))])
