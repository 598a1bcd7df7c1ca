from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.record.units import is_one_sample
from groma.stats.mann_whitney import cumulated
from groma.stats.ratios import ratio_quantity

POSITIVE = st.lists(st.floats(min_value=1e-6, max_value=1e6), min_size=1, max_size=12)


def test_value_is_the_ratio_of_the_medians() -> None:
    assert ratio_quantity([2.0, 4.0, 9.0], [1.0, 2.0, 2.5], "m").value == 2.0


@pytest.mark.parametrize("counts", [(7, 7), (7, 12), (60, 80)])
def test_interval_holds_the_true_factor_as_often_as_it_says(counts: tuple[int, int]) -> None:
    random = np.random.default_rng(3)
    held = []
    for _ in range(400):
        above, below = (random.lognormal(0.0, 0.3, count) for count in counts)
        found = ratio_quantity(3.0 * above, below, "m")
        held.append(found.low <= 3.0 <= found.high)
        assert found.confidence >= 0.95
    assert 0.93 <= np.mean(held) <= 1.0


def test_interval_of_seven_against_seven_leaves_out_eight_ratios_on_each_side() -> None:
    above, below = np.exp(np.arange(7.0)), np.exp(np.arange(7.0) * 1.37)
    ratios = np.sort((above[:, None] / below[None, :]).ravel())
    found = ratio_quantity(above, below, "m")
    assert (found.low, found.high) == (ratios[8], ratios[-9])


def test_distribution_of_the_statistic_is_that_of_all_orders() -> None:
    statistics = [
        sum(order.index(("a", i)) > order.index(("b", j)) for i in range(2) for j in range(3))
        for order in permutations([("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2)])
    ]
    counted = [np.mean([one <= u for one in statistics]) for u in range(4)]
    assert cumulated(2, 3) == pytest.approx(counted)


def test_one_sample_against_one_has_no_confidence() -> None:
    found = ratio_quantity([3.0], [2.0], "m")
    assert (found.low, found.high, found.confidence) == (1.5, 1.5, 0.0)
    assert is_one_sample(found)


@given(POSITIVE, POSITIVE)
def test_interval_encloses_the_value(above: list[float], below: list[float]) -> None:
    found = ratio_quantity(above, below, "m")
    assert found.low <= found.value <= found.high
    assert 0.0 <= found.confidence <= 1.0


def test_ratio_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        ratio_quantity([], [1.0], "m")
