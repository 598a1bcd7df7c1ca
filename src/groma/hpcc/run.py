"""Run the suite: what it makes of a launch of groma-hpcc."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.hpcc.infer import facts_of_test, failed_checks, stability_advice, success_of
from groma.hpcc.setup import HPCC
from groma.launch.job import run_job
from groma.launch.run import Run, launch_of, new_record
from groma.record import Advice
from groma.record.hpcc import HpccFacts

if TYPE_CHECKING:
    from pathlib import Path

    from groma.hpcc.setup import Setup
    from groma.launch.gather import Gathered
    from groma.launch.listener import Listener
    from groma.launch.run import Job


def suite(
    setup: Setup,
    output: Path,
    listener: Listener,
    beforehand: tuple[Advice, ...] = (),
    job: Job = run_job,
) -> Run[HpccFacts]:
    """A run of the suite whose record goes to `output`."""
    record = new_record("hpcc", setup, HpccFacts(tests=[]), sizes=setup.sizing.reason)
    return Run(HPCC, setup, SuiteReading(setup), record, output, listener, beforehand, job)


class SuiteReading:
    """Facts and warnings of the suite."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def facts(self, known: Gathered) -> HpccFacts:
        return facts_of(known, self.setup)

    def advice(self, known: Gathered, facts: HpccFacts) -> list[Advice]:
        planned = known.run.plan.get("warnings", []) if known.run is not None else []
        told = [advice for one in known.outcomes.values() for advice in one.warnings]
        return [*map(_of_plan, planned), *told, *stability_advice(facts.tests)]

    def kept(self, facts: HpccFacts) -> str:
        return f"{sum(test.done for test in facts.tests)} of {len(self.setup.steps)} tests"

    def retry(self, current: str | None) -> str:
        return f"try this test alone: groma hpcc --only {current}" if current else "see: groma doctor"


def _of_plan(what: object) -> Advice:
    return Advice(code="hpcc.plan", what=str(what), next="see the sizes with --dry-run")


def facts_of(known: Gathered, setup: Setup) -> HpccFacts:
    if known.run is None:
        return HpccFacts(tests=[])
    titles = {step.probe: step.title for step in setup.steps}
    tests = [
        facts_of_test(
            name,
            titles.get(name, name),
            [one for one in known.samples.values() if one.probe == name],
            known.outcomes.get(name),
        )
        for name in known.run.tests
        if name in known.outcomes or any(one.probe == name for one in known.samples.values())
    ]
    through = len(known.outcomes) == len(known.run.tests)
    summary = {key: value for one in known.outcomes.values() for key, value in one.summary.items()}
    return HpccFacts(
        tests=tests,
        success=success_of(tests) if through else (False if failed_checks(tests) else None),
        launch=launch_of(known, setup),
        plan=known.run.plan,
        summary=summary,
    )
