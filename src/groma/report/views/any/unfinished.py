"""A run that was cut short says so before anything else; the words are those of `groma show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.report.blocks import Stamp
from groma.report.views.registry import comparison, view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record
    from groma.report.views.registry import Blocks, Named


@view("verdict", order=-1, of=object)
def unfinished(record: Record[Any]) -> Blocks:
    return _stamp(record, "")


@comparison(order=-1, of=object)
def unfinished_records(records: Sequence[Named]) -> Blocks:
    return [stamp for name, record in records for stamp in _stamp(record, f"{name}: ")]


def _stamp(record: Record[Any], name: str) -> list[Stamp]:
    state = record.unfinished
    if state is None:
        return []
    return [Stamp(outcome="warn", title=name + state.what, lines=[*state.details, state.next])]
