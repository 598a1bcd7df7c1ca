import numpy as np
import pytest

from simulated.caches import CacheModel, Index, Policy, cyclic_miss_table, miss_ratio

M = 1 << 20
SIZES = np.array([0.25, 0.5, 1.0, 1.25, 2.0, 4.0]) * M


def model(policy: Policy, index: Index) -> CacheModel:
    return CacheModel(M, 16, 14.0, policy, index)


def test_least_recently_used_ways_lose_every_line_of_a_cycle_that_is_one_too_long() -> None:
    table = cyclic_miss_table("lru", 8)
    assert (table[8], table[9]) == (0.0, 1.0)


def test_random_replacement_follows_its_fixed_point() -> None:
    # A line survives its turn unless one of the misses in between evicts it: 1 - m = exp(-m * lines / ways).
    miss = cyclic_miss_table("random", 16)[32]
    assert 1 - miss == pytest.approx(np.exp(-2 * miss), abs=0.05)


def test_thrash_resistant_policy_keeps_a_part() -> None:
    assert cyclic_miss_table("resistant", 16)[32] < 0.7


@pytest.mark.parametrize("policy", ["lru", "random", "not_recent", "resistant"])
def test_contiguous_working_set_that_fits_never_misses(policy: Policy) -> None:
    ratios = miss_ratio(model(policy, "contiguous"), SIZES, np.random.default_rng(1))
    assert ratios[:3].tolist() == [0.0, 0.0, 0.0]
    assert ratios[-1] > 0.5


@pytest.mark.parametrize("index", ["coloured", "hashed"])
def test_unevenly_filled_sets_miss_before_the_capacity_is_reached(index: Index) -> None:
    random = np.random.default_rng(1)
    ratios = np.mean([miss_ratio(model("lru", index), SIZES, random) for _ in range(30)], axis=0)
    assert ratios[0] < 0.01
    assert 0.2 < ratios[2] < 0.8
    assert ratios[4] > 0.95


def test_runs_of_pages_fill_the_sets_more_evenly_than_single_ones() -> None:
    random = np.random.default_rng(1)
    size = np.array([0.75 * M])
    single, runs = (
        np.mean([miss_ratio(model("lru", index), size, random) for _ in range(60)])
        for index in ("coloured", "runs")
    )
    assert runs < single
