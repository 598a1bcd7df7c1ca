"""What a survey that was cut short has left to do, and the command that does it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from groma.record.partial_file import partial_path
from groma.record.unfinished import Steps, command_line, is_partial, output_of, unfinished
from groma.run.probe import is_done
from groma.survey.network.parameters import network_parameters
from groma.survey.plan import DEPTHS, Step

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from groma.facts.survey import SurveyFacts
    from groma.record import Record, Unfinished
    from groma.survey.network.parameters import NetworkParameters

    SurveyRecord = Record[SurveyFacts]


def state_of(record: SurveyRecord, path: Path) -> Unfinished | None:
    """What the survey whose record lies at `path` has left to do, None where it came to its end."""
    return unfinished(
        steps_of(record), f"{_named(path)}finish it on {_machine(record)} with: {_command(record, path)}"
    )


def steps_of(record: SurveyRecord) -> Steps:
    part = network_parameters(record)
    return node_steps(record) if part is None else network_steps(part)


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


def network_steps(part: NetworkParameters) -> Steps:
    """A launch that could not be started for want of layers counts as failed."""
    names = [launch.name for launch in part.plan.launches]
    return Steps(
        noun="launch",
        planned=len(names),
        done=sum(name in part.done for name in names),
        failed=[name for name in names if name in part.skipped and name not in part.done],
        missing=[name for name in names if name not in part.done and name not in part.skipped],
    )


# ---- how to go on ------------------------------------------------------------------------------------------


def resume_command(record: SurveyRecord, output: Path) -> str:
    """The command that finishes the partial record beside `output`, with the options of its plan."""
    part = network_parameters(record)
    of_network = [] if part is None else ["--network"]
    options = _options(record) if part is None else part.options
    redact = ["--redact"] if record.environment.get("redacted") else []
    seed = seed_of(record)
    seeded = [] if seed is None else ["--seed", str(seed)]
    words = ["groma", "survey", *of_network, "--resume", *options, *seeded, *redact, "-o", str(output)]
    return command_line(*words)


def depth_of(record: Record[Any]) -> str | None:
    """Of the plan of a record, None where it tells none."""
    part = network_parameters(record)
    depth = record.parameters.get("depth") if part is None else part.plan.depth
    return depth if depth in DEPTHS else None


def seed_of(record: Record[Any]) -> int | None:
    """What the plan of a record orders its samples by, None where it tells none."""
    part = network_parameters(record)
    if part is None:
        planned = [step.parameters for step in _planned(record)]
    else:
        planned = [call.parameters for launch in part.plan.launches for call in launch.calls]
    seeds = [one["seed"] for one in planned if one.get("seed", "").isdecimal()]
    return int(Counter(seeds).most_common(1)[0][0]) if seeds else None


def resume_advice(record: SurveyRecord, output: Path, place: Path) -> str:
    """How the user goes on with the partial record of `output`, which lies at `place`."""
    partial = partial_path(output)
    moving = "" if place == partial else f"move it to {partial}, then "
    return f"{moving}go on with: {resume_command(record, output)}"


def _options(record: SurveyRecord) -> Sequence[str]:
    """Those of the plan; a record that does not tell them names each of its probes."""
    options: Sequence[str] | None = record.parameters.get("options")
    if options:
        return options
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
