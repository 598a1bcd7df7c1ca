"""Runs of the original suite as records, so that whatever shows and compares records takes them as well."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec

from groma.errors import GromaError
from groma.hpcc.hpccoutf import HpccRun, read_hpccoutf
from groma.hpcc.hpccoutf_values import ABSENT
from groma.record import Build, Record
from groma.record.environment import Environment
from groma.record.hpcc import HpccFacts

_MARKS = (b"HPC Challenge Benchmark", b"Begin of Summary section.")

UNKNOWN = "at an unknown time"


def is_hpccoutf(content: bytes) -> bool:
    """Whether a file is an output of the suite, of whatever program and with whatever around it."""
    return not content.lstrip().startswith(b"{") and any(mark in content for mark in _MARKS)


def imported_records(content: bytes, name: str) -> list[Record[HpccFacts]]:
    """Every run in an hpccoutf.txt, in its order; `name` is what messages call the file.

    Figures have one value and no samples. Nothing is known of the machine but its name. Raises GromaError
    (exit code 2) for text that speaks of the suite and holds no run of it.
    """
    runs = read_hpccoutf(content.decode("utf-8", errors="replace"))
    if not runs:
        what = f"{name} speaks of the HPC Challenge suite, but holds no run of it"
        raise GromaError(what, "give the hpccoutf.txt that the suite wrote")
    return [_record(run, name, number, len(runs)) for number, run in enumerate(runs, start=1)]


def _record(run: HpccRun, name: str, number: int, of: int) -> Record[HpccFacts]:
    created = _moment(run.started or run.ended)
    program = f"hpcc {run.version}" if run.version else "a program that does not name itself"
    place = name if of == 1 else f"{name}, run {number} of {of}"
    return Record(
        kind="hpcc",
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
