from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groma.record import Quantity
from groma.stats.layers import layers_of

Pairs = list[tuple[int, int]]


def quantity(value: float, spread: float = 0.02) -> Quantity:
    return Quantity(
        value=value,
        unit="s",
        low=value * (1 - spread),
        high=value * (1 + spread),
        confidence=0.95,
        method="simulated",
    )


def measured(pairs: Pairs, latency: Callable[[int, int], float], seed: int, noise: float) -> list[Quantity]:
    random = np.random.default_rng(seed)
    return [quantity(latency(*pair) * random.lognormal(0, noise), max(0.02, 2 * noise)) for pair in pairs]


def two_socket_chiplet(one: int, other: int) -> float:
    """Nanoseconds between hardware threads of 2 x 64 cores, threads i and i + 128 on one core.

    Inside a socket four tight bands: the distance between quadrants of the die shows, and is no layer.
    """
    a, b = one % 128, other % 128
    if a == b:
        return 8.0 if one else 10.4
    if a // 4 == b // 4:
        return 25.5
    quadrants_apart = (a // 16 ^ b // 16) % 4
    return (
        (100.5, 110.0, 129.0, 139.0)[quadrants_apart] if a // 64 == b // 64 else 250.0 + 8 * quadrants_apart
    )


@pytest.mark.parametrize("seed", range(3))
def test_dual_chiplet_machine_has_four_layers(seed: int) -> None:
    pairs = list(combinations(range(256), 2))
    layers = layers_of(pairs, measured(pairs, two_socket_chiplet, seed, 0.02))
    assert [len(layer) for layer in layers] == [128, 768, 15360, 16384]


@pytest.mark.parametrize("seed", range(20))
def test_a_sample_of_its_pairs_has_the_same_layers(seed: int) -> None:
    random = np.random.default_rng(seed)
    every = list(combinations(range(256), 2))
    close = [pair for pair in every if two_socket_chiplet(*pair) < 30]
    chosen = [every[i] for i in random.choice(len(every), 500, replace=False)]
    pairs = sorted({*chosen, *(close[i] for i in random.choice(len(close), 300, replace=False))})
    layers = layers_of(pairs, measured(pairs, two_socket_chiplet, seed, 0.03))
    assert len(layers) == 4


@pytest.mark.parametrize("seed", range(10))
def test_latencies_spread_over_the_published_ranges_make_four_layers(seed: int) -> None:
    random = np.random.default_rng(seed)
    ranges = [(8, 10, 64), (20, 30, 192), (90, 150, 3776), (220, 290, 4096)]
    values = np.concatenate([random.uniform(low, high, count) for low, high, count in ranges])
    pairs = list(combinations(range(128), 2))
    layers = layers_of(pairs, [quantity(value) for value in values])
    assert [len(layer) for layer in layers] == [count for *_, count in ranges]


def test_two_core_tiles_make_two_layers() -> None:
    pairs = list(combinations(range(64), 2))
    times = measured(pairs, lambda i, j: 44.0 if i // 2 == j // 2 else 95.0, 1, 0.06)
    assert [len(layer) for layer in layers_of(pairs, times)] == [32, 1984]


@pytest.mark.parametrize("noise", [0.0, 0.03, 0.1, 0.2])
def test_uniform_machine_has_one_layer(noise: float) -> None:
    pairs = list(combinations(range(24), 2))
    for seed in range(20):
        assert len(layers_of(pairs, measured(pairs, lambda *_: 60.0, seed, noise))) == 1


@pytest.mark.parametrize("seed", range(20))
def test_a_mesh_on_which_distance_shows_smoothly_has_one_layer(seed: int) -> None:
    random = np.random.default_rng(seed)
    place = random.permutation(36)
    pairs = list(combinations(range(36), 2))

    def latency(i: int, j: int) -> float:
        (a, b), (c, d) = divmod(place[i], 6), divmod(place[j], 6)
        return 40.0 + 3.5 * float(abs(a - c) + abs(b - d))

    assert len(layers_of(pairs, measured(pairs, latency, seed, 0.02))) == 1


def test_one_pair_is_one_layer() -> None:
    assert layers_of([(0, 1)], [quantity(42e-9)]) == [[0]]


def test_four_threads_on_two_cores_have_two_layers() -> None:
    pairs = list(combinations(range(4), 2))
    times = [quantity(9.0 if j == i + 2 else 27.0) for i, j in pairs]
    assert layers_of(pairs, times) == [[1, 4], [0, 2, 3, 5]]


def test_an_uncertain_pair_makes_no_layer() -> None:
    pairs = list(combinations(range(6), 2))
    times = [quantity(50.0)] * 14 + [quantity(90.0, spread=0.6)]
    assert len(layers_of(pairs, times)) == 1


def test_one_odd_pair_of_many_cores_makes_no_layer() -> None:
    pairs = list(combinations(range(64), 2))
    times = [quantity(50.0)] * (len(pairs) - 1) + [quantity(90.0)]
    assert len(layers_of(pairs, times)) == 1


def test_nothing_has_no_layer() -> None:
    assert layers_of([], []) == []


@settings(max_examples=60)
@given(st.lists(st.floats(min_value=1.0, max_value=1e4), min_size=1, max_size=28))
def test_layers_are_ascending_and_hold_every_pair_once(values: list[float]) -> None:
    pairs = list(combinations(range(8), 2))[: len(values)]
    layers = layers_of(pairs, [quantity(value) for value in values])
    assert sorted(index for layer in layers for index in layer) == list(range(len(values)))
    for lower, upper in pairwise(layers):
        assert max(values[i] for i in lower) < min(values[i] for i in upper)
