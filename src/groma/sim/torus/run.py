"""`groma sim torus run` from its plan to its record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import ExitCode, GromaError
from groma.facts.torus import KIND
from groma.facts.unfinished import state_of
from groma.launch.native import build_of, native_program
from groma.record import Advice
from groma.run.provenance import new_record, provenance_of
from groma.sim.torus.infer import facts_of
from groma.sim.torus.program import PROGRAM, simulated
from groma.sim.torus.replayed import advice_of_sizes, replayable
from groma.sim.torus.traced import advice_of_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.facts.torus import TorusFacts
    from groma.record import Record
    from groma.run.interruption import Interruption
    from groma.sim.torus.protocol import Progress
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
    with replayable(plan.request, folder) as (request, advice):
        result = simulated(program, request, interruption, follow)
    return record_of(
        program, plan, facts_of(plan, result), [*advice, *advice_of_sizes(result), *advice_of_trace(result)]
    )


def record_of(
    program: Path, plan: SimulationPlan, facts: TorusFacts, advice: Sequence[Advice] = ()
) -> Record[TorusFacts]:
    parameters = msgspec.to_builtins(plan.request)
    record = new_record(KIND, provenance_of(build_of(program)), parameters, facts)
    record.warnings = [*advice_of(facts), *advice]
    record.unfinished = state_of(record)
    return record


STUCK = Advice(
    code="torus.stuck",
    what="packets are left that nothing moves: cores wait for each other",
    next="give the FIFOs of the nodes more room: --set network.reception_packets=0 (memory without a bound)",
)
"""Neither routers nor the workloads can deadlock, but for ranks of a replay."""


LESS_RENDEZVOUS = "correct the trace, or let more bytes go unannounced: --set workload.rendezvous=1000000"


def _deadlock(facts: TorusFacts) -> str:
    if not facts.deadlock:
        return f"ranks wait for ever for what no rank sends: {facts.waiting_ranks} of them"
    cycle = " -> ".join(map(str, [*facts.deadlock, facts.deadlock[0]]))
    return f"ranks wait for each other for ever: {cycle}"


def advice_of(facts: TorusFacts) -> list[Advice]:
    """What a reader has to know before the numbers are used."""
    if facts.waiting_ranks:
        return [Advice(code="torus.deadlock", what=_deadlock(facts), next=LESS_RENDEZVOUS)]
    if facts.stuck:
        return [STUCK]
    if facts.planned_updates and facts.gups is not None and not facts.gups.confidence:
        return [
            Advice(
                code="torus.short",
                what="the run is too short for a steady state: the rate has no interval",
                next="simulate more updates: --updates 4096",
            )
        ]
    return _short_window(facts)


CROSSINGS = 20
"""Times that a packet alone crosses the network within a window of traffic, at least."""


def _short_window(facts: TorusFacts) -> list[Advice]:
    """Traffic whose packets are on their way for much of the window, as on a network of long latency."""
    window = next((one.value for one in facts.parameters if one.name == "workload.window"), None)
    alone = facts.latency.median.samples if facts.latency else None
    if "accepted" not in facts.values or alone is None or not isinstance(window, (int, float)):
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
    facts = record.facts
    if facts.waiting_ranks:
        raise GromaError(_deadlock(facts), LESS_RENDEZVOUS, ExitCode.VALIDATION_FAILED)
    if facts.stuck:
        raise GromaError(STUCK.what, STUCK.next, ExitCode.VALIDATION_FAILED)


def refuse_interrupted(record: Record[Any], interruption: Interruption) -> None:
    """Raises GromaError (exit code 130) after a run that the user ended."""
    if interruption.requested and record.unfinished is not None:
        raise GromaError("interrupted; what was simulated until then is shown", "", ExitCode.INTERRUPTED)
