"""groma balance: analyse the balance of systems from records and outputs of hpcc."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.cli.frame import Output, Verb, pass_output, redact_option
from groma.errors import ExitCode, GromaError
from groma.record.counting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.balance.sources import FoundSystems, NamedFile, ReadOptions
    from groma.facts.balance import BalanceFacts
    from groma.record import Record

_MOST_REMARKS = 20


@click.command(
    "balance",
    cls=Verb,
    examples=[
        "groma balance hpccoutf.txt  # one run among the systems of the paper",
        "groma balance runs/*.txt hpcc.json -o balance.html  # the whole analysis as a page",
        "groma balance runs/*.txt --reference none --json  # your runs alone, as a record",
        "groma balance --reference paper  # the systems of the paper",
        "groma balance hpccoutf.txt --reference old.json --at 0.5  # against your own run",
    ],
)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", "target", metavar="PAGE", type=click.Path(path_type=Path), help="Write a page."
)
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="none|paper|awards|FILE",
    help="Systems to stand beside yours; may be repeated.  [default: paper]",
)
@click.option(
    "--at",
    "speed",
    type=click.FloatRange(min=0, min_open=True),
    default=3.0,
    show_default=True,
    metavar="TFLOPS",
    help="Read the curves of platforms at this speed of HPL (Tflop/s).",
)
@click.option(
    "--ranks-per-node",
    type=click.IntRange(min=1),
    metavar="COUNT",
    help="For runs that do not record it, such as those of hpcc.",
)
@redact_option
@pass_output
def command(
    output: Output,
    files: Sequence[Path],
    target: Path | None,
    references: Sequence[str],
    speed: float,
    ranks_per_node: int | None,
    *,
    redact: bool,
) -> int:
    """Compare systems by the ratio of each test to HPL.

    A FILE is a record of groma hpcc, an output of hpcc 1.x with one or more runs, or a record of groma
    balance. Faults in a file are reported as warnings, and the rest of the file is used. The exit code is 2
    if a FILE has no run at all.
    """
    from groma.balance.sources import ReadOptions  # noqa: PLC0415
    from groma.record.redact import redacted_findings, redacted_path  # noqa: PLC0415

    _refuse(files, target, references, speed)
    hosts = _hosts([*files, *map(Path, references)]) if redact else frozenset()
    options = ReadOptions(ranks_per_node=ranks_per_node, redact=redact, hosts=hosts)
    found = _found(files, references, options)
    shown = [redacted_path(one, hosts) if redact else one for one in references or ["paper"]]
    record = _record(found, speed, {"reference": shown, "at_tflops": speed})
    if redact:
        record = redacted_findings(record, hosts)
    if target is not None:
        _write_page(output, target, record)
    _show(output, record)
    return _outcome(output, found, len(files))


def _refuse(files: Sequence[Path], target: Path | None, references: Sequence[str], speed: float) -> None:
    from groma.record.clash import refuse_clash  # noqa: PLC0415

    if not files and set(references) <= {"none"}:
        raise click.UsageError("Missing argument 'FILE...'.", click.get_current_context())
    if not math.isfinite(speed):
        raise click.UsageError(f"--at {speed:g} is no speed", click.get_current_context())
    if "none" in references and len(references) > 1:
        raise click.UsageError("--reference none stands alone", click.get_current_context())
    refuse_clash([("-o", target)], [*files, *map(Path, references)])


def _hosts(files: Sequence[Path]) -> frozenset[str]:
    """The hosts that the runs in these files name, as far as the files can be read."""
    from contextlib import suppress  # noqa: PLC0415

    from groma.facts.opening import records_in  # noqa: PLC0415
    from groma.record.redact import hosts_named_in  # noqa: PLC0415

    hosts: set[str] = set()
    for path in files:
        with suppress(GromaError):
            hosts.update(host for record in records_in(path) for host in hosts_named_in(record))
    return frozenset(hosts)


def _found(files: Sequence[Path], references: Sequence[str], options: ReadOptions) -> FoundSystems:
    from groma.balance.sources import joined, read_systems, reference_systems  # noqa: PLC0415

    own = read_systems(_named(files, options), options)
    if files and not own.systems:
        raise _nothing(own)
    others = [
        reference_systems(name, _named([Path(name)], options), options)
        for name in dict.fromkeys(references) or ["paper"]
        if name != "none"
    ]
    return joined(own, others)


def _named(files: Sequence[Path], options: ReadOptions) -> list[NamedFile]:
    from groma.balance.sources import NamedFile  # noqa: PLC0415
    from groma.cli.report import file_names  # noqa: PLC0415
    from groma.record.redact import redacted_path  # noqa: PLC0415

    shown = [redacted_path(str(file), options.hosts) if options.redact else str(file) for file in files]
    names = file_names([Path(one) for one in shown], redact=options.redact)
    return [NamedFile(*one) for one in zip(names, files, shown, strict=True)]


def _nothing(found: FoundSystems) -> GromaError:
    from groma.balance.record import located  # noqa: PLC0415

    shown = [located(one) for one in found.warnings]
    if len(shown) == 1:
        return GromaError(shown[0], found.warnings[0].next)
    more = [f"and {len(shown) - _MOST_REMARKS} more"] if len(shown) > _MOST_REMARKS else []
    files = len(found.unused)
    whole = f"none of the {files} files has a run" if files > 1 else "the file has no run"
    return GromaError(
        f"{whole} of the HPC Challenge suite",
        "name an hpccoutf.txt or a record of groma hpcc",
        remarks=(*shown[:_MOST_REMARKS], *more),
    )


def _record(found: FoundSystems, speed: float, parameters: dict[str, Any]) -> Record[BalanceFacts]:
    from groma import __version__  # noqa: PLC0415
    from groma.balance.infer import facts_of  # noqa: PLC0415
    from groma.balance.record import record_of  # noqa: PLC0415

    words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]  # noqa: PTH119 - a name, not a path
    return record_of(facts_of(found.systems, found.warnings, speed * 1e12), words, __version__, parameters)


def _write_page(output: Output, target: Path, record: Record[BalanceFacts]) -> None:
    from groma.report.page import render_page, write_page  # noqa: PLC0415

    html = render_page([(counted(len(record.facts.systems), "system"), record)])
    write_page(target, html)
    output.say(f"page: {target} ({len(html.encode()) / 1e3:.0f} kB)")


def _show(output: Output, record: Record[BalanceFacts]) -> None:
    from groma.report.terminal import document_of  # noqa: PLC0415

    output.show(record, lambda: document_of(record))


def _outcome(output: Output, found: FoundSystems, files: int) -> int:
    if not found.unused:
        return ExitCode.OK
    output.say(f"groma: {len(found.unused)} of {counted(files, 'file')} gave no system; the warnings say why")
    return ExitCode.USAGE
