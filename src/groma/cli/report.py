"""groma report: write one self-contained page from profiles and other records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.cli.frame import Output, Verb, pass_output, read_records, redact_option
from groma.errors import GromaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.facts.comparison import ComparisonFacts
    from groma.record import Record


@click.command(
    "report",
    cls=Verb,
    examples=[
        "groma report groma-profile.json  # writes groma-report.html",
        "groma report before.json after.json -o compare.html  # two surveys side by side",
        "groma report new.json --against old.json  # changes beside each value",
        "groma report hpcc.json hpccoutf.txt  # compare a run with runs of hpcc 1.5.0",
    ],
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("-o", "--output", "target", metavar="PAGE", help="Write the page to this file.")
@click.option(
    "--against",
    "old",
    metavar="OLD",
    type=click.Path(path_type=Path),
    help="Show changes from the records in this file in place.",
)
@redact_option
@pass_output
def command(
    output: Output, files: Sequence[Path], target: str | None, old: Path | None, *, redact: bool
) -> None:
    """Write a page from the records in FILE...; it opens offline in any browser."""
    from groma.record.counting import counted  # noqa: PLC0415
    from groma.report.document import Text, one_section  # noqa: PLC0415
    from groma.report.page import render_page, write_page  # noqa: PLC0415

    path = Path(output.settings(report__output=target).report.output)
    refuse_input_as_output([*files, *([old] if old else [])], path)
    placed = placed_records(files, read_records(files, redact=redact))
    records = [(name, record) for name, _, record in placed]
    if old is None:
        html = render_page(records)
    else:
        html = render_page(records, against=_changes(old, placed, redact=redact))
    write_page(path, html)
    size = len(html.encode())
    model = {"page": str(path), "bytes": size, "records": [name for name, _ in records]}
    said = f"page: {path} ({size / 1e3:.0f} kB, {counted(len(records), 'record')})"
    output.show(model, lambda: one_section(Text([said])))


def _changes(
    old: Path, records: Sequence[tuple[str, str, Record[Any]]], *, redact: bool
) -> dict[str, Record[ComparisonFacts]]:
    """The comparison of each record with the last one of its kind in `old`."""
    from groma.compare.compare import compare  # noqa: PLC0415
    from groma.facts.comparison import KIND  # noqa: PLC0415
    from groma.record.redact import redacted_findings  # noqa: PLC0415
    from groma.run.provenance import analysis_record  # noqa: PLC0415

    (runs,) = read_records([old], redact=redact)
    by_kind = {one.kind: one for one in runs}
    found = {
        name: analysis_record(
            KIND, compare([(old.stem, str(old), by_kind[record.kind]), (name, place, record)])
        )
        for name, place, record in records
        if record.kind in by_kind
    }
    if not found:
        raise GromaError(
            f"{old} has no record of the kind of {records[0][0]}", "name an older record of the same kind"
        )
    return {name: redacted_findings(one) for name, one in found.items()} if redact else found


def refuse_input_as_output(files: Sequence[Path], page: Path) -> None:
    from groma.record.writing import is_same_place  # noqa: PLC0415

    if any(is_same_place(page, file) for file in files):
        raise GromaError(f"the page would overwrite the record in {page}", "name another file with -o")


def named_records(
    files: Sequence[Path], runs_of: Sequence[Sequence[Record[Any]]]
) -> Iterator[tuple[str, Record[Any]]]:
    """Every record with the name of its file, and its number where a file holds several."""
    for name, runs in zip(distinct_names(files), runs_of, strict=True):
        for number, record in enumerate(runs, start=1):
            yield name if len(runs) == 1 else f"{name} ({number})", record


def placed_records(
    files: Sequence[Path], runs_of: Sequence[Sequence[Record[Any]]]
) -> list[tuple[str, str, Record[Any]]]:
    """As `named_records`, with the file of each."""
    places = [str(file) for file, runs in zip(files, runs_of, strict=True) for _ in runs]
    named = named_records(files, runs_of)
    return [(name, place, record) for (name, record), place in zip(named, places, strict=True)]


def distinct_names(files: Sequence[Path]) -> list[str]:
    """What the page calls each file: its stem, with as much of its folder as tells it from the others."""
    parts = [(*file.parts[:-1], file.stem) for file in files]
    depth = 1
    while len({one[-depth:] for one in parts}) < len(set(parts)):
        depth += 1
    return ["/".join(one[-depth:]) for one in parts]
