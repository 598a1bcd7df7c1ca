import numpy as np
import pytest

from groma.facts.survey import Clock
from groma.record import ProbeSamples
from groma.survey.infer.clock import core_frequency, infer_clock
from groma.survey.infer.registry import Evidence, Inferred

CYCLE = 1 / 3.7e9


def noisy(value: float, n: int = 60, seed: int = 1) -> list[float]:
    """Mostly a little more than the truth, sometimes a multiple of it."""
    random = np.random.default_rng(seed)
    times = value * (1 + random.exponential(0.002, n))
    times[random.random(n) < 0.2] *= 1.9
    return [float(time) for time in times]


def clock_samples(cycles: dict[int, float]) -> ProbeSamples:
    """Samples of cores with these cycle times; a timer that costs 24 ns and steps by 10 ns."""
    cases: list[dict[str, object]] = [
        {"unit": "s", "measure": "timer_cost", "timer": "clock_gettime"},
        {"unit": "s", "measure": "timer_resolution", "timer": "clock_gettime"},
        {"unit": "s", "measure": "timer_cost", "timer": "cycle_counter"},
    ]
    values = [noisy(24e-9), [1e-8] * 60, noisy(7e-9)]
    for core, cycle in cycles.items():
        for chain, length in (("add", 1), ("xor", 1), ("multiply", 3)):
            cases.append({"unit": "s", "measure": "chain_step", "chain": chain, "core": core})
            values.append(noisy(length * cycle, seed=core + length))
    return ProbeSamples(probe="clock", cases=cases, values=values)


def inferred(samples: ProbeSamples) -> Inferred:
    return infer_clock(Evidence({"clock": samples}))


def clock_of(samples: ProbeSamples) -> Clock:
    value = inferred(samples).value
    assert isinstance(value, Clock)
    return value


def test_a_disturbed_core_keeps_its_frequency() -> None:
    clock = clock_of(clock_samples({0: CYCLE}))
    assert clock.core_frequency.value == pytest.approx(3.7e9, rel=0.002)
    assert clock.core_frequency.low <= clock.core_frequency.value <= clock.core_frequency.high
    assert clock.core_frequency.unit == "Hz"
    assert clock.core_frequency.confidence > 0.9


def test_timer_facts_are_those_of_the_timer_that_probes_use() -> None:
    clock = clock_of(clock_samples({0: CYCLE}))
    assert clock.timer_cost.value == pytest.approx(24e-9, rel=0.01)
    assert (clock.timer_resolution.value, clock.timer_resolution.unit) == (1e-8, "s")


def test_the_frequency_is_that_of_the_first_core_and_unequal_ones_are_said() -> None:
    found = inferred(clock_samples({2: 1 / 2.0e9, 5: 1 / 4.0e9}))
    assert found.value.core_frequency.value == pytest.approx(2.0e9, rel=0.002)
    (advice,) = found.advice
    assert advice.code == "clock.cores_differ"
    assert "core 5 runs at 4.0" in advice.what


def test_sixty_four_equal_cores_need_no_advice() -> None:
    assert inferred(clock_samples(dict.fromkeys(range(64), CYCLE))).advice == ()


@pytest.mark.parametrize(
    ("lengths", "case"),
    [
        ({"add": 0.5, "xor": 1.0, "multiply": 3.0}, "additions fused in pairs"),
        ({"add": 2.0, "xor": 2.0, "multiply": 5.0}, "two-cycle arithmetic"),
        ({"add": 1.0, "multiply": 3.0}, "one chain missing"),
    ],
)
def test_contradicting_chains_give_no_confidence(lengths: dict[str, float], case: str) -> None:
    frequency, advice = core_frequency({name: noisy(n * CYCLE) for name, n in lengths.items()})
    assert frequency.confidence == 0.0
    assert [one.code for one in advice] == ["clock.chains_disagree"]
    assert frequency.low <= frequency.value <= frequency.high


@pytest.mark.parametrize("multiply", [2, 3, 4, 5, 6])
def test_any_whole_number_of_cycles_of_a_multiplication_is_accepted(multiply: int) -> None:
    chains = {"add": noisy(CYCLE), "xor": noisy(CYCLE, seed=2), "multiply": noisy(multiply * CYCLE, seed=3)}
    frequency, advice = core_frequency(chains)
    assert advice == ()
    assert frequency.value == pytest.approx(3.7e9, rel=0.002)


def test_nothing_is_claimed_without_samples() -> None:
    empty = clock_samples({0: CYCLE})
    empty.values = [[] for _ in empty.values]
    assert inferred(empty).value is None
