"""An index of records on disk: SQLite, made from the files and made again whenever it is lost or old.

The files are the truth. The index only saves reading them again: a file that has not changed is not read.
"""

from __future__ import annotations

import contextlib
import sqlite3
import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.errors import GromaError
from groma.facts.identity import run_key
from groma.facts.named import named_quantities_of
from groma.facts.opening import records_in, records_of
from groma.history.machines import machine_of, shape_of
from groma.history.store import is_kept_text
from groma.record import Quantity
from groma.record.counting import counted
from groma.record.io import read_bytes
from groma.record.moments import moment_of
from groma.record.reading import is_missing, known
from groma.record.unfinished import is_partial
from groma.record.units import is_determined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from groma.record import Record
    from groma.record.naming import Better

VERSION = 6
"""Of the tables and of what they take up. An index of another version is made again."""

_WAIT = 30.0
"""Seconds to wait for another groma that writes the index."""

READ_AT_ONCE = 64
"""Files whose records are in memory at a time: a record of many ranks takes some MiB."""

DERIVED_KINDS = ("comparison", "history")
"""Kinds that were made from others."""

_TABLES = """
CREATE TABLE files (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, problem TEXT NOT NULL);
CREATE TABLE records (
    path TEXT NOT NULL REFERENCES files ON DELETE CASCADE, number INTEGER NOT NULL, run TEXT NOT NULL,
    kind TEXT NOT NULL, created TEXT NOT NULL, moment TEXT NOT NULL,
    machine TEXT NOT NULL, shape TEXT NOT NULL,
    PRIMARY KEY (path, number));
CREATE TABLE quantities (
    path TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, better TEXT NOT NULL,
    value BLOB NOT NULL,
    FOREIGN KEY (path, number) REFERENCES records ON DELETE CASCADE);
CREATE INDEX by_record ON quantities (path, number);
"""


class Entry(NamedTuple):
    """A quantity of a record in the index."""

    machine: str
    kind: str
    shape: str
    name: str
    better: Better
    created: str
    path: str
    value: Quantity
    number: int = 0
    """Of the record among those of its file."""


class _IndexedRecord(NamedTuple):
    """What the index keeps of a record: by columns of its table, and each of its quantities."""

    columns: tuple[str, ...]
    quantities: Sequence[tuple[str, str, bytes]]


class _ParsedFile(NamedTuple):
    """What a file holds; `problem` says why it holds nothing, or less than it seems."""

    file: Path
    stamp: str
    records: Sequence[_IndexedRecord] = ()
    problem: str = ""
    is_read_once: bool = False

    @property
    def path(self) -> str:
        return _spelled(self.file)


def _spelled(text: object) -> str:
    """As text that SQLite takes: the name of a file may be no UTF-8."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")


class Index:
    """The index at `path`; None keeps it in memory. Close it after use."""

    def __init__(self, path: Path | None) -> None:
        self._database = _opened(path)
        self._read_once: dict[str, list[Record[Any]]] = {}
        self.is_kept = path is not None

    def close(self) -> None:
        self._database.close()

    def update(self, places: Sequence[Path], on_read: Callable[[int, int], None] | None = None) -> None:
        """Read what is new or changed in files and folders, and forget what is gone.

        `on_read` is told now and then how many of how many files are read. Raises GromaError (exit code 2)
        for a place that does not exist.
        """
        known = dict(self._database.execute("SELECT path, stamp FROM files"))
        found = {_spelled(path): path for place in places for path in files_in(place)}
        changed = [
            one
            for one in map(_looked_at, found.values())
            if one.is_read_once or known.get(one.path) != one.stamp
        ]
        here = _PathFilter(places)
        gone = [path for path in known if path not in found and path in here]
        if gone:
            self._replace(gone, [])
        for first in range(0, len(changed), READ_AT_ONCE):
            read = [self._read(one) for one in changed[first : first + READ_AT_ONCE]]
            self._replace([one.path for one in read], read)
            if on_read is not None:
                on_read(first + len(read), len(changed))

    def _read(self, one: _ParsedFile) -> _ParsedFile:
        """Any defect is a reason, never the end: the other files still count."""
        path = one.file
        try:
            records = _measured(records_of(read_bytes(path), path))
            if one.is_read_once:
                self._read_once[one.path] = records
            indexed = [_indexed(record) for record in records]
        except GromaError as error:
            return one._replace(problem="" if _is_foreign(path) else error.what)
        except _DAMAGE as error:
            return one._replace(problem=f"{path} is damaged: {error}")
        return one._replace(records=indexed, problem=_left_out(path, records))

    def record_of(self, entry: Entry, read: dict[str, list[Record[Any]]]) -> Record[Any] | None:
        """The record that an entry is of; None if its file went away or was changed since.

        `read` keeps the records of files for further entries.
        """
        if entry.path not in read:
            try:
                read[entry.path] = self._read_once.get(entry.path) or _measured(records_in(Path(entry.path)))
            except GromaError:
                read[entry.path] = []
        records = read[entry.path]
        found = records[entry.number] if entry.number < len(records) else None
        return found if found is not None and found.created == entry.created else None

    def _replace(self, paths: Iterable[str], read: Iterable[_ParsedFile]) -> None:
        """What was known of these paths, by what was read of them."""
        with self._transaction() as database:
            database.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in paths])
            for one in read:
                _add(database, one)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield self._database
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def entries(self, places: Sequence[Path]) -> list[Entry]:
        """All quantities in the places, the oldest first; a run that is in several files counts once."""
        rows = self._database.execute(
            "SELECT machine, kind, shape, name, better, created, records.path, value, records.number, run "
            "FROM records JOIN quantities USING (path, number) "
            "ORDER BY moment, records.path, quantities.rowid"
        )
        here = _PathFilter(places)
        first: dict[str, tuple[str, int]] = {}
        found = []
        for *fields, value, number, run in rows:
            place = (fields[6], number)
            if place[0] in here and first.setdefault(run, place) == place:
                found.append(Entry._make([*fields, msgspec.json.decode(value, type=Quantity), number]))
        return found

    def unread(self, places: Sequence[Path]) -> list[tuple[str, str]]:
        """Files that look like records and are none, or hold runs that are in no trend, with the reason."""
        rows = self._database.execute("SELECT path, problem FROM files WHERE problem != '' ORDER BY path")
        here = _PathFilter(places)
        return [(path, problem) for path, problem in rows if path in here]

    def counts(self, places: Sequence[Path]) -> tuple[int, int]:
        """Files with records, and different runs in them."""
        here = _PathFilter(places)
        rows = [row for row in self._database.execute("SELECT path, run FROM records") if row[0] in here]
        return len({path for path, _ in rows}), len({run for _, run in rows})


def remove(path: Path) -> None:
    """Forget an index, so that it is made again."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _opened(path: Path | None) -> sqlite3.Connection:
    """What is no index, or one of another version, is replaced."""
    if path is None:
        return _connected(":memory:")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _connected(str(path))
    except _OtherVersionError:
        pass
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):  # locked, full or not writable: not damaged
            raise
    remove(path)
    return _connected(str(path))


class _OtherVersionError(Exception):
    """Made by a groma with other tables."""


def _connected(place: str) -> sqlite3.Connection:
    database = sqlite3.connect(place, timeout=_WAIT, isolation_level=None)
    try:
        database.execute("PRAGMA foreign_keys = ON")
        _prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def _prepare(database: sqlite3.Connection) -> None:
    """Make the tables, once: two processes may begin at the same time."""
    if _version(database) == VERSION:
        database.execute("SELECT count(*) FROM files").fetchone()
        return
    database.execute("BEGIN EXCLUSIVE")
    version = _version(database)
    if version == 0:
        for statement in filter(None, map(str.strip, _TABLES.split(";"))):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {VERSION}")
    database.execute("COMMIT")
    if version not in {0, VERSION}:
        raise _OtherVersionError


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _add(database: sqlite3.Connection, one: _ParsedFile) -> None:
    database.execute("INSERT INTO files VALUES (?, ?, ?)", (one.path, one.stamp, _spelled(one.problem)))
    for number, record in enumerate(one.records):
        place = (one.path, number)
        database.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*place, *record.columns))
        rows = [(*place, *quantity) for quantity in record.quantities]
        database.executemany("INSERT INTO quantities VALUES (?, ?, ?, ?, ?)", rows)


def _indexed(record: Record[Any]) -> _IndexedRecord:
    when = (record.created, moment_of(record.created))
    columns = (run_key(record), record.kind, *when, machine_of(record), shape_of(record))
    quantities = [
        (named.name, named.better, msgspec.json.encode(named.quantity))
        for named in ([] if _has_wrong_results(record) else named_quantities_of(record))
        if not named.detail and is_determined(named.quantity)
    ]
    return _IndexedRecord(columns, quantities)


# ---- files -------------------------------------------------------------------------------------------------


def files_in(place: Path) -> Iterator[Path]:
    """The file, or the JSON files of a folder and the outputs of hpcc that were kept there; those of runs
    that go on are none yet.

    Other outputs of hpcc would count twice where groma wrote one beside its record: name them. Raises
    GromaError (exit code 2) for a place that does not exist.
    """
    if is_missing(place):
        raise GromaError(f"{place}: no such file or folder", "name a folder with records, or records")
    if not known(place.is_dir):
        yield _resolved(place)
        return
    folder = place.resolve()
    texts = (path for path in folder.rglob("*.txt") if is_kept_text(path))
    for path in sorted([*folder.rglob("*.json"), *texts]):
        if not is_partial(path) and known(path.is_file):
            yield path


def _resolved(place: Path) -> Path:
    """Where a place is, whatever its name; a pipe is nowhere but under its name."""
    found = place.resolve()
    return found if known(found.exists) else place.absolute()


class _PathFilter:
    """Which paths lie in some places, files or folders. Asked for every quantity, it remembers."""

    def __init__(self, places: Sequence[Path]) -> None:
        self._places = {_spelled(_resolved(place)) for place in places}
        self._answers: dict[str, bool] = {}

    def __contains__(self, path: str) -> bool:
        if path not in self._answers:
            within = (path, *map(str, PurePosixPath(path).parents))
            self._answers[path] = not self._places.isdisjoint(within)
        return self._answers[path]


def _looked_at(path: Path) -> _ParsedFile:
    try:
        status = path.stat()
    except OSError:
        return _ParsedFile(path, "")
    stamp = f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"
    return _ParsedFile(path, stamp, is_read_once=not stat.S_ISREG(status.st_mode))


_DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What values give that no program writes, in records that are typed in part."""


def _measured(records: Iterable[Record[Any]]) -> list[Record[Any]]:
    return [one for one in records if one.kind not in DERIVED_KINDS]


def _has_wrong_results(record: Record[Any]) -> bool:
    """Whether a check failed: how fast a wrong result came says nothing."""
    return getattr(record.facts, "success", None) is False


def _left_out(path: Path, records: Sequence[Record[Any]]) -> str:
    """Which of the records are in no trend, and why; empty for none."""
    wrong = sum(map(_has_wrong_results, records))
    if wrong == 0:
        return ""
    if len(records) == 1:
        return f"{path} failed its validation and is in no trend"
    failed = "failed its validation and is" if wrong == 1 else "failed their validation and are"
    return f"{path}: {wrong} of {counted(len(records), 'run')} {failed} in no trend"


def _is_foreign(path: Path) -> bool:
    """Whether a file never meant to be a record, such as the JSON of another program."""
    if not known(path.is_file):  # a pipe that was read already would be waited for
        return False
    try:
        with path.open("rb") as stream:
            start = stream.read(1 << 12)
    except OSError:
        return False
    return b"groma.record" not in start and start.strip()[:1] in {b"{", b"["}
