"""A survey of the machine this runs on: real programs, environment and topology behind its records."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, NamedTuple

from groma.host.cgroup import cgroup_limits
from groma.host.host import Host, processors_in
from groma.launch import native
from groma.record.counting import counted
from groma.record.partial_file import partial_path
from groma.run.probe import is_done
from groma.run.provenance import provenance_of
from groma.survey.assignments import names_cores, refuse_absent_cores
from groma.survey.network.parameters import network_parameters
from groma.survey.network.run import begin
from groma.survey.plan import Plan, SurveyRequest, plan_notes, plan_survey, slowdown
from groma.survey.run import (
    SurveyRecord,
    earlier_record,
    new_survey,
    recorded_seed,
    replaced_profile,
    resumed_network_record,
    resumed_record,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from groma.launch.native import ProbeInfo
    from groma.run.provenance import Provenance
    from groma.survey.network.setup import NetworkSetup


def random_seed() -> int:
    """A seed for a run whose user gave none; every record holds the seed it was measured with."""
    return secrets.randbelow(2**31)


def seed_for(output: Path, seed: int | None, *, resume: bool) -> int:
    """The seed that the user gave; else that of the record which is resumed, else a random one."""
    if seed is not None:
        return seed
    recorded = recorded_seed(output) if resume else None
    return random_seed() if recorded is None else recorded


def plan_here(program: Path, request: SurveyRequest) -> Plan:
    """The plan of a survey on this machine, of the probes that were built into `program`.

    Under a CPU quota the probes get more time for as many undisturbed samples.
    """
    host = Host()
    processors = host.affinity() or processors_in(host.read("/sys/devices/system/cpu/online"))
    catalogue = native.catalogue(program)
    plan = plan_survey(catalogue, request, slowdown(len(processors), cgroup_limits(host).cpu_quota))
    _refuse_absent_cores(program, catalogue, plan)
    return plan


def _refuse_absent_cores(program: Path, catalogue: Sequence[ProbeInfo], plan: Plan) -> None:
    assigned = {step.probe: step.parameters for step in plan.steps}
    if names_cores(assigned, catalogue):
        refuse_absent_cores(assigned, catalogue, native.declared_topology(program).allowed)


def notes_here(program: Path, request: SurveyRequest) -> tuple[str, ...]:
    """What the user must know of the plan that `plan_here` makes."""
    return plan_notes(native.catalogue(program), request)


class StartedRecord(NamedTuple):
    """A record to be filled, and what the user must know before that."""

    record: SurveyRecord
    notes: tuple[str, ...] = ()


def node_record(program: Path, plan: Plan, output: Path, *, resume: bool = False) -> StartedRecord:
    """The record that a survey of the node fills: new, or with `resume` the partial one beside `output`.

    Raises what `resumed_record` raises.
    """
    provenance = program_provenance(program)
    if resume:
        return StartedRecord(resumed_record(plan, output, provenance))
    return _new_record(plan, output, provenance)


def resumed_notes(program: Path, plan: Plan, output: Path) -> tuple[str, ...]:
    """What the partial record beside `output` has of the plan. Raises what `node_record` raises."""
    record = node_record(program, plan, output, resume=True).record
    done = [step.probe for step in plan.steps if is_done(step, record)]
    return _resumed("probe", done, len(plan.steps), output)


def resumed_network_notes(program: Path, setup: NetworkSetup, output: Path) -> tuple[str, ...]:
    """As `resumed_notes`, of a survey of the network. Raises what `network_record` raises."""
    part = network_parameters(network_record(program, setup, output, resume=True).record)
    done = [one.name for one in setup.plan.launches if part is not None and one.name in part.done]
    return _resumed("launch", done, len(setup.plan.launches), output)


def _resumed(noun: str, done: Sequence[str], planned: int, output: Path) -> tuple[str, ...]:
    names = f", which will not run again: {', '.join(done)}" if done else ""
    return (f"{partial_path(output)} has {len(done)} of {counted(planned, noun)}{names}",)


def network_record(
    program: Path, setup: NetworkSetup, output: Path, *, resume: bool = False
) -> StartedRecord:
    """The record that a survey of the network fills: with `resume` the partial one beside `output`.

    A profile of this machine that lies there already keeps what it knows of the node. Raises what
    `resumed_network_record` raises.
    """
    provenance = program_provenance(program)
    begun = (
        StartedRecord(resumed_network_record(output, provenance))
        if resume
        else _started_anew(setup, output, provenance)
    )
    begin(begun.record, setup, anew=not resume)
    return begun


def _started_anew(setup: NetworkSetup, output: Path, provenance: Provenance) -> StartedRecord:
    earlier = earlier_record(output, provenance)
    if earlier is not None:
        return StartedRecord(earlier)
    return _new_record(Plan(setup.plan.depth, ()), output, provenance)


def _new_record(plan: Plan, output: Path, provenance: Provenance) -> StartedRecord:
    note = replaced_profile(output, provenance)
    return StartedRecord(new_survey(plan, provenance), (note,) if note else ())


def program_provenance(program: Path) -> Provenance:
    return provenance_of(native.build_of(program), native.declared_topology(program))
