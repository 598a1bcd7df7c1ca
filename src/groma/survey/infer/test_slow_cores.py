"""Layers and groups of machines with one core that is slow, or that is only far away."""

from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.survey.infer import slow_cores
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


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_tenths_of_many_rows_are_those_of_each_row(missing: float) -> None:
    random = np.random.default_rng(7)
    values = random.lognormal(0.0, 0.4, (60, 33)).round(2)
    values[random.random(values.shape) < missing] = np.nan
    low, high = slow_cores._tenths(values)
    wanted = np.nanquantile(values, [0.1, 0.9], axis=1)
    assert low.tolist() == wanted[0].tolist()
    assert high.tolist() == wanted[1].tolist()


def test_many_slow_cores_are_judged_without_a_quantile_of_each_row() -> None:
    """A machine of a thousand cores of which a tenth is slow took a hundred thousand of them."""
    latency = clusters(4)
    with patch.object(np, "nanquantile", wraps=np.nanquantile) as found:
        slow_cores.slow_cores(slowed(latency, 2.0, sibling=False))
    assert all(np.ndim(call.args[0]) == 1 for call in found.call_args_list)


def told(advice: object) -> tuple[str, str]:
    return advice.code, advice.what  # type: ignore[attr-defined]
