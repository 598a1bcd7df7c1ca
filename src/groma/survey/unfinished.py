"""What a survey that was cut short has left to do, and the command that does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.record.keeping import partial_path
from groma.record.unfinished import Steps, command_line, is_partial, output_of, unfinished
from groma.survey.plan import NETWORK_PART, Step

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from groma.record import Record, SurveyFacts, Unfinished

    SurveyRecord = Record[SurveyFacts]


def is_done(step: Step, record: SurveyRecord) -> bool:
    """Whether the record holds finished samples of this step, taken with the same parameters.

    Another seed makes no difference: it orders the samples and does not change what is sampled.
    """
    samples = record.samples.get(step.probe)
    return samples is not None and samples.done and _is_alike(step, samples.parameters)


def _is_alike(step: Step, parameters: dict[str, str]) -> bool:
    return {
        key: value for key, value in step.parameters.items() if key != "seed"
    }.items() <= parameters.items()


def state_of(record: SurveyRecord, path: Path) -> Unfinished | None:
    """What the survey whose record lies at `path` has left to do, None where it came to its end."""
    steps = network_steps(record) if NETWORK_PART in record.parameters else node_steps(record)
    return unfinished(steps, f"{_named(path)}finish it on {_machine(record)} with: {_command(record, path)}")


def node_steps(record: SurveyRecord) -> Steps:
    ended = {step.probe: _ended(step, record) for step in _planned(record)}
    return Steps(
        noun="probe",
        planned=len(ended),
        done=sum(how == "done" for how in ended.values()),
        interrupted=[name for name, how in ended.items() if how == "interrupted"],
        failed=[name for name, how in ended.items() if how == "failed"],
        missing=[name for name, how in ended.items() if how == "missing"],
    )


def _ended(step: Step, record: SurveyRecord) -> str:
    if is_done(step, record):
        return "done"
    samples = record.samples.get(step.probe)
    return "missing" if samples is None or samples.done else samples.ended


def _planned(record: SurveyRecord) -> Sequence[Step]:
    try:
        return msgspec.convert(record.parameters.get("steps", []), list[Step])
    except msgspec.ValidationError:
        return []


def network_steps(record: SurveyRecord) -> Steps:
    """A launch that could not be started for want of layers counts as failed."""
    part: dict[str, Any] = record.parameters[NETWORK_PART]
    names = [one["name"] for one in part.get("plan", {}).get("launches", [])]
    done, skipped = part.get("done", {}), part.get("skipped", [])
    return Steps(
        noun="launch",
        planned=len(names),
        done=sum(name in done for name in names),
        failed=[name for name in names if name in skipped and name not in done],
        missing=[name for name in names if name not in done and name not in skipped],
    )


# ---- how to go on ------------------------------------------------------------------------------------------


def resume_command(record: SurveyRecord, output: Path) -> str:
    """The command that finishes the partial record beside `output`, with the options of its plan."""
    part = record.parameters.get(NETWORK_PART)
    of_network = [] if part is None else ["--network"]
    options = _options(record) if part is None else part.get("options", [])
    redact = ["--redact"] if record.environment.get("redacted") else []
    words = ["groma", "survey", *of_network, "--resume", *options, *redact, "-o", str(output)]
    return command_line(*words)


def way_on(record: SurveyRecord, output: Path, place: Path) -> str:
    """How the user goes on with the partial record of `output`, which lies at `place`."""
    partial = partial_path(output)
    moving = "" if place == partial else f"move it to {partial}, then "
    return f"{moving}go on with: {resume_command(record, output)}"


def _options(record: SurveyRecord) -> Sequence[str]:
    """Those of the plan; a record that does not tell them names each of its probes."""
    told: Sequence[str] | None = record.parameters.get("options")
    if told:
        return told
    names = ",".join(step.probe for step in _planned(record))
    return ["--depth", str(record.parameters.get("depth", "standard")), "--only", names]


def _command(record: SurveyRecord, path: Path) -> str:
    return resume_command(record, output_of(path) if is_partial(path) else path)


def _named(path: Path) -> str:
    """A record that was renamed is not found by --resume."""
    return "" if is_partial(path) else f"call it {partial_path(path).name} again, and "


def _machine(record: SurveyRecord) -> str:
    """The host where the name says where that is."""
    host = record.environment.get("host")
    return "that machine" if record.environment.get("redacted") or not host else str(host)
