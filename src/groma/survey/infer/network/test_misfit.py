"""Noise is no structure, whatever its distribution; what hops leave unexplained is one."""

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.interconnect.lattice import mesh, torus
from groma.interconnect.switched import in_blocks, tree
from groma.survey.infer.network.likelihoods import Latencies
from groma.survey.infer.network.misfit import MOST_NATS, Groups, misfit
from groma.survey.infer.network.topology import structure_of

Matrix = NDArray[np.float64]


def around(latencies: Matrix, noise: float, seed: int, disturbed: float = 0.0) -> Latencies:
    random = np.random.default_rng(seed)
    factor = np.exp(random.normal(0.0, noise, latencies.shape))
    factor *= np.where(
        random.random(latencies.shape) < disturbed, 1.0 + random.exponential(1.0, latencies.shape), 1.0
    )
    above = np.triu(latencies * factor, 1)
    return Latencies(np.where(np.eye(len(latencies), dtype=bool), np.nan, above + above.T))


@pytest.mark.parametrize("disturbed", [0.0, 0.05])
@pytest.mark.parametrize("nodes", [8, 16, 40])
def test_noise_around_the_hops_is_no_structure(nodes: int, disturbed: float) -> None:
    hops = torus(nodes).hops()
    found = [misfit(around(20.0 + hops, 0.05, seed, disturbed), hops) for seed in range(40)]
    assert sum(one.nats > 0 for one in found) <= 2


def test_effects_of_nodes_are_no_structure() -> None:
    own = np.random.default_rng(1).exponential(3.0, 24)
    assert misfit(around(20.0 + own[:, None] + own[None, :], 0.03, 2), np.zeros((24, 24))).nats == 0.0


def test_what_other_hops_leave_is_a_structure() -> None:
    latencies = around(20.0 + mesh(6, 6).hops(), 0.03, 1)
    assert misfit(latencies, torus(6, 6).hops()).nats == MOST_NATS
    assert misfit(latencies, np.zeros((36, 36))).nats == MOST_NATS
    assert misfit(latencies, mesh(6, 6).hops()).nats == 0.0


def test_latencies_that_avoid_valleys_are_not_noise_around_other_hops() -> None:
    """A mesh with a hole has the levels of a mesh; the mesh of as many nodes leaves rests of a step."""
    kept = [node for node in range(16) if node != 5]
    hops = mesh(4, 4).hops()[np.ix_(kept, kept)]
    assert misfit(around(20.0 + 2.0 * hops, 0.005, 1), mesh(3, 5).hops()).nats == MOST_NATS
    assert misfit(around(20.0 + 2.0 * hops, 0.005, 1), np.zeros((15, 15))).nats == MOST_NATS
    assert misfit(around(20.0 + 2.0 * hops, 0.005, 1), hops).nats == 0.0


@pytest.mark.parametrize("step", [0.25, 1.0])
def test_the_steps_of_a_coarse_clock_are_no_valleys(step: float) -> None:
    random = np.random.default_rng(2).normal(20.0, 0.6, (24, 24))
    above = np.triu(np.round(random / step) * step, 1)
    measured = np.where(np.eye(24, dtype=bool), np.nan, above + above.T)
    assert misfit(Latencies(measured), np.zeros((24, 24))).nats == 0.0


def test_deviations_that_networks_have_from_their_own_hops_are_tolerated() -> None:
    hops = tree(in_blocks(32, 8)).hops()
    finer = Groups(tree(in_blocks(32, 4)).hops(), 5.0)
    slightly, clearly = (around(20.0 + 10.0 * hops + step * finer.hops, 0.005, 1) for step in (0.3, 3.0))
    assert misfit(slightly, hops, [finer]).nats == 0.0
    assert misfit(clearly, hops, [finer]).nats == MOST_NATS


def test_what_shows_a_misfit_is_said() -> None:
    found = misfit(around(20.0 + mesh(6, 6).hops(), 0.03, 1), torus(6, 6).hops())
    assert found.why == "what it leaves of a pair follows from what it leaves of others"
    assert misfit(around(20.0 + mesh(6, 6).hops(), 0.03, 1), mesh(6, 6).hops()).why == ""


@pytest.mark.parametrize("nodes", [2, 3, 4])
def test_few_pairs_show_nothing(nodes: int) -> None:
    assert misfit(around(20.0 + torus(nodes).hops(), 0.3, 1), np.zeros((nodes, nodes))).nats == 0.0


def test_groups_may_explain_all_that_is_left() -> None:
    """Of few pairs that differ by many orders of magnitude nothing else is left but rounding."""
    times = {(0, 1): 1e3, (0, 2): 1e3, (1, 2): 86757220588.48547, (1, 3): 44597159846.13048, (1, 5): 1.2e3}
    times |= {(2, 3): 11505793309.463152, (2, 4): 2e3, (3, 4): 4111.759188154718}
    between = np.full((6, 6), np.nan)
    for (one, other), time in times.items():
        between[one, other] = between[other, one] = time * 1e-9
    found = structure_of([f"h{node}" for node in range(6)], between)
    assert found is not None
    assert 0.0 <= found.confidence <= 1.0
