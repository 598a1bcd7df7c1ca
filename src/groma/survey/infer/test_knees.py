from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.survey.infer.knees import Decomposition, decompositions

SIZES = np.arange(12.0, 28.0, 0.25)


def staircase(knees: list[tuple[float, float]], base: float = 1.0) -> NDArray[np.float64]:
    latency = np.full(len(SIZES), base)
    for log2_size, rise in knees:
        latency[log2_size < SIZES] += rise
    return latency


def best(latency: NDArray[np.float64], *, independent: bool = False) -> Decomposition:
    found = [d for d in decompositions(SIZES, latency) if d.independent == independent]
    return min(found, key=lambda decomposition: decomposition.cost)


def test_flat_curve_has_no_knee() -> None:
    assert best(np.full(len(SIZES), 3.0)).knees == ()


def test_knees_of_a_staircase_are_found_where_they_are() -> None:
    steps = [(15.0, 3.0), (20.0, 10.0), (24.0, 80.0)]
    found = best(staircase(steps))
    assert [knee.log2_size for knee in found.knees] == pytest.approx([15.0, 20.0, 24.0], abs=0.26)
    assert [knee.rise for knee in found.knees] == pytest.approx([3.0, 10.0, 80.0], rel=0.1)
    assert found.base == pytest.approx(1.0, rel=0.02)


@pytest.mark.parametrize("pace", [0.06, 0.3, 0.6, 0.8, 1.0])
def test_soft_step_is_not_taken_for_a_staircase(pace: float) -> None:
    miss = 1 - np.exp(-np.maximum(2.0 ** (SIZES - 20) - 1, 0) / pace)
    knees = best(4 + 60 * miss).knees
    assert len(knees) <= 2
    assert [knee.log2_size for knee in knees] == pytest.approx([20.0] * len(knees), abs=0.9)


def test_addresses_drawn_anew_are_recognised() -> None:
    latency = 1 + sum(
        rise * np.maximum(0, 1 - 2.0 ** (at - SIZES)) for at, rise in ((15, 4.0), (20, 12.0), (24, 90.0))
    )
    cheapest = min(decompositions(SIZES, np.asarray(latency)), key=lambda decomposition: decomposition.cost)
    assert cheapest.independent
    assert [knee.log2_size for knee in cheapest.knees] == pytest.approx([15, 20, 24], abs=0.2)


def test_a_further_knee_never_fits_worse() -> None:
    random = np.random.default_rng(4)
    latency = np.maximum.accumulate(staircase([(16, 4), (21, 30)]) * random.lognormal(0, 0.05, len(SIZES)))
    misfits = [d.misfit for d in decompositions(SIZES, latency) if not d.independent]
    assert all(more <= fewer + 1e-9 for fewer, more in pairwise(misfits))


def test_plateaus_add_up_the_rises() -> None:
    plateaus = best(staircase([(15.0, 3.0), (20.0, 10.0)])).plateaus()
    assert plateaus == pytest.approx([1.0, 4.0, 14.0], rel=0.05)
