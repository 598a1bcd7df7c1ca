import numpy as np
import pytest

from groma.stats.resolution import RESOLVED_STEPS, clock_step, resolved


@pytest.mark.parametrize("step", [4.0, 5.2, 16.7])
@pytest.mark.parametrize("seed", range(5))
def test_readings_of_a_coarse_clock_tell_its_step(step: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    multiples = np.concatenate([random.integers(1, 5, 60), random.integers(13, 15, 60)])
    readings = step * multiples + random.choice([0.0, 0.03, 0.06], len(multiples)) * step
    assert clock_step(readings) == pytest.approx(step, rel=0.03)


def test_few_exact_multiples_tell_the_step() -> None:
    assert clock_step([15.6] * 5 + [20.8] * 20 + [26.0] * 3) == pytest.approx(5.2, rel=0.05)


@pytest.mark.parametrize("seed", range(20))
def test_tight_groups_of_times_are_no_multiples(seed: int) -> None:
    random = np.random.default_rng(seed)
    groups = [random.normal(centre, 0.02 * centre, 50) for centre in (8.0, 24.0, 96.0, 200.0)]
    assert clock_step(np.concatenate(groups)) < 2.0


@pytest.mark.parametrize("seed", range(20))
def test_a_tight_group_beside_some_slow_times_is_no_clock(seed: int) -> None:
    random = np.random.default_rng(seed)
    times = 1700.0 * random.lognormal(0.0, 0.02, 500)
    slow = random.random(500) < 0.05
    assert clock_step(np.where(slow, times * (1.0 + random.pareto(1.2, 500)), times)) == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_a_step_is_not_far_above_the_least_time(seed: int) -> None:
    random = np.random.default_rng(seed)
    times = np.concatenate([random.normal(59, 1, 6), random.normal(239, 9, 110), random.normal(420, 5, 3)])
    assert clock_step(times) < 80.0


def test_nothing_and_little_have_no_step() -> None:
    assert clock_step([]) == 0.0
    assert clock_step([5.0, 10.0, 15.0]) == 0.0
    assert clock_step([9.0, 9.0, 40.0, 40.0, 41.0, 42.0]) == 0.0


def test_resolution_keeps_order_and_what_is_far_above_the_step() -> None:
    values = np.linspace(1.0, 200.0, 400)
    found = resolved(values, 5.0)
    assert (np.diff(found) > 0).all()
    assert found[values >= 50.0] == pytest.approx(values[values >= 50.0])
    assert resolved(values, 0.0) is values


def test_two_steps_below_are_as_far_apart_as_a_factor_of_1_2() -> None:
    low, high = resolved(np.array([5.0, 5.0 + RESOLVED_STEPS * 5.0]), 5.0)
    assert high / low == pytest.approx(1.2, rel=0.01)
