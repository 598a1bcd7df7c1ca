"""All quantities of a record by their stable names."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from groma.facts.kinds import kind_named
from groma.record.naming import NamedQuantity, better_by_unit, name_of, named_quantities

if TYPE_CHECKING:
    from groma.record import Record


def named_quantities_of(record: Record[Any]) -> list[NamedQuantity]:
    """Those of its facts, and those that its kind finds elsewhere, such as in a summary."""
    found = named_quantities(record.kind, record.facts)
    known = {one.name for one in found}
    kind = kind_named(record.kind)
    more = resolve_name(kind.more_quantities)(record.facts) if kind and kind.more_quantities else []
    for words, quantity in more:
        name = name_of((record.kind, *words))
        if name not in known:
            found.append(NamedQuantity(name, quantity, better_by_unit(quantity.unit)))
    return found
