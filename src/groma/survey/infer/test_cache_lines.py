from dataclasses import dataclass

import numpy as np
import pytest

from groma.record import ProbeSamples
from groma.survey.infer.cache_lines import contended_line, line_size

DISTANCES = (16, 32, 64, 128, 256, 512)


@dataclass
class Machine:
    """Times in ns. `fetched` is how much the second level fetches around a missing line at once."""

    line: int = 64
    fetched: int = 64
    coherence: int = 64
    first: float = 1.2
    second: float = 3.8
    beyond: float = 25.0
    busy: float = 0.0
    cores: int = 2
    seed: int = 1

    def samples(self, n: int = 30) -> ProbeSamples:
        random = np.random.default_rng(self.seed)
        cases: list[dict[str, object]] = []
        values: list[list[float]] = []

        def add(truth: float, **labels: object) -> None:
            noisy = truth * (1 + random.exponential(0.01, n))
            noisy[random.random(n) < self.busy] *= random.uniform(2, 40)
            cases.append({"unit": "s", **labels})
            values.append([float(value) for value in noisy * 1e-9])

        add(self.first, measure="load", set="first_level", distance_bytes=64, order="single")
        for distance in DISTANCES:
            for which, miss in (("inner", self.second), ("outer", self.beyond)):
                partner = self._partner(distance, which)
                add(miss, measure="load", set=which, distance_bytes=distance, order="single")
                add((miss + partner) / 2, measure="load", set=which, distance_bytes=distance, order="paired")
            if self.cores > 1:
                contended = 60.0 if distance < self.coherence else 5.0
                add(contended, measure="write", distance_bytes=distance, core=0, other=1)
        return ProbeSamples(probe="cache_line", cases=cases, values=values)

    def _partner(self, distance: int, which: str) -> float:
        """What the second load of a pair costs."""
        if 2 * distance <= self.line:
            return self.first
        if which == "inner" or 2 * distance <= self.fetched:
            return self.second
        return 0.7 * self.beyond  # the page was walked for the first load


@pytest.mark.parametrize("line", [32, 64, 128, 256])
def test_the_line_is_found_whatever_its_size(line: int) -> None:
    found = line_size(Machine(line=line, fetched=line, coherence=line).samples(), 1)
    assert found is not None
    assert (found.value, found.low, found.high, found.unit) == (line, line, line, "B")
    assert found.confidence > 0.95


def test_lines_fetched_in_pairs_do_not_double_the_line() -> None:
    samples = Machine(line=64, fetched=128).samples()
    first, second = line_size(samples, 1), line_size(samples, 2)
    assert first is not None
    assert second is not None
    assert (first.value, second.value) == (64, 64)


def test_pairs_alone_leave_the_outer_line_open_where_contention_is_unknown() -> None:
    samples = Machine(line=64, fetched=128, cores=1).samples()
    assert line_size(samples, 1) is not None
    assert line_size(samples, 2) is None


def test_a_line_that_doubles_beyond_the_first_level_is_found_where_cores_contend_for_it_too() -> None:
    """As on Apple processors; no prefetcher doubles what writes contend for."""
    samples = Machine(line=64, fetched=128, coherence=128).samples()
    first, second = line_size(samples, 1), line_size(samples, 2)
    assert first is not None
    assert second is not None
    assert (first.value, first.high, second.value) == (64, 64, 128)
    assert min(first.confidence, second.confidence) > 0.9
    assert "outer levels" in first.method


def test_outer_levels_with_the_same_line_are_reported() -> None:
    found = line_size(Machine(cores=1).samples(), 3)
    assert found is not None
    assert found.value == 64


def test_a_busy_machine_does_not_change_the_answer() -> None:
    for seed in range(20):
        samples = Machine(busy=0.5, seed=seed).samples()
        found = line_size(samples, 1)
        assert found is not None
        assert found.value == 64


def test_contention_that_contradicts_lowers_the_confidence() -> None:
    found = line_size(Machine(line=64, coherence=128).samples(), 1)
    assert found is not None
    assert (found.value, found.high) == (64, 128)
    assert found.confidence < 0.6
    assert "give 128 B" in found.method


@pytest.mark.parametrize("line", [64, 128])
def test_contention_alone_tells_the_coherence_line(line: int) -> None:
    assert contended_line(Machine(coherence=line).samples()) == line


def test_a_flat_machine_has_no_determined_line() -> None:
    assert line_size(Machine(second=1.25, beyond=1.25).samples(), 1) is None


@pytest.mark.parametrize("order", ["single", "paired"])
def test_a_distance_in_one_order_alone_tells_nothing(order: str) -> None:
    samples = Machine().samples()
    lost = {"measure": "load", "set": "inner", "distance_bytes": 64, "order": order}
    kept = [at for at, case in enumerate(samples.cases) if not lost.items() <= case.items()]
    cases, values = [samples.cases[at] for at in kept], [samples.values[at] for at in kept]
    assert line_size(ProbeSamples(probe="cache_line", cases=cases, values=values), 1) is None


def test_missing_samples_are_not_guessed() -> None:
    samples = Machine().samples()
    samples.values[1] = []
    assert line_size(samples, 1) is None
    assert line_size(ProbeSamples(probe="cache_line", cases=[], values=[]), 1) is None
    assert contended_line(Machine(cores=1).samples()) is None
