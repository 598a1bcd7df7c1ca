"""The rate of the steady state: the warm-up is left out, the interval holds what it promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.stats.steady import steady_rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

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


@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_the_interval_holds_the_rate_nearly_as_often_as_it_says(correlation: float) -> None:
    held = 0
    for seed in range(200):
        noise = np.random.default_rng(seed).normal(size=400)
        for at in range(1, len(noise)):
            noise[at] += correlation * noise[at - 1]
        found = steady_rate(made((10.0 + noise).tolist()))
        assert found is not None
        held += found.low <= 10.0 <= found.high
    assert held >= 178, "95 % of 200 are 190; five standard deviations below are 175"


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_a_rate_that_is_steady_seldom_seems_to_drift(correlation: float) -> None:
    """Batches of noise that is alike for long are alike, and scatter less than their mean does."""
    drifting = 0
    for seed in range(400):
        noise = np.random.default_rng(seed).normal(size=400)
        noise[0] /= np.sqrt(1.0 - correlation**2)
        for at in range(1, len(noise)):
            noise[at] += correlation * noise[at - 1]
        found = steady_rate(made((10.0 + np.sqrt(1.0 - correlation**2) * noise).tolist()))
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
