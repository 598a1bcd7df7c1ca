"""The rate of the steady state: the warm-up is left out, the interval holds what it promises."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.stats.steady import steady_rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from groma.stats.steady import SteadyRate

    Array = NDArray[np.float64]


def made(rates: list[float]) -> list[tuple[float, float]]:
    """Samples at times 0, 1, 2 … of a process with these rates between them."""
    return [(float(at), done) for at, done in enumerate(np.concatenate([[0.0], np.cumsum(rates)]).tolist())]


def test_an_even_process_has_its_rate_exactly() -> None:
    found = steady_rate(made([3.0] * 100))
    assert found is not None
    assert (found.value, found.low, found.high) == (3.0, 3.0, 3.0)
    assert found.confidence == 0.95


def test_a_slow_begin_is_left_out() -> None:
    found = steady_rate(made([0.0] * 10 + [1.0] * 5 + [3.0] * 85))
    assert found is not None
    assert found.value == pytest.approx(3.0)
    assert found.begin == 15.0


def test_of_uneven_samples_time_counts() -> None:
    times = [0.0, 1.0, 3.0, 3.5, 7.0, 8.0, 12.0]
    found = steady_rate([(time, 2.0 * time) for time in times])
    assert found is not None
    assert found.value == pytest.approx(2.0)


def alike(correlation: float, seed: int, number: int = 400) -> Array:
    """Noise of variance 1 that is steady from its begin on; each value depends on the one before it."""
    noise = np.random.default_rng(seed).normal(size=number)
    noise[1:] *= np.sqrt(1.0 - correlation**2)
    for at in range(1, number):
        noise[at] += correlation * noise[at - 1]
    return noise


def put_off(share: float, seed: int, number: int = 200) -> Array:
    """Noise of work that is done later or earlier, but done, and a share of noise that stays."""
    random = np.random.default_rng(seed)
    return np.diff(random.normal(size=number + 1)) + share * random.normal(size=number)


PROCESSES = {
    "alternates": lambda seed: alike(-0.8, seed),
    "alternates a little": lambda seed: alike(-0.4, seed),
    "independent": lambda seed: alike(0.0, seed),
    "alike": lambda seed: alike(0.8, seed),
    "put off": lambda seed: put_off(0.3, seed),
    "alike, few samples": lambda seed: alike(0.4, seed, number=60),
}


@cache
def over_seeds(process: str) -> list[SteadyRate]:
    found = [steady_rate(made((10.0 + PROCESSES[process](seed)).tolist())) for seed in range(300)]
    return [one for one in found if one is not None]


@pytest.mark.parametrize("process", PROCESSES)
def test_over_seeds_the_interval_holds_the_rate_as_often_as_it_says(process: str) -> None:
    held = sum(one.low <= 10.0 <= one.high for one in over_seeds(process))
    assert held >= 270, "95 % of 300 are 285; four standard deviations below are 270"


@pytest.mark.parametrize("process", PROCESSES)
def test_the_interval_is_little_wider_than_rates_scatter_over_seeds(process: str) -> None:
    """Student's factor for 7 degrees of freedom alone is 1.2 times that of the normal distribution."""
    width = np.median([one.high - one.low for one in over_seeds(process)])
    assert width <= 1.5 * 2.0 * 1.96 * np.std([one.value for one in over_seeds(process)])


def test_work_that_is_made_up_for_at_once_is_known_as_well_as_its_ends() -> None:
    """A batch more or less at the ends of 200 is all that the rate can err by."""
    found = steady_rate(made([4.0, 2.0] * 100))
    assert found is not None
    assert found.high - found.low < 0.03


def test_samples_of_uneven_times_count_by_their_times() -> None:
    """The last one of a run may be much shorter than the others."""
    even = made([3.0, 3.1] * 50)
    found = steady_rate([*even, (even[-1][0] + 1e-3, even[-1][1] + 1.0)])
    assert found is not None
    assert found.high - found.low < 0.1


@pytest.mark.parametrize("correlation", [-0.8, 0.0, 0.9])
def test_a_rate_that_is_steady_seldom_seems_to_drift(correlation: float) -> None:
    """Batches of noise that is alike for long are alike, and scatter less than their mean does."""
    drifting = 0
    for seed in range(400):
        found = steady_rate(made((10.0 + alike(correlation, seed)).tolist()))
        assert found is not None
        drifting += abs(found.drift) > (found.high - found.low) / found.value
    assert drifting <= 28, "5 % of 400 are 20; two standard deviations above are 28"


def test_few_samples_have_a_value_and_no_interval() -> None:
    found = steady_rate(made([2.0, 2.0, 2.0]))
    assert found is not None
    assert (found.value, found.confidence) == (2.0, 0.0)


@pytest.mark.parametrize("samples", [[], [(0.0, 0.0)], [(0.0, 0.0), (5.0, 0.0)], [(1.0, 1.0), (1.0, 1.0)]])
def test_nothing_follows_from_nothing(samples: list[tuple[float, float]]) -> None:
    assert steady_rate(samples) is None


def test_a_rate_that_changes_within_its_window_drifts() -> None:
    steady = steady_rate(made([3.0] * 100))
    falling = steady_rate(made(np.linspace(3.0, 2.0, 100).tolist()))
    assert steady is not None
    assert falling is not None
    assert steady.drift == 0.0
    assert falling.drift < -0.05


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize("shape", [lambda x: x, lambda x: 1.0 - np.exp(-3.0 * x)], ids=["line", "saturates"])
def test_the_interval_does_not_explain_a_drift(shape: Callable[[Array], Array], noise: float) -> None:
    """Batches of a drifting rate are alike because of the drift, and not because they are too short."""
    explained = 0
    for seed in range(40):
        scatter = 1.0 + noise * np.random.default_rng(seed).normal(size=200)
        found = steady_rate(made(((3.0 + 1.5 * shape(np.linspace(0.0, 1.0, 200))) * scatter).tolist()))
        assert found is not None
        explained += abs(found.drift) <= (found.high - found.low) / found.value
    assert explained <= 8
