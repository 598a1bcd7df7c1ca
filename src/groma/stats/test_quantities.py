from unittest.mock import patch

import numpy as np
import pytest

from groma.stats.quantities import (
    is_unstable,
    low_quantile_quantity,
    median_quantity,
    quantile_quantities,
    quantile_quantity,
)


def test_median_quantity_carries_interval_and_samples() -> None:
    quantity = median_quantity([float(i) for i in range(1, 22)], "B/s", "median of 21 samples")
    assert quantity.value == 11.0
    assert quantity.low < 11.0 < quantity.high
    assert quantity.confidence >= 0.95
    assert quantity.samples is not None
    assert quantity.samples.n == 21


def test_low_quantile_quantity_ignores_upward_noise() -> None:
    samples = [1.0] * 30 + [50.0] * 10
    quantity = low_quantile_quantity(samples, "s", "5th percentile")
    assert (quantity.value, quantity.low) == (1.0, 1.0)
    assert quantity.high == pytest.approx(1.0)


def test_quantile_quantity_gives_the_upper_end_as_well() -> None:
    quantity = quantile_quantity([float(i) for i in range(1, 101)], "B/s", "95th percentile", 0.95)
    assert quantity.value == pytest.approx(95.05)
    assert quantity.low < quantity.value < quantity.high


def test_groups_of_any_sizes_have_the_quantities_that_each_has_alone() -> None:
    random = np.random.default_rng(1)
    groups = [random.lognormal(size=size) for size in (7, 1, 30, 7, 2, 30)]
    together = quantile_quantities(groups, "s", "5th percentile", 0.05)
    assert together == [quantile_quantity(one, "s", "5th percentile", 0.05) for one in groups]
    for one, group in zip(together, groups, strict=True):
        assert one.value == pytest.approx(np.quantile(group, 0.05))
    assert quantile_quantities([], "s", "none", 0.5) == []


def test_a_group_without_samples_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        quantile_quantities([[1.0], []], "s", "none", 0.5)


def test_thousands_of_groups_of_one_size_are_sorted_at_once() -> None:
    groups = np.random.default_rng(1).lognormal(size=(3000, 9))
    with patch("numpy.sort", side_effect=np.sort) as sort:
        assert len(quantile_quantities(list(groups), "s", "median", 0.5)) == 3000
    assert sort.call_count == 1


@pytest.mark.parametrize(
    ("samples", "unstable"),
    [
        ([100.0 + step for step in range(-5, 6)], False),
        ([100.0 + 8 * step for step in range(-5, 6)], True),
        ([100.0, 300.0], False),
    ],
    ids=["narrow", "wide", "too few to tell"],
)
def test_a_quantity_is_unstable_where_its_interval_is_too_wide(samples: list[float], unstable: bool) -> None:
    assert is_unstable(median_quantity(samples, "B/s", "median")) is unstable
