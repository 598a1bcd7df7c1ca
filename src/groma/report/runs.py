"""What records of programs over ranks share on the terminal: checks, launch, samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_value
from groma.report.document import Pairs, Toned
from groma.report.terminal import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.record import ProbeSamples
    from groma.record.launch import CheckResult, Launch
    from groma.report.document import Block, Cell
    from groma.report.terminal import Blocks


def checks_table(checks: Sequence[tuple[str, CheckResult]]) -> list[Block]:
    """Checks with the test that they belong to, failed ones first."""
    ordered = sorted(checks, key=lambda named: named[1].passed)
    rows = [[test, check.name, _value(check), f"{check.limit:g}", _passed(check)] for test, check in ordered]
    return table(["test", "check", ">value", ">limit", ""], rows)


def _value(check: CheckResult) -> str:
    return "not a number" if check.value is None else f"{check.value:.4g}"


def _passed(check: CheckResult) -> Cell:
    return Toned("passed", "good") if check.passed else Toned("FAILED", "bad")


def launch_line(launch: Launch | None) -> Blocks:
    return [Pairs([("launcher", launch.launcher), ("command", launch.command)])] if launch else []


def samples_table(samples: Mapping[str, ProbeSamples]) -> list[Block]:
    rows = [_samples_row(name, one) for name, one in samples.items()]
    return table(["test", "ended", ">cases", ">samples", ">repetitions", ">time"], rows)


def _samples_row(name: str, one: ProbeSamples) -> list[Cell]:
    return [
        name,
        one.ended if one.done else Toned(one.ended, "warn"),
        str(len(one.cases)),
        str(sum(map(len, one.values))),
        str(len(one.rounds)),
        format_value(sum(repetition.elapsed for repetition in one.rounds), "s"),
    ]
