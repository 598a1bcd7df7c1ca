"""What programs over ranks have in common in their records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from groma.facts.hpcc import HpccFacts
from groma.facts.randomaccess import RandomAccessFacts
from groma.record.counting import counted
from groma.report.words.randomaccess import access_entries
from groma.report.words.suite import in_suite_order, name_of_test, suite_entries

if TYPE_CHECKING:
    from groma.record import Record
    from groma.record.launch import CheckResult, Launch, Plan


class Run(NamedTuple):
    """`entries` tell sizes and launch, `about` what the sizes follow from; each check has its test."""

    launch: Launch | None
    plan: Plan
    entries: list[tuple[str, str]]
    about: str
    checks: list[tuple[str, CheckResult]]


def run_of(record: Record[Any]) -> Run | None:
    """None of records of other kinds."""
    if isinstance(record.facts, HpccFacts):
        return _suite_run(record)
    return _access_run(record) if isinstance(record.facts, RandomAccessFacts) else None


def _suite_run(record: Record[HpccFacts]) -> Run:
    facts = record.facts
    tests = in_suite_order(facts.tests, lambda test: test.name)
    checks = [(name_of_test(test.name), check) for test in tests for check in test.checks]
    about = "Sizes follow from the HPL matrix as the suite defines them."
    return Run(facts.launch, facts.plan, suite_entries(record), about, checks)


def _access_run(record: Record[RandomAccessFacts]) -> Run:
    facts = record.facts
    checks = [("RandomAccess", check) for check in facts.checks]
    about = "One table over all ranks. Each update is a xor of a random word."
    return Run(facts.launch, facts.plan, access_entries(record), about, checks)


def warning_line(record: Record[Any]) -> list[str]:
    """That there are warnings, where there are."""
    if not record.warnings:
        return []
    return [f"{counted(len(record.warnings), 'warning')} below. Read them before you use the figures."]
