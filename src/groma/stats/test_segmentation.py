import tracemalloc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from groma.stats.segmentation import change_points


def test_two_levels_yield_one_change_point() -> None:
    assert change_points([1.0, 1.0, 1.0, 3.0, 3.0], penalty=0.1) == [3]


def test_constant_sequence_has_no_change_point() -> None:
    assert change_points([2.0] * 20, penalty=0.01) == []


def test_nothing_has_no_change_point() -> None:
    assert change_points([], penalty=0.1) == []


def test_noise_below_the_penalty_does_not_split() -> None:
    random = np.random.default_rng(1)
    assert change_points(random.normal(0.0, 0.1, 60), penalty=0.5) == []


def test_shortest_stretch_is_kept() -> None:
    points = change_points([0.0, 0.0, 9.0, 0.0, 0.0, 0.0], penalty=0.1, shortest=3)
    assert points in ([], [3])


@given(
    st.lists(st.floats(min_value=-100, max_value=100), min_size=1, max_size=14),
    st.floats(min_value=0.01, max_value=50),
)
def test_partition_is_no_worse_than_any_single_cut(values: list[float], penalty: float) -> None:
    def total(starts: list[int]) -> float:
        parts = np.split(np.array(values), starts)
        return sum(float(((part - part.mean()) ** 2).sum()) for part in parts) + penalty * len(starts)

    found = total(change_points(values, penalty))
    alternatives = [total([]), *(total([cut]) for cut in range(1, len(values)))]
    assert found <= min(alternatives) + 1e-6


def test_long_sequences_need_no_matrix_of_all_segments() -> None:
    values = np.random.default_rng(2).normal(0.0, 1.0, 3000)
    tracemalloc.start()
    try:
        change_points(values, penalty=10.0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100 * values.nbytes
