"""groma history: show how quantities changed over time, machine by machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groma.cli.frame import Output, Verb, pass_output
from groma.errors import ExitCode, GromaError
from groma.record.data_folder import data_folder
from groma.record.reading import known

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.facts.history import HistoryFacts
    from groma.history.history import TrendFilter
    from groma.history.index import Index
    from groma.record import Record


@click.command(
    "history",
    cls=Verb,
    examples=[
        "groma history nightly/  # what changed in the records of a folder",
        "groma history --add hpcc.json  # keep a record, then show the history of all that were kept",
        "groma history nightly/ --quantity hpcc.stream.triad  # with a plot",
        "groma history nightly/ --machine 'node1*' -o history.html  # as a page",
    ],
)
@click.argument("places", nargs=-1, metavar="[PLACE]...", type=click.Path(path_type=Path))
@click.option("--quantity", "names", multiple=True, metavar="NAME", help="Only these quantities.")
@click.option("--machine", "machines", multiple=True, metavar="NAME", help="Only these machines.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only records of these kinds.")
@click.option(
    "--add", "added", multiple=True, metavar="FILE", type=click.Path(path_type=Path), help="Keep this record."
)
@click.option("--all", "every", is_flag=True, help="Show every trend, also those without a change.")
@click.option("--rebuild", is_flag=True, help="Make the index again from the files.")
@click.option("-o", "--output", "page", metavar="PAGE", type=click.Path(path_type=Path), help="Write a page.")
@pass_output
def command(
    output: Output,
    places: Sequence[Path],
    names: Sequence[str],
    machines: Sequence[str],
    kinds: Sequence[str],
    added: Sequence[Path],
    every: bool,
    rebuild: bool,
    page: Path | None,
) -> None:
    """Show the history of the records in PLACE..., files or folders; by default of those that were kept.

    An index in $XDG_DATA_HOME/groma avoids reading them again; it can be rebuilt from the files at any time.
    """
    from groma.history.history import TrendFilter, refuse_unknown_kinds  # noqa: PLC0415
    from groma.history.store import add_to_store  # noqa: PLC0415

    if kinds:
        refuse_unknown_kinds(kinds)
    for file in added:
        output.say(f"kept: {add_to_store(file, _store())}")
    chosen = list(places) or [_kept()]
    if page is not None:
        _refuse_records_as_page([*added, *chosen], page)
    facts = _history(output, chosen, TrendFilter(names, machines, kinds), rebuild=rebuild)
    _refuse_unreadable(places, facts)
    record = _record_of(facts)
    _show(output, record, every=every)
    if page is not None:
        _write_page(output, page, record)


def _refuse_unreadable(places: Sequence[Path], facts: HistoryFacts) -> None:
    """Raises GromaError (exit code 2) for files of which none can be read: in a folder others may follow."""
    if places and facts.records == 0 and facts.unread and not any(known(place.is_dir) for place in places):
        raise GromaError(facts.unread[0].why, "name a record that can be read, or a folder with records")


def _refuse_records_as_page(places: Sequence[Path], page: Path) -> None:
    from groma.history.index import files_in  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415

    refuse_clash([("-o", page)], [file for place in places for file in files_in(place)])


def _store() -> Path:
    """Raises GromaError (exit code 4) where no folder of the user is known."""
    folder = data_folder()
    if folder is None:
        what = "no folder for your records is known: HOME is not set to one"
        raise GromaError(what, "set XDG_DATA_HOME, or name a folder with records", ExitCode.ENVIRONMENT)
    return folder / "records"


def _kept() -> Path:
    if not known(_store().is_dir):
        raise GromaError(
            "no record was kept yet", "name a folder with records, or keep one: groma history --add hpcc.json"
        )
    return _store()


def _history(output: Output, places: Sequence[Path], choice: TrendFilter, *, rebuild: bool) -> HistoryFacts:
    """With an index in memory where that on disk cannot be used: then every file is read each time."""
    import sqlite3  # noqa: PLC0415

    from groma.history.index import Index  # noqa: PLC0415

    folder = data_folder()
    if folder is None:
        output.say("note: HOME is not set to a folder for the index; every file is read")
        return _facts(output, Index(None), places, choice)
    path = folder / "history.sqlite"
    try:
        return _facts(output, _index(path, rebuild=rebuild), places, choice)
    except sqlite3.OperationalError as error:  # locked, full or not writable
        output.say(f"note: the index {path} is not used ({error}); every file is read")
    except sqlite3.DatabaseError as error:
        output.say(
            f"note: the index {path} is damaged ({error}); every file is read: groma history --rebuild"
        )
    return _facts(output, Index(None), places, choice)


def files_read(say: Callable[[str], None]) -> Callable[[int, int], None]:
    """Says how many files are read, until all are."""

    def read(done: int, every: int) -> None:
        if done < every:
            say(f"{done:,} of {every:,} files read")

    return read


def _facts(output: Output, index: Index, places: Sequence[Path], choice: TrendFilter) -> HistoryFacts:
    from groma.cli.progress_lines import ProgressLines  # noqa: PLC0415
    from groma.history.history import history_of, unmatched  # noqa: PLC0415

    progress = ProgressLines(output.say, silent=3.0)
    try:
        facts = history_of(index, places, choice, on_read=files_read(progress))
        for line in unmatched(index, places, choice) if choice.is_given else []:
            output.say(line)
        return facts
    finally:
        index.close()


def _index(path: Path, *, rebuild: bool) -> Index:
    """Raises sqlite3.OperationalError where there can be none."""
    import sqlite3  # noqa: PLC0415

    from groma.history.index import Index, remove  # noqa: PLC0415

    try:
        if rebuild:
            remove(path)
        return Index(path)
    except OSError as error:
        raise sqlite3.OperationalError(str(error)) from error


def _record_of(facts: HistoryFacts) -> Record[HistoryFacts]:
    from groma.facts.history import KIND  # noqa: PLC0415
    from groma.run.provenance import analysis_record  # noqa: PLC0415

    return analysis_record(KIND, facts)


def _show(output: Output, record: Record[HistoryFacts], *, every: bool) -> None:
    from groma.report.terminal import document_of  # noqa: PLC0415

    output.show(record, lambda: document_of(record, _all_sections(record.facts) if every else []))


def _all_sections(facts: HistoryFacts) -> list[str]:
    """A section that is asked for and empty would say that nothing was measured."""
    if not facts.trends:
        return ["history"]
    return ["history", "all", "when" if any(one.changes for one in facts.trends) else "changes"]


def _write_page(output: Output, page: Path, record: Record[HistoryFacts]) -> None:
    from groma.report.page import render_page, write_page  # noqa: PLC0415
    from groma.report.words.history import places_words  # noqa: PLC0415

    write_page(page, render_page([(places_words(record.facts.places), record)]))
    output.say(f"page: {page}")
