"""Layers and groups of machines with one core that is slow, or that is only far away."""

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.survey.infer.latency_layers import LatencyLayers, findings, latency_layers

CORES = 16
SLOW = 4


def clusters(size: int) -> NDArray[np.float64]:
    """Threads of a core 8 ns apart, clusters of `size` 25 ns, others 60 ns, all with noise of 3 %."""
    noise = np.random.default_rng(size).normal(1.0, 0.03, (CORES, CORES))
    cluster, core = np.arange(CORES) // size, np.arange(CORES) // 2
    latency = np.where(cluster[:, None] == cluster, 25.0, 60.0)
    latency[core[:, None] == core] = 8.0
    return symmetric(latency * noise)


def symmetric(latency: NDArray[np.float64]) -> NDArray[np.float64]:
    latency = np.tril(latency, -1)
    latency = latency + latency.T
    np.fill_diagonal(latency, np.nan)
    return latency


def slowed(latency: NDArray[np.float64], times: float, *, sibling: bool) -> NDArray[np.float64]:
    """Other work on core SLOW; with or without its way to the thread of the same core."""
    found = latency.copy()
    found[SLOW, :] *= times
    found[:, SLOW] *= times
    if not sibling:
        found[SLOW, SLOW + 1] = found[SLOW + 1, SLOW] = latency[SLOW, SLOW + 1]
    return found


def layers_of(latency: NDArray[np.float64]) -> LatencyLayers:
    return latency_layers(list(range(len(latency))), latency)


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("times", [1.5, 2.0, 6.0])
def test_a_core_that_is_slow_with_all_but_its_sibling_makes_no_layer_and_keeps_its_place(
    size: int, times: float
) -> None:
    usual, found = layers_of(clusters(size)), layers_of(slowed(clusters(size), times, sibling=False))
    assert found.groups == usual.groups
    assert [code for code, _ in map(told, findings(found))] == ["core_to_core.slow_core"]
    assert len(found.disturbed) == CORES - 2


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("times", [1.8, 2.0, 6.0])
def test_a_core_that_is_slow_with_all_others_makes_no_layer(size: int, times: float) -> None:
    usual, found = layers_of(clusters(size)), layers_of(slowed(clusters(size), times, sibling=True))
    without = [[[core for core in group if core != SLOW] for group in groups] for groups in usual.groups]
    assert found.groups == [[group for group in groups if len(group) > 1] for groups in without]
    ((code, what),) = map(told, findings(found))
    assert (code, what) == (
        "core_to_core.slow_core",
        f"slow with every other core (these pairs are in no layer): {SLOW}",
    )


def test_a_core_in_a_cluster_of_its_own_is_far_and_not_slow() -> None:
    cluster = np.repeat([0, 1, 2], [1, 8, 4])
    latency = symmetric(np.where(cluster[:, None] == cluster, 24.0, 85.0))
    found = layers_of(latency)
    assert found.groups == [[[*range(1, 9)], [*range(9, 13)]], [[*range(13)]]]
    assert not list(findings(found))


def test_a_core_that_is_as_far_from_all_others_may_be_either_and_stays_in_a_layer() -> None:
    cluster = np.repeat([0, 1], [8, 1])
    found = layers_of(symmetric(np.where(cluster[:, None] == cluster, 24.0, 85.0)))
    assert [len(layer) for layer in found.layers] == [28, 8]
    assert [told(one) for one in findings(found)] == [
        ("core_to_core.slow_core", "slow with every other core: 8")
    ]


def told(advice: object) -> tuple[str, str]:
    return advice.code, advice.what  # type: ignore[attr-defined]
