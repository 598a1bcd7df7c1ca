"""Nodes that are slower than most are told from the links between them, and noise from both."""

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.interconnect.base import Interconnect
from groma.interconnect.lattice import torus
from groma.interconnect.switched import crossbar, in_blocks, tree
from groma.survey.infer.network.node_speeds import NodeSpeeds, speeds_of_nodes, with_factors
from groma.survey.infer.network.shares import share_at

Values = NDArray[np.float64]


def seen(structure: Interconnect, speed_of: dict[int, float], noise: float, seed: int) -> NodeSpeeds | None:
    """Of nine repetitions at every distance."""
    factors = tuple(((way, node), speed) for node, speed in speed_of.items() for way in ("out", "in"))
    random = np.random.default_rng(seed)
    network = with_factors(structure, factors)
    shares = {d: share_at(network, d).of_ranks("receive") for d in range(1, structure.nodes // 2 + 1)}
    return speeds_of_nodes(
        {d: 1e7 * one * random.lognormal(0.0, noise, (9, len(one))) for d, one in shares.items()}
    )


@pytest.mark.parametrize("noise", [0.03, 0.15])
@pytest.mark.parametrize(
    ("structure", "slow"),
    [
        (crossbar(8), [3, 5]),
        (crossbar(16), [2, 9, 12]),
        (crossbar(16), range(8)),
        (crossbar(16), range(1, 16, 2)),
        (tree(in_blocks(16, 4), 2.0), [2, 9]),
        (torus(4, 4), [2, 3]),
    ],
)
def test_slow_nodes_are_all_found_whatever_is_between_them(
    structure: Interconnect, slow: list[int], noise: float
) -> None:
    for seed in range(3):
        found = seen(structure, dict.fromkeys(slow, 0.5), noise, seed)
        assert found is not None
        assert found.slow == list(slow)
        assert [found.of_nodes[node] for node in slow] == pytest.approx([0.5] * len(slow), rel=0.2)


def test_each_slow_node_has_its_own_speed() -> None:
    found = seen(crossbar(16), {2: 0.5, 9: 0.25, 12: 0.7}, 0.03, 1)
    assert found is not None
    assert [found.of_nodes[node] for node in (2, 9, 12)] == pytest.approx([0.5, 0.25, 0.7], rel=0.05)


def test_few_fast_nodes_do_not_make_the_others_slow() -> None:
    for fast in ([1], [1, 2, 7, 8]):
        found = seen(crossbar(12), dict.fromkeys(fast, 2.0), 0.03, 1)
        assert found is None or found.slow == []


@pytest.mark.parametrize("noise", [0.05, 0.4])
@pytest.mark.parametrize(
    "structure", [crossbar(6), crossbar(16), torus(9), torus(4, 4), tree((0,) * 5 + (1,) * 3 + (2, 2), 1.0)]
)
def test_noise_or_shared_links_make_no_slow_nodes(structure: Interconnect, noise: float) -> None:
    assert [seen(structure, {}, noise, seed) for seed in range(10)] == [None] * 10
