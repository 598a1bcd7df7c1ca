import math
from itertools import accumulate, combinations

import numpy as np
import pytest

from groma.stats.mann_whitney import EXACT_UP_TO, cumulated, rank_test


def test_the_probability_is_that_of_all_arrangements() -> None:
    one, other = [1.1, 2.2, 4.4], [3.3, 5.5, 6.6, 7.7]
    statistics = [sum(chosen) for chosen in combinations(range(1, 8), 3)]
    ranks = 1 + 2 + 4
    as_far = sum(abs(one_of - 12) >= abs(ranks - 12) for one_of in statistics) / len(statistics)
    assert rank_test(one, other) == pytest.approx(as_far)


def test_few_samples_against_many_have_the_probability_of_all_arrangements() -> None:
    """Which is far below the least one of the normal approximation."""
    for few, many in ((2, 607), (3, 105), (4, EXACT_UP_TO + 1), (5, 400)):
        least = rank_test(range(few), range(few, few + many))
        assert least == pytest.approx(2 / math.comb(few + many, few))
    one, other = [0.5, 7.5, 19.5], [float(number) for number in range(60)]
    statistics = [sum(chosen) for chosen in combinations(range(1, 64), 3)]
    middle, ranks = 3 * 64 / 2, 1 + 1 + 8 + 2 + 20 + 3
    as_far = sum(abs(one_of - middle) >= abs(ranks - middle) for one_of in statistics) / len(statistics)
    assert rank_test(one, other) == pytest.approx(as_far)


@pytest.mark.parametrize(("n", "m"), [(2, 31250), (3, 105), (5, 1000), (10, 1250), (30, 138), (50, 50)])
def test_probabilities_are_those_of_whole_numbers(n: int, m: int) -> None:
    """Counted without rounding: how many arrangements have each statistic."""
    counts = [1] + [0] * (n * m // 2)
    for i in range(1, n + 1):
        for u in range(len(counts) - 1, m + i - 1, -1):
            counts[u] -= counts[u - m - i]
        for u in range(i, len(counts)):
            counts[u] += counts[u - i]
    every = math.comb(n + m, n)
    exact = [part / every for part in accumulate(counts)]
    assert cumulated(n, m) == pytest.approx(exact, rel=1e-9)


def test_it_is_the_same_both_ways_and_for_any_increasing_scale() -> None:
    random = np.random.default_rng(2)
    one, other = random.gamma(2.0, size=15), random.gamma(2.5, size=12)
    assert rank_test(one, other) == pytest.approx(rank_test(other, one))
    assert rank_test(one, other) == pytest.approx(rank_test(np.log(one), np.log(other)))


def test_chance_alone_is_taken_for_a_difference_as_often_as_it_says() -> None:
    random = np.random.default_rng(3)
    for count in (12, EXACT_UP_TO + 10):
        found = [rank_test(random.normal(size=count), random.normal(size=count)) for _ in range(600)]
        assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.025)


def test_ties_are_no_evidence() -> None:
    assert rank_test([2.0] * 12, [2.0] * 12) == 1.0
    random = np.random.default_rng(4)
    ticks = [rank_test(*random.integers(0, 3, (2, 20)).astype(float)) for _ in range(500)]
    assert np.mean(np.array(ticks) < 0.05) < 0.08


@pytest.mark.parametrize("count", [60, 300])
def test_a_small_probability_is_no_zero(count: int) -> None:
    """Of values that are all apart, by the tail of the normal distribution."""
    away = (count * count / 2 - 0.5) / math.sqrt(count * count * (2 * count + 1) / 12)
    probability = rank_test(range(count), range(count, 2 * count))
    assert probability == pytest.approx(math.erfc(away / math.sqrt(2)), rel=1e-9)
    assert probability > 0


def test_correlated_samples_are_less_evidence() -> None:
    one, other = list(range(20)), list(range(8, 28))
    assert rank_test(one, other, inflation=4.0) > 4 * rank_test(one, other)


def test_an_empty_side_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        rank_test([], [1.0])
