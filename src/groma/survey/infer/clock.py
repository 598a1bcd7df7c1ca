"""Clock facts: cost and resolution of the timer, effective frequency of the core that measures latencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from groma.facts.survey import Clock
from groma.record import Advice, ProbeSamples, Quantity
from groma.stats.quantiles import LOW_QUANTILE, quantile
from groma.stats.quantities import low_quantile_quantity
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.selection import by_label, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping

ONE_CYCLE_CHAINS = ("add", "xor")
"""A step of these lasts one cycle on every core in use; two of them because a core that fuses or eliminates
one does not do so with the other."""

_AGREE = 0.03
_LEAST_MULTIPLY_CYCLES = 2
_UNEQUAL_CORES = 0.10

_FREQUENCY = "one cycle is a step in a chain of dependent additions; 5th percentile of its time"
_COST = "mean of 1000 consecutive readings; 5th percentile over the rounds"
_RESOLUTION = "smallest difference above zero of 1000 consecutive readings; 5th percentile over the rounds"


@infers("clock", needs=("clock",))
def infer_clock(evidence: Evidence) -> Inferred:
    samples = evidence.samples["clock"]
    cost = values_of(samples, measure="timer_cost", timer="clock_gettime")
    step = values_of(samples, measure="timer_resolution", timer="clock_gettime")
    chains = chains_by_core(samples)
    if not (cost and step and chains):
        return Inferred(None)
    latency_core = min(chains)
    frequency, advice = core_frequency(chains[latency_core])
    clock = Clock(
        timer_cost=low_quantile_quantity(cost, "s", _COST),
        timer_resolution=low_quantile_quantity(step, "s", _RESOLUTION),
        core_frequency=frequency,
    )
    return Inferred(clock, (*advice, *_unequal_cores(chains)))


def chains_by_core(samples: ProbeSamples) -> dict[int, dict[str, list[float]]]:
    """Times of a step by chain, for each core on which an additive chain was timed."""
    cores = {core for chain in ONE_CYCLE_CHAINS for core in by_label(samples, "core", chain=chain)}
    return {core: by_label(samples, "chain", measure="chain_step", core=core) for core in cores}


def core_frequency(chains: Mapping[str, list[float]]) -> tuple[Quantity, tuple[Advice, ...]]:
    """Frequency in Hz from the times of a step (s) of one core's chains.

    Where the chains contradict each other the interval spans what they say and the confidence is 0.
    """
    times = [
        low_quantile_quantity(chains[name], "s", _FREQUENCY) for name in ONE_CYCLE_CHAINS if chains.get(name)
    ]
    frequency = _reciprocal(times[0])
    if _consistent(chains):
        return frequency, ()
    spread = [1.0 / time.value for time in times]
    doubtful = msgspec.structs.replace(
        frequency, low=min(frequency.low, *spread), high=max(frequency.high, *spread), confidence=0.0
    )
    return doubtful, (
        Advice(
            code="clock.chains_disagree",
            what="chains of additions, exclusive ors and multiplications disagree on the length of a cycle",
            next="compare the core frequency with the processor's manual before using latencies in cycles",
        ),
    )


def _reciprocal(time: Quantity) -> Quantity:
    """Cycles per second of one cycle's time; the raw summary stays behind, it is of times."""
    return Quantity(
        value=1.0 / time.value,
        unit="Hz",
        low=1.0 / time.high,
        high=1.0 / time.low,
        confidence=time.confidence,
        method=time.method,
    )


def _consistent(chains: Mapping[str, list[float]]) -> bool:
    """Additions and exclusive ors last equally long, a multiplication a whole number of times as long."""
    step = {name: quantile(values, LOW_QUANTILE) for name, values in chains.items() if values}
    if not all(name in step for name in ONE_CYCLE_CHAINS):
        return False
    add, xor = (step[name] for name in ONE_CYCLE_CHAINS)
    if abs(add / xor - 1.0) > _AGREE:
        return False
    cycles = step.get("multiply", 3 * add) / add
    whole = round(cycles)
    return whole >= _LEAST_MULTIPLY_CYCLES and abs(cycles / whole - 1.0) <= _AGREE


def _unequal_cores(chains: Mapping[int, Mapping[str, list[float]]]) -> tuple[Advice, ...]:
    """Hybrid processors and cores that others keep busy: the frequency given holds for one core only."""
    step = {core: quantile(one["add"], LOW_QUANTILE) for core, one in chains.items() if one.get("add")}
    if not step:
        return ()
    fastest, slowest = min(step, key=lambda core: step[core]), max(step, key=lambda core: step[core])
    if step[slowest] / step[fastest] <= 1.0 + _UNEQUAL_CORES:
        return ()
    what = (
        f"core {fastest} runs at {1e-9 / step[fastest]:.2f} GHz and core {slowest} "
        f"at {1e-9 / step[slowest]:.2f} GHz"
    )
    cure = "latencies in cycles are valid for the first allowed core; select another kind with taskset"
    return (Advice(code="clock.cores_differ", what=what, next=cure),)
