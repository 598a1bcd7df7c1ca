"""Every validation of a run, failed ones first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.record.units import format_number
from groma.report.blocks import DataTable, table_figure
from groma.report.views.registry import view
from groma.report.views.run.model import run_of
from groma.report.words.launch import checked_words

if TYPE_CHECKING:
    from groma.record import Record
    from groma.record.launch import CheckResult
    from groma.report.blocks import Cell
    from groma.report.views.registry import Blocks


@view("results", order=2, of=object)
def checks(record: Record[Any]) -> Blocks:
    run = run_of(record)
    found = run.checks if run else []
    ordered = sorted(found, key=lambda named: named[1].passed)
    return table_figure(
        "checks",
        "Checks",
        "A check passes if its value is at most its limit. A failed check invalidates the "
        "figures of its test.",
        DataTable(
            columns=["test", "check", "value", "limit", "outcome"], rows=[_row(*named) for named in ordered]
        ),
    )


def _row(test: str, check: CheckResult) -> list[Cell]:
    outcome = "✓ passed" if check.passed else "✗ FAILED"
    return [test, check.name, checked_words(check), format_number(check.limit), outcome]
