"""Run it: what RandomAccess makes of a launch of groma-randomaccess, and of timing lookups of owners."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch import native
from groma.launch.job import run_job
from groma.launch.mpi_programs import mpi_programs
from groma.launch.prepare import refusal
from groma.launch.run import Run, new_record
from groma.randomaccess.infer import facts_of, owner_facts, planned_facts, repetitions_of, stability_advice
from groma.randomaccess.setup import RANDOM_ACCESS
from groma.record import Record
from groma.record.capture import capture_environment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.launch.gather import Gathered
    from groma.launch.prepare import Prepared
    from groma.launch.run import Job, Listener
    from groma.record import Advice
    from groma.record.randomaccess import OwnerFacts, RandomAccessFacts

OWNER_SECONDS = 120.0


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
    return Record(
        kind="randomaccess_owner",
        created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        command=[Path(sys.argv[0]).name, *sys.argv[1:]],
        build=program.build,
        environment=msgspec.to_builtins(capture_environment()),
        parameters={"arguments": list(arguments), "affinity": sorted(os.sched_getaffinity(0))},
        samples={"owner": samples},
        facts=owner_facts(samples),
    )
