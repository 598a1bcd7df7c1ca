"""groma report: write one self-contained page from profiles and other records."""

from __future__ import annotations

from collections import Counter
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from groma.cli.frame import Output, ReadFile, Verb, pass_output, read_files, redact_option
from groma.errors import GromaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.comparison import ComparisonFacts
    from groma.record import Record


@click.command(
    "report",
    cls=Verb,
    examples=[
        "groma report  # writes groma-report.html from the groma-profile.json of this folder",
        "groma report before.json after.json -o compare.html  # two surveys side by side",
        "groma report new.json --against old.json  # changes beside each value",
        "groma report hpcc.json hpccoutf.txt  # compare a run with runs of hpcc 1.5.0",
    ],
)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
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
    """Write a page from the records in FILE...; it opens offline in any browser.

    Without FILE, it is a page of groma-profile.json of this folder.
    """
    from groma.cli.usual_profile import usual_profile  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415
    from groma.record.counting import counted  # noqa: PLC0415
    from groma.report.document import Text, one_section  # noqa: PLC0415
    from groma.report.page import render_page, write_page  # noqa: PLC0415

    path = Path(output.settings(report__output=target).report.output)
    files = files or [usual_profile(output)]
    older = [old] if old else []
    refuse_clash([("-o", path)], [*files, *older])
    read = named_files([*older, *files], redact=redact)
    placed = placed_records(read[len(older) :])
    records = [(name, record) for name, _, record in placed]
    if old is None:
        html = render_page(records)
    else:
        html = render_page(records, against=_changes(read[0], placed, redact=redact))
    write_page(path, html)
    size = len(html.encode())
    model = {"page": str(path), "bytes": size, "records": [name for name, _ in records]}
    said = f"page: {path} ({size / 1e3:.0f} kB, {counted(len(records), 'record')})"
    output.show(model, lambda: one_section(Text([said])))


def _changes(
    old: NamedFile, records: Sequence[Placed], *, redact: bool
) -> dict[str, Record[ComparisonFacts]]:
    """The comparison of each record with the last one of its kind in an older file."""
    from groma.compare.compare import compare  # noqa: PLC0415
    from groma.facts.comparison import KIND  # noqa: PLC0415
    from groma.record.redact import redacted_findings  # noqa: PLC0415
    from groma.run.provenance import analysis_record  # noqa: PLC0415

    by_kind = {one.kind: one for one in old.file.records}
    found = {
        name: analysis_record(
            KIND, compare([(old.name, old.file.place, by_kind[record.kind]), (name, place, record)])
        )
        for name, place, record in records
        if record.kind in by_kind
    }
    if not found:
        raise GromaError(
            f"{old.file.path} has no record of the kind of {records[0][0]}",
            "name an older record of the same kind",
        )
    return {name: redacted_findings(one, old.file.hosts) for name, one in found.items()} if redact else found


Placed = tuple[str, str, "Record[Any]"]
"""A record with its name and its file."""


class NamedFile(NamedTuple):
    """A file that was read, and what the page calls it."""

    name: str
    file: ReadFile


def named_files(paths: Sequence[Path], *, redact: bool = False) -> list[NamedFile]:
    """The records of each file, which is named without folders, hosts and users where that is asked for.

    Raises what `read_record` raises.
    """
    files = read_files(paths, redact=redact)
    names = file_names([Path(one.place) for one in files], redact=redact)
    return [NamedFile(name, one) for name, one in zip(names, files, strict=True)]


def placed_records(files: Sequence[NamedFile]) -> list[Placed]:
    """Every record with the name of its file, its number where a file holds several, and its file."""
    return [
        (name if len(file.records) == 1 else f"{name} ({number})", file.place, record)
        for name, file in files
        for number, record in enumerate(file.records, start=1)
    ]


def file_names(files: Sequence[Path], *, redact: bool = False) -> list[str]:
    """What the page calls each file. A folder may bear the name of a user: without it, same names are
    numbered.
    """
    return _numbered([file.stem for file in files]) if redact else distinct_names(files)


def _numbered(stems: Sequence[str]) -> list[str]:
    """Same ones with numbers, of which none makes the name of another."""
    times = Counter(stems)
    taken = set(times)
    names = []
    for stem in stems:
        numbers = (f"{stem} {number}" for number in count(1))
        name = stem if times[stem] == 1 else next(one for one in numbers if one not in taken)
        taken.add(name)
        names.append(name)
    return names


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
