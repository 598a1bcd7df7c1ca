"""Groups of unequal sizes are read from bandwidths, and from nothing else that makes ranks differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.interconnect.lattice import mesh, torus
from groma.interconnect.switched import crossbar, in_blocks, linked_groups, tree
from groma.survey.infer.network.bounds import Speeds
from groma.survey.infer.network.shares import share_at
from groma.survey.infer.network.uneven_groups import uneven_tree

if TYPE_CHECKING:
    from groma.interconnect.base import Interconnect


def groups_of(*sizes: int) -> tuple[int, ...]:
    return tuple(np.repeat(np.arange(len(sizes)), sizes).tolist())


def speeds_on(structure: Interconnect, noise: float, *, waits: str = "receive", seed: int = 1) -> Speeds:
    """At all distances but an exchange; `noise` is that of the median of a rank."""
    random = np.random.default_rng(seed)
    distances = [d for d in range(1, structure.nodes // 2 + 1) if 2 * d != structure.nodes]
    fair = np.log([1e9 * share_at(structure, d).of_ranks(waits) for d in distances])
    return Speeds(distances, fair + random.normal(0.0, noise, fair.shape), np.full(fair.shape, noise**2))


@pytest.mark.parametrize("noise", [0.01, 0.05])
@pytest.mark.parametrize(("uplink", "waits"), [(1.0, "receive"), (1.0, "both"), (2.0, "receive")])
@pytest.mark.parametrize("sizes", [(5, 7), (6, 4), (3, 5), (3, 7, 6), (9, 23), (20, 30, 14)], ids=str)
def test_the_sizes_of_groups_and_their_uplink_are_read_from_the_ranks(
    sizes: tuple[int, ...], uplink: float, noise: float, waits: str
) -> None:
    found = uneven_tree(speeds_on(tree(groups_of(*sizes), uplink), noise, waits=waits))
    assert found is not None
    assert found.interconnect.shape == sizes
    assert found.interconnect.uplink == pytest.approx(uplink, rel=0.05)
    assert found.cost > 0.0


def test_four_groups_are_read_as_well() -> None:
    found = uneven_tree(speeds_on(tree(groups_of(5, 4, 3, 4), 1.0), 0.02))
    assert found is not None
    assert found.interconnect.shape == (5, 4, 3, 4)


@pytest.mark.parametrize(
    "structure",
    [
        *(torus(9), torus(12), torus(16), torus(4, 4), torus(3, 4), mesh(8), crossbar(12)),
        tree(in_blocks(16, 4), 2.0),
        tree(in_blocks(16, 8), 2.0),
        linked_groups(in_blocks(12, 3), 1.0),
        tree(groups_of(5, 7), 7.0),
    ],
    ids=lambda structure: structure.title,
)
def test_nothing_else_is_taken_for_uneven_groups(structure: Interconnect) -> None:
    assert [uneven_tree(speeds_on(structure, 0.03, seed=seed)) for seed in range(5)] == [None] * 5


@pytest.mark.parametrize("sizes", [(4, 8), (12, 4), (14, 2)], ids=str)
def test_one_of_several_equal_groups_may_have_a_slow_uplink(sizes: tuple[int, ...]) -> None:
    """The bandwidths are those of a tree of equal groups, of which the uplink of one carries as little."""
    assert uneven_tree(speeds_on(tree(groups_of(*sizes), 1.0), 0.02)) is None


def test_without_bandwidths_of_ranks_there_are_no_groups() -> None:
    assert uneven_tree(None) is None
