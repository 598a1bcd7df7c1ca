from __future__ import annotations

import numpy as np
import pytest

from groma.history.tails import tails_of
from groma.stats.student import two_sided

FAR = 6.0


def probability(degrees: float, count: int, series: int = 50) -> float:
    """Of a value that is far out, after series with a tail of that many degrees of freedom."""
    random = np.random.default_rng(1)
    found = tails_of([random.standard_t(degrees, count) for _ in range(series)])
    return float(np.median([tail.probability(FAR, 1e6) for tail in found]))


def test_what_is_far_out_is_usual_where_noise_has_a_tail() -> None:
    assert probability(3.0, 30) > 10 * probability(1e6, 30)
    assert probability(3.0, 30) == pytest.approx(two_sided(FAR, 3.0), rel=0.5)


def test_a_series_with_a_tail_is_told_from_others_without() -> None:
    random = np.random.default_rng(2)
    normal = [random.normal(0.0, 1.0, 60) for _ in range(40)]
    found = tails_of([*normal, *(random.standard_t(2.5, 60) for _ in range(10))])
    each = [tail.probability(FAR, 1e6) for tail in found]
    assert np.median(each[:40]) < 0.1 * np.median(each[40:])


def test_few_values_know_their_deviation_badly_whatever_the_tail() -> None:
    (tail,) = tails_of([np.random.default_rng(3).normal(0.0, 1.0, 60)])
    assert tail.probability(FAR, 2) == pytest.approx(two_sided(FAR, 2))
