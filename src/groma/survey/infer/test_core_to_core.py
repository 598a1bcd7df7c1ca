from collections.abc import Callable, Iterable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.facts.survey import CoreToCore
from groma.record import ProbeSamples
from groma.survey.infer.core_to_core import core_to_core
from groma.survey.infer.latency_matrix import LatencyMatrix
from groma.survey.infer.recorded_pairs import PairInference, infer_matrix
from groma.survey.infer.registry import Evidence, Inferred
from simulated.matrices import DISTURBANCES, MACHINES, Disturbance, Level, Machine, simulated

NS = 1e-9


def samples_of(
    pairs: Iterable[tuple[int, int]],
    latency: Callable[[int, int], float],
    *,
    n: int = 40,
    disturbed: float = 0.1,
    seed: int = 1,
) -> ProbeSamples:
    """Samples of machines whose pairs have `latency` (ns); some samples lost their core for milliseconds."""
    random = np.random.default_rng(seed)
    samples = ProbeSamples(probe="core_to_core", cases=[], values=[])
    for i, j in pairs:
        for operation, factor in (("store", 1.0), ("compare_exchange", 0.65)):
            values = factor * latency(i, j) * random.lognormal(0, 0.03, n)
            values[random.random(n) < disturbed] += random.uniform(1e3, 1e5)
            samples.cases.append({"unit": "s", "core": i, "other": j, "operation": operation})
            samples.values.append([float(value * NS) for value in values])
    return samples


def declared(samples: ProbeSamples, relation: Callable[[int, int], str]) -> ProbeSamples:
    for case in samples.cases:
        case["relation"] = relation(case["core"], case["other"])
    return samples


def inferred(samples: ProbeSamples, *, virtual: bool = False) -> Inferred:
    return core_to_core(Evidence({"core_to_core": samples}, virtual=virtual))


def facts_of(samples: ProbeSamples) -> CoreToCore:
    facts = inferred(samples).value
    assert isinstance(facts, CoreToCore)
    return facts


def test_two_cores_make_one_layer_with_the_latency_of_their_pair() -> None:
    facts = facts_of(samples_of([(0, 1)], lambda *_: 120.0))
    (layer,) = facts.layers
    assert layer.pairs == [(0, 1)]
    assert layer.latency.value == pytest.approx(120 * NS, rel=0.03)
    assert layer.latency.low <= 120 * NS <= layer.latency.high
    assert layer.latency.samples is not None


@pytest.mark.parametrize("disturbed", [0.0, 0.25, 0.45])
def test_median_holds_while_others_take_the_cores(disturbed: float) -> None:
    for seed in range(10):
        facts = facts_of(samples_of([(0, 1)], lambda *_: 120.0, n=100, disturbed=disturbed, seed=seed))
        assert facts.layers[0].latency.value == pytest.approx(120 * NS, rel=0.05)


def test_matrix_is_symmetric_and_empty_where_nothing_was_measured() -> None:
    facts = facts_of(samples_of([(2, 5), (2, 9)], lambda *_: 80.0))
    assert facts.cores == [2, 5, 9]
    assert facts.latency[0][1] is not None
    assert facts.latency[0][1] == facts.latency[1][0]
    assert facts.latency[1][2] is None
    assert [facts.latency[i][i] for i in range(3)] == [None] * 3
    assert facts.compare_exchange[0][1] is not None
    assert facts.compare_exchange[0][1].value == pytest.approx(0.65 * 80 * NS, rel=0.03)


def test_tiles_of_two_cores_make_two_layers() -> None:
    pairs = list(combinations(range(16), 2))
    facts = facts_of(samples_of(pairs, lambda i, j: 44.0 if i // 2 == j // 2 else 95.0))
    assert [len(layer.pairs) for layer in facts.layers] == [8, 112]
    assert facts.layers[0].latency.value == pytest.approx(44 * NS, rel=0.05)
    assert facts.layers[1].latency.value == pytest.approx(95 * NS, rel=0.05)


def test_a_sampled_large_machine_shows_its_four_layers() -> None:
    random = np.random.default_rng(3)

    def latency(i: int, j: int) -> float:
        if i % 128 == j % 128:
            return 8.5
        if i % 128 // 4 == j % 128 // 4:
            return 25.0
        return 115.0 if i % 128 // 64 == j % 128 // 64 else 255.0

    every = list(combinations(range(256), 2))
    near = [pair for pair in every if latency(*pair) < 30]
    chosen = {every[k] for k in random.choice(len(every), 400, replace=False)}
    chosen |= {near[k] for k in random.choice(len(near), 300, replace=False)}
    facts = facts_of(samples_of(sorted(chosen), latency, n=6))
    assert [round(layer.latency.value / NS / 5) * 5 for layer in facts.layers] == [10, 25, 115, 255]


def test_layers_name_what_the_system_declares() -> None:
    def relation(i: int, j: int) -> str:
        return "share L2" if i // 2 == j // 2 else "same NUMA node"

    pairs = list(combinations(range(8), 2))
    samples = declared(samples_of(pairs, lambda i, j: 30.0 if i // 2 == j // 2 else 90.0), relation)
    assert [layer.relations for layer in facts_of(samples).layers] == [["share L2"], ["same NUMA node"]]
    assert inferred(samples).advice == ()


def test_undeclared_structure_is_a_finding() -> None:
    pairs = list(combinations(range(8), 2))
    samples = samples_of(pairs, lambda i, j: 30.0 if i // 4 == j // 4 else 90.0)
    declared(samples, lambda *_: "share L3")
    (advice,) = inferred(samples).advice
    assert advice.code == "core_to_core.undeclared"
    assert "share L3" in advice.what


def test_a_core_that_was_moved_meanwhile_is_reported_with_the_lower_latency() -> None:
    samples = samples_of([(0, 1)], lambda *_: 42.0, n=200, disturbed=0.05)
    samples.values[0][60:] = [value * 4 for value in samples.values[0][60:]]
    found = inferred(samples, virtual=True)
    assert found.value.layers[0].latency.value == pytest.approx(42 * NS, rel=0.05)
    assert [advice.code for advice in found.advice] == ["core_to_core.moved"]
    assert "hypervisor" in found.advice[0].what


def test_stolen_time_that_lengthens_samples_at_random_moves_no_core() -> None:
    """A core that was moved has another latency, not any."""
    pairs = list(combinations(range(8), 2))
    samples = samples_of(pairs, lambda *_: 50.0, n=24, disturbed=0.0)
    random = np.random.default_rng(5)
    samples.values = [
        [value * (1 + random.exponential(3) * (random.random() < 0.2)) for value in values]
        for values in samples.values
    ]
    found = inferred(samples, virtual=True)
    assert "core_to_core.moved" not in [advice.code for advice in found.advice]
    assert found.value.layers[0].latency.value == pytest.approx(50 * NS, rel=0.1)


def test_cases_without_samples_are_left_out() -> None:
    samples = samples_of([(0, 1), (0, 2)], lambda *_: 50.0)
    samples.values[2] = []
    samples.values[3] = []
    assert facts_of(samples).cores == [0, 1]


def test_no_samples_give_no_facts() -> None:
    assert inferred(ProbeSamples(probe="core_to_core", cases=[], values=[])).value is None


def test_one_sample_gives_a_value_without_confidence() -> None:
    facts = facts_of(samples_of([(0, 1)], lambda *_: 50.0, n=1, disturbed=0.0))
    assert facts.layers[0].latency.confidence == 0.0


Matrix = NDArray[np.float64]


def survey_of(latency: Matrix) -> Inferred:
    """The facts of a survey whose medians are those of a matrix (ns)."""
    samples = ProbeSamples(probe="core_to_core", cases=[], values=[])
    for i, j in np.argwhere(np.triu(np.isfinite(latency), 1)).tolist():
        samples.cases.append({"unit": "s", "core": i, "other": j, "operation": "store"})
        samples.values.append([float(latency[i, j]) * NS])
    return inferred(samples)


def infer_of(latency: Matrix) -> PairInference:
    return infer_matrix(LatencyMatrix(list(range(len(latency))), latency))


@pytest.mark.parametrize("disturbance", DISTURBANCES)
@pytest.mark.parametrize("machine", [one for one in MACHINES if one.cores <= 64], ids=lambda one: one.name)
def test_a_matrix_has_the_same_layers_in_the_survey_and_in_groma_infer(
    machine: Machine, disturbance: str
) -> None:
    latency = simulated(Machine(machine.name, machine.levels, DISTURBANCES[disturbance]), seed=5).symmetric()
    reported, recorded = survey_of(latency), infer_of(latency)
    facts = reported.value
    assert [layer.pairs for layer in facts.layers] == [layer.pairs for layer in recorded.layers]
    assert [layer.groups for layer in facts.layers] == [layer.groups for layer in recorded.layers]
    assert facts.disturbed == recorded.disturbed
    assert [one.what for one in reported.advice] == [one.what for one in recorded.warnings]


def ticks() -> Matrix:
    """Threads of a core at one tick or two of 5.2 ns, the rest of a chiplet at three and four."""
    random = np.random.default_rng(3)
    core = np.arange(16) // 2
    ticks = np.where(core[:, None] == core, random.integers(1, 3, (16, 16)), random.integers(3, 5, (16, 16)))
    latency = 5.2 * np.triu(ticks, 1).astype(float)
    return np.where(latency + latency.T > 0, latency + latency.T, np.nan)


def test_steps_of_a_coarse_clock_are_no_layers_of_the_survey() -> None:
    found = survey_of(ticks())
    assert [len(layer.pairs) for layer in found.value.layers] == [8, 112]
    assert found.value.layers[0].groups == [[core, core + 1] for core in range(0, 16, 2)]
    step = found.value.clock_step
    assert step is not None
    assert step.unit == "s"
    assert step.value == pytest.approx(5.2 * NS, rel=0.05)
    assert found.value.layers[1].latency.high - found.value.layers[1].latency.low >= 5.0 * NS
    assert [advice.code for advice in found.advice] == ["core_to_core.coarse_clock"]


def test_pairs_that_were_disturbed_are_in_no_layer() -> None:
    machine = Machine("two sockets", (Level(8, 45.0), Level(16, 120.0)), Disturbance())
    latency = simulated(machine, seed=2).symmetric()
    latency[2, 5] = latency[5, 2] = 4000.0
    found = survey_of(latency)
    assert found.value.disturbed == [(2, 5)]
    assert [len(layer.pairs) for layer in found.value.layers] == [55, 64]
    assert [advice.code for advice in found.advice] == ["core_to_core.disturbed"]
