from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from groma.facts.survey import ContentionPair
from groma.record import ProbeSamples, Topology, TopologyCache, TopologyCore
from groma.survey.infer.contention import (
    connected,
    contention,
    contention_advice,
    contention_pairs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def machine(cores: int, *, per_cache: int = 4, per_node: int = 8) -> Topology:
    """NUMA nodes of `per_node` cores with caches over `per_cache` of them; one package."""
    return Topology(
        source="test",
        cores=tuple(
            TopologyCore(logical=i, physical=i, core=i, package=0, numa=i // per_node) for i in range(cores)
        ),
        caches=tuple(
            TopologyCache(
                level=3,
                kind="unified",
                size_bytes=1 << 24,
                line_bytes=64,
                ways=16,
                cores=tuple(range(first, min(first + per_cache, cores))),
            )
            for first in range(0, cores, per_cache)
        ),
        numa=(),
        distances=None,
        allowed=tuple(range(cores)),
        page_bytes=4096,
        huge_page_bytes=None,
    )


def relation(a: int, b: int, *, per_cache: int = 4, per_node: int = 8) -> str:
    if a // per_cache == b // per_cache:
        return "share L3"
    return "same NUMA node" if a // per_node == b // per_node else "same package, distance 16"


def beside(
    pairs: Iterable[tuple[int, int]],
    slowdown: Callable[[int, int], float],
    *,
    visits: int = 30,
    noise: float = 0.05,
    seed: int = 1,
) -> ProbeSamples:
    """Both directions of each pair; the machine as a whole drifts, and some visits are disturbed."""
    random = np.random.default_rng(seed)
    cases: list[dict[str, Any]] = []
    values: list[list[float]] = []
    for a, b in [direction for pair in pairs for direction in (pair, pair[::-1])]:
        drift = 20e9 * (1 + 0.3 * np.sin(np.arange(visits)))
        alone = drift * (1 + noise * random.standard_normal(visits))
        together = drift * (1 + noise * random.standard_normal(visits)) / slowdown(a, b)
        together[random.random(visits) < 0.1] /= 3
        for state, found in (("alone", alone), ("together", together)):
            cases.append({"unit": "B/s", "core": a, "other": b, "state": state, "relation": relation(a, b)})
            values.append([float(value) for value in found])
    return ProbeSamples(probe="memory_contention", cases=cases, values=values)


def groups(samples: ProbeSamples, topology: Topology | None) -> list[list[int]] | None:
    return contention(samples, topology).groups


def by_cache(a: int, b: int) -> float:
    return 1.6 if a // 4 == b // 4 else 1.0


def test_ratio_is_that_of_the_same_visit() -> None:
    pairs = contention_pairs(beside([(0, 1)], lambda _a, _b: 1.5))
    assert [(pair.core, pair.other) for pair in pairs] == [(0, 1), (1, 0)]
    for pair in pairs:
        assert pair.ratio.unit == "1"
        assert pair.ratio.value == pytest.approx(1.5, rel=0.06)
        assert pair.ratio.low <= 1.5 <= pair.ratio.high


def test_cores_of_a_cache_that_slow_each_other_form_groups() -> None:
    samples = beside(combinations(range(12), 2), by_cache)
    assert groups(samples, machine(12)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_no_contention_is_an_empty_list_and_not_unknown() -> None:
    samples = beside(combinations(range(8), 2), lambda _a, _b: 1.0)
    assert groups(samples, machine(8)) == []


def test_one_core_leaves_groups_unknown() -> None:
    nothing = ProbeSamples(probe="memory_contention", cases=[], values=[])
    assert groups(nothing, machine(1)) is None


def test_small_losses_are_no_contention() -> None:
    samples = beside(combinations(range(4), 2), lambda _a, _b: 1.04, noise=0.001)
    assert groups(samples, machine(4)) == []


def test_one_visit_proves_nothing() -> None:
    found = contention(beside([(0, 1)], lambda _a, _b: 2.0, visits=2), machine(2))
    assert found.groups is None
    assert [one.code for one in contention_advice(found)] == ["memory.contention_scatter"]


@pytest.mark.parametrize("noise", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("visits", [8, 20, 60])
def test_scatter_does_not_make_groups_of_many_pairs(noise: float, visits: int) -> None:
    """Of 240 directions, each with its own 95 % interval, several would seem slowed in every survey."""
    wrong = 0
    for seed in range(20):
        samples = beside(
            combinations(range(16), 2), lambda _a, _b: 1.0, visits=visits, noise=noise, seed=seed
        )
        wrong += bool(groups(samples, machine(16)))
    assert wrong <= 2


@pytest.mark.parametrize("slowdown", [1.25, 1.6])
def test_contention_is_found_in_scatter_by_all_pairs_of_a_group(slowdown: float) -> None:
    right = 0
    for seed in range(20):
        pairs = combinations(range(16), 2)
        samples = beside(pairs, lambda a, b: slowdown if a // 4 == b // 4 else 1.0, noise=0.2, seed=seed)
        right += groups(samples, machine(16)) == [list(range(first, first + 4)) for first in range(0, 16, 4)]
    assert right >= 18


def test_scatter_that_hides_contention_leaves_it_unknown() -> None:
    found = contention(beside(combinations(range(8), 2), by_cache, visits=8, noise=0.8), machine(8))
    assert found.groups is None
    assert [one.code for one in contention_advice(found)] == ["memory.contention_scatter"]


def test_pairs_that_slow_each_other_are_not_denied_because_their_relation_does_not() -> None:
    """Clusters of small cores in a guest that declares one cache for all."""
    measured = [(0, 1), (2, 5), (8, 9), (12, 15), (0, 12), (1, 20), (3, 17), (9, 22), (13, 18)]
    samples = beside(measured, lambda a, b: 1.8 if min(a, b) >= 8 and a // 4 == b // 4 else 1.0)
    for case in samples.cases:
        case["relation"] = "share L3"
    found = contention(samples, machine(24, per_cache=24, per_node=24))
    assert found.groups is None
    (advice,) = contention_advice(found)
    assert advice.code == "memory.contention_undeclared"
    assert "2 of 9 pairs of cores slow each other, such as 8 and 9" in advice.what


def test_only_one_core_of_a_pair_need_be_slowed() -> None:
    samples = beside([(0, 1)], lambda a, _b: 1.4 if a == 0 else 1.0)
    assert groups(samples, machine(2)) == [[0, 1]]


def test_groups_need_no_topology_where_all_pairs_are_there() -> None:
    samples = beside(combinations(range(6), 2), lambda a, b: 1.5 if a % 2 == b % 2 else 1.0)
    assert groups(samples, None) == [[0, 2, 4], [1, 3, 5]]


def test_a_sample_of_pairs_speaks_for_all_cores_in_the_same_relation() -> None:
    measured = [(0, 1), (5, 6), (9, 10), (20, 22), (0, 5), (8, 14), (3, 17), (2, 30), (1, 11)]
    samples = beside(measured, by_cache)
    assert groups(samples, machine(32)) == [list(range(first, first + 4)) for first in range(0, 32, 4)]


def test_contention_across_a_node_joins_its_caches() -> None:
    measured = [(0, 1), (5, 6), (0, 5), (8, 14), (16, 21), (3, 17), (2, 30), (1, 11)]
    samples = beside(measured, lambda a, b: 1.3 if a // 8 == b // 8 else 1.0)
    assert groups(samples, machine(32)) == [list(range(first, first + 8)) for first in range(0, 32, 8)]


def test_contention_across_the_package_joins_all() -> None:
    samples = beside([(0, 9), (3, 17), (2, 30)], lambda _a, _b: 1.3)
    assert groups(samples, machine(32)) == [list(range(32))]


def test_cores_that_may_not_be_used_are_in_no_group() -> None:
    topology = machine(32)
    allowed = tuple(range(0, 32, 2))
    restricted = Topology(
        **{name: getattr(topology, name) for name in topology.__struct_fields__ if name != "allowed"},
        allowed=allowed,
    )
    found = groups(beside([(0, 2), (4, 6), (0, 8)], by_cache), restricted)
    assert found == [[first, first + 2] for first in range(0, 32, 4)]


def test_samples_of_an_interrupted_visit_are_left_out() -> None:
    samples = beside([(0, 1)], lambda _a, _b: 1.5)
    samples.values[1].pop()
    assert contention_pairs(samples)[0].ratio.samples.n == 29  # type: ignore[union-attr]


def test_pairs_without_samples_are_left_out() -> None:
    samples = beside([(0, 1)], lambda _a, _b: 1.5)
    samples.values[2] = samples.values[3] = []
    assert [pair.core for pair in contention_pairs(samples)] == [0]
    assert isinstance(contention_pairs(samples)[0], ContentionPair)


def test_connected_members_are_found_over_several_links() -> None:
    assert connected([1, 2, 3, 4, 5], [(5, 4), (4, 2)]) == [[1], [2, 4, 5], [3]]
