"""All ranks send at once, in several patterns: what the repetitions say by three statistics over the ranks.

The mean of the ranks' bandwidths is the papers' figure. The bandwidths are of one common time, in which all
ranks send, so their sum is what the links carry. Where the time of each rank ends with its own message, as in
records of earlier versions, the mean reads high where shares are unfair (Jensen). Bytes over the slowest time
is what the least served rank gets; bytes over the mean time, the harmonic mean, lies between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.network import Degradation
from groma.record import Quantity
from groma.stats.quantities import median_quantity, quantile_quantities
from groma.stats.ratios import ratio_quantity
from groma.survey.infer.selection import by_label, split

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from groma.record import ProbeSamples
    from groma.survey.infer.selection import Cases

    Samples = NDArray[np.float64]

STATISTICS: dict[str, Callable[[Samples], Samples]] = {
    "mean": lambda speeds: speeds.mean(axis=1),
    "slowest": lambda speeds: speeds.min(axis=1),
    "harmonic": lambda speeds: 1.0 / (1.0 / speeds).mean(axis=1),
}
"""From the bandwidths of the ranks (columns) in each repetition (rows) to one a repetition."""


HOW = {
    "mean": "mean over the ranks of bytes over time",
    "slowest": "bytes over the time of the slowest rank",
    "harmonic": "bytes over the mean time of the ranks",
}

BANDWIDTH_METHOD = "median over repetitions of the {how}"
RANK_METHOD = "median over repetitions of bytes over time"
RATIO_METHOD = (
    "reference over this value, medians over repetitions of the {how}; interval of Hodges and Lehmann"
)
REFERENCE_METHOD = "1 by definition"


class Pattern(NamedTuple):
    """One pattern of a sweep: bandwidths (B/s) by repetition and rank, and by statistic for each repetition.

    `speeds` is None where the program reports statistics only.
    """

    ranks: list[int]
    speeds: Samples | None
    statistics: Mapping[str, Samples]

    @property
    def repetitions(self) -> int:
        return max((len(one) for one in self.statistics.values()), default=0)


def patterns(samples: ProbeSamples, label: str) -> dict[int, Pattern]:
    """The patterns of a sweep by their value of `label`; those without a complete repetition are left out."""
    parts = {int(number): part for (number,), part in split(samples, label).items()}
    found = {number: _pattern(parts[number]) for number in sorted(parts)}
    return {number: one for number, one in found.items() if one.repetitions}


def speeds_by_distance(found: Mapping[int, Pattern], nodes: int) -> dict[int, Samples]:
    """Bandwidths of repetitions (rows) and ranks, where all ranks are named."""
    return {
        d: pattern.speeds
        for d, pattern in found.items()
        if pattern.speeds is not None and pattern.ranks == list(range(nodes))
    }


def over_ranks(statistic: str, speeds: Samples) -> Samples:
    """One bandwidth for each repetition; none of none."""
    return STATISTICS[statistic](speeds) if speeds.size else np.empty(0)


def _pattern(samples: Cases) -> Pattern:
    size = float(samples.cases[0]["bytes"])
    times = dict(sorted(by_label(samples, "rank").items()))
    known = by_label(samples, "statistic")
    statistics = {name: speeds_of(size, [values])[:, 0] for name, values in known.items()}
    speeds = speeds_of(size, list(times.values()))
    if not len(speeds):
        return Pattern([], None, statistics)
    of_ranks = {name: over_ranks(name, speeds) for name in STATISTICS}
    return Pattern(list(times), speeds, of_ranks | statistics)


def speeds_of(size: float, times: Sequence[Sequence[float]]) -> Samples:
    """Bandwidths (B/s) from the times of each rank; rows are the repetitions that all ranks finished."""
    whole = min(map(len, times), default=0)
    seconds = np.array([values[:whole] for values in times], dtype=np.float64).reshape(len(times), whole).T
    finished = np.all(np.isfinite(seconds) & (seconds > 0), axis=1)
    speeds: Samples = size / seconds[finished]
    return speeds


def degradation(found: Mapping[int, Pattern], statistic: str, entries: int) -> Degradation | None:
    """Bandwidth and ratio for the patterns 1 … `entries` by one statistic; None without the first of them."""
    if 1 not in found or statistic not in found[1].statistics:
        return None
    reference = found[1].statistics[statistic]
    entries_found = [_reported(found.get(number), statistic) for number in range(1, entries + 1)]
    return Degradation(
        bandwidth=[None if one is None else _bandwidth(one, statistic) for one in entries_found],
        ratio=[None if one is None else _ratio(reference, one, statistic) for one in entries_found],
    )


def _reported(pattern: Pattern | None, statistic: str) -> Samples | None:
    return None if pattern is None else pattern.statistics.get(statistic)


def _bandwidth(samples: Samples, statistic: str) -> Quantity:
    return median_quantity(samples, "B/s", BANDWIDTH_METHOD.format(how=HOW[statistic]))


def _ratio(reference: Samples, samples: Samples, statistic: str) -> Quantity:
    if samples is reference:
        return Quantity(value=1.0, unit="ratio", low=1.0, high=1.0, confidence=1.0, method=REFERENCE_METHOD)
    return ratio_quantity(reference, samples, RATIO_METHOD.format(how=HOW[statistic]))


def per_rank(found: Mapping[int, Pattern], entries: int) -> list[list[Quantity | None]]:
    """Bandwidth of each rank (column) in the patterns 1 … `entries` (rows); empty where no rank is named."""
    ranks = sorted({rank for one in found.values() for rank in one.ranks})
    return [_row(found.get(number), ranks) for number in range(1, entries + 1)] if ranks else []


def _row(pattern: Pattern | None, ranks: Sequence[int]) -> list[Quantity | None]:
    if pattern is None or pattern.speeds is None:
        return [None] * len(ranks)
    known = quantile_quantities(list(pattern.speeds.T), "B/s", RANK_METHOD, 0.5)
    of_rank = dict(zip(pattern.ranks, known, strict=True))
    return [of_rank.get(rank) for rank in ranks]
