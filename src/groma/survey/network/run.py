"""Run the planned launches one after the other; whatever happens, what was measured is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.run.job import run_job
from groma.run.launch import LaunchTask
from groma.run.partial import PartialRecord
from groma.run.run import Run
from groma.survey.network.continuity import refuse_other_options
from groma.survey.network.launch import SurveyLaunch, declare
from groma.survey.network.parameters import (
    NetworkParameters,
    changing,
    drop_network,
    network_parameters,
    set_parameters,
)
from groma.survey.probe_names import PREFIX
from groma.survey.run import SurveyInference

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from groma.facts.survey import SurveyFacts
    from groma.record import Advice, ProbeSamples
    from groma.run.job import Job
    from groma.survey.network.parameters import SampleCount
    from groma.survey.network.setup import NetworkSetup
    from groma.survey.run import SurveyRecord


def network_survey(
    setup: NetworkSetup, record: SurveyRecord, output: Path, job: Job = run_job
) -> Run[SurveyFacts]:
    """`output` is the profile to be. `record` was begun and may hold what was measured earlier, of the node
    or, when resumed, of the network.
    """
    tasks = [LaunchTask(SurveyLaunch(setup, launch), job) for launch in setup.plan.launches]
    return Run(tasks, PartialRecord(record, output, NetworkInference()))


class NetworkInference(SurveyInference):
    """As of a survey of the node, which may be in the same record."""

    def measured(self, record: SurveyRecord) -> Mapping[str, ProbeSamples]:
        return {name: one for name, one in record.samples.items() if name.startswith(PREFIX)}

    def warn(self, record: SurveyRecord, *some: Advice) -> None:
        with changing(record) as part:
            part.warn(*some)


# ---- a record that is begun --------------------------------------------------------------------------------


def begin(record: SurveyRecord, setup: NetworkSetup, *, anew: bool) -> None:
    """Make `record` ready for a survey: `anew` without what an earlier one measured of the network.

    Raises GromaError (exit code 2) where a part of it was measured with other options.
    """
    if anew:
        drop_network(record)
    part = network_parameters(record) or NetworkParameters(plan=setup.plan)
    refuse_other_options(setup.plan, part.done)
    part.plan, part.options = setup.plan, list(setup.options)
    part.skipped, part.launch_lines = [], setup.lines()
    if part.undone is not None:
        _drop_undone(record, part.undone)
        part.undone, part.warnings = None, part.warnings[: part.settled]
    set_parameters(record, part)
    declare(record, setup.plan.declared)


def _drop_undone(record: SurveyRecord, before: Mapping[str, SampleCount]) -> None:
    """What a launch that did not end left behind is measured anew."""
    for name in [one for one in record.samples if one.startswith(PREFIX)]:
        if name in before:
            _cut(record.samples[name], before[name])
        else:
            del record.samples[name]
    _drop_unsampled_launches(record)


def _cut(samples: ProbeSamples, before: SampleCount) -> None:
    samples.cases, samples.values = samples.cases[: before.cases], samples.values[: before.cases]
    samples.rounds = samples.rounds[: before.rounds]
    samples.ended, samples.error = "rounds", None


def _drop_unsampled_launches(record: SurveyRecord) -> None:
    """Where ranks were of whom nothing is kept says nothing of those to come."""
    network = record.facts.network
    if network is not None:
        network.launches = [one for one in network.launches if set(one.probes) & set(record.samples)]
