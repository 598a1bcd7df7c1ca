import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.survey.infer.caches import CacheInference, infer_caches
from groma.survey.infer.curve import Curve
from simulated.grids import K, M, eighths_grid, halves_grid, power_of_two_grid

Levels = tuple[tuple[float, float], ...]

THREE: Levels = ((32 * K, 1.5), (1 * M, 6.0), (16 * M, 20.0), (float("inf"), 120.0))
TWO: Levels = ((32 * K, 1.5), (1 * M, 6.0), (float("inf"), 60.0))

WITHOUT_SECOND = (16, 32, 64, 4096, 8192, 16384, 32768, 65536, 131072)
"""Sizes in KiB that step over the whole plateau of a third level."""


def inferred(sizes_kib: tuple[int, ...], levels: Levels) -> CacheInference:
    sizes = np.array(sizes_kib, dtype=np.float64) * K
    latency = [next(ns for end, ns in levels if size <= end) for size in sizes]
    return infer_caches(Curve(size_bytes=sizes, latency=np.array(latency)))


def codes(found: CacheInference) -> list[str]:
    return [warning.code for warning in found.warnings]


def softly(sizes_kib: tuple[int, ...], first: float, beyond: float) -> CacheInference:
    """A first level of 32 KiB whose rise has begun at 64 KiB, then `beyond` times its latency, and memory."""
    rise = {16: 1.0, 32: 1.0, 64: 2.7}
    latency = [first * rise.get(size, beyond if size <= 16384 else 80.0) for size in sizes_kib]
    return infer_caches(Curve(np.array(sizes_kib, dtype=np.float64) * K, np.array(latency)))


def test_third_level_is_not_a_sure_second_one_behind_a_gap_that_may_hide_a_level() -> None:
    """12 times the latency of the first level is too far for a second one and usual for a third."""
    found = softly(WITHOUT_SECOND, 1.5, 12.0)
    assert [cache.size.confidence < 0.5 for cache in found.caches] == [False, True]
    assert "curve.gap" in codes(found)


def test_gap_before_a_plateau_as_near_as_a_second_level_hides_hardly_any() -> None:
    found = softly(WITHOUT_SECOND, 1.5, 4.5)
    assert len(found.caches) == 2
    assert min(cache.size.confidence for cache in found.caches) > 0.8
    assert "curve.gap" not in codes(found)


def test_gap_says_between_which_sizes_to_record() -> None:
    found = softly(WITHOUT_SECOND, 1.5, 12.0)
    advice = next(warning for warning in found.warnings if warning.code == "curve.gap")
    assert "between 64 KiB and 4 MiB" in advice.what
    assert "between 64 KiB and 4 MiB" in advice.next


def test_gap_is_named_also_where_the_rise_of_the_last_level_begins_before_it() -> None:
    sizes_kib = np.array([32, 128, 512, 1024, 2048, 16384, 32768, 65536, 131072, 262144], dtype=np.float64)
    latency = np.array([1.8, 4.5, 6.4, 7.1, 17.0, 67.0, 100.0, 106.0, 110.0, 110.0])
    found = infer_caches(Curve(sizes_kib * K, latency))
    assert found.caches[1].size.confidence < 0.8
    assert "curve.gap" in codes(found)


def test_recording_the_gap_finds_the_hidden_level_and_ends_the_doubt() -> None:
    sizes_kib = tuple(2**i for i in range(4, 18))
    found = inferred(sizes_kib, THREE)
    assert [cache.size.value for cache in found.caches] == [32 * K, 1 * M, 16 * M]
    assert min(cache.size.confidence for cache in found.caches) > 0.9
    assert "curve.gap" not in codes(found)


def test_the_wider_the_gap_the_less_sure_is_the_level_behind() -> None:
    """Sizes between 64 KiB and 4 MiB, from the largest on, lie on the plateau behind the gap."""
    behind = ((), (2048,), (1024, 2048), (512, 1024, 2048))
    found = [
        softly(tuple(sorted((*WITHOUT_SECOND, *further))), 1.5, 12.0).caches[1].size.confidence
        for further in behind
    ]
    assert all(wide <= narrow for wide, narrow in itertools.pairwise(found))
    assert found[0] < found[-1]


def test_wide_gap_on_one_plateau_leaves_levels_as_sure_as_they_are() -> None:
    """Nothing rises between the sizes, so no cache ends there."""
    sizes_kib = (8, 16, 32, 64, 128, 1024, 2048, 4096, 8192, 16384)
    whole = inferred((8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384), TWO)
    found = inferred(sizes_kib, TWO)
    assert "curve.gap" not in codes(found)
    for cache, dense in zip(found.caches, whole.caches, strict=True):
        assert cache.size.confidence == pytest.approx(dense.size.confidence, abs=0.02)


def test_gap_behind_the_first_rise_leaves_the_first_level_as_sure_as_it_is() -> None:
    """The plateau before the rise ends at a recorded size, whatever the gap behind it hides."""
    sizes_kib = np.array([32, 64, 1024, 2048, 4096, 32768, 262144, 524288, 1048576], dtype=np.float64)
    latency = np.array([1.0, 4.7, 14.2, 17.0, 47.0, 110.6, 115.6, 123.2, 119.9])
    found = infer_caches(Curve(sizes_kib * K, latency))
    assert "curve.gap" in codes(found)
    assert found.caches[0].size.confidence > 0.9


@pytest.mark.parametrize("grid", [power_of_two_grid(), halves_grid(), eighths_grid()])
def test_no_gap_of_a_grid_with_a_size_per_octave_hides_a_level(
    grid: NDArray[np.float64], monkeypatch: pytest.MonkeyPatch
) -> None:
    curve = Curve(grid, np.array([next(ns for end, ns in THREE if size <= end) for size in grid]))
    found = infer_caches(curve)
    monkeypatch.setattr("groma.survey.infer.caches.splits", lambda *_: [])
    assert infer_caches(curve) == found
