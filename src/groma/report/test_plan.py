"""What a dry run says of the time that a survey takes."""

from __future__ import annotations

from groma.report.plan import plan_document
from groma.report.renderers import plain
from groma.survey.plan import Plan, Step


def test_a_budget_is_not_called_a_limit() -> None:
    """With a small one the first rounds take longer."""
    step = Step(probe="clock", title="Timers", parameters={}, budget=0.4)
    shown = plain(plan_document(Plan(depth="quick", steps=(step,))))
    assert "1 probe with a budget of" in shown
    assert "at most" not in shown
