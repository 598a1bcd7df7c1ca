"""On few nodes, one that is slow at every distance is a suspect, and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.interconnect.lattice import mesh, torus
from groma.interconnect.sharing import max_min_shares, shifted
from groma.interconnect.switched import crossbar, in_blocks, tree
from groma.survey.infer.network.suspects import Suspect, suspect_of
from groma.survey.infer.registry import infer_network
from simulated.network import Scatter, distance_samples, on_hosts

if TYPE_CHECKING:
    from groma.interconnect.base import Interconnect

Values = dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]


def speeds_on(structure: Interconnect, slow: set[tuple[str, int]], factor: float = 0.5) -> Values:
    """Of nine repetitions with 5 % noise."""
    random = np.random.default_rng(1)
    found = {}
    for d in range(1, structure.nodes // 2 + 1):
        flows = [structure.route(*pair) for pair in shifted(structure.nodes, d)]
        capacities = {
            link: structure.capacity(link) * (factor if link in slow else 1.0)
            for flow in flows
            for link in flow
        }
        shares = np.roll(max_min_shares(flows, capacities), d)
        found[d] = 1e9 * shares * random.lognormal(0.0, 0.05, (9, structure.nodes))
    return found


@pytest.mark.parametrize("nodes", [4, 5, 6, 7, 8])
@pytest.mark.parametrize(
    ("ways", "does"), [(("in",), "receives"), (("out",), "sends"), (("in", "out"), "receives and sends")]
)
def test_a_node_that_is_slow_at_every_distance_is_the_suspect(
    nodes: int, ways: tuple[str, ...], does: str
) -> None:
    found = suspect_of(speeds_on(crossbar(nodes), {(way, 1) for way in ways}))
    assert found is not None
    assert (found.node, found.does) == (1, does)
    assert found.speed == pytest.approx(0.5, rel=0.1)


@pytest.mark.parametrize(
    "structure",
    [
        *(crossbar(4), crossbar(8), torus(6), torus(7), torus(2, 4), mesh(6), mesh(2, 3)),
        *(tree(in_blocks(8, 4), 1.0), tree((0, 0, 0, 1, 1), 1.0), tree((0, 1, 1, 1, 2, 2), 1.0)),
    ],
    ids=lambda structure: structure.title,
)
def test_no_node_of_a_sound_network_is_a_suspect(structure: Interconnect) -> None:
    assert suspect_of(speeds_on(structure, set())) is None


def test_two_slow_nodes_are_no_single_suspect() -> None:
    assert suspect_of(speeds_on(crossbar(8), {("in", 1), ("in", 5)})) is None


def test_one_distance_tells_nothing() -> None:
    assert suspect_of(speeds_on(crossbar(3), {("in", 1)})) is None
    assert suspect_of({}) is None


@pytest.mark.parametrize("nodes", [4, 8])
def test_the_finding_names_the_host_and_says_that_it_is_uncertain(nodes: int) -> None:
    """An adapter at a tenth of its rate went unmentioned on four nodes."""

    def share(distance: int, rank: int) -> float:
        return 1e8 if rank == 1 else 1e9

    samples = on_hosts(distance_samples(nodes, share, Scatter(9, 0.03)), [f"h{i}" for i in range(nodes)])
    _, advice = infer_network({"net_distance": samples})
    (finding,) = [one for one in advice if one.code in {"network.suspect_node", "network.slow_node"}]
    assert "h1" in finding.what
    if finding.code == "network.suspect_node":
        assert finding.what == (
            f"the node h1 receives at 0.10 x the usual speed at every distance; {nodes} nodes are too few to "
            "tell whether it is slow"
        )


def test_the_order_of_magnitude_is_that_of_the_best_distance() -> None:
    assert suspect_of({1: np.array([[1.0, 0.1, 1.0, 1.0]]), 2: np.array([[1.0, 0.5, 1.0, 1.0]])}) == Suspect(
        1, "receives", 0.5
    )
