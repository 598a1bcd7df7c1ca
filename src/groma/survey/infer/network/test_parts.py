"""Nodes on a part of a lattice are found on it, and are not called a smaller lattice."""

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.interconnect.lattice import Lattice, mesh, torus
from groma.survey.infer.network.arrangements import own_hops
from groma.survey.infer.network.likelihoods import Latencies
from groma.survey.infer.network.parts import larger_lattices, parts_of_lattices, placed_on_part
from groma.survey.infer.network.placement import Measured
from groma.survey.infer.network.topology import structure_of
from simulated.network import names

Matrix = NDArray[np.float64]


def on_part(lattice: Lattice, nodes: int, noise: float, seed: int = 0) -> Matrix:
    """Latencies between nodes on some of the sites, in any order; a hop adds 8 % to 1.5 us."""
    random = np.random.default_rng([nodes, seed])
    sites = random.permutation(lattice.nodes)[:nodes]
    scatter = np.triu(random.normal(0.0, noise, (nodes, nodes)), 1)
    hops = lattice.hops()[np.ix_(sites, sites)]
    latencies = 1.5e-6 * (1.0 + 0.08 * hops) * np.exp(scatter + scatter.T)
    return np.where(np.eye(nodes, dtype=bool), np.nan, latencies)


def left_over(latencies: Latencies, hops: Matrix) -> float:
    """The share of the latencies that the hops do not explain."""
    left = latencies.left_by(hops, latencies.explained_by(hops))
    return float(left @ left) / float(latencies.rest @ latencies.rest)


@pytest.mark.parametrize(
    ("lattice", "nodes", "least"),
    [(torus(4, 4, 4), 40, 12), (torus(8, 8), 30, 11), (mesh(6, 6), 20, 6)],
    ids=lambda one: getattr(one, "title", str(one)),
)
def test_nodes_find_sites_with_the_hops_that_were_simulated(lattice: Lattice, nodes: int, least: int) -> None:
    """Sites as good as the true ones: noise moves single nodes to others. Some are not found, of meshes many;
    which these are depends on rounding, and so on the processor.
    """
    found = 0
    for seed in range(12):
        latencies = Latencies(on_part(lattice, nodes, 0.01, seed))
        measured = Measured(latencies.effects.as_matrix(latencies.rest))
        sites = placed_on_part(measured, own_hops(lattice.hops())).sites
        assert len(set(sites.tolist())) == nodes
        found += left_over(latencies, lattice.hops()[np.ix_(sites, sites)]) < 0.05
    assert found >= least


def test_a_part_is_described_by_the_sites_of_its_nodes() -> None:
    latencies = Latencies(on_part(torus(4, 4, 4), 40, 0.02))
    (found,) = parts_of_lattices(latencies)
    assert found.interconnect is None
    assert len(set(found.sites)) == 40
    assert latencies.explained_by(found.hops).gain > found.cost > 40 * np.log(24)


@pytest.mark.parametrize("noise", [0.02, 0.05])
@pytest.mark.parametrize(
    ("lattice", "nodes"),
    [(torus(8, 8), 30), (mesh(6, 6), 20), (torus(4, 4, 4), 40)],
    ids=lambda one: getattr(one, "title", str(one)),
)
def test_parts_of_lattices_are_called_no_lattice_of_as_many_nodes(
    lattice: Lattice, nodes: int, noise: float
) -> None:
    """20 nodes of a mesh of 36 were a mesh 4x5 with 100 % through a scatter of 4 %."""
    for seed in range(2):
        found = structure_of(names(nodes), on_part(lattice, nodes, noise, seed))
        assert found is not None
        assert found.kind == "unknown", found


def test_whole_lattices_stay_known_where_noise_is_as_much_as_half_a_hop() -> None:
    for lattice in (mesh(4, 5), torus(4, 6)):
        found = structure_of(names(lattice.nodes), on_part(lattice, lattice.nodes, 0.04))
        assert found is not None
        assert (found.kind, sorted(found.shape)) == (lattice.kind, sorted(lattice.shape)), found


@pytest.mark.parametrize("nodes", [4, 6, 7, 13, 128])
def test_larger_lattices_have_room_for_all_nodes(nodes: int) -> None:
    found = list(larger_lattices(nodes))
    assert found
    assert all(nodes < one.nodes <= 2.2 * nodes + 1 for one in found)
    assert len({(one.closed, one.shape) for one in found}) == len(found)


def test_latencies_of_few_pairs_lay_nodes_nowhere() -> None:
    latencies = np.full((12, 12), np.nan)
    latencies[0, 1] = latencies[1, 0] = 1e-6
    assert list(parts_of_lattices(Latencies(latencies))) == []
