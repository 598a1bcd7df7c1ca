"""Run it: what RandomAccess makes of a launch, of lookups of owners, and of threads on a shared table."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch import native
from groma.launch.command import Command
from groma.launch.job import Patience, run_job
from groma.launch.mpi_programs import mpi_programs
from groma.launch.prepare import refusal
from groma.launch.run import Run, new_record
from groma.randomaccess.infer import facts_of, owner_facts, planned_facts, repetitions_of, stability_advice
from groma.randomaccess.infer_errors import crowding_advice, error_facts
from groma.randomaccess.setup import RANDOM_ACCESS
from groma.record import Record
from groma.record.capture import capture_environment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.launch.gather import Gathered
    from groma.launch.listener import Listener
    from groma.launch.mpi_programs import MpiProgram
    from groma.launch.native import Interruption
    from groma.launch.prepare import Prepared
    from groma.launch.run import Job
    from groma.record import Advice, ProbeSamples
    from groma.record.randomaccess import ErrorFacts, OwnerFacts, RandomAccessFacts

Facts = TypeVar("Facts")

OWNER_SECONDS = 120.0

ERRORS_PATIENCE = Patience(start=120.0, silence=3600.0)
"""A run of a large table under one lock, and counting its errors, are a long silence."""


def random_access(
    setup: Prepared,
    output: Path,
    listener: Listener,
    beforehand: tuple[Advice, ...] = (),
    job: Job = run_job,
) -> Run[RandomAccessFacts]:
    """A run whose record goes to `output`."""
    record = new_record("randomaccess", setup, planned_facts(setup.plan, setup.shape.ranks))
    return Run(RANDOM_ACCESS, setup, _Reading(setup), record, output, listener, beforehand, job)


class _Reading:
    def __init__(self, setup: Prepared) -> None:
        self.setup = setup

    def facts(self, known: Gathered) -> RandomAccessFacts:
        return facts_of(known, self.setup)

    def advice(self, known: Gathered, facts: RandomAccessFacts) -> list[Advice]:
        told = [advice for one in known.outcomes.values() for advice in one.warnings]
        return [*told, *stability_advice(facts)]

    def kept(self, facts: RandomAccessFacts) -> str:
        planned = self.setup.plan.get("repetitions", 0)
        return f"{repetitions_of(facts)} of {planned} repetitions"

    def retry(self, _current: str | None) -> str:
        return "see: groma doctor, or try a smaller --table"


def measure_owners(folder: str | None, arguments: Sequence[str]) -> Record[OwnerFacts]:
    """Time lookups of owners on this machine, without MPI.

    Raises GromaError with exit code 2 for what the program refuses, 4 where it is missing or fails.
    """
    program = mpi_programs(RANDOM_ACCESS.program, folder=folder)[0]
    words = [program.path, "owner", *arguments]
    try:
        done = subprocess.run(words, capture_output=True, timeout=OWNER_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        what = f"{RANDOM_ACCESS.program} owner failed: {error}"
        raise GromaError(what, "build it again with: make setup", ExitCode.ENVIRONMENT) from error
    if done.returncode:
        raise refusal(RANDOM_ACCESS, done.returncode, done.stderr.decode(errors="replace").splitlines())
    samples = native.gather("owner", done.stdout.splitlines())
    return _record("randomaccess_owner", program, arguments, samples, owner_facts(samples))


def measure_errors(
    folder: str | None, arguments: Sequence[str], interruption: Interruption, job: Job = run_job
) -> Record[ErrorFacts]:
    """Run the strategies of updating a shared table, without MPI; after an interruption, what was measured.

    Raises GromaError with exit code 2 for what the program refuses, 4 where it is missing or fails, 130 where
    it was interrupted before any strategy had run.
    """
    program = mpi_programs(RANDOM_ACCESS.program, folder=folder)[0]
    lines: list[bytes] = []
    words = (program.path, "errors", *arguments)
    ended = job(Command(words=words), lines.append, interruption, ERRORS_PATIENCE)
    samples = native.gather("errors", lines)
    if ended.ending != "interrupted" and not samples.done:
        raise refusal(RANDOM_ACCESS, ended.returncode, ended.complaints)
    try:
        facts = error_facts(samples)
    except ValueError as error:
        raise GromaError(str(error), "let it run for longer", ExitCode.INTERRUPTED) from error
    record = _record("randomaccess_errors", program, arguments, samples, facts)
    record.warnings = crowding_advice(facts.threads, len(os.sched_getaffinity(0)))
    return record


def _record(
    kind: str, program: MpiProgram, arguments: Sequence[str], samples: ProbeSamples, facts: Facts
) -> Record[Facts]:
    return Record(
        kind=kind,
        created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        command=[Path(sys.argv[0]).name, *sys.argv[1:]],
        build=program.build,
        environment=msgspec.to_builtins(capture_environment()),
        parameters={"arguments": list(arguments), "affinity": sorted(os.sched_getaffinity(0))},
        samples={samples.probe: samples},
        facts=facts,
    )
