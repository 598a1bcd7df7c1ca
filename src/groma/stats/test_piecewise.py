from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.stats import piecewise
from groma.stats.piecewise import linear_segments

SIZES = [0.0, *(2.0**e for e in range(21))]


def test_lines_are_fitted_to_all_stretches_at_once() -> None:
    values = [1e-6 + 1e-10 * size for size in SIZES]
    with patch("groma.stats.piecewise._lines", side_effect=piecewise._lines) as fits:
        found = linear_segments(SIZES, values, 0.02)
    assert fits.call_count == 1 + len(found)


def test_one_line_is_one_stretch_with_its_parameters() -> None:
    (found,) = linear_segments(SIZES, [1e-6 + 1e-10 * size for size in SIZES], 0.02)
    assert (found.first, found.last) == (0, len(SIZES))
    assert found.intercept == pytest.approx(1e-6)
    assert found.slope == pytest.approx(1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_a_jump_is_found_where_it_is(seed: int) -> None:
    random = np.random.default_rng(seed)
    true = np.array([1e-6 + 2e-10 * s if s < 16384 else 6e-6 + 1e-10 * s for s in SIZES])
    found = linear_segments(SIZES, true * random.normal(1, 0.02, len(true)), 0.02)
    assert SIZES[found[1].first] == 16384
    assert found[0].at(16384) < 0.75 * found[1].at(16384)


def test_noise_of_the_given_size_makes_no_second_stretch() -> None:
    random = np.random.default_rng(5)
    true = np.array([1e-6 + 1e-10 * size for size in SIZES])
    parts = [len(linear_segments(SIZES, true * random.normal(1, 0.02, len(true)), 0.02)) for _ in range(100)]
    assert parts.count(1) >= 99


def test_few_points_are_one_stretch() -> None:
    (found,) = linear_segments([1.0, 2.0], [1.0, 5.0], 0.01)
    assert (found.first, found.last) == (0, 2)


def test_a_single_point_is_flat() -> None:
    (found,) = linear_segments([8.0], [3.0], 0.01)
    assert (found.intercept, found.slope) == (3.0, 0.0)


@pytest.mark.parametrize(("x", "values"), [([], []), ([1.0], [1.0, 2.0]), ([1.0], [0.0])])
def test_what_has_no_line_is_refused(x: list[float], values: list[float]) -> None:
    with pytest.raises(ValueError, match="piecewise fit"):
        linear_segments(x, values, 0.02)


@given(st.lists(st.floats(min_value=1e-3, max_value=1e3), min_size=1, max_size=16), st.floats(0.01, 0.5))
def test_stretches_cover_every_point_once(values: list[float], noise: float) -> None:
    found = linear_segments([float(i) for i in range(len(values))], values, noise)
    covered = [i for segment in found for i in range(segment.first, segment.last)]
    assert covered == list(range(len(values)))
    assert all(segment.last - segment.first >= 3 for segment in found) or len(found) == 1
