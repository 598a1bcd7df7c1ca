"""A survey of the machine this runs on: real programs, environment and topology behind `Survey`."""

from __future__ import annotations

import os
import secrets
import sys
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.launch import native
from groma.record.capture import capture_environment
from groma.record.cgroup import cgroup_limits
from groma.record.host import Host, processors_in
from groma.record.redact import redacted_here
from groma.survey.network.ledger import begin
from groma.survey.plan import Plan, Wish, plan_survey, slowdown
from groma.survey.run import (
    Measure,
    Surroundings,
    SurveyRecord,
    earlier_record,
    new_record,
    replaced_profile,
    resumed_network_record,
    resumed_record,
)

if TYPE_CHECKING:
    from pathlib import Path

    from groma.launch.native import Interruption, Progress
    from groma.record import ProbeSamples
    from groma.survey.network.setup import NetworkSetup
    from groma.survey.plan import Step


def drawn_seed() -> int:
    """A seed for a run whose user gave none; every record tells the seed it was measured with."""
    return secrets.randbelow(2**31)


def plan_here(program: Path, wish: Wish) -> Plan:
    """The plan of a survey on this machine, of the probes that were built into `program`.

    Under a CPU quota the probes get more time for as many undisturbed samples.
    """
    host = Host()
    processors = host.affinity() or processors_in(host.read("/sys/devices/system/cpu/online"))
    return plan_survey(
        native.catalogue(program), wish, slowdown(len(processors), cgroup_limits(host).cpu_quota)
    )


def prepared_record(
    program: Path, plan: Plan, output: Path, *, resume: bool = False, redact: bool = False
) -> SurveyRecord:
    """The record to be filled: new, or with `resume` the partial one beside `output`.

    With `redact` it holds no host and user names. Raises what `resumed_record` raises.
    """
    around = surroundings(program)
    record = resumed_record(plan, output, around) if resume else new_record(plan, around)
    return redacted_here(record) if redact else record


class Begun(NamedTuple):
    """A record to be filled, and what the user must know before that."""

    record: SurveyRecord
    notes: tuple[str, ...] = ()


def begun_network(program: Path, setup: NetworkSetup, output: Path, *, resume: bool = False) -> Begun:
    """The record that a survey of the network fills: with `resume` the partial one beside `output`.

    A profile of this machine that lies there already keeps what it knows of the node. Raises what
    `resumed_network_record` raises.
    """
    around = surroundings(program)
    begun = Begun(resumed_network_record(output, around)) if resume else _begun_anew(setup, output, around)
    begin(begun.record, setup, anew=not resume)
    return begun


def _begun_anew(setup: NetworkSetup, output: Path, around: Surroundings) -> Begun:
    earlier = earlier_record(output, around)
    if earlier is not None:
        return Begun(earlier)
    note = replaced_profile(output, around)
    return Begun(new_record(Plan(setup.plan.depth, ()), around), (note,) if note else ())


def measure_with(program: Path) -> Measure:
    """The way in which a Survey measures: by running the native program."""

    def measure(step: Step, interruption: Interruption, progress: Progress) -> ProbeSamples:
        return native.run_probe(program, step.probe, step.parameters, interruption, progress)

    return measure


def surroundings(program: Path) -> Surroundings:
    build = native.build_of(program)
    return Surroundings(
        command=[os.path.basename(sys.argv[0]), *sys.argv[1:]],  # noqa: PTH119 - a name, not a path
        build=build,
        environment=msgspec.to_builtins(capture_environment()),
        topology=native.declared_topology(program),
    )
