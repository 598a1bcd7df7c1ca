"""Run the suite: what it makes of a launch of groma-hpcc."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.hpcc import KIND, HpccFacts, HpccPlan
from groma.hpcc.infer import facts_of_test, failed_checks, stability_advice, success_of
from groma.hpcc.setup import HPCC
from groma.record import Advice
from groma.run.facts import launch_of, unsettled_advice
from groma.run.job import run_job
from groma.run.single import SingleLaunchRun, single_record

if TYPE_CHECKING:
    from pathlib import Path

    from groma.hpcc.setup import Setup
    from groma.run.job import Job
    from groma.run.launch_results import LaunchResults
    from groma.run.run import Run


def suite(setup: Setup, output: Path, job: Job = run_job) -> Run[HpccFacts]:
    """A run of the suite whose record goes to `output`."""
    record = single_record(KIND, setup, HpccFacts(tests=[], plan=setup.plan), sizes=setup.sizing.reason)
    return SingleLaunchRun(KIND, HPCC, setup, SuiteReader(setup)).run(record, output, job)


class SuiteReader:
    """Facts and warnings of the suite."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def facts(self, known: LaunchResults) -> HpccFacts:
        return facts_of(known, self.setup)

    def advice(self, known: LaunchResults, facts: HpccFacts) -> list[Advice]:
        planned = known.run.plan.warnings if known.run is not None else []
        reported = [advice for one in known.outcomes.values() for advice in one.warnings]
        unsettled = unsettled_advice([*known.samples.values()], KIND.name, facts.plan)
        return [*map(_of_plan, planned), *reported, *stability_advice(facts), *unsettled]

    def retry(self, current: str | None) -> str:
        return f"run this test alone: groma hpcc --only {current}" if current else "run groma doctor"


def _of_plan(what: str) -> Advice:
    return Advice(code="hpcc.plan", what=what, next="check the sizes with --dry-run")


def facts_of(known: LaunchResults, setup: Setup) -> HpccFacts:
    if known.run is None:
        return HpccFacts(tests=[], plan=setup.plan)
    plan = known.run.plan
    titles = {step.probe: step.title for step in setup.steps}
    tests = [
        facts_of_test(
            name,
            titles.get(name, name),
            [one for one in known.samples.values() if one.probe == name],
            known.outcomes.get(name),
        )
        for name in plan.tests
        if name in known.outcomes or any(one.probe == name for one in known.samples.values())
    ]
    through = len(known.outcomes) == len(plan.tests)
    summary = {key: value for one in known.outcomes.values() for key, value in one.summary.items()}
    return HpccFacts(
        tests=tests,
        success=success_of(tests) if through else (False if failed_checks(tests) else None),
        launch=launch_of(known, setup),
        plan=plan if isinstance(plan, HpccPlan) else setup.plan,
        summary=summary,
    )
