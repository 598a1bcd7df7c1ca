import numpy as np
import pytest

from groma.survey.infer.caches import infer_caches
from groma.survey.infer.curve import Curve
from simulated.grids import K, M, power_of_two_grid

GRID = power_of_two_grid(4 * K, 64 * M)


def two_levels(second: int, *, predictable: bool, step: float = 1.0) -> Curve:
    """64 KiB, then `second`; between them a step of the latency by a factor of `step`."""
    ends = ((64 * K, 1.8), (256 * K, 5.5), (second, 5.5 * step))
    latency = [next((ns for end, ns in ends if size <= end), 140.0) for size in GRID]
    return Curve(size_bytes=GRID, latency=np.array(latency), predictable=predictable)


@pytest.mark.parametrize(("second", "step"), [(4 * M, 1.0), (2 * M, 1.3)])
def test_second_level_is_unsure_where_prefetching_may_hide_a_nearer_one(second: int, step: float) -> None:
    """As ramlat shows a Cortex-A78AE: nothing of its 256 KiB, then 2 MiB that others share."""
    found = infer_caches(two_levels(second, predictable=True, step=step))
    assert found.caches[1].size.value == second
    assert found.caches[0].size.confidence > 0.9
    assert found.caches[1].size.confidence <= 0.5
    assert "curve.predictable" in {warning.code for warning in found.warnings}


@pytest.mark.parametrize(
    ("second", "predictable"), [(4 * M, False), (512 * K, True)], ids=["random order", "no room between"]
)
def test_second_level_is_sure_where_nothing_can_hide_a_nearer_one(second: int, *, predictable: bool) -> None:
    found = infer_caches(two_levels(second, predictable=predictable))
    assert found.caches[1].size.value == second
    assert found.caches[1].size.confidence > 0.9
    assert not found.warnings


@pytest.mark.parametrize("begin", [64 * K, 256 * K])
def test_a_curve_that_begins_behind_the_first_cache_counts_from_the_second_and_is_unsure(begin: int) -> None:
    """Even steps of the size from 256 KiB on, as many tools record them, show no first cache."""
    grid = np.arange(begin, 64 * M + 1, 256 * K, dtype=float)
    ends = ((32 * K, 1.0), (1 * M, 4.0), (32 * M, 14.0))
    latency = np.array([next((ns for end, ns in ends if size <= end), 90.0) for size in grid])
    found = infer_caches(Curve(size_bytes=grid, latency=latency))
    assert [cache.level for cache in found.caches] == [2, 3]
    assert all(
        cache.size.low <= end <= cache.size.high for cache, end in zip(found.caches, (M, 32 * M), strict=True)
    )
    assert all(cache.size.confidence <= 0.5 for cache in found.caches)
    assert "curve.begin" in {warning.code for warning in found.warnings}


def test_a_large_first_cache_is_one_where_the_curve_begins_within_it() -> None:
    latency = np.where(GRID <= 512 * K, 2.0, 90.0)
    found = infer_caches(Curve(size_bytes=GRID, latency=latency))
    assert [cache.level for cache in found.caches] == [1]
    assert "curve.begin" not in {warning.code for warning in found.warnings}
