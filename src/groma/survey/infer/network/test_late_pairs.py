"""Pairs that are far later than a structure says are disturbances, unless they are of the same nodes."""

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.interconnect.lattice import mesh
from groma.survey.infer.network.late_pairs import without_late_pairs
from groma.survey.infer.network.likelihoods import Latencies

Matrix = NDArray[np.float64]

NODES = 24
HOPS = mesh(4, 6).hops()


def latencies(factors: Matrix, seed: int = 1) -> Latencies:
    """On a mesh 4x6: 20 for neighbours, 1.6 for a hop, a scatter of 1 %, and these factors."""
    scatter = np.exp(np.random.default_rng(seed).normal(0.0, 0.01, (NODES, NODES)))
    above = np.triu((20.0 + 1.6 * HOPS) * scatter * factors, 1)
    return Latencies(np.where(np.eye(NODES, dtype=bool), np.nan, above + above.T))


def late(pairs: list[tuple[int, int]], factor: float) -> Matrix:
    factors = np.ones((NODES, NODES))
    for row, column in pairs:
        factors[row, column] = factor
    return factors


def missing_in(found: Latencies) -> list[tuple[int, int]]:
    return [(int(row), int(column)) for row, column in np.argwhere(np.triu(np.isnan(found.between), 1))]


def test_pairs_that_hide_among_those_of_many_hops_are_late() -> None:
    pairs = [(0, 1), (3, 9), (14, 20)]
    of_first_look = latencies(late(pairs, 1.3))
    assert of_first_look.disturbed == 0
    found = without_late_pairs(of_first_look, HOPS)
    assert found is not None
    assert missing_in(found) == pairs
    assert found.disturbed == len(pairs)


def test_the_latest_pairs_come_first() -> None:
    """They shift what the fit says of the others."""
    found = without_late_pairs(latencies(late([(0, 1)], 1.2) * late([(3, 9)], 1.6)), HOPS)
    assert found is not None
    assert missing_in(found) == [(3, 9)]
    found = without_late_pairs(found, HOPS)
    assert found is not None
    assert missing_in(found) == [(0, 1), (3, 9)]
    assert found.disturbed == 2
    assert without_late_pairs(found, HOPS) is None


def test_pairs_of_the_same_nodes_are_no_disturbances() -> None:
    """E.g. those between two groups of nodes that are farther apart than the structure says."""
    pairs = [(row, column) for row in range(4) for column in range(20, 24)]
    assert without_late_pairs(latencies(late(pairs, 1.3)), HOPS) is None


@pytest.mark.parametrize(("shape", "seeds"), [("normal", 0), ("exponential", 8), ("laplace", 8)])
def test_noise_hardly_ever_makes_a_pair_late(shape: str, seeds: int) -> None:
    """Of 40 seeds at most so many: where tails are long, one or two pairs may be far above all others."""
    found = []
    for seed in range(40):
        noise = getattr(np.random.default_rng(seed), shape)(size=(NODES, NODES))
        found.append(without_late_pairs(latencies(np.exp(0.03 * noise), seed), HOPS))
    lost = [one.disturbed for one in found if one is not None]
    assert len(lost) <= seeds
    assert max(lost, default=0) <= 2


def test_too_few_pairs_show_no_disturbance() -> None:
    few = np.full((8, 8), np.nan)
    few[[0, 1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7]] = 20.0
    few[0, 1] = 40.0
    assert without_late_pairs(Latencies(np.fmax(few, few.T)), mesh(8).hops()) is None
    assert without_late_pairs(Latencies(np.full((8, 8), np.nan)), mesh(8).hops()) is None
