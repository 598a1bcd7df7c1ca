from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from groma.stats.clusters import joined_at, joined_until_apart, ratio_clusters, without_outliers

Members = NDArray[np.intp]


def test_four_layers_of_a_two_socket_chiplet_machine_are_found() -> None:
    random = np.random.default_rng(2)
    layers = [(8.5, 0.05, 64), (24.0, 0.08, 192), (112.0, 0.10, 3800), (250.0, 0.06, 4096)]
    latencies = np.concatenate([centre * random.lognormal(0, spread, n) for centre, spread, n in layers])
    random.shuffle(latencies)
    clusters = ratio_clusters(latencies)
    assert [len(cluster.members) for cluster in clusters] == [64, 192, 3800, 4096]


def test_one_broad_layer_is_not_split() -> None:
    random = np.random.default_rng(7)
    for _ in range(20):
        latencies = 80.0 * random.lognormal(0, 0.1, 400)
        assert len(ratio_clusters(latencies)) == 1


def test_groups_are_compared_again_only_beside_a_joined_one() -> None:
    """Fifty couples: 99 neighbours at first, then two for each couple."""
    data = np.array([10.0 * couple + one for couple in range(50) for one in (0.0, 1.0)])
    compared = []

    def separation(lower: Members, upper: Members) -> float:
        compared.append((lower, upper))
        return float(data[upper].min() - data[lower].max()) / 5.0

    groups = joined_until_apart([np.array([index]) for index in range(100)], separation)
    assert [list(group) for group in groups] == [[2 * couple, 2 * couple + 1] for couple in range(50)]
    assert len(compared) <= 99 + 2 * 50


def test_joined_neighbours_have_ascending_members_and_leave_the_others() -> None:
    groups = [np.array([4, 7]), np.array([1, 5]), np.array([0])]
    assert [group.tolist() for group in joined_at(groups, 0)] == [[1, 4, 5, 7], [0]]
    assert [group.tolist() for group in joined_at(groups, 1)] == [[4, 7], [0, 1, 5]]


def test_a_group_of_pairs_that_touches_few_ends_joins_the_nearer_neighbour() -> None:
    """One of 22 cores is not in its share of a layer; two of 20 are."""
    chain = np.array([(one, one + 1) for one in range(21)] * 2 + [(0, 1)])
    values = np.array([10.0] * 21 + [100.0] * 21 + [40.0])
    groups = [np.arange(21), np.array([42]), np.arange(21, 42)]
    joined = without_outliers(groups, values, chain, 22)
    assert [group.tolist() for group in joined] == [[*range(21)], [*range(21, 43)]]
    assert len(without_outliers(groups, values, chain, 20)) == 3


def test_three_values_far_apart_are_three_clusters() -> None:
    assert [cluster.members for cluster in ratio_clusters([90.0, 10.0, 30.0])] == [(1,), (2,), (0,)]


def test_equal_values_are_one_cluster() -> None:
    (cluster,) = ratio_clusters([5.0, 5.0, 5.0])
    assert (cluster.centre, cluster.low, cluster.high) == (5.0, 5.0, 5.0)


def test_nothing_gives_no_cluster() -> None:
    assert ratio_clusters([]) == []


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_values_without_magnitude_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="positive, finite"):
        ratio_clusters([1.0, bad])


@given(st.lists(st.floats(min_value=1e-9, max_value=1e9), min_size=1, max_size=80))
def test_every_value_falls_in_exactly_one_cluster(values: list[float]) -> None:
    clusters = ratio_clusters(values)
    assert sorted(i for cluster in clusters for i in cluster.members) == list(range(len(values)))
    for lower, upper in pairwise(clusters):
        assert lower.high <= upper.low
        assert upper.centre >= 1.2499 * lower.centre


@given(
    st.lists(st.floats(min_value=1.0, max_value=1e3), min_size=1, max_size=40),
    st.sampled_from([2.0**-30, 2.0**10]),
)
def test_clusters_do_not_depend_on_the_unit(values: list[float], factor: float) -> None:
    plain = [cluster.members for cluster in ratio_clusters(values)]
    scaled = [cluster.members for cluster in ratio_clusters([factor * value for value in values])]
    assert plain == scaled
