"""What records of programs over ranks share on the terminal: checks, launch, samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.record.units import format_number, format_value
from groma.report.document import Pairs, StyledText
from groma.report.launches import placement_blocks, plan_blocks
from groma.report.terminal import table
from groma.report.words.launch import checked_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.record import ProbeSamples, Record
    from groma.record.launch import CheckResult, Launch
    from groma.report.document import Block, Cell
    from groma.report.terminal import Blocks, Sections


def checks_table(checks: Sequence[tuple[str, CheckResult]]) -> list[Block]:
    """Checks with the test that they belong to, failed ones first."""
    ordered = sorted(checks, key=lambda named: named[1].passed)
    rows = [
        [test, check.name, checked_words(check), format_number(check.limit), _passed(check)]
        for test, check in ordered
    ]
    return table(["test", "check", ">value", ">limit", ""], rows)


def _passed(check: CheckResult) -> Cell:
    return StyledText("passed", "good") if check.passed else StyledText("FAILED", "bad")


def add_launch(sections: Sections) -> None:
    """Where the ranks ran, what was planned, how they were started, and how many samples there are."""

    @sections.section("placement", "Placement", "facts", "launch", "placement", at_a_glance=False)
    def placement(record: Record[Any]) -> Blocks:
        return placement_blocks(record.facts.launch)

    @sections.section("plan", "Plan", "facts", "plan", at_a_glance=False)
    def plan(record: Record[Any]) -> Blocks:
        return plan_blocks(record.facts.plan)

    @sections.section("launch", "Launch", "facts", "launch", at_a_glance=False)
    def launch(record: Record[Any]) -> Blocks:
        return _launch_lines(record.facts.launch)

    @sections.section("samples", "Samples", "samples", at_a_glance=False)
    def samples(record: Record[Any]) -> Blocks:
        return _samples_table(record.samples)


def _launch_lines(launch: Launch | None) -> Blocks:
    return [Pairs([("launcher", launch.launcher), ("command", launch.command)])] if launch else []


def _samples_table(samples: Mapping[str, ProbeSamples]) -> list[Block]:
    rows = [_samples_row(name, one) for name, one in samples.items()]
    return table(["test", "ended", ">cases", ">samples", ">repetitions", ">time"], rows)


def _samples_row(name: str, one: ProbeSamples) -> list[Cell]:
    return [
        name,
        one.ended if one.done else StyledText(one.ended, "warn"),
        str(len(one.cases)),
        str(sum(map(len, one.values))),
        str(len(one.rounds)),
        format_value(sum(repetition.elapsed for repetition in one.rounds), "s"),
    ]
