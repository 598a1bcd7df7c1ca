"""groma report: write one self-contained page from profiles and other records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.cli.frame import Output, Verb, pass_output, read_records, redact_option
from groma.errors import GromaError

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    older = [old] if old else []
    refuse_input_as_output([*files, *older], path)
    names = file_names([*older, *files], redact=redact)
    placed = _placed(names[len(older) :], files, read_records(files, redact=redact))
    records = [(name, record) for name, _, record in placed]
    if old is None:
        html = render_page(records)
    else:
        html = render_page(records, against=_changes((names[0], old), placed, redact=redact))
    write_page(path, html)
    size = len(html.encode())
    model = {"page": str(path), "bytes": size, "records": [name for name, _ in records]}
    said = f"page: {path} ({size / 1e3:.0f} kB, {counted(len(records), 'record')})"
    output.show(model, lambda: one_section(Text([said])))


def _changes(
    named: tuple[str, Path], records: Sequence[tuple[str, str, Record[Any]]], *, redact: bool
) -> dict[str, Record[ComparisonFacts]]:
    """The comparison of each record with the last one of its kind in a named file."""
    from groma.compare.compare import compare  # noqa: PLC0415
    from groma.facts.comparison import KIND  # noqa: PLC0415
    from groma.record.redact import redacted_findings  # noqa: PLC0415
    from groma.run.provenance import analysis_record  # noqa: PLC0415

    old_name, old = named
    (runs,) = read_records([old], redact=redact)
    by_kind = {one.kind: one for one in runs}
    found = {
        name: analysis_record(
            KIND, compare([(old_name, str(old), by_kind[record.kind]), (name, place, record)])
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


Placed = tuple[str, str, "Record[Any]"]
"""A record with its name and its file."""


def placed_records(
    files: Sequence[Path], runs_of: Sequence[Sequence[Record[Any]]], *, redact: bool = False
) -> list[Placed]:
    """Every record with the name of its file, its number where a file holds several, and its file."""
    return _placed(file_names(files, redact=redact), files, runs_of)


def _placed(
    names: Sequence[str], files: Sequence[Path], runs_of: Sequence[Sequence[Record[Any]]]
) -> list[Placed]:
    return [
        (name if len(runs) == 1 else f"{name} ({number})", str(file), record)
        for name, file, runs in zip(names, files, runs_of, strict=True)
        for number, record in enumerate(runs, start=1)
    ]


def file_names(files: Sequence[Path], *, redact: bool = False) -> list[str]:
    """What the page calls each file. A folder may bear the name of a user: without it, same names are
    numbered.
    """
    if not redact:
        return distinct_names(files)
    stems = [file.stem for file in files]
    return [
        stem if stems.count(stem) == 1 else f"{stem} {stems[: at + 1].count(stem)}"
        for at, stem in enumerate(stems)
    ]


def distinct_names(files: Sequence[Path]) -> list[str]:
    """What the page calls each file: its stem, with as much of its folder as tells it from the others, and
    its suffix where only that does.
    """
    stems = Counter((file.parent, file.stem) for file in set(files))
    names = [file.stem if stems[file.parent, file.stem] == 1 else file.name for file in files]
    parts = [(*file.parts[:-1], name) for file, name in zip(files, names, strict=True)]
    depth = 1
    while len({one[-depth:] for one in parts}) < len(set(parts)):
        depth += 1
    return ["/".join(one[-depth:]) for one in parts]
