"""Run it: what RandomAccess makes of a launch, of lookups of owners, and of threads on a shared table."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Generic, TypeVar

from groma.errors import ExitCode, GromaError
from groma.facts import randomaccess_bottleneck, randomaccess_errors, randomaccess_owner
from groma.facts.randomaccess import KIND
from groma.launch.command import Command
from groma.launch.mpi_programs import mpi_programs
from groma.launch.prepare import Timeouts, refusal
from groma.randomaccess.infer import facts_of, owner_facts, planned_facts, stability_advice
from groma.randomaccess.infer_bottleneck import bottleneck_advice, bottleneck_facts, planned_bottleneck
from groma.randomaccess.infer_errors import error_facts, oversubscription_advice
from groma.randomaccess.setup import BOTTLENECK, RANDOM_ACCESS, Setup
from groma.run.events import collect_samples
from groma.run.facts import unsettled_advice
from groma.run.job import run_job
from groma.run.provenance import new_record, provenance_of
from groma.run.single import SingleLaunchRun, single_record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.facts.kinds import Kind
    from groma.facts.randomaccess import RandomAccessFacts
    from groma.facts.randomaccess_bottleneck import BottleneckFacts
    from groma.facts.randomaccess_errors import ErrorFacts
    from groma.facts.randomaccess_owner import OwnerFacts
    from groma.launch.mpi_programs import MpiProgram
    from groma.record import Advice, ProbeSamples, Record
    from groma.run.interruption import Interruption
    from groma.run.job import Job
    from groma.run.launch_results import LaunchResults
    from groma.run.run import Run

Facts = TypeVar("Facts")

STUDY_TIMEOUTS = Timeouts(start=120.0, silence=3600.0)
"""A run of a large table under one lock, and counting its errors, are a long silence."""


def random_access(setup: Setup, output: Path, job: Job = run_job) -> Run[RandomAccessFacts]:
    """A run whose record goes to `output`."""
    record = single_record(KIND, setup, planned_facts(setup.plan, setup.shape.ranks))
    reader = _Reader(setup, facts_of, stability_advice)
    return SingleLaunchRun(KIND, RANDOM_ACCESS, setup, reader).run(record, output, job)


def find_bottleneck(setup: Setup, output: Path, job: Job = run_job) -> Run[BottleneckFacts]:
    """An experiment whose record goes to `output`."""
    kind = randomaccess_bottleneck.KIND
    record = single_record(kind, setup, planned_bottleneck(setup.plan, setup.shape.ranks))
    reader = _Reader(setup, bottleneck_facts, bottleneck_advice)
    return SingleLaunchRun(kind, BOTTLENECK, setup, reader).run(record, output, job)


class _Reader(Generic[Facts]):
    """What a launch on a table yields: facts by `infer`, and advice on them beside that of the program."""

    def __init__(
        self,
        setup: Setup,
        infer: Callable[[LaunchResults, Setup], Facts],
        advise: Callable[[Facts], list[Advice]],
    ) -> None:
        self.setup = setup
        self.infer = infer
        self.advise = advise

    def facts(self, known: LaunchResults) -> Facts:
        return self.infer(known, self.setup)

    def advice(self, known: LaunchResults, facts: Facts) -> list[Advice]:
        reported = [advice for one in known.outcomes.values() for advice in one.warnings]
        unsettled = unsettled_advice([*known.samples.values()], KIND.name, self.setup.plan)
        return [*reported, *self.advise(facts), *unsettled]

    def retry(self, _current: str | None) -> str:
        return "run groma doctor, or use a smaller --table"


def measure_owners(
    folder: str | None, arguments: Sequence[str], interruption: Interruption, job: Job = run_job
) -> Record[OwnerFacts]:
    """Time lookups of owners on this machine, without MPI; after an interruption, what was measured.

    Raises GromaError with exit code 2 for what the program refuses, 4 where it is missing or fails, 130 where
    it was interrupted before both ways were timed for any number of parts.
    """
    program = mpi_programs(RANDOM_ACCESS.program, folder=folder)[0]
    samples = _samples("owner", program, arguments, interruption, job)
    facts = owner_facts(samples)
    if not facts.lookups:
        raise GromaError("no lookup was timed in both ways", "let it run longer", ExitCode.INTERRUPTED)
    return _record(randomaccess_owner.KIND, program, arguments, samples, facts)


def measure_errors(
    folder: str | None, arguments: Sequence[str], interruption: Interruption, job: Job = run_job
) -> Record[ErrorFacts]:
    """Run the strategies of updating a shared table, without MPI; after an interruption, what was measured.

    Raises GromaError with exit code 2 for what the program refuses, 4 where it is missing or fails, 130 where
    it was interrupted before any strategy had run.
    """
    program = mpi_programs(RANDOM_ACCESS.program, folder=folder)[0]
    samples = _samples("errors", program, arguments, interruption, job)
    try:
        facts = error_facts(samples)
    except ValueError as error:
        raise GromaError(str(error), "let it run longer", ExitCode.INTERRUPTED) from error
    record = _record(randomaccess_errors.KIND, program, arguments, samples, facts)
    record.warnings = oversubscription_advice(facts.threads, len(os.sched_getaffinity(0)))
    return record


def _samples(
    study: str, program: MpiProgram, arguments: Sequence[str], interruption: Interruption, job: Job
) -> ProbeSamples:
    lines: list[bytes] = []
    words = (program.path, study, *arguments)
    ended = job(Command(words=words), lines.append, interruption, STUDY_TIMEOUTS)
    samples = collect_samples(study, lines)
    if ended.ending != "interrupted" and not samples.done:
        raise refusal(RANDOM_ACCESS, ended.returncode, ended.complaints)
    return samples


def _record(
    kind: Kind[Facts], program: MpiProgram, arguments: Sequence[str], samples: ProbeSamples, facts: Facts
) -> Record[Facts]:
    parameters = {"arguments": list(arguments), "affinity": sorted(os.sched_getaffinity(0))}
    record = new_record(kind, provenance_of(program.build), parameters, facts)
    record.samples = {samples.probe: samples}
    return record
