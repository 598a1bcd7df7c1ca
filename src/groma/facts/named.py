"""All quantities of a record by their stable names."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from groma.facts.kinds import kind_named
from groma.record.naming import NamedQuantity, better_by_unit, name_of, named_quantities

if TYPE_CHECKING:
    from groma.record import Record


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
    return [
        NamedQuantity(name_of((record.kind, *words)), quantity, better_by_unit(quantity.unit))
        for words, quantity in resolve_name(kind.more_quantities)(record.facts)
    ]
