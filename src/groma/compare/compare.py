"""A comparison of records of one kind: each against the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.compare.behind import RawSamples
from groma.compare.verdicts import Side, verdicts
from groma.errors import GromaError
from groma.facts.comparison import ComparedQuantity, ComparedRecord, ComparisonFacts, Thresholds
from groma.facts.named import named_quantities_of
from groma.facts.surroundings import command_again, differences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.facts.comparison import Changed
    from groma.record import Record
    from groma.record.naming import NamedQuantity

Named = tuple[str, str, "Record[Any]"]
"""What the reader calls a record, its file, and the record."""


def compare(records: Sequence[Named], limits: Thresholds | None = None) -> ComparisonFacts:
    """All quantities of the records, with the verdict on each record against the first.

    Raises GromaError (exit code 2) for records of different kinds.
    """
    limits = limits or Thresholds()
    kind = _one_kind(records)
    sides = [_side(record) for _, _, record in records]
    names = list(dict.fromkeys(name for side in sides for name in side.quantities))
    changes = [verdicts(sides[0], other, names, limits) for other in sides[1:]]
    return ComparisonFacts(
        of=kind,
        records=[_told(*one) for one in records],
        limits=limits,
        differences=differences([record for _, _, record in records]),
        quantities=[_quantity(name, sides, [one[name] for one in changes]) for name in names],
    )


def _one_kind(records: Sequence[Named]) -> str:
    _, file, first = records[0]
    for _, other, record in records[1:]:
        if record.kind != first.kind:
            raise GromaError(
                f"{file} is a record of kind {first.kind}, {other} of kind {record.kind}",
                "compare records of one kind; groma report shows different kinds side by side",
            )
    return first.kind


def _side(record: Record[Any]) -> Side:
    named: Mapping[str, NamedQuantity] = {one.name: one for one in named_quantities_of(record)}
    return Side(named, RawSamples.of_record(record))


def _told(name: str, file: str, record: Record[Any]) -> ComparedRecord:
    host = record.environment.get("host")
    return ComparedRecord(
        name=name,
        file=file,
        created=record.created,
        host=host if isinstance(host, str) else None,
        again=command_again(record),
        notes=list(notes_on(record)),
    )


def notes_on(record: Record[Any]) -> list[str]:
    """Why the values of a record may not count."""
    notes = [record.unfinished.what] if record.unfinished is not None else []
    if getattr(record.facts, "success", None) is False:
        notes.append("its validation failed: its rates are of wrong results")
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
