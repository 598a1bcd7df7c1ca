"""Go on with a partial record: only where it was begun, in the same state, with the same build."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.errors import GromaError
from groma.facts.reading import read_record
from groma.host.machine import Difference, Place, differences, in_words, names_a_machine
from groma.record.partial_file import partial_path
from groma.record.reading import is_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.facts.kinds import Kind
    from groma.record import Record
    from groma.run.provenance import Provenance

    PlaceOf = Callable[[Record[Any]], Place]


def resumed(output: Path, kind: Kind[Any], place_of: PlaceOf, provenance: Provenance) -> Record[Any]:
    """The partial record of that kind beside `output`; `place_of` tells where a record was measured.

    Raises GromaError (exit code 2) where there is none, where it is of another kind, and where it was
    measured on another machine or under other conditions.
    """
    path = partial_path(output)
    if is_missing(path):
        raise GromaError(f"nothing to resume: {path} does not exist", "omit --resume to start again")
    record = read_record(path)
    if record.kind != kind.name:
        raise GromaError(
            f"{path} is a record of kind {record.kind}, not of a {kind.title}",
            "omit --resume to start again, or name the profile with -o",
        )
    _refuse_another_machine(path, record, place_of, provenance)
    return record


def _refuse_another_machine(
    path: Path, record: Record[Any], place_of: PlaceOf, provenance: Provenance
) -> None:
    if not names_a_machine(record.environment):
        raise GromaError(
            f"{path} does not record the machine on which it was measured", "start again without --resume"
        )
    found = differences(place_of(record), provenance.place)
    if found:
        hint = _hint(found, provenance)
        raise GromaError(
            f"{path} was measured on another machine or under other conditions: {in_words(found)}",
            f"resume on the machine where it began, or start again without --resume{hint}",
        )


def _hint(found: Sequence[Difference], provenance: Provenance) -> str:
    virtual = provenance.environment.get("virtualisation") or {}
    if [one.name for one in found] != ["host"] or not virtual.get("container"):
        return ""
    return "; a restarted container needs its previous host name (--hostname)"


def unlike_here(record: Record[Any], place_of: PlaceOf, here: Place) -> str:
    """In what the place of a record differs from `here`, "" where it is the same."""
    if not names_a_machine(record.environment):
        return "the machine is not recorded"
    return in_words(differences(place_of(record), here))
