"""A survey's plan as a document: `groma survey --dry-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.counting import counted
from groma.report.document import Document, Section, Table, Text
from groma.report.progress import format_duration

if TYPE_CHECKING:
    from groma.survey.plan import Plan, Step


def plan_document(plan: Plan) -> Document:
    """Budgets are no limits: every probe completes its first round."""
    rows = [[step.probe, step.title, f"{step.budget:.1f} s", _given(step)] for step in plan.steps]
    table = Table(["probe", "measures", ">budget", "given"], rows)
    probes, budget = counted(len(plan.steps), "probe"), format_duration(plan.budget)
    total = Text([f"{probes} with a budget of {budget}; nothing was measured"])
    return Document([Section("plan", f"Plan of a {plan.depth} survey", [table, total])])


def _given(step: Step) -> str:
    return " ".join(f"{key}={value}" for key, value in step.parameters.items())
