import numpy as np
import pytest

from simulated.curves import simulated_curves
from simulated.grids import GRIDS, K, M, eighths_grid, power_of_two_grid, scattered_grid
from simulated.machines import HELD_OUT, TUNING, NoiseRange

QUIET = NoiseRange((0, 0), (0, 0), (0, 0), (1, 1), 0, 0, (0.001,))


def test_same_seed_gives_the_same_curves() -> None:
    first, again = (simulated_curves(TUNING, NoiseRange(), 3, seed=5) for _ in range(2))
    for one, other in zip(first, again, strict=True):
        assert one.sizes == other.sizes
        assert one.curve.latency.tolist() == other.curve.latency.tolist()


def test_quiet_curves_start_at_the_first_level_and_end_beyond_the_last() -> None:
    for simulated in simulated_curves(TUNING, QUIET, 12, seed=6, grids=["powers_long"]):
        latency = simulated.curve.latency
        assert latency[0] == pytest.approx(simulated.latencies[0], abs=0.002)
        assert latency[-1] > 0.8 * simulated.memory


def test_second_level_shows_its_own_latency_where_pages_are_large() -> None:
    curves = simulated_curves(TUNING, QUIET, 60, seed=7, grids=["eighths"])
    for simulated in curves:
        if simulated.pages == "huge" and simulated.name == "client, slices of L3":
            at = np.searchsorted(simulated.curve.size_bytes, simulated.sizes[1] * 0.9)
            assert simulated.curve.latency[at] == pytest.approx(simulated.latencies[1], rel=0.35)


def test_levels_beyond_the_grid_are_not_visible() -> None:
    (simulated,) = simulated_curves(TUNING[2:3], QUIET, 1, seed=8, grids=["powers"])
    assert simulated.visible == sum(2 * size <= 128 * M for size in simulated.sizes)


def test_held_out_machines_are_other_machines() -> None:
    assert not {machine.name for machine in TUNING} & {machine.name for machine in HELD_OUT}


@pytest.mark.parametrize("name", list(GRIDS))
def test_grids_ascend(name: str) -> None:
    assert (np.diff(GRIDS[name]()) > 0).all()


def test_eighths_hold_the_sizes_between_powers() -> None:
    assert {48 * K, 1280 * K, 1408 * K} <= set(eighths_grid())
    assert set(power_of_two_grid()) <= set(eighths_grid())


def test_scattered_sizes_are_whole_lines() -> None:
    sizes = scattered_grid(np.random.default_rng(1))
    assert (sizes % 64 == 0).all()
    assert (np.diff(sizes) > 0).all()
