"""groma doctor: list what is built, what is missing, and what disturbs measurements now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from groma.cli.frame import Output, Verb, pass_output
from groma.errors import ExitCode
from groma.record.counting import counted

if TYPE_CHECKING:
    from groma.doctor import Finding, Severity
    from groma.report.document import Block, Document, Tone

_TONES: dict[Severity, Tone] = {"ok": "good", "info": "plain", "warn": "warn", "fail": "bad"}


@click.command(
    "doctor",
    cls=Verb,
    examples=[
        "groma doctor  # each problem with the command that fixes it",
        "groma doctor --json  # as JSON, for programs and defect reports",
    ],
)
@pass_output
def command(output: Output) -> ExitCode:
    """Check this installation and this machine; change nothing.

    The exit code is 4 if a required part is missing.
    """
    from groma.doctor import examine  # noqa: PLC0415

    findings = examine()
    output.show({"findings": findings}, lambda: _document(findings, everything=not output.quiet))
    is_missing = any(finding.severity == "fail" for finding in findings)
    return ExitCode.ENVIRONMENT if is_missing else ExitCode.OK


def _document(findings: list[Finding], *, everything: bool) -> Document:
    from groma.report.document import Document, Section, Text  # noqa: PLC0415

    shown = [finding for finding in findings if everything or finding.severity in {"warn", "fail"}]
    groups = dict.fromkeys(finding.group for finding in shown)
    sections = [
        Section(group, group, [_block(one) for one in shown if one.group == group]) for group in groups
    ]
    return Document([*sections, Section("verdict", "", [Text([_verdict(findings)])])])


def _block(finding: Finding) -> Block:
    from groma.report.document import Note  # noqa: PLC0415

    return Note(finding.what, finding.repair, finding.code, _TONES[finding.severity])


def _verdict(findings: list[Finding]) -> str:
    missing = sum(finding.severity == "fail" for finding in findings)
    disturbing = sum(finding.severity == "warn" for finding in findings)
    disturbances = counted(disturbing, "disturbance")
    if missing:
        return f"{missing} required but missing, {disturbances}: fix the lines marked x first"
    return f"{disturbances}: fix the lines marked ! first" if disturbing else "ready to measure"
