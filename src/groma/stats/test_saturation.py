import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.stats.saturation import saturation

NUMBERS = [1, 2, 3, 4, 5]


@given(st.floats(1.0, 5.0), st.floats(1e-3, 1e9))
def test_knee_and_rate_of_a_clean_sum_are_found(knee: float, rate: float) -> None:
    found = saturation(NUMBERS, [rate * min(k, knee) for k in NUMBERS])
    assert found.knee == pytest.approx(knee, abs=0.06)
    assert found.rate == pytest.approx(rate, rel=0.05)


def test_noise_moves_the_knee_little() -> None:
    random = np.random.default_rng(2)
    sums = np.minimum(NUMBERS, 3.0)
    knees = [saturation(NUMBERS, sums * random.lognormal(0, 0.03, 5)).knee for _ in range(200)]
    assert np.quantile(np.abs(np.array(knees) - 3.0), 0.95) < 0.25


def test_a_sum_that_grows_to_the_end_has_its_knee_there() -> None:
    assert saturation(NUMBERS, [2.0 * k for k in NUMBERS]).knee == 5.0


def test_a_given_rate_lets_the_knee_lie_below_one() -> None:
    assert saturation(NUMBERS, [0.5] * 5, rate=1.0).knee == pytest.approx(0.5, abs=0.03)


def test_nothing_has_no_saturation() -> None:
    with pytest.raises(ValueError, match="at least one sum"):
        saturation([], [])
