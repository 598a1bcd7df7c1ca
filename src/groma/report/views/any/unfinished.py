"""A run that was cut short says so before anything else; the words are those of `groma show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.report.blocks import Banner
from groma.report.views.registry import comparison, view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record
    from groma.report.views.registry import Blocks, Named


@view("verdict", order=-1, of=object)
def unfinished(record: Record[Any]) -> Blocks:
    return _banner(record, "")


@comparison(order=-1, of=object)
def unfinished_records(records: Sequence[Named]) -> Blocks:
    return [banner for name, record in records for banner in _banner(record, f"{name}: ")]


def _banner(record: Record[Any], name: str) -> list[Banner]:
    state = record.unfinished
    if state is None:
        return []
    return [Banner(outcome="warn", title=name + state.what, lines=[*state.details, state.next])]
