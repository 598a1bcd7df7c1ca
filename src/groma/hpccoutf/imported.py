"""Runs of the original suite as records, so that whatever shows and compares records takes them as well."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec

from groma.errors import GromaError
from groma.facts.hpcc import KIND, HpccFacts
from groma.hpccoutf.runs import HpccRun, read_hpccoutf
from groma.hpccoutf.values import ABSENT
from groma.record import Build, Record
from groma.record.environment import Environment

UNKNOWN = "at an unknown time"


def imported_records(content: bytes, name: str) -> list[Record[HpccFacts]]:
    """Every run in an hpccoutf.txt, in its order; `name` is what messages call the file.

    Figures have one value and no samples. Nothing is known of the machine but its name. Raises GromaError
    (exit code 2) for text that speaks of the suite and holds no run of it.
    """
    runs = read_hpccoutf(content.decode("utf-8", errors="replace"))
    if not runs:
        what = f"{name} mentions the HPC Challenge suite but contains no run"
        raise GromaError(what, "name an hpccoutf.txt that the suite wrote")
    return [_record(run, name, number, len(runs)) for number, run in enumerate(runs, start=1)]


def _record(run: HpccRun, name: str, number: int, of: int) -> Record[HpccFacts]:
    created = _moment(run.started or run.ended)
    program = run.program or "an unknown program"
    place = name if of == 1 else f"{name}, run {number} of {of}"
    return Record(
        kind=KIND.name,
        created=created,
        command=[],
        build=Build(version=program),
        environment=_surroundings(run, created),
        parameters={},
        samples={},
        facts=HpccFacts(
            tests=[],
            success=run.success if run.complete else None,
            summary={key: value.text for key, value in run.values.items() if value.state != ABSENT},
            origin=f"{place}, written by {program}",
        ),
        warnings=run.warnings,
    )


def _moment(seconds: int | None) -> str:
    return UNKNOWN if seconds is None else dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat()


def _surroundings(run: HpccRun, created: str) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(Environment(captured=created, host=run.host))
    return plain
