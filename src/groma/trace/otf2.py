"""Writes a trace as an archive of OTF2, for Vampir, Scalasca and Score-P. The package otf2 is optional.

Calls of MPI and regions of the program are regions, messages events within their calls. Events are held in
memory, as OTF2 writes thread by thread.
"""

from __future__ import annotations

import importlib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.trace_store import trace_in
from groma.trace.labels import label_of_call
from groma.trace.rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from groma.trace.rows import RowsHead

_CALLS = range(50000001, 50000006)
_REGION = 90000000  # of groma: the value holds until the next one, 0 is none
_NAME = "traces"

Key = tuple[int, int]
"""Type and value of the event that begins a call or a region."""


class Message(NamedTuple):
    """One side of a message: the partner's task, tag and bytes."""

    time: int
    partner: int
    tag: int
    size: int


class Step(NamedTuple):
    """`what` is enter, leave, send or receive."""

    time: int
    what: str
    key: Key | None = None
    message: Message | None = None


class Otf2Archive(msgspec.Struct, frozen=True):
    archive: str
    events: int


def steps_of(events: Iterable[tuple[int, int, int]], end: int) -> Iterator[Step]:
    """Begins and ends of calls and regions, from times, types and values of one thread; all are closed."""
    call: Key | None = None
    regions: list[int] = []
    for time, type_, value in events:
        if type_ in _CALLS:
            if call is not None:
                yield Step(time, "leave", call)
            call = (type_, value) if value else None
            if call is not None:
                yield Step(time, "enter", call)
        elif type_ == _REGION:
            yield from _region(time, value, regions)
    if call is not None:
        yield Step(end, "leave", call)
    yield from _region(end, 0, regions)


def _region(time: int, value: int, stack: list[int]) -> Iterator[Step]:
    """A value that is open already ends those within it; any other begins a region."""
    if value and value not in stack:
        stack.append(value)
        yield Step(time, "enter", (_REGION, value))
        return
    while stack and stack[-1] != value:
        yield Step(time, "leave", (_REGION, stack.pop()))


def with_messages(steps: list[Step], sent: list[Message], received: list[Message]) -> list[Step]:
    """Sends after the begin of their call, receives before the end of theirs: also where times are equal."""
    enters = [at for at, one in enumerate(steps) if one.what == "enter" and one.key and one.key[0] in _CALLS]
    leaves = [at for at, one in enumerate(steps) if one.what == "leave" and one.key and one.key[0] in _CALLS]
    begins, ends = [steps[at].time for at in enters], [steps[at].time for at in leaves]
    after: defaultdict[int, list[Step]] = defaultdict(list)
    for one in sorted(sent):
        place = bisect_right(begins, one.time) - 1
        if place >= 0:
            after[enters[place]].append(Step(begins[place], "send", message=one))
    for one in sorted(received):
        place = bisect_left(ends, one.time)
        if place < len(ends):
            after[leaves[place] - 1].append(Step(ends[place], "receive", message=one))
    return list(chain.from_iterable([one, *after.get(at, ())] for at, one in enumerate(steps)))


def write_otf2(trace: Path, folder: Path, native_folder: str | None) -> Otf2Archive:
    """Writes an archive into a folder that holds none yet.

    Raises GromaError: exit code 4 without the package otf2, 2 where the trace cannot be read or the
    archive not be written.
    """
    package = _package()
    if (folder / f"{_NAME}.otf2").exists():
        raise GromaError(f"{folder} holds an archive already", "name another folder")
    threads = _Threads()
    with closing(rows_of(trace_in(trace), native_folder)) as rows:
        head = rows.head
        for frame in rows:
            threads.add(frame.kind, frame.rows.tolist(), head)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with package.writer.open(str(folder), archive_name=_NAME, timer_resolution=10**9) as archive:
            events = _Archive(package, archive, head).write(threads)
    except (OSError, package.error.Error) as error:
        raise GromaError(f"{folder} cannot be written: {error}", "name another folder") from None
    return Otf2Archive(str(folder / f"{_NAME}.otf2"), events)


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
    """Events and messages by index of the thread."""

    def __init__(self) -> None:
        self.events: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        self.sent: defaultdict[int, list[Message]] = defaultdict(list)
        self.received: defaultdict[int, list[Message]] = defaultdict(list)

    def add(self, kind: str, rows: list[list[int]], head: RowsHead) -> None:
        if kind == "events":
            for thread, time, type_, value in rows:
                if type_ in _CALLS or type_ == _REGION:
                    self.events[thread].append((time, type_, value))
        elif kind == "messages":
            for sender, logical, _, receiver, _, arrived, size, tag in rows:
                self.sent[sender].append(Message(logical, head.objects[receiver][1], tag, size))
                self.received[receiver].append(Message(arrived, head.objects[sender][1], tag, size))

    def steps_of(self, thread: int, end: int) -> list[Step]:
        steps = list(steps_of(self.events[thread], end))
        return with_messages(steps, self.sent[thread], self.received[thread])


class _Archive:
    """Definitions of the trace in an archive that is open."""

    def __init__(self, package: Any, archive: Any, head: RowsHead) -> None:
        self.package, self.archive, self.head = package, archive, head
        self.labels = {(one.type, value): label for one in head.types for value, label in one.values}
        self.regions: dict[Key, Any] = {}
        definitions = archive.definitions
        root = definitions.system_tree_node("machine", class_name="machine")
        nodes = [definitions.system_tree_node(name, class_name="node", parent=root) for name in head.nodes]
        processes: dict[tuple[int, int], Any] = {}
        self.locations = []
        for application, task, thread, node in head.objects:
            process = processes.get((application, task))
            if process is None:
                name = f"MPI Rank {task}" if application == 0 else f"MPI Rank {application}.{task}"
                process = definitions.location_group(name, system_tree_parent=nodes[node])
                processes[application, task] = process
            self.locations.append(definitions.location(f"Thread {thread}", group=process))
        self.worlds = {one: self._world(one) for one in {place[0] for place in head.objects}}

    def _world(self, application: int) -> Any:
        """The communicator of all ranks of an application."""
        package, definitions = self.package, self.archive.definitions
        members = [
            location
            for location, (of, _, thread, _) in zip(self.locations, self.head.objects, strict=True)
            if of == application and thread == 0
        ]
        name = "MPI_COMM_WORLD" if application == 0 else f"MPI_COMM_WORLD {application}"
        for kind in (package.GroupType.COMM_LOCATIONS, package.GroupType.COMM_GROUP):
            group = definitions.group(name, group_type=kind, paradigm=package.Paradigm.MPI, members=members)
        return definitions.comm(name, group=group)

    def _region(self, key: Key) -> Any:
        if key not in self.regions:
            is_call = key[0] in _CALLS
            name = self.labels.get(key) or (label_of_call(*key) if is_call else f"region {key[1]}")
            paradigm = self.package.Paradigm.MPI if is_call else self.package.Paradigm.USER
            self.regions[key] = self.archive.definitions.region(name, paradigm=paradigm)
        return self.regions[key]

    def write(self, threads: _Threads) -> int:
        """The number of events."""
        written = 0
        for thread, location in enumerate(self.locations):
            writer = self.archive.event_writer_from_location(location)
            world = self.worlds[self.head.objects[thread][0]]
            for step in threads.steps_of(thread, self.head.duration):
                self._write_step(writer, step, world)
                written += 1
        return written

    def _write_step(self, writer: Any, step: Step, world: Any) -> None:
        if step.key is not None:
            getattr(writer, step.what)(step.time, self._region(step.key))
        elif step.message is not None:
            one = step.message
            call = writer.mpi_send if step.what == "send" else writer.mpi_recv
            call(step.time, one.partner, world, one.tag, one.size)
