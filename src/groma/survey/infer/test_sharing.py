from dataclasses import dataclass, field
from typing import TypeVar

import msgspec
import numpy as np
import pytest

from groma.record import ProbeSamples, Round, Topology, TopologyCache, TopologyCore
from groma.survey.infer.sharing import Groups, sharing

KIB, MIB = 1024, 1024 * 1024
SIZES = (32 * KIB, 1 * MIB, 32 * MIB)
LATENCIES = (1.1, 4.0, 14.0, 100.0)


def blocks(cores: int, width: int) -> Groups:
    return [list(range(first, min(first + width, cores))) for first in range(0, cores, width)]


@dataclass
class Machine:
    """`levels` are the true groups of each level, `declared` what the system says (the truth by default)."""

    cores: int
    levels: tuple[Groups, Groups, Groups]
    declared: tuple[Groups, Groups, Groups] | None = None
    sizes: tuple[int, int, int] = SIZES
    declared_sizes: tuple[int, int, int] = SIZES
    most_groups: int = 64
    most_members: int = 4
    busy: float = 0.0
    seed: int = 1
    rounds: int = 8
    cases: list[dict[str, object]] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)

    def topology(self) -> Topology:
        caches = tuple(
            TopologyCache(
                level=i + 1,
                kind="unified" if i else "data",
                size_bytes=self.declared_sizes[i],
                line_bytes=64,
                ways=8,
                cores=tuple(group),
            )
            for i, groups in enumerate(self.declared or self.levels)
            for group in groups
        )
        return Topology(
            source="test",
            cores=tuple(
                TopologyCore(logical=i, physical=i, core=i, package=0, numa=0) for i in range(self.cores)
            ),
            caches=caches,
            numa=(),
            distances=None,
            allowed=tuple(range(self.cores)),
            page_bytes=4096,
            huge_page_bytes=None,
        )

    def samples(self) -> ProbeSamples:
        """The schedule of the probe (native/survey/sharing_plan.cpp), answered by this machine."""
        random = np.random.default_rng(self.seed)
        for i, groups in enumerate(self.declared or self.levels):
            sampled = [spread(group, self.most_members) for group in spread(groups, self.most_groups)]
            set_bytes = int(0.7 * self.declared_sizes[i])
            while set_bytes > 1.6 * (self.declared_sizes[i - 1] if i else 0):
                self._add_stage(set_bytes, i + 1, sampled, random)
                set_bytes = set_bytes // 2 if i == 2 else 0
        return ProbeSamples(probe="cache_sharing", cases=self.cases, values=self.values)

    def _add_stage(self, set_bytes: int, level: int, sampled: Groups, random: np.random.Generator) -> None:
        for victims, others in schedule(sampled):
            for core in victims:
                beside = [one for one in victims if one != core] if set_bytes > 2 * MIB else []
                labels: dict[str, object] = {"size_bytes": set_bytes, "level": level, "core": core}
                self._add(self.latency(core, [], set_bytes), random, **labels, evicted="nothing")
                labels |= {"others": others, "beside": beside, "evicted": "others"}
                self._add(self.latency(core, others, set_bytes), random, **labels)
        for core in spread([core for group in sampled for core in group], 4):
            labels = {"size_bytes": set_bytes, "level": level, "core": core}
            self._add(self.latency(core, [core], set_bytes), random, **labels, evicted="self")

    def latency(self, core: int, evictors: list[int], set_bytes: int) -> float:
        """Of the innermost cache that holds the set beside what evictors that share it have read."""
        for i, groups in enumerate(self.levels):
            (group,) = (group for group in groups if core in group)
            reading = sum(2 * set_bytes for other in evictors if other in group)
            if set_bytes + reading <= self.sizes[i]:
                return LATENCIES[i]
        return LATENCIES[-1]

    def slow(self, evicted: str, victim: int, factor: float, set_bytes: int) -> None:
        """All looks of one victim after one kind of eviction, as when something else took its core."""
        for case, values in zip(self.cases, self.values, strict=True):
            if (case["evicted"], case["core"], case["size_bytes"]) == (evicted, victim, set_bytes):
                values[:] = [value * factor for value in values]

    def _add(self, truth: float, random: np.random.Generator, **labels: object) -> None:
        noisy = truth * (1 + random.exponential(0.03, self.rounds))
        noisy[random.random(self.rounds) < self.busy] *= random.uniform(1.2, 20)
        self.cases.append({"unit": "s", **labels})
        self.values.append([float(value) * 1e-9 for value in noisy])

    def inferred(self) -> list[Groups | None]:
        return sharing_groups(self.samples(), self.sizes, self.topology())


def sharing_groups(
    samples: ProbeSamples, sizes: tuple[int, ...], topology: Topology | None = None
) -> list[Groups | None]:
    """Groups of cores that share each level of cache; `sizes` in bytes, the first level first."""
    return [sharing(samples, sizes, level, topology).groups for level in range(1, len(sizes) + 1)]


T = TypeVar("T")


def spread(everything: list[T], most: int) -> list[T]:
    count = min(most, len(everything))
    return [everything[i * (len(everything) - 1) // max(count - 1, 1)] for i in range(count)]


def schedule(groups: Groups) -> list[tuple[list[int], list[int]]]:
    """Victims and evictors of every test: first members by the bits of their numbers, then pairs inside."""
    found = []
    for bit in range((len(groups) - 1).bit_length()):
        sides = [[group for i, group in enumerate(groups) if (i >> bit) & 1 == side] for side in (0, 1)]
        for victims, evictors in (sides, sides[::-1]):
            found.append(([group[0] for group in victims], [core for group in evictors for core in group]))
    for other in range(1, max(len(group) for group in groups)):
        for victim in range(other):
            wide = [group for group in groups if len(group) > other]
            found.append(([group[victim] for group in wide], [group[other] for group in wide]))
    return found


def private(cores: int) -> Groups:
    return blocks(cores, 1)


def test_two_cores_with_private_and_shared_levels() -> None:
    machine = Machine(2, (private(2), private(2), blocks(2, 2)))
    assert machine.inferred() == [[[0], [1]], [[0], [1]], [[0, 1]]]


def test_clusters_of_eight_on_sixty_four_cores() -> None:
    machine = Machine(64, (private(64), private(64), blocks(64, 8)))
    assert machine.inferred() == [private(64), private(64), blocks(64, 8)]


def test_hardware_threads_share_their_inner_levels() -> None:
    machine = Machine(16, (blocks(16, 2), blocks(16, 2), blocks(16, 16)))
    assert machine.inferred() == [blocks(16, 2), blocks(16, 2), blocks(16, 16)]


def test_siblings_numbered_far_apart_are_grouped() -> None:
    pairs = [[i, i + 8] for i in range(8)]
    machine = Machine(16, (pairs, pairs, blocks(16, 16)))
    assert machine.inferred()[0] == pairs


def test_a_second_level_of_a_module_is_found() -> None:
    machine = Machine(8, (private(8), blocks(8, 4), blocks(8, 8)))
    assert machine.inferred() == [private(8), blocks(8, 4), blocks(8, 8)]


def test_a_guest_whose_threads_are_hidden_siblings_is_reported_as_such() -> None:
    hidden = blocks(2, 2)
    machine = Machine(2, (hidden, hidden, hidden), declared=(private(2), private(2), hidden))
    found = sharing(machine.samples(), SIZES, 1, machine.topology())
    assert found.groups == [[0, 1]]
    assert found.declared == [[0], [1]]


def test_a_guest_whose_cores_sit_on_different_dies_is_reported_as_such() -> None:
    machine = Machine(4, (private(4), private(4), blocks(4, 2)), (private(4), private(4), blocks(4, 4)))
    found = sharing(machine.samples(), SIZES, 3, machine.topology())
    assert found.groups == [[0, 1], [2, 3]]
    assert found.declared == [[0, 1, 2, 3]]
    assert found.confidence > 0.8


def test_what_a_guest_gets_of_the_last_level_is_enough_to_see_who_shares_it() -> None:
    effective = (SIZES[0], SIZES[1], 12 * MIB)
    machine = Machine(2, (private(2), private(2), blocks(2, 2)), sizes=effective)
    assert machine.inferred()[2] == [[0, 1]]


def test_untested_cores_of_a_large_machine_are_taken_as_declared_and_it_is_said() -> None:
    machine = Machine(64, (private(64), private(64), blocks(64, 16)), most_groups=16, most_members=3)
    found = sharing(machine.samples(), SIZES, 3, machine.topology())
    assert found.groups == blocks(64, 16)
    assert "measured on 12 cores as declared; 52 others" in found.evidence
    assert found.declared is None
    first = sharing(machine.samples(), SIZES, 1, machine.topology())
    assert first.groups == private(64)


def test_untested_cores_of_a_wrongly_declared_machine_are_not_guessed() -> None:
    machine = Machine(
        32, (private(32), private(32), blocks(32, 8)), (private(32), private(32), blocks(32, 16))
    )
    assert machine.inferred()[2] is None


def test_half_of_the_rounds_may_be_disturbed() -> None:
    right = 0
    for seed in range(10):
        machine = Machine(4, (private(4), private(4), blocks(4, 4)), busy=0.4, seed=seed, rounds=16)
        right += machine.inferred() == [private(4), private(4), blocks(4, 4)]
    assert right >= 8


def test_a_last_level_that_neighbours_use_up_is_not_determined() -> None:
    machine = Machine(2, (private(2), private(2), blocks(2, 2)), sizes=(SIZES[0], SIZES[1], 1 * MIB))
    found = sharing(machine.samples(), SIZES, 3, machine.topology())
    assert found.groups is None
    assert "not determined" in found.evidence


@pytest.mark.parametrize("rounds", [0, 2])
def test_too_few_samples_determine_nothing(rounds: int) -> None:
    machine = Machine(2, (private(2), private(2), blocks(2, 2)), rounds=rounds)
    assert machine.inferred() == [None, None, None]


def test_without_a_topology_the_tested_cores_are_grouped() -> None:
    machine = Machine(4, (private(4), blocks(4, 2), blocks(4, 4)))
    assert sharing_groups(machine.samples(), SIZES) == [private(4), blocks(4, 2), blocks(4, 4)]


def test_one_core_is_informed_that_sharing_takes_two() -> None:
    machine = Machine(1, (private(1), private(1), private(1)))
    nothing = ProbeSamples(probe="cache_sharing", cases=[], values=[])
    found = sharing(nothing, SIZES[:2], 1, machine.topology())
    assert found.groups is None
    assert found.evidence == "sharing not determined: it needs two cores, and this process may use only one"


def test_the_first_level_has_none_below() -> None:
    machine = Machine(2, (private(2), private(2), blocks(2, 2)))
    nothing = ProbeSamples(probe="cache_sharing", cases=[], values=[])
    assert "below" not in sharing(nothing, SIZES[:2], 1, machine.topology()).evidence
    assert "below" in sharing(nothing, SIZES[:2], 2, machine.topology()).evidence


def test_sharing_that_the_other_direction_does_not_confirm_is_not_determined() -> None:
    """Core 0 looks evicted by core 1, which itself is in doubt: a neighbour slowed both."""
    machine = Machine(2, (private(2), private(2), blocks(2, 2)))
    samples = machine.samples()
    first = int(0.7 * SIZES[0])
    machine.slow("others", 0, LATENCIES[1] / LATENCIES[0], first)
    machine.slow("others", 1, 1 + 0.35 * (LATENCIES[1] / LATENCIES[0] - 1), first)
    found = sharing(samples, SIZES, 1, machine.topology())
    assert found.groups is None
    assert "not determined" in found.evidence


def test_a_throttled_probe_is_named_as_the_reason() -> None:
    machine = Machine(2, (private(2), private(2), blocks(2, 2)), rounds=2)
    samples = machine.samples()
    samples.rounds = [Round(elapsed=1, fixed_work=1e-5, wall_over_cpu=4, steal=0, discarded=3000)]
    found = sharing(samples, SIZES, 1, machine.topology())
    assert found.groups is None
    assert "CPU quota" in found.evidence
    assert "%" in found.evidence


def test_a_level_that_nobody_declares_says_on_how_many_cores_it_was_measured() -> None:
    machine = Machine(256, (private(256), private(256), blocks(256, 8)), most_groups=64)
    found = sharing(machine.samples(), SIZES, 1, msgspec.structs.replace(machine.topology(), caches=()))
    assert found.evidence == "sharing measured on 64 of 256 cores"
    assert found.groups is not None
    assert len(found.groups) == 64


LARGE, SMALL, SLOW = (0, 1), (2, 3, 4, 5), (6, 7)


class Hybrid(Machine):
    """Two large cores, a cluster of four small ones, and two slow ones without the third level."""

    def __init__(self) -> None:
        pair = [[one] for one in range(8)]
        second = [[0], [1], list(SMALL), list(SLOW)]
        third = [[*LARGE, *SMALL], [6], [7]]
        super().__init__(8, (pair, second, third))

    def size(self, level: int, core: int) -> int:
        first = 48 * KIB if core in LARGE else 32 * KIB
        second = 1280 * KIB if core in LARGE else 2 * MIB
        return (first, second, 0 if core in SLOW else 24 * MIB)[level - 1]

    def topology(self) -> Topology:
        caches = [
            TopologyCache(
                level=level,
                kind="data" if level == 1 else "unified",
                size_bytes=self.size(level, group[0]),
                line_bytes=64,
                ways=8,
                cores=tuple(group),
            )
            for level, groups in enumerate(self.levels, start=1)
            for group in groups
            if self.size(level, group[0])
        ]
        return msgspec.structs.replace(super().topology(), caches=tuple(caches))

    def samples(self) -> ProbeSamples:
        random = np.random.default_rng(self.seed)
        for level in (1, 2, 3):
            groups = self.levels[level - 1]
            for size in sorted({self.size(level, core) for core in range(8)} - {0}):
                able = [group for group in groups if self.size(level, group[0]) >= 0.7 * size]
                strangers = [group[0] for group in groups if group not in able]
                self._add_stage(int(0.7 * size), level, able, random)
                for group in able if strangers else []:
                    labels: dict[str, object] = {"size_bytes": int(0.7 * size), "core": group[0]}
                    truth = self.latency(group[0], strangers, int(0.7 * size))
                    self._add(truth, random, **labels, others=strangers, beside=[], evicted="others")
        return ProbeSamples(probe="cache_sharing", cases=self.cases, values=self.values)

    def latency(self, core: int, evictors: list[int], set_bytes: int) -> float:
        for i, groups in enumerate(self.levels):
            (group,) = (group for group in groups if core in group)
            reading = sum(2 * set_bytes for other in evictors if other in group)
            if set_bytes + reading <= self.size(i + 1, core):
                return LATENCIES[i]
        return LATENCIES[-1]


@pytest.mark.parametrize("core", [0, 2])
def test_kinds_of_cores_with_other_caches_are_judged_by_their_own(core: int) -> None:
    machine = Hybrid()
    sizes = [machine.size(level, core) for level in (1, 2, 3)]
    samples, topology = machine.samples(), machine.topology()
    found = [sharing(samples, sizes, level, topology, core).groups for level in (1, 2, 3)]
    assert found == list(machine.levels)
