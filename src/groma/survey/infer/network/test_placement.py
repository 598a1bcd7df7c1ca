"""Nodes in any order find their sites again."""

import numpy as np
import pytest

from groma.interconnect.lattice import Lattice, mesh, torus
from groma.survey.infer.network.likelihoods import Latencies
from groma.survey.infer.network.placement import Measured


def less_effects(hops: np.ndarray) -> np.ndarray:
    found = Latencies(np.where(np.eye(len(hops), dtype=bool), np.nan, 20.0 + hops))
    return found.effects.as_matrix(found.effects.left_of(hops))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "lattice", [torus(4, 8), torus(12), torus(4, 4, 3), mesh(5, 6)], ids=lambda lattice: lattice.title
)
def test_a_lattice_is_put_together_again_from_noisy_hops(lattice: Lattice, seed: int) -> None:
    random = np.random.default_rng(seed)
    hops, order = less_effects(lattice.hops()), random.permutation(lattice.nodes)
    noise = np.triu(random.normal(0.0, 0.3, hops.shape), 1)
    rest = hops[np.ix_(order, order)] + noise + noise.T
    found = Measured(rest).placed(hops)
    steps = lattice.hops()
    assert (steps[np.ix_(found.sites, found.sites)] == steps[np.ix_(order, order)]).all()
    assert found.reached == pytest.approx(float((rest * hops[np.ix_(order, order)]).sum()))


@pytest.mark.parametrize("seed", range(5))
def test_no_order_exceeds_what_eigenvalues_allow(seed: int) -> None:
    random = np.random.default_rng(seed)
    noise = np.triu(random.normal(0.0, 1.0, (20, 20)), 1)
    measured, hops = Measured(noise + noise.T), less_effects(torus(4, 5).hops())
    found = measured.placed(hops)
    assert sorted(found.sites) == list(range(20))
    assert 0.0 < found.reached <= measured.most(hops) * (1 + 1e-9)
