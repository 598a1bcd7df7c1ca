"""Runs of the original suite as records, so that whatever shows and compares records takes them as well."""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

import msgspec

from groma.errors import GromaError
from groma.facts.hpcc import KIND, HpccFacts
from groma.hpccoutf.runs import HpccRun, read_hpccoutf
from groma.hpccoutf.values import ABSENT
from groma.record import Build, Record
from groma.record.environment import Environment
from groma.record.record import UNKNOWN_TIME


class Imported(NamedTuple):
    """A run with the record that is made of it; `place` names the file and the run in it."""

    run: HpccRun
    place: str
    record: Record[HpccFacts]


def imported_records(content: bytes, name: str) -> list[Record[HpccFacts]]:
    """Every run in an hpccoutf.txt, in its order; `name` is what messages call the file.

    Figures have one value and no samples. Nothing is known of the machine but its name. Raises GromaError
    (exit code 2) for text that speaks of the suite and holds no run of it.
    """
    return [one.record for one in imported_runs(content, name)]


def imported_runs(content: bytes, name: str) -> list[Imported]:
    """As `imported_records`, with the runs as they were read."""
    runs = read_hpccoutf(content.decode("utf-8", errors="replace"))
    if not runs:
        what = f"{name} mentions the HPC Challenge suite but contains no run"
        raise GromaError(what, "name an hpccoutf.txt that the suite wrote")
    return [_imported(run, name, number, len(runs)) for number, run in enumerate(runs, start=1)]


def _imported(run: HpccRun, name: str, number: int, of: int) -> Imported:
    place = name if of == 1 else f"{name}, run {number} of {of}"
    return Imported(run, place, _record(run, place))


def _record(run: HpccRun, place: str) -> Record[HpccFacts]:
    created = _moment(run.started or run.ended)
    program = run.program or "an unknown program"
    return Record(
        kind=KIND.name,
        created=created,
        command=[],
        build=Build(version=program),
        environment=_environment(run, created),
        parameters={},
        samples={},
        facts=HpccFacts(
            tests=[],
            success=run.success if run.complete else None,
            summary=_summary(run),
            origin=f"{place}, written by {program}",
        ),
        warnings=run.warnings,
    )


def _moment(seconds: int | None) -> str:
    return UNKNOWN_TIME if seconds is None else dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat()


def _environment(run: HpccRun, created: str) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(Environment(captured=created, host=run.host))
    return plain


def _summary(run: HpccRun) -> dict[str, str]:
    """As written, but for commas that stand for points."""
    return {
        key: value.text.replace(",", ".") if key in run.decimal_commas else value.text
        for key, value in run.values.items()
        if value.state != ABSENT and key not in {*run.conflicting, *run.of_failures}
    }
