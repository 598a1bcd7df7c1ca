"""Writes a trace as an archive of OTF2, for Vampir, Scalasca and Score-P. The package otf2 is optional.

Calls of MPI, regions of the program and user functions are regions, messages events within their calls.
Records are held in memory as numbers, as OTF2 writes thread by thread.
"""

from __future__ import annotations

import importlib
import os
import shutil
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from groma.errors import ExitCode, GromaError
from groma.launch.trace_store import TraceWarning, trace_in
from groma.trace.labels import label_of_call
from groma.trace.otf2_events import EventWriter, Messages, reference_of
from groma.trace.redaction import head_without_names
from groma.trace.rows import COLUMNS, labels_of_values, steps_of
from groma.trace.steps import CALLS, FUNCTION, Key, Keys, steps_in, with_messages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from groma.trace.rows import Frame, RowsHead
    from groma.trace.steps import Integers

_NAME = "traces"
_FILES = (f"{_NAME}.otf2", f"{_NAME}.def", _NAME)
_NANOSECONDS = 10**9  # in a second
_UNDEFINED_TIME = 2**64 - 1  # of OTF2
_SENT, _RECEIVED = (COLUMNS["messages"].index(name) for name in ("logical_send", "physical_receive"))


class Otf2Archive(msgspec.Struct, frozen=True):
    """`left_out` are states, and events that neither begin nor end a call, a region or a function. `warnings`
    say what is wrong with the trace.
    """

    archive: str
    events: int
    left_out: dict[str, int]
    warnings: list[TraceWarning] = []


def write_otf2(trace: Path, folder: Path, native_folder: str | None, *, redact: bool = False) -> Otf2Archive:
    """Writes an archive into a folder that holds none yet. `redact` leaves names of hosts and users out.

    Raises GromaError: exit code 4 without the package otf2, 2 where the trace cannot be read or the
    archive not be written.
    """
    package = _package()
    _refuse_other_letters(folder)
    if any((folder / file).exists() for file in _FILES):
        raise GromaError(f"{folder} holds an archive already", "name another folder")
    with closing(steps_of(trace_in(trace), native_folder)) as rows:
        threads = _Threads(head_without_names(rows.head) if redact else rows.head)
        for frame in rows:
            threads.add(frame)
    with _written_whole(folder), _opened(package, folder) as archive:
        events = _Archive(package, archive, threads.head).write(threads)
        _set_time(archive, threads.head.created)
    return Otf2Archive(str(folder / _FILES[0]), events, rows.left_out, rows.warnings)


def _refuse_other_letters(folder: Path) -> None:
    """OTF2 writes names in UTF-8, whatever the system does: another folder would get the archive, or none."""
    if str(folder).encode(errors="replace") != os.fsencode(folder):
        raise GromaError(
            f"{folder} cannot hold an archive: OTF2 takes names in UTF-8 alone", "name another folder"
        )


def _set_time(archive: Any, created: str) -> None:
    """The package takes the time of its own first event, and has no way to name another."""
    archive._realtime_timestamp = Fraction(_time_of(created), _NANOSECONDS)  # noqa: SLF001


def _time_of(created: str) -> int:
    """Nanoseconds since 1970, of "dd/mm/yyyy at hh:mm" in UTC, as groma writes it."""
    try:
        date = datetime.strptime(created, "%d/%m/%Y at %H:%M").replace(tzinfo=UTC)
    except ValueError:
        return _UNDEFINED_TIME
    made = round(date.timestamp()) * _NANOSECONDS
    return made if 0 <= made < _UNDEFINED_TIME else _UNDEFINED_TIME


@contextmanager
def _opened(package: Any, folder: Path) -> Iterator[Any]:
    archive = package.writer.Writer(str(folder), archive_name=_NAME, timer_resolution=_NANOSECONDS)
    try:
        yield archive
        archive.close()
    except BaseException:
        archive._handle = None  # noqa: SLF001 - else its end closes it again, and prints what fails
        raise


@contextmanager
def _written_whole(folder: Path) -> Iterator[None]:
    """Removes what there is of an archive that does not become complete. Raises GromaError (exit code 4)."""
    errors = (importlib.import_module(name).Error for name in ("otf2.error", "_otf2.ErrorCodes"))
    is_whole = False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
        is_whole = True
    except (OSError, *errors) as error:
        what = f"{folder} cannot be written: {error}"
        raise GromaError(what, "name another folder", ExitCode.ENVIRONMENT) from None
    finally:
        if not is_whole:
            shutil.rmtree(folder / _NAME, ignore_errors=True)
            for file in _FILES[:2]:
                (folder / file).unlink(missing_ok=True)


def _package() -> Any:
    try:
        for name in ("writer", "error"):
            importlib.import_module(f"otf2.{name}")
        return importlib.import_module("otf2")
    except ImportError:
        raise GromaError(
            "the package otf2, which writes OTF2, is not installed",
            "install it: pip install 'groma[otf2]'",
            ExitCode.ENVIRONMENT,
        ) from None


class _Threads:
    """Steps and messages."""

    def __init__(self, head: RowsHead) -> None:
        self.head = head
        self._parts: dict[str, list[Integers]] = {"steps": [], "messages": []}

    def add(self, frame: Frame) -> None:
        self._parts[frame.kind].append(frame.rows.astype(np.int64))

    def by_thread(self, kind: str, column: str) -> list[Integers]:
        """Rows of each thread that stands in a column, in their order."""
        names = COLUMNS[kind]
        rows = np.concatenate([np.empty((0, len(names)), dtype=np.int64), *self._parts[kind]])
        threads = rows[:, names.index(column)]
        bounds = np.arange(1, len(self.head.objects))
        order = np.argsort(threads, kind="stable")
        return np.split(rows[order], np.searchsorted(threads[order], bounds))


def _tasks(head: RowsHead) -> dict[tuple[int, int], int]:
    """The first thread of each task, by application and task."""
    found: dict[tuple[int, int], int] = {}
    for thread, (application, task, *_) in enumerate(head.objects):
        found.setdefault((application, task), thread)
    return found


class _Archive:
    """Definitions of the trace in an archive that is open."""

    def __init__(self, package: Any, archive: Any, head: RowsHead) -> None:
        self.package, self.archive, self.head = package, archive, head
        self.labels = labels_of_values(head)
        definitions = archive.definitions
        nodes = self._nodes()
        processes: dict[tuple[int, int], Any] = {}
        self.locations = []
        for application, task, thread, node in head.objects:
            process = processes.get((application, task))
            if process is None:
                name = f"MPI Rank {task}" if application == 0 else f"MPI Rank {application}.{task}"
                process = definitions.location_group(name, system_tree_parent=nodes[node])
                processes[application, task] = process
            self.locations.append(definitions.location(f"Thread {thread}", group=process))
        self.worlds = self._worlds()
        places = [(application, task) for application, task, *_ in head.objects]
        numbers = {place: number for number, place in enumerate(_tasks(head))}
        self._applications = np.array([application for application, _ in places])
        self._ranks = np.array([task for _, task in places])
        self._numbers = np.array([numbers[place] for place in places])
        self._worlds_of = np.array([reference_of(self.worlds[one]) for one, _ in places])

    def _nodes(self) -> list[Any]:
        """Also those that have the same name, or none."""
        root = self.archive.definitions.system_tree_node("machine", class_name="machine")
        made = self.archive.definitions.system_tree_nodes
        return [
            made.create(name or f"node {number}", class_name="node", parent=root)
            for number, name in enumerate(self.head.nodes, 1)
        ]

    def _worlds(self) -> dict[int | None, Any]:
        """The communicator of all ranks of each application; of None that of all applications."""
        ranks = {place: self.locations[thread] for place, thread in _tasks(self.head).items()}
        everybody = tuple(ranks.values())
        self._group("MPI", self.package.GroupType.COMM_LOCATIONS, everybody)
        applications = sorted({application for application, _ in ranks})
        made: dict[int | None, Any] = {}
        for one in applications:
            members = tuple(location for place, location in ranks.items() if place[0] == one)
            made[one] = self._comm("MPI_COMM_WORLD" if one == 0 else f"MPI_COMM_WORLD {one}", members)
        made[None] = self._comm("all applications", everybody) if len(applications) > 1 else made[0]
        return made

    def _group(self, name: str, kind: Any, members: tuple[Any, ...]) -> Any:
        paradigm = self.package.Paradigm.MPI
        return self.archive.definitions.group(name, group_type=kind, paradigm=paradigm, members=members)

    def _comm(self, name: str, members: tuple[Any, ...]) -> Any:
        group = self._group(name, self.package.GroupType.COMM_GROUP, members)
        return self.archive.definitions.comm(name, group=group)

    def _region(self, key: Key) -> Any:
        paradigms = self.package.Paradigm
        name, paradigm = f"region {key[1]}", paradigms.USER
        if key[0] in CALLS:
            name, paradigm = label_of_call(*key), paradigms.MPI
        elif key[0] == FUNCTION:
            name, paradigm = f"function {key[1]}", paradigms.COMPILER
        return self.archive.definitions.region(self.labels.get(key) or name, paradigm=paradigm)

    def write(self, threads: _Threads) -> int:
        """The number of events."""
        written, keys = 0, Keys()
        writer = EventWriter(self.archive)
        nested = threads.by_thread("steps", "object")
        sent, received = (threads.by_thread("messages", column) for column in ("sender", "receiver"))
        for thread, location in enumerate(self.locations):
            steps = steps_in(nested[thread], keys)
            writer.regions += [reference_of(self._region(key)) for key in list(keys)[len(writer.regions) :]]
            steps = with_messages(
                steps, keys.are_calls(), sent[thread][:, _SENT], received[thread][:, _RECEIVED]
            )
            sides = self._messages(sent[thread], "receiver"), self._messages(received[thread], "sender")
            writer.write(location, steps, *sides)
            written += len(steps.times)
        return written

    def _messages(self, rows: Integers, partner: str) -> Messages:
        """A partner is a rank of its communicator: of its application, or of all of them."""
        columns = dict(zip(COLUMNS["messages"], rows.T, strict=True))
        applications = self._applications[columns["sender"]]
        leaves = applications != self._applications[columns["receiver"]]
        partners = columns[partner]
        return Messages(
            np.where(leaves, self._numbers[partners], self._ranks[partners]),
            np.where(leaves, reference_of(self.worlds[None]), self._worlds_of[columns["sender"]]),
            columns["tag"],
            columns["bytes"],
        )
