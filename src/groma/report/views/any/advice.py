"""What the reader must know before believing the figures: it stands above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.report.blocks import Callouts
from groma.report.views.registry import view

if TYPE_CHECKING:
    from groma.record import Record
    from groma.report.views.registry import Blocks


@view("verdict", order=3, of=object)
def advice(record: Record[Any]) -> Blocks:
    """Warnings, and the errors of probes that are not among them."""
    known = {one.what for one in record.warnings}
    errors = [one.error for one in record.samples.values() if one.error is not None]
    advised = [*record.warnings, *(error for error in errors if error.what not in known)]
    return [Callouts(advice=advised)] if advised else []
