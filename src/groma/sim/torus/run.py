"""`groma sim torus run` from its plan to its record."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import ExitCode, GromaError
from groma.facts.torus import KIND
from groma.facts.unfinished import state_of
from groma.launch.native import build_of, native_program
from groma.record import Advice
from groma.record.counting import counted
from groma.run.provenance import new_record, provenance_of
from groma.sim.torus.infer import facts_of
from groma.sim.torus.program import PROGRAM, simulated
from groma.sim.torus.replayed import REPLAY, advice_of_result, replayable
from groma.sim.torus.steadiness import drifts, is_vague, more_updates
from groma.sim.torus.traced import advice_of_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.facts.torus import TorusFacts
    from groma.record import Record, Unfinished
    from groma.run.interruption import Interruption
    from groma.sim.torus.protocol import Progress, Result
    from groma.sim.torus.simulation_plan import SimulationPlan


def run_simulation(
    plan: SimulationPlan,
    folder: str | None,
    interruption: Interruption,
    follow: Callable[[Progress], None] = lambda _: None,
) -> Record[TorusFacts]:
    """A record, also of a run that a limit or a signal ended. `folder` is where native programs are.

    Raises what `simulated` raises.
    """
    program = native_program(PROGRAM, folder)
    with replayable(plan.request, folder, plan.trace_copy) as (request, advice):
        result = simulated(program, request, interruption, follow)
    found = [*advice_of_result(result), *advice_of_waiting(plan, result), *advice_of_trace(result)]
    return record_of(program, plan, facts_of(plan, result), [*advice, *found])


def record_of(
    program: Path, plan: SimulationPlan, facts: TorusFacts, advice: Sequence[Advice] = ()
) -> Record[TorusFacts]:
    parameters = msgspec.to_builtins(plan.request)
    record = new_record(KIND, provenance_of(build_of(program)), parameters, facts)
    record.warnings = [*advice_of(facts), *advice_of_cores(plan), *advice]
    record.unfinished = _state_of(record)
    return record


def _state_of(record: Record[TorusFacts]) -> Unfinished | None:
    """The same command would end in the same place where the run would never have come to its end."""
    state, without_end = state_of(record), _without_end(record.facts)
    if state is None or without_end is None:
        return state
    return msgspec.structs.replace(state, next=without_end.next)


STUCK = Advice(
    code="torus.stuck",
    what="packets are left that nothing moves: cores wait for each other",
    next="give the FIFOs of the nodes more room: --set network.reception_packets=0 (memory without a bound)",
)
"""Neither routers nor the workloads can deadlock, but for ranks of a replay."""


UNANNOUNCED = 1_000_000
"""Bytes of a message that may go unannounced, as a first try."""


def _deadlock(facts: TorusFacts) -> Advice:
    if not facts.deadlock:
        what = f"ranks wait for ever for what no rank sends: {facts.waiting_ranks} of them"
        return Advice(code="torus.deadlock", what=what, next="correct the trace, or trace the program again")
    cycle = " -> ".join(map(str, [*facts.deadlock, facts.deadlock[0]]))
    more = max(UNANNOUNCED, 10 * round(_parameter(facts, "workload.rendezvous") or 0))
    return Advice(
        code="torus.deadlock",
        what=f"ranks wait for each other for ever: {cycle}",
        next=f"correct the trace, or let more bytes go unannounced: --set workload.rendezvous={more}",
    )


def _parameter(facts: TorusFacts, name: str) -> float | None:
    value = next((one.value for one in facts.parameters if one.name == name), None)
    return value if isinstance(value, (int, float)) else None


def _without_end(facts: TorusFacts) -> Advice | None:
    """Why a run would never have come to its end."""
    if facts.waiting_ranks:
        return _deadlock(facts)
    return STUCK if facts.stuck else None


def advice_of(facts: TorusFacts) -> list[Advice]:
    """What a reader has to know before the numbers are used."""
    without_end = _without_end(facts)
    if without_end is not None:
        return [without_end]
    if _is_idle(facts):
        return [IDLE]
    return _short_of_updates(facts) if facts.planned_updates else _short_window(facts)


IDLE = Advice(
    code="torus.idle",
    what="no packet was sent: no node had anything for another one",
    next="choose another --shape, or other parameters: groma describe NAME lists those of a workload",
)


def _is_idle(facts: TorusFacts) -> bool:
    """A pattern that leads each node to itself, or a group of one. A program that is replayed may compute."""
    return facts.finished and not facts.packets and facts.workload != REPLAY


def advice_of_cores(plan: SimulationPlan) -> list[Advice]:
    """More processes of a node than the machine has cores."""
    processes = next((one.value for one in plan.parameters if one.name == "workload.cores"), None)
    if plan.cores is None or not isinstance(processes, (int, float)) or processes <= plan.cores:
        return []
    return [
        Advice(
            code="torus.cores",
            what=f"{processes:g} processes of a node of {counted(plan.cores, 'core')}: "
            "each is simulated with a core of its own",
            next=f"set --set workload.cores={plan.cores} or fewer",
        )
    ]


def _short_of_updates(facts: TorusFacts) -> list[Advice]:
    """RandomAccess that has no steady state yet."""
    rate, drift = facts.gups, facts.window.drift if facts.window else None
    if rate is None:
        return []
    if not rate.confidence:
        what = "the rate has no interval"
    elif drifts(rate, drift):
        what = f"the second half of it is {100 * (drift or 0.0):+.0f} % from the first"
    elif is_vague(rate):
        what = f"the interval is {100 * (rate.high - rate.low) / rate.value:.0f} % of the rate wide"
    else:
        return []
    each = facts.planned_updates // math.prod(facts.shape)
    step = more_updates(each) if facts.finished else "let the run go on for longer"
    return [Advice(code="torus.short", what=f"the run is too short for a steady state: {what}", next=step)]


MOST_WAITING = 0.1
"""Share of the updates that may wait at nodes in the end, beside a few packets."""

FEW_PACKETS = 4
"""At each node: twice what wait where they do not grow more and more."""


def advice_of_waiting(plan: SimulationPlan, result: Result) -> list[Advice]:
    """RandomAccess on FIFOs without a bound whose packets grow more and more.

    Nodes that always find packets generate nothing. Their neighbours go on generating, and what is counted
    has come over fewer hops than what waits.
    """
    few = FEW_PACKETS * (plan.bucket or 0) * plan.extents.nodes
    if plan.request.network.reception_packets or result.waiting <= max(few, MOST_WAITING * result.updates):
        return []
    waiting, applied = (round(one / plan.extents.nodes) for one in (result.waiting, result.updates))
    return [
        Advice(
            code="torus.waiting",
            what=f"updates wait at nodes that receive all the time: {waiting} of a node, and {applied} are "
            "applied; the rate is higher than it could be for long",
            next="give the FIFOs a bound: --set network.reception_packets=8",
        )
    ]


CROSSINGS = 20
"""Times that a packet alone crosses the network within a window of traffic, at least."""


def _short_window(facts: TorusFacts) -> list[Advice]:
    """Traffic whose packets are on their way for much of the window, as on a network of long latency."""
    window = _parameter(facts, "workload.window")
    alone = facts.latency.median.samples if facts.latency else None
    if "accepted" not in facts.values or alone is None or window is None:
        return []
    cycles = round(alone.min * facts.frequency)
    if window >= CROSSINGS * cycles:
        return []
    longer = f"workload.warm_up={CROSSINGS // 2 * cycles} --set workload.window={CROSSINGS * cycles}"
    return [
        Advice(
            code="torus.short",
            what=f"the window of {window:g} cycles is too short for a steady state: "
            f"the fastest packet took {cycles}",
            next=f"count for longer: --set {longer}",
        )
    ]


def refuse_stuck(record: Record[TorusFacts]) -> None:
    """Raises GromaError (exit code 3) after a run that would never have come to its end."""
    without_end = _without_end(record.facts)
    if without_end is not None:
        raise GromaError(without_end.what, without_end.next, ExitCode.VALIDATION_FAILED)


def refuse_interrupted(record: Record[Any], interruption: Interruption) -> None:
    """Raises GromaError (exit code 130) after a run that the user ended."""
    if interruption.requested and record.unfinished is not None:
        raise GromaError("interrupted; what was simulated until then is shown", "", ExitCode.INTERRUPTED)
