import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.stats.intervals import bootstrap_interval, median_interval, quantile_interval


def test_median_interval_of_six_samples_is_their_range() -> None:
    interval = median_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert (interval.low, interval.high) == (1.0, 6.0)
    assert interval.confidence == pytest.approx(1 - 2 / 64)


def test_few_samples_admit_a_smaller_confidence() -> None:
    interval = median_interval([1.0, 2.0])
    assert interval.confidence == pytest.approx(0.5)


def test_one_sample_gives_an_interval_without_confidence() -> None:
    interval = median_interval([7.0])
    assert (interval.low, interval.high, interval.confidence) == (7.0, 7.0, 0.0)


@pytest.mark.parametrize("q", [0.05, 0.5, 0.9])
def test_quantile_interval_holds_the_true_quantile_as_often_as_it_says(q: float) -> None:
    random = np.random.default_rng(3)
    truth = -np.log(1 - q)  # the quantile of the exponential distribution
    intervals = [quantile_interval(random.exponential(size=80), q) for _ in range(600)]
    held = np.mean([interval.low <= truth <= interval.high for interval in intervals])
    assert held >= 0.93


def test_bootstrap_interval_holds_the_true_mean() -> None:
    random = np.random.default_rng(5)
    held = 0
    for _ in range(100):
        interval = bootstrap_interval(random.normal(10.0, 1.0, 60), lambda values: float(values.mean()))
        held += interval.low <= 10.0 <= interval.high
    assert held >= 85


def test_bootstrap_is_reproducible() -> None:
    first = bootstrap_interval([1.0, 2.0, 5.0], lambda values: float(values.mean()), seed=4)
    again = bootstrap_interval([1.0, 2.0, 5.0], lambda values: float(values.mean()), seed=4)
    assert first == again


@given(
    st.lists(st.floats(min_value=-1e9, max_value=1e9), min_size=1, max_size=60),
    st.floats(min_value=0.01, max_value=0.99),
)
def test_interval_encloses_the_sample_quantile_nearest_to_it(samples: list[float], q: float) -> None:
    interval = quantile_interval(samples, q)
    nearest = sorted(samples)[round(q * (len(samples) - 1))]
    assert interval.low <= nearest <= interval.high
    assert 0.0 <= interval.confidence <= 1.0


@pytest.mark.parametrize("interval", [median_interval, lambda s: bootstrap_interval(s, float)])
def test_interval_of_nothing_is_refused(interval: object) -> None:
    assert callable(interval)
    with pytest.raises(ValueError, match="at least one sample"):
        interval([])
