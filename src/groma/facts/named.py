"""All quantities of a record by their stable names."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from groma.facts.kinds import kind_named
from groma.record.naming import NamedQuantity, better_by_unit, name_of, named_quantities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.record import Record
    from groma.record.naming import Better


def named_quantities_of(record: Record[Any]) -> list[NamedQuantity]:
    """Those of its facts, and those that its kind names otherwise or finds elsewhere, such as in a summary.

    A quantity that its kind gives a better name is a detail under the other one: HPL is `hpcc.hpl.mpi` every
    night, whatever the order of the matrix, which follows from the free memory.
    """
    found = named_quantities(record.kind, record.facts)
    known = {one.name for one in found}
    more = [one for one in _more(record) if one.name not in known]
    renamed = {id(one.quantity) for one in more}
    return [*(one._replace(detail=one.detail or id(one.quantity) in renamed) for one in found), *more]


def _more(record: Record[Any]) -> list[NamedQuantity]:
    kind = kind_named(record.kind)
    if kind is None or kind.more_quantities is None:
        return []
    better: Mapping[str, Better] = getattr(kind.facts, "BETTER", {})
    details: Sequence[str] = getattr(kind.facts, "DETAILS", ())
    return [
        NamedQuantity(
            name_of((record.kind, *words)),
            quantity,
            better.get(words[-1]) or better_by_unit(quantity.unit),
            detail=words[0] in details,
        )
        for words, quantity in resolve_name(kind.more_quantities)(record.facts)
    ]
