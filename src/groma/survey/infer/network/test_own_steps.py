"""Groups of one level may each add their own step, where that is clear and each group is one."""

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.interconnect.switched import in_blocks
from groma.survey.infer.network.likelihoods import Latencies
from groma.survey.infer.network.misfit import MOST_NATS, misfit
from groma.survey.infer.network.nested_groups import nested_groups
from groma.survey.infer.network.own_steps import may_have_own_steps, own_steps
from groma.survey.infer.network.topology import structure_of
from simulated.hops import (
    at_routers,
    hops_of_groups,
    hops_of_racks_in_a_row,
    hops_of_slim_fly,
)
from simulated.network import names

Matrix = NDArray[np.float64]
SIZES = (6, 4, 8, 5)
WAYS = (1.0, 2.0, 1.0, 3.0)
GROUPS = tuple(int(one) for one in np.repeat(np.arange(len(SIZES)), SIZES))


def measured(hops: Matrix, noise: float, seed: int = 0, *, shuffled: bool = False) -> Matrix:
    """A hop adds 8 % to 1.5 us; nodes have effects of their own."""
    random = np.random.default_rng([len(hops), seed])
    if shuffled:
        order = random.permutation(len(hops))
        hops = hops[np.ix_(order, order)]
    own = random.uniform(0.0, 0.1, len(hops))
    scatter = np.triu(random.normal(0.0, noise, hops.shape), 1)
    latencies = 1.5e-6 * (1.0 + 0.08 * hops + own[:, None] + own[None, :]) * np.exp(scatter + scatter.T)
    return np.where(np.eye(len(hops), dtype=bool), np.nan, latencies)


def test_the_step_of_each_group_is_twice_its_way_out_whatever_effects_nodes_have() -> None:
    latencies = Latencies(measured(hops_of_groups(SIZES, WAYS), 1e-5))
    found = own_steps(latencies, [(GROUPS, True)])
    ratios = found.of_levels[0] / found.of_levels[0][0]
    assert ratios == pytest.approx(np.array(WAYS), rel=0.01)
    assert found.left == pytest.approx(0.0, abs=1e-5)
    assert found.free == len(SIZES)


def test_one_step_for_all_groups_is_the_fit_of_their_hops() -> None:
    latencies = Latencies(measured(hops_of_groups(SIZES, (1.0,) * 4), 0.02))
    found = own_steps(latencies, [(GROUPS, False)])
    apart = np.not_equal.outer(GROUPS, GROUPS).astype(float)
    assert found.of_levels[0] == pytest.approx(latencies.explained_by(apart).step)
    assert found.left == pytest.approx(float((latencies.rest**2).sum()) * (1 - _share(latencies, apart)))


def _share(latencies: Latencies, hops: Matrix) -> float:
    steps = latencies.effects.left_of(hops)
    return float(latencies.rest @ steps) ** 2 / float(steps @ steps) / float(latencies.rest @ latencies.rest)


def test_of_two_groups_no_single_steps_can_be_told() -> None:
    halves = in_blocks(12, 6)
    latencies = Latencies(measured(hops_of_groups((6, 6), (1.0, 3.0)), 0.001))
    assert not may_have_own_steps(latencies, halves)
    assert own_steps(latencies, [(halves, True)]).free == 1
    assert np.isinf(own_steps(latencies, [(halves, True)]).errors[0]).all()


def test_groups_of_one_node_have_the_mean_step() -> None:
    sizes, group_of = (4, 1, 4, 4), tuple(np.repeat(np.arange(4), (4, 1, 4, 4)).tolist())
    found = own_steps(Latencies(measured(hops_of_groups(sizes, WAYS), 1e-5)), [(group_of, True)])
    assert found.of_levels[0][1] == pytest.approx(found.of_levels[0][[0, 2, 3]].mean())


def test_a_group_as_near_to_the_others_as_to_itself_is_none() -> None:
    """The nodes of a large group in two parts, beside nodes of which each is alone."""
    latencies = Latencies(measured(hops_of_groups((12, 1, 1, 1, 1), (3.0,) * 5), 0.001))
    parts = (0,) * 6 + (1,) * 6 + (2,) * 4
    found = own_steps(latencies, [(parts, True)])
    assert not found.part_all
    assert not found.may_part_all


def test_steps_that_hardly_differ_are_one_step() -> None:
    hops = hops_of_groups(SIZES, (1.0, 1.02, 1.01, 1.0))
    latencies = Latencies(measured(hops, 0.002))
    assert nested_groups(latencies, [GROUPS]) is None


def test_hops_of_groups_with_their_own_steps_leave_nothing() -> None:
    hops = hops_of_groups(SIZES, WAYS)
    latencies = Latencies(measured(hops, 0.001))
    found = nested_groups(latencies, [GROUPS])
    assert found is not None
    assert len(found.levels) == 1
    assert found.levels[0].of_groups == pytest.approx(np.array(WAYS) / np.mean(WAYS), rel=0.1)
    assert misfit(latencies, found.hops, levels=[GROUPS]).nats == 0.0


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize("noise", [0.01, 0.04])
@pytest.mark.parametrize(
    ("sizes", "ways"),
    [
        pytest.param((6, 6, 6, 6), (1.0, 1.0, 3.0, 3.0), id="half"),
        pytest.param((4,) * 6, (1.0, 3.0, 1.0, 1.0, 3.0, 1.0), id="two of six"),
        pytest.param(SIZES, (1.0, 2.0, 2.0, 3.0), id="each its own"),
    ],
)
def test_switches_of_several_kinds_are_a_tree_of_them(
    sizes: tuple[int, ...], ways: tuple[float, ...], noise: float, *, shuffled: bool
) -> None:
    """Switches of 1 and 3 hops were a tree of 12 groups and two levels with 100 %: the nodes of the nearer
    switches were parted at random.
    """
    for seed in range(2):
        latencies = measured(hops_of_groups(sizes, ways), noise, seed, shuffled=shuffled)
        found = structure_of(names(len(latencies)), latencies)
        assert found is not None
        assert (found.kind, sorted(found.shape)) == ("tree", sorted(sizes)), found
        assert found.levels == []
        assert " to " in found.evidence[0]


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
def test_racks_in_a_row_are_no_other_groups_than_racks(*, shuffled: bool) -> None:
    """They were trees of 17 and 18 groups and four levels with 100 %."""
    for seed in range(3):
        latencies = measured(hops_of_racks_in_a_row(6, 6, 0.5), 0.01, seed, shuffled=shuffled)
        found = structure_of(names(36), latencies)
        assert found is not None
        assert found.kind == "unknown" or found.shape == [6] * 6, found


def test_groups_of_which_some_are_nearer_to_each_other_are_no_tree_of_one_level() -> None:
    """Pairs of nodes at the routers of a Slim Fly were a tree of 50 pairs with 100 %."""
    hops = at_routers(hops_of_slim_fly(5), 2)
    latencies, routers = measured(hops, 0.04), in_blocks(100, 2)
    apart = np.not_equal.outer(routers, routers).astype(float)
    assert misfit(Latencies(latencies), apart, levels=[routers]).nats == MOST_NATS
    found = structure_of(names(100), latencies)
    assert found is not None
    assert found.kind == "unknown", found
