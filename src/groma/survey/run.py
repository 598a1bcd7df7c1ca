"""A survey: the records that it fills, and the facts that follow from their samples."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import msgspec

from groma.errors import GromaError
from groma.facts.filled import filled_places
from groma.facts.reading import read_record
from groma.facts.survey import KIND, SurveyFacts
from groma.host.machine import Place
from groma.record import Advice, ProbeSamples, Record
from groma.record.counting import counted
from groma.record.partial_file import partial_path
from groma.record.unfinished import command_line
from groma.record.writing import is_special
from groma.run.partial import Inference, PartialRecord
from groma.run.probe import ProbeTask
from groma.run.provenance import new_record
from groma.run.resume import resumed, unlike_here
from groma.run.run import Run
from groma.survey.infer.registry import infer_network, infer_node
from groma.survey.infer.selection import discarded_share
from groma.survey.network.parameters import network_parameters, take_network
from groma.survey.plan import NETWORK_PART, Plan
from groma.survey.probe_names import PREFIX
from groma.survey.unfinished import depth_of, resume_advice, seed_of, state_of, steps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from groma.record import Unfinished
    from groma.run.partial import PartialFile
    from groma.run.probe import Measure
    from groma.run.provenance import Provenance

SurveyRecord = Record[SurveyFacts]
Told = TypeVar("Told")


def new_survey(plan: Plan, provenance: Provenance) -> SurveyRecord:
    facts = SurveyFacts(node=infer_node({}, provenance.topology)[0], declared=provenance.topology)
    return new_record(KIND, provenance, msgspec.to_builtins(plan), facts)


def resumed_record(plan: Plan, output: Path, provenance: Provenance) -> SurveyRecord:
    """The partial record of an interrupted survey of this node, to be filled by `plan`. What it has of a
    probe that was cut short and is no longer planned goes: nothing would complete it.

    Raises GromaError (exit code 2) where there is none, where it was measured on another machine or under
    other conditions, where it is of something else, and where it is damaged.
    """
    record = resumed(output, KIND, place_of, provenance)
    if NETWORK_PART in record.parameters:
        raise GromaError(
            f"{partial_path(output)} belongs to a network survey",
            "complete it with: groma survey --network --resume (and the same options), "
            "or survey the node without --resume",
        )
    planned = {step.probe for step in plan.steps}
    record.samples = {name: one for name, one in record.samples.items() if one.done or name in planned}
    _infer_from_file(record, partial_path(output))
    record.parameters |= msgspec.to_builtins(plan)
    return record


def resumed_network_record(output: Path, provenance: Provenance) -> SurveyRecord:
    """As `resumed_record`, of a survey of the network."""
    record = resumed(output, KIND, place_of, provenance)
    if NETWORK_PART not in record.parameters:
        raise GromaError(
            f"{partial_path(output)} belongs to a node survey",
            "complete it with: groma survey --resume (and the same options), "
            "or survey the network without --resume",
        )
    return record


def recorded_seed(output: Path) -> int | None:
    """The seed of the partial record beside `output`, None where there is none or it tells none."""
    return _of_partial(output, seed_of)


def recorded_depth(output: Path) -> str | None:
    """As `recorded_seed`, of the depth."""
    return _of_partial(output, depth_of)


def _of_partial(output: Path, part: Callable[[SurveyRecord], Told | None]) -> Told | None:
    try:
        return part(read_record(partial_path(output)))
    except GromaError:
        return None


def earlier_record(output: Path, provenance: Provenance) -> SurveyRecord | None:
    """The profile of this machine at `output`, None where there is none or one of another machine."""
    record = _profile_at(output)
    return record if record is not None and not unlike_here(record, place_of, provenance.place) else None


def replaced_profile(output: Path, provenance: Provenance) -> str:
    """What a reader must know of the profile that a new one replaces as a whole, "" where there is none."""
    record = _profile_at(output)
    unlike = "" if record is None else unlike_here(record, place_of, provenance.place)
    return (
        f"{output} is replaced: it was measured on another machine or under other conditions ({unlike})"
        if unlike
        else ""
    )


def refuse_loss(plan: Plan, output: Path) -> None:
    """Raises GromaError (exit code 2) where the profile at `output` has probes of the node that are not
    planned: a new profile replaces it as a whole.
    """
    record = _profile_at(output)
    measured = [] if record is None else [name for name in record.samples if not name.startswith(PREFIX)]
    lost = [name for name in measured if name not in {step.probe for step in plan.steps}]
    if lost:
        probes = counted(len(lost), "probe")
        raise GromaError(
            f"{output} has {probes} that this survey would not measure: {', '.join(lost)}",
            f"name another file with -o, or replace that profile: {command_line('-o', str(output))}",
        )


def _profile_at(output: Path) -> SurveyRecord | None:
    if is_special(output):  # a pipe that the new profile goes to would never end
        return None
    try:
        record = read_record(output)
    except GromaError:
        return None
    return record if isinstance(record.facts, SurveyFacts) else None


def place_of(record: SurveyRecord) -> Place:
    return Place(record.environment, record.facts.declared, record.build)


def node_survey(plan: Plan, record: SurveyRecord, output: Path, measured_by: Measure) -> Run[SurveyFacts]:
    """`output` is the profile to be. It keeps what it has of the network of this machine."""
    tasks = [ProbeTask[SurveyFacts](step, measured_by) for step in plan.steps]
    partial = PartialRecord(
        record, output, SurveyInference(), complete=lambda whole: _keep_network(whole, output)
    )
    return Run(tasks, partial)


def _keep_network(record: SurveyRecord, output: Path) -> None:
    earlier = _profile_at(output)
    if earlier is None or unlike_here(earlier, place_of, place_of(record)):
        return
    with suppress(GromaError):  # damaged
        if network_parameters(earlier) is not None:
            take_network(record, earlier)


class SurveyInference(Inference[SurveyFacts]):
    def measured(self, record: SurveyRecord) -> Mapping[str, ProbeSamples]:
        return record.samples

    def infer(self, record: SurveyRecord) -> None:
        infer_facts(record)

    def warn(self, record: SurveyRecord, *some: Advice) -> None:
        keep_advice(record, some)

    def state(self, record: SurveyRecord, path: Path) -> Unfinished | None:
        return state_of(record, path)

    def done(self, record: SurveyRecord) -> str:
        return steps_of(record).done_in_words

    def next_step(self, record: SurveyRecord, partial_file: PartialFile, advised: str) -> str:
        resume = (
            "" if "--resume" in advised else resume_advice(record, partial_file.output, partial_file.path)
        )
        return "; ".join(filter(None, [advised, resume]))


def is_virtual(record: SurveyRecord) -> bool:
    virtualisation = record.environment.get("virtualisation") or {}
    return virtualisation.get("hypervisor") is not None


def keep_advice(record: SurveyRecord, advice: Iterable[Advice]) -> None:
    """Keep in `record` what disturbed its measurements, also those before it was resumed."""
    kept = record.parameters.setdefault("beforehand", [])
    kept += [one for one in map(msgspec.to_builtins, advice) if one not in kept]


def _kept_advice(record: SurveyRecord) -> list[Advice]:
    of_node = record.parameters.get("beforehand", [])
    found = msgspec.convert(of_node, list[Advice])
    part = network_parameters(record)
    return [*found, *(one for one in (part.warnings if part is not None else []) if one not in found)]


def as_read(record: SurveyRecord, path: Path) -> SurveyRecord:
    """The record that was read from `path`; one of a survey that was cut short gets the facts that its
    samples support, and says what it lacks. Where samples were taken out of it, that is what it was written
    with: what has a fact was measured.

    Raises GromaError (exit code 2) where no facts follow from its samples.
    """
    state = state_of(record, path)
    if state is None:
        return msgspec.structs.replace(record, unfinished=None)
    inferred = msgspec.structs.replace(record, facts=msgspec.structs.replace(record.facts), unfinished=state)
    _infer_from_file(inferred, path)
    is_whole = filled_places(record.facts) <= filled_places(inferred.facts)
    return inferred if is_whole else record


def _infer_from_file(record: SurveyRecord, path: Path) -> None:
    """`infer_facts` of samples that anyone may have edited: cases without their labels, text for numbers.

    Raises GromaError (exit code 2) where they are of no use.
    """
    try:
        infer_facts(record)
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise GromaError(
            f"{path}: its samples were edited or damaged, no facts follow from them "
            f"({type(error).__name__}: {error})",
            "restore the file, or measure again",
        ) from error


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
# neighbour shows in many of them; single ones are what low quantiles are for. A probe that managed few rounds
# has no others: these count if most of their time was lost.
_DISTURBED_SHARE = 0.25
_LOST_CPU = 1.10
_LOST_MOST = 2.0
_FEW_ROUNDS = 4


def disturbance_advice(samples: dict[str, ProbeSamples]) -> list[Advice]:
    """Whether this process lost its cores to others while it measured."""
    shares = {name: max(discarded_share(one), _lost_share(one)) for name, one in samples.items()}
    disturbed = sorted(name for name, share in shares.items() if share > _DISTURBED_SHARE)
    if not disturbed:
        return []
    return [
        Advice(
            code="survey.disturbed",
            what="other work or a CPU quota took cores away in over a quarter of the rounds or samples of "
            + ", ".join(disturbed),
            next="repeat without a quota on an idle machine (see groma doctor), or use --depth thorough",
        )
    ]


def _lost_share(samples: ProbeSamples) -> float:
    """The share (0 to 1) of the rounds in which the probe lost its cores."""
    rounds = samples.rounds
    least = _LOST_CPU if len(rounds) >= _FEW_ROUNDS else _LOST_MOST
    lost = sum(one.wall_over_cpu > least for one in rounds)
    return lost / len(rounds) if rounds else 0.0
