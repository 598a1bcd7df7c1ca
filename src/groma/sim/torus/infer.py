"""From the result of a simulation to its facts. Pure: the same result gives the same facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.torus import (
    CoreLoad,
    LinkBusy,
    SimulatorCost,
    SteadyWindow,
    TokenStalls,
    TorusFacts,
    TorusLatency,
)
from groma.record import Quantity, SampleSummary
from groma.sim.torus.shapes import AXES
from groma.stats.steady import steady_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.sim.torus.protocol import Latency, Result
    from groma.sim.torus.simulation_plan import SimulationPlan
    from groma.stats.steady import SteadyRate

EXACT = "simulated; exact for this request"
STEADY = "simulated: updates over time after the warm-up, interval of Heidelberger and Welch over {} batches"
SHORT = "simulated: too few samples for an interval"


BIN = 1 / 32
"""Width of a bin of latencies, as a share of its time at most (native/sim/torus/histogram.hpp)."""


def exact(value: float, unit: str, method: str = EXACT) -> Quantity:
    return Quantity(value=value, unit=unit, low=value, high=value, confidence=1.0, method=method)


def facts_of(plan: SimulationPlan, result: Result) -> TorusFacts:
    """Facts from the answer of the simulator to a request."""
    request = plan.request
    frequency = plan.frequency
    seconds = result.time / frequency
    steady = steady_rate(result.window.samples)
    return TorusFacts(
        machine=plan.machine,
        title=plan.title,
        workload=plan.workload.name,
        algorithm=plan.algorithm,
        shape=request.shape,
        closed=request.torus,
        axes=list(AXES[: len(request.shape)]),
        frequency=frequency,
        gups=_gups(plan, result, steady),
        bandwidth=_bandwidth(plan, result, seconds),
        time=exact(seconds, "s"),
        packets=result.packets,
        packet_hops=result.packet_hops,
        bytes=result.bytes,
        updates=result.updates,
        planned_updates=plan.updates,
        bucket=plan.bucket,
        latency=_latency(result.latency, frequency),
        stalls=_stalls(plan, result),
        links=_links(plan, result),
        loads=[
            CoreLoad(role=name, busy=busy)
            for name, busy in zip(_roles(plan, result), result.loads, strict=True)
        ],
        values=result.values | _stalled_senders(result) | _records_of_trace(result),
        window=_window(result, steady, frequency),
        parameters=plan.parameters,
        simulator=_cost(plan, result),
        seed=request.run.seed,
        finished=result.finished and result.deadlock is None,
        stuck=result.stuck,
        deadlock=result.deadlock.cycle if result.deadlock else [],
        waiting_ranks=result.deadlock.ranks if result.deadlock else 0,
    )


def _gups(plan: SimulationPlan, result: Result, steady: SteadyRate | None) -> Quantity | None:
    """Updates in the steady state; over the whole run where there are no samples."""
    if plan.workload.figure != "gups":
        return None
    giga = plan.frequency / 1e9
    if steady is None:
        value = result.updates / result.time * giga if result.time else 0.0
        return Quantity(value=value, unit="GUP/s", low=value, high=value, confidence=0.0, method=SHORT)
    return Quantity(
        value=steady.value * giga,
        unit="GUP/s",
        low=steady.low * giga,
        high=steady.high * giga,
        confidence=steady.confidence,
        method=STEADY.format(steady.batches) if steady.confidence else SHORT,
    )


def _bandwidth(plan: SimulationPlan, result: Result, seconds: float) -> Quantity | None:
    """Of the window of traffic, of the bytes of messages, else of the bytes of packets."""
    if plan.workload.figure != "bandwidth" or seconds <= 0:
        return None
    values = result.values
    if "accepted" in values:
        rate = values["accepted"][0] * plan.extents.nodes * plan.frequency
        return exact(rate, "B/s", "simulated: bytes of packets that arrived in the window")
    time = values.get("finished_at") or values.get("last_arrival")
    if time and time[0] and "message_bytes" in values:
        rate = values["message_bytes"][0] / time[0] * plan.frequency
        return exact(rate, "B/s", "simulated: bytes of messages until the last one was there")
    if "message_bytes" in values:
        rate = values["message_bytes"][0] / seconds
        return exact(rate, "B/s", "simulated: bytes of the messages that were there when the run ended")
    return exact(result.bytes / seconds, "B/s", "simulated: bytes that arrived over the time of the run")


def _stalled_senders(result: Result) -> dict[str, list[float]]:
    """Of a fan: the share of the time in which each sender waited for tokens, by its number."""
    return {f"stalled.node {one.node}": [one.stalled] for one in result.senders}


def _records_of_trace(result: Result) -> dict[str, list[float]]:
    if result.trace is None or result.trace.failed:
        return {}
    trace = result.trace
    counts = {"states": trace.states, "messages": trace.messages, "message_bytes": trace.bytes}
    return {f"trace.{name}": [float(count)] for name, count in counts.items()}


def _latency(found: Latency | None, frequency: float) -> TorusLatency | None:
    if found is None or found.n == 0:
        return None
    shown = SampleSummary(
        n=found.n,
        min=found.min / frequency,
        p5=found.p5 / frequency,
        p50=found.p50 / frequency,
        p95=found.p95 / frequency,
    )
    return TorusLatency(
        median=Quantity(
            value=found.p50 / frequency,
            unit="s",
            low=found.p50 / frequency,
            high=min(found.p50 * (1 + BIN), found.max) / frequency,
            confidence=1.0,
            method="simulated: median over all packets, counted in bins",
            samples=shown,
        ),
        mean=exact(found.mean / frequency, "s"),
        longest=exact(found.max / frequency, "s"),
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _stalls(plan: SimulationPlan, result: Result) -> TokenStalls:
    links = [count for count in plan.links_of_dimensions for _ in range(2)]
    return TokenStalls(
        cycles=result.stalls.tokens,
        share=_share(result.stalls.tokens, result.time * plan.links),
        by_direction=[
            _share(stalled, result.time * count)
            for stalled, count in zip(result.stalls.by_direction, links, strict=False)
        ],
        nodes=_by_node(plan, result.links.stalled) if result.links else [],
    )


def _links(plan: SimulationPlan, result: Result) -> LinkBusy | None:
    if result.links is None:
        return None
    busy = result.links.busy
    return LinkBusy(
        mean=busy.mean,
        min=busy.min,
        max=busy.max,
        by_direction=result.links.by_direction,
        nodes=_by_node(plan, result.links.values),
    )


def _by_node(plan: SimulationPlan, values: Sequence[float]) -> list[list[float]]:
    """The directions of each node; nothing where the simulator was not asked for them."""
    ports = 2 * len(plan.extents.shape)
    if len(values) != ports * plan.extents.nodes:
        return []
    return [list(values[at : at + ports]) for at in range(0, len(values), ports)]


def _roles(plan: SimulationPlan, result: Result) -> list[str]:
    """Names of the loads: those of the machine file where it has as many."""
    if len(plan.roles) == len(result.loads):
        return list(plan.roles)
    return [f"core {number}" for number in range(len(result.loads))]


def _window(result: Result, steady: SteadyRate | None, frequency: float) -> SteadyWindow | None:
    if steady is None:
        return None
    return SteadyWindow(
        begin=steady.begin / frequency,
        end=steady.end / frequency,
        batches=steady.batches,
        drift=steady.drift,
        samples=[(time / frequency, work) for time, work in result.window.samples],
    )


def _cost(plan: SimulationPlan, result: Result) -> SimulatorCost:
    return SimulatorCost(
        wall=result.wall,
        threads=plan.request.run.threads,
        memory_per_node=result.memory_per_node,
        packet_hops_per_second=result.packet_hops / result.wall if result.wall > 0 else None,
    )
