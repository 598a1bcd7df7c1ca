"""Run a survey: probe after probe, each flushed to disk when done, then infer the facts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.native import Interruption
from groma.record import Advice, Build, ProbeSamples, Record, SurveyFacts, Topology
from groma.record.io import read_record
from groma.record.keeping import finish, keep_partial, partial_path
from groma.record.machine import Difference, Place, differences, in_words, tells_a_machine
from groma.record.writing import refuse_unwritable
from groma.survey.infer.registry import infer_network, infer_node
from groma.survey.infer.selection import discarded_share
from groma.survey.plan import NETWORK_PART, Plan, Step
from groma.survey.unfinished import is_done, state_of, way_on

if TYPE_CHECKING:
    from pathlib import Path

    from groma.launch.listener import Listener

SurveyRecord = Record[SurveyFacts]

# (step, interruption, progress) -> samples; the survey's only way to measure, so that tests can fake it.
Measure = Callable[[Step, Interruption, Callable[[ProbeSamples], None]], ProbeSamples]


@dataclass(frozen=True)
class Surroundings:
    """What is known before anything is measured."""

    command: list[str]
    build: Build
    environment: dict[str, Any]
    topology: Topology | None

    @property
    def place(self) -> Place:
        return Place(self.environment, self.topology, self.build)


def new_record(plan: Plan, around: Surroundings) -> SurveyRecord:
    return Record(
        kind="survey",
        created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        command=around.command,
        build=around.build,
        environment=around.environment,
        parameters=msgspec.to_builtins(plan),
        samples={},
        facts=SurveyFacts(node=infer_node({}, around.topology)[0], declared=around.topology),
    )


def resumed_record(plan: Plan, output: Path, around: Surroundings) -> SurveyRecord:
    """The partial record of an interrupted survey of this node, to be filled by `plan`.

    Raises GromaError (exit code 2) where there is none, where it was measured on another machine or under
    other conditions, and where it is of something else.
    """
    record = _partial_record(output, around)
    if NETWORK_PART in record.parameters:
        raise GromaError(
            f"{partial_path(output)} is of a survey of the network",
            "finish it with: groma survey --network --resume (and the same options), "
            "or survey the node without --resume",
        )
    record.parameters |= msgspec.to_builtins(plan)
    return record


def resumed_network_record(output: Path, around: Surroundings) -> SurveyRecord:
    """As `resumed_record`, of a survey of the network."""
    record = _partial_record(output, around)
    if NETWORK_PART not in record.parameters:
        raise GromaError(
            f"{partial_path(output)} is of a survey of the node",
            "finish it with: groma survey --resume (and the same options), "
            "or survey the network without --resume",
        )
    return record


def _partial_record(output: Path, around: Surroundings) -> SurveyRecord:
    path = partial_path(output)
    if not path.exists():
        raise GromaError(f"nothing to resume: {path} does not exist", "leave out --resume to start anew")
    record = read_record(path)
    if not isinstance(record.facts, SurveyFacts):
        raise GromaError(
            f"{path} is a record of kind {record.kind}, not of a survey",
            "leave out --resume to start anew, or name the profile with -o",
        )
    _refuse_another_machine(record, path, around)
    return record


def _refuse_another_machine(record: SurveyRecord, path: Path, around: Surroundings) -> None:
    if not tells_a_machine(record.environment):
        raise GromaError(
            f"{path} does not tell on which machine it was measured", "start anew without --resume"
        )
    found = differences(_place_of(record), around.place)
    if found:
        raise GromaError(
            f"{path} was measured on another machine or under other conditions: {in_words(found)}",
            f"go on where it was begun, or start anew without --resume{_hint(found, around)}",
        )


def _hint(found: Sequence[Difference], around: Surroundings) -> str:
    virtual = around.environment.get("virtualisation") or {}
    if [one.name for one in found] != ["host"] or not virtual.get("container"):
        return ""
    return "; a container that was started anew needs the host name of the first (--hostname)"


def earlier_record(output: Path, around: Surroundings) -> SurveyRecord | None:
    """The profile of this machine at `output`, None where there is none or one of another machine."""
    record = _profile_at(output)
    return record if record is not None and not _unlike_here(record, around) else None


def replaced_profile(output: Path, around: Surroundings) -> str:
    """What a reader must know of the profile that a new one replaces as a whole, "" where there is none."""
    record = _profile_at(output)
    unlike = "" if record is None else _unlike_here(record, around)
    return f"{output} is replaced: it was measured elsewhere or otherwise ({unlike})" if unlike else ""


def _profile_at(output: Path) -> SurveyRecord | None:
    try:
        record = read_record(output)
    except GromaError:
        return None
    return record if isinstance(record.facts, SurveyFacts) else None


def _unlike_here(record: SurveyRecord, around: Surroundings) -> str:
    if not tells_a_machine(record.environment):
        return "it does not tell on which machine"
    return in_words(differences(_place_of(record), around.place))


def _place_of(record: SurveyRecord) -> Place:
    return Place(record.environment, record.facts.declared, record.build)


@dataclass
class Survey:
    """One run. `output` is the profile to be; nothing is measured before its place proved writable.

    `beforehand` is what was known to disturb measurements when it began.
    """

    plan: Plan
    record: SurveyRecord
    output: Path
    measure: Measure
    listener: Listener
    beforehand: tuple[Advice, ...] = ()

    def run(self, interruption: Interruption) -> SurveyRecord:
        """Measure what is missing and return the finished record, written to `output`.

        Raises GromaError: exit code 130 when interrupted (the partial record says what is done), 5 when no
        probe could run, 4 when the output cannot be written.
        """
        refuse_unwritable(self.output)
        keep_advice(self.record, self.beforehand)
        self._flush()
        left = [step for step in self.plan.steps if not is_done(step, self.record)]
        for number, step in enumerate(left):
            self.listener.started(step, sum(one.budget for one in left[number:]))
            self._measure(step, interruption)
            if interruption.requested:
                raise self._interrupted()
        return self._finish()

    def _measure(self, step: Step, interruption: Interruption) -> None:
        """Nothing is told to be done before it is on disk."""
        samples = self.measure(step, interruption, lambda seen: self.listener.progressed(step, seen))
        self.record.samples[step.probe] = samples
        self._flush()
        self.listener.finished(step, samples)

    def _flush(self) -> Path:
        """A record that lacks no step has its facts, whatever happens before the profile is written."""
        self.record.unfinished = state_of(self.record, partial_path(self.output))
        if self.record.unfinished is None:
            infer_facts(self.record)
        return keep_partial(self.output, self.record)

    def _interrupted(self) -> GromaError:
        infer_facts(self.record)
        place = self._flush()
        done = sum(is_done(step, self.record) for step in self.plan.steps)
        return GromaError(
            f"interrupted: {done} of {len(self.plan.steps)} probes are kept in {place}",
            way_on(self.record, self.output, place),
            ExitCode.INTERRUPTED,
        )

    def _finish(self) -> SurveyRecord:
        if not any(samples.done for samples in self.record.samples.values()):
            raise self._nothing_ran()
        infer_facts(self.record)
        finish(self.output, self.record)
        return self.record

    def _nothing_ran(self) -> GromaError:
        errors = [samples.error for samples in self.record.samples.values() if samples.error is not None]
        what, step = (errors[0].what, errors[0].next) if errors else ("no probe ran", "see groma doctor")
        return GromaError(f"nothing was measured: {what}", step, ExitCode.NOTHING_RAN)


def is_virtual(record: SurveyRecord) -> bool:
    virtualisation = record.environment.get("virtualisation") or {}
    return virtualisation.get("hypervisor") is not None


def keep_advice(record: SurveyRecord, advice: Iterable[Advice]) -> None:
    """Keep in `record` what disturbed its measurements, also those before it was resumed."""
    kept = record.parameters.setdefault("beforehand", [])
    kept += [one for one in map(msgspec.to_builtins, advice) if one not in kept]


def _kept_advice(record: SurveyRecord) -> list[Advice]:
    of_node = record.parameters.get("beforehand", [])
    of_network = record.parameters.get(NETWORK_PART, {}).get("warnings", [])
    return msgspec.convert([*of_node, *(one for one in of_network if one not in of_node)], list[Advice])


def as_read(record: SurveyRecord, path: Path) -> SurveyRecord:
    """The record that was read from `path`; one of a survey that was cut short gets the facts that its
    samples support, and says what it lacks.
    """
    record.unfinished = state_of(record, path)
    if record.unfinished is not None:
        infer_facts(record)
    return record


def infer_facts(record: SurveyRecord) -> None:
    """Set the facts and warnings of `record` from its samples; may be repeated at any time."""
    record.facts.node, advice = infer_node(record.samples, record.facts.declared, virtual=is_virtual(record))
    launches = record.facts.network.launches if record.facts.network else []
    record.facts.network, network_advice = infer_network(record.samples, launches)
    failures = [samples.error for samples in record.samples.values() if samples.error is not None]
    record.warnings = [
        *_kept_advice(record),
        *failures,
        *advice,
        *network_advice,
        *disturbance_advice(record.samples),
    ]


# Shares of disturbed rounds and slow-downs above which a reader has to know: rounds are short, so a busy
# neighbour shows in many of them; single ones are what low quantiles are for.
_DISTURBED_SHARE = 0.25
_LOST_CPU = 1.10


def disturbance_advice(samples: dict[str, ProbeSamples]) -> list[Advice]:
    """Whether this process lost its cores to others while it measured."""
    shares: dict[str, float] = {}
    for name, one in samples.items():
        shares[name] = discarded_share(one)
        if len(one.rounds) >= 4:
            lost = sum(r.wall_over_cpu > _LOST_CPU for r in one.rounds)
            shares[name] = max(shares[name], lost / len(one.rounds))
    disturbed = sorted(name for name, share in shares.items() if share > _DISTURBED_SHARE)
    if not disturbed:
        return []
    return [
        Advice(
            code="survey.disturbed",
            what="other work or a CPU quota took cores away in over a quarter of the rounds or samples of "
            + ", ".join(disturbed),
            next="repeat without a quota on an idle machine (groma doctor), or with --depth thorough",
        )
    ]
