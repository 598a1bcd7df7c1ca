from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from groma.record import ProbeSamples
from groma.survey.infer.associativity import associativity, why_undetermined

KIB = 1024
STRIDES = [kib * KIB for kib in (2, 4, 8, 16, 32, 64)]


@dataclass
class Machine:
    """Times in ns. `tlb_from` is the stride from which pages compete for a TLB with four ways."""

    ways: int = 8
    way_bytes: int = 4 * KIB
    random_replacement: bool = False
    tlb_from: int | None = None
    busy: float = 0.0
    searches: Sequence[float] = field(default_factory=lambda: [8] * 12)
    seed: int = 1

    def latency(self, stride: int, lines: int) -> float:
        conflicting = lines * min(stride / self.way_bytes, 1.0)
        time = 1.1
        if conflicting > self.ways:
            missing = 1.0 - self.ways / conflicting if self.random_replacement else 1.0
            time += 3.5 * missing
        if self.tlb_from is not None and stride >= self.tlb_from and lines > 4:
            time += 1.9
        return time

    def samples(self, n: int = 30) -> ProbeSamples:
        random = np.random.default_rng(self.seed)
        cases: list[dict[str, object]] = []
        values: list[list[float]] = []
        for stride in STRIDES:
            for lines in range(1, 25):
                noisy = self.latency(stride, lines) * (1 + random.exponential(0.005, n))
                noisy[random.random(n) < self.busy] *= random.uniform(1.5, 30)
                cases.append({"unit": "s", "measure": "chain", "stride_bytes": stride, "lines": lines})
                values.append([float(value) * 1e-9 for value in noisy])
        cases.append({"unit": "lines", "measure": "overflow", "level": 2})
        values.append([float(ways) for ways in self.searches])
        return ProbeSamples(probe="cache_associativity", cases=cases, values=values)


@pytest.mark.parametrize(
    ("ways", "way_kib", "machine"),
    [
        (8, 4, "32 KiB, 8 ways"),
        (12, 4, "48 KiB, 12 ways"),
        (4, 4, "16 KiB, 4 ways"),
        (4, 16, "64 KiB, 4 ways: more than a page"),
        (8, 16, "128 KiB, 8 ways"),
        (2, 32, "64 KiB, 2 ways"),
        (16, 4, "64 KiB, 16 ways"),
    ],
)
def test_first_levels_of_many_shapes_are_reported(ways: int, way_kib: int, machine: str) -> None:
    found = associativity(Machine(ways=ways, way_bytes=way_kib * KIB).samples(), 1)
    assert found is not None, machine
    assert (found.value, found.low, found.high, found.unit) == (ways, ways, ways, "ways")
    assert f"{way_kib * KIB} bytes" in found.method
    assert found.confidence > 0.95


def test_random_replacement_hides_no_way() -> None:
    for ways in (4, 8):
        found = associativity(Machine(ways=ways, random_replacement=True).samples(), 1)
        assert found is not None
        assert found.value == ways


def test_pages_that_compete_for_a_tlb_at_large_strides_do_not_matter() -> None:
    found = associativity(Machine(tlb_from=16 * KIB).samples(), 1)
    assert found is not None
    assert found.value == 8


def test_a_busy_machine_does_not_change_the_answer() -> None:
    for seed in range(4):
        found = associativity(Machine(busy=0.5, seed=seed).samples(), 1)
        assert found is not None
        assert found.value == 8


def test_a_fully_associative_first_level_is_not_determined() -> None:
    assert associativity(Machine(ways=512).samples(), 1) is None
    assert "not determined" in why_undetermined(1)


@pytest.mark.parametrize("ways", [4, 8, 10, 16])
def test_searches_that_agree_tell_the_second_level(ways: int) -> None:
    searches = [ways] * 12 + [0] * 8 + [ways - 1] * 2
    found = associativity(Machine(searches=searches).samples(), 2)
    assert found is not None
    assert found.value == ways
    assert found.low <= ways <= found.high
    assert "12 of 14 searches" in found.method
    assert 0.8 < found.confidence < 1.0


@pytest.mark.parametrize("searches", [[], [0] * 20, [8, 8, 8], [8, 4, 6, 12, 8, 5, 3, 9]])
def test_searches_without_a_clear_result_determine_nothing(searches: list[int]) -> None:
    assert associativity(Machine(searches=searches).samples(), 2) is None
    assert "searches" in why_undetermined(2)


def test_shared_levels_are_not_guessed() -> None:
    assert associativity(Machine().samples(), 3) is None
    assert "shared" in why_undetermined(3)


def test_an_interrupted_probe_gives_nothing() -> None:
    samples = Machine().samples()
    samples.values[5] = []
    assert associativity(samples, 1) is None
    assert associativity(ProbeSamples(probe="cache_associativity", cases=[], values=[]), 1) is None


@pytest.mark.parametrize("seed", range(5))
def test_noise_has_no_ways(seed: int) -> None:
    random = np.random.default_rng(seed)
    chains = Machine().samples()
    chains.values = [random.uniform(1e-9, 1e-7, len(values)).tolist() for values in chains.values]
    assert associativity(chains, 1) is None


def test_searches_that_found_less_than_a_line_determine_nothing() -> None:
    assert associativity(Machine(searches=[0.4] * 20).samples(), 2) is None


def test_no_chain_of_zero_lines_makes_a_cache_of_zero_ways() -> None:
    samples = Machine(ways=1).samples()
    for case in samples.cases:
        if case.get("lines") == 1:
            case["lines"] = 0
    assert associativity(samples, 1) is None
