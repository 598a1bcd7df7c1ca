"""How sure a discrete answer is: the share of resampled data sets that give the same one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from groma.stats.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

K = TypeVar("K", bound="Hashable")
T = TypeVar("T", bound="Hashable")
S = TypeVar("S")


def answer_shares(
    groups: Mapping[K, Sequence[float]],
    answer: Callable[[Mapping[K, NDArray[np.float64]]], T],
    *,
    rounds: int = 200,
    seed: int = 1,
) -> dict[T, float]:
    """Shares (adding up to 1) of the answers to bootstrap resamples of the groups, the commonest first.

    Each round draws as many samples from every group, with replacement, as the group has; reproducible by
    its seed. ValueError where a group is empty.
    """
    counted = Counter(_statistics(groups, answer, rounds, seed))
    return {found: count / rounds for found, count in counted.most_common()}


def certainty(share: float, samples: int) -> float:
    """Confidence (0 to 1) in an answer that this share of resamples gave, from so many samples a group.

    Resampling a handful of samples can hardly contradict them, so the share is bounded by Laplace's rule of
    succession: the chance that one more sample agrees with `samples` that all did.
    """
    return min(share, (samples + 1) / (samples + 2))


def _statistics(
    groups: Mapping[K, Sequence[float]],
    statistic: Callable[[Mapping[K, NDArray[np.float64]]], S],
    rounds: int,
    seed: int,
) -> list[S]:
    drawn = resamples(groups, rounds=rounds, seed=seed)
    return [statistic({key: rows[index] for key, rows in drawn.items()}) for index in range(rounds)]


def resamples(
    groups: Mapping[K, Sequence[float]], *, rounds: int, seed: int = 1
) -> dict[K, NDArray[np.float64]]:
    """What `answer_shares` draws, for answers of all rounds at once: rounds x samples of each group."""
    if any(len(values) == 0 for values in groups.values()):
        raise ValueError("resampling needs at least one sample in every group")
    random = np.random.default_rng(seed)
    return {
        key: _drawn(np.asarray(values, dtype=np.float64), rounds, random) for key, values in groups.items()
    }


def _drawn(values: NDArray[np.float64], rounds: int, random: np.random.Generator) -> NDArray[np.float64]:
    drawn: NDArray[np.float64] = values[random.integers(0, len(values), size=(rounds, len(values)))]
    return drawn


def low_decile(values: NDArray[np.float64]) -> float:
    """The sample a tenth of the way up, of fewer than ten the smallest: for times, to which noise only adds.

    `low_deciles` takes that of each row.
    """
    return float(low_deciles(values))


def low_deciles(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    # No interpolation and no full sort: resampling repeats this thousands of times.
    rank = rows.shape[-1] // 10
    deciles: NDArray[np.float64] = np.partition(rows, rank, axis=-1)[..., rank]
    return deciles


def group_interval(
    groups: Mapping[K, Sequence[float]],
    statistic: Callable[[Mapping[K, NDArray[np.float64]]], float],
    confidence: float = 0.95,
    *,
    rounds: int = 200,
    seed: int = 1,
) -> Interval:
    """Percentile bootstrap of a statistic of several groups, each of which is resampled by itself.

    Reproducible by its seed. ValueError where a group is empty.
    """
    found = _statistics(groups, statistic, rounds, seed)
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(found, [tail, 1.0 - tail])
    return Interval(float(low), float(high), confidence)
