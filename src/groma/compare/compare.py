"""A comparison of records of one kind: each against the first."""

from __future__ import annotations

from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

import msgspec

from groma.compare.raw_samples import RawSamples
from groma.compare.verdicts import Run, in_common_units, side_of, verdicts
from groma.errors import GromaError
from groma.facts.comparison import ComparedQuantity, ComparedRecord, ComparisonFacts, Thresholds
from groma.facts.identity import run_key
from groma.facts.named import named_quantities_of
from groma.facts.record_differences import command_again, differences
from groma.record.unfinished import command_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from groma.compare.verdicts import Side
    from groma.facts.comparison import Changed, Difference
    from groma.record import Record
    from groma.record.naming import NamedQuantity

Named = tuple[str, str, "Record[Any]"]
"""What the reader calls a record, its file, and the record."""


def compare(records: Sequence[Named], limits: Thresholds | None = None) -> ComparisonFacts:
    """All quantities of the records, with the verdict on each record against the first.

    Raises GromaError (exit code 2) for records of different kinds.
    """
    return compare_sides([[one] for one in records], limits)


def compare_sides(sides: Sequence[Sequence[Named]], limits: Thresholds | None = None) -> ComparisonFacts:
    """As `compare`, of sides with one or more runs each, which are pooled.

    Raises GromaError (exit code 2) as well where a run that is pooled is there twice.
    """
    limits = limits or Thresholds()
    records = [one for side in sides for one in side]
    kind = _one_kind(records)
    if len(sides) < len(records):
        _refuse_copies(records)
    runs = iter(in_common_units([_run(record) for _, _, record in records]))
    measured = [side_of(list(islice(runs, len(side)))) for side in sides]
    names = list(dict.fromkeys(name for side in measured for name in side.quantities))
    changes = [verdicts(measured[0], other, names, limits) for other in measured[1:]]
    return ComparisonFacts(
        of=kind,
        records=_records(sides),
        limits=limits,
        differences=_differences(sides),
        quantities=[_quantity(name, measured, [one[name] for one in changes]) for name in names],
    )


def nothing_to_compare(kind: str, files: Sequence[Path]) -> GromaError:
    """The refusal of records without quantities: success would say that nothing changed."""
    side_by_side = command_line("groma", "report", *map(str, files))
    return GromaError(
        f"these records of kind {kind} have no quantities to compare", f"side by side: {side_by_side}"
    )


def _refuse_copies(records: Sequence[Named]) -> None:
    """A run that is there twice would look like one that repeats perfectly."""
    seen: dict[str, str] = {}
    for name, file, record in records:
        key = run_key(record)
        if key in seen:
            raise GromaError(f"{name} ({file}) is the same run as {seen[key]}", "name each run once")
        seen[key] = name


def _differences(sides: Sequence[Sequence[Named]]) -> list[Difference]:
    """Also those within a side: all its values are shown."""
    found = differences([record for side in sides for _, _, record in side])
    ends = list(accumulate(map(len, sides)))
    return [
        msgspec.structs.replace(
            one,
            values=[
                " | ".join(dict.fromkeys(one.values[end - len(side) : end]))
                for end, side in zip(ends, sides, strict=True)
            ],
        )
        for one in found
    ]


def _one_kind(records: Sequence[Named]) -> str:
    _, file, first = records[0]
    for _, other, record in records[1:]:
        if record.kind != first.kind:
            raise GromaError(
                f"{file} is a record of kind {first.kind}, {other} of kind {record.kind}",
                "compare records of one kind; groma report shows different kinds side by side",
            )
    return first.kind


def _run(record: Record[Any]) -> Run:
    named: Mapping[str, NamedQuantity] = {one.name: one for one in named_quantities_of(record)}
    return Run(named, RawSamples.of_record(record))


def _records(sides: Sequence[Sequence[Named]]) -> list[ComparedRecord]:
    """Of each side. A record that is compared with itself says so: nothing can have changed."""
    first, *others = (_record_of_side(side) for side in sides)
    key = run_key(sides[0][0][2])
    for other, side in zip(others, sides[1:], strict=True):
        if run_key(side[0][2]) == key:
            other.notes.append("it is the same run as the first record")
    return [first, *others]


def _record_of_side(side: Sequence[Named]) -> ComparedRecord:
    """A single record as it is; pooled ones as the first with all of them in it."""
    runs = [_compared_record(*one) for one in side]
    if len(runs) == 1:
        return runs[0]
    hosts = dict.fromkeys(one.host for one in runs if one.host)
    return ComparedRecord(
        name=_pooled_name([one.name for one in runs]),
        file=runs[0].file,
        created=min(one.created for one in runs),
        host=" | ".join(hosts) or None,
        again=runs[0].again,
        runs=runs,
    )


def _pooled_name(names: Sequence[str]) -> str:
    """`night1 and night2`, `night1 to night9`."""
    return f"{names[0]} {'and' if len(names) == 2 else 'to'} {names[-1]}"


def _compared_record(name: str, file: str, record: Record[Any]) -> ComparedRecord:
    host = record.environment.get("host")
    return ComparedRecord(
        name=name,
        file=file,
        created=record.created,
        host=host if isinstance(host, str) else None,
        again=command_again(record),
        notes=list(notes_on(record)),
    )


WRONG_RESULTS = "its validation failed: its rates are of wrong results"
"""The note on a record of which no value counts."""


def notes_on(record: Record[Any]) -> list[str]:
    """Why the values of a record may not count."""
    notes = [record.unfinished.what] if record.unfinished is not None else []
    if getattr(record.facts, "success", None) is False:
        notes.append(WRONG_RESULTS)
    loud = [one.code for one in record.warnings if "unstable" in one.code or "disturb" in one.code]
    if loud:
        notes.append(f"it warns of unstable values ({', '.join(dict.fromkeys(loud))})")
    return notes


def _quantity(name: str, sides: Sequence[Side], others: list[Changed]) -> ComparedQuantity:
    known = next(side.quantities[name] for side in sides if name in side.quantities)
    first = sides[0].quantities.get(name)
    return ComparedQuantity(
        name=name,
        unit=known.quantity.unit,
        better=known.better,
        detail=known.detail,
        first=first and first.quantity,
        others=others,
    )
