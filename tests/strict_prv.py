"""An independent reader of .prv that tolerates nothing: it raises ValueError for any breach of the format."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

HEADER = re.compile(
    r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(?P<time>\d+)_ns:(?P<nodes>\d+)\((?P<cpus>[\d,]+)\):"
    r"(?P<count>\d+):(?P<applications>.+),(?P<communicators>\d+)"
)
CALL_TYPES = {50000001, 50000002, 50000003, 50000004, 50000005}

Row = tuple[int, int, int]
"""Application, task and thread, from 1."""


class State(NamedTuple):
    begin: int
    end: int
    state: int


class Message(NamedTuple):
    sender: Row
    logical_send: int
    physical_send: int
    receiver: Row
    logical_receive: int
    physical_receive: int
    size: int
    tag: int


class Call(NamedTuple):
    """`parameters`: the other events at its begin, by type."""

    begin: int
    end: int
    value: int
    parameters: dict[int, int]


@dataclass
class Trace:
    duration: int
    rows: list[Row]
    communicators: dict[int, list[int]] = field(default_factory=dict)
    intercommunicators: dict[int, tuple[int, int]] = field(default_factory=dict)
    states: defaultdict[Row, list[State]] = field(default_factory=lambda: defaultdict(list))
    events: defaultdict[Row, list[tuple[int, dict[int, int]]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    messages: list[Message] = field(default_factory=list)
    calls: defaultdict[Row, list[Call]] = field(default_factory=lambda: defaultdict(list))


def must(truth: bool, *what: object) -> None:
    if not truth:
        raise ValueError(*what)


def read(path: Path) -> Trace:
    """The trace of a file, all of whose rules hold."""
    lines = path.read_text(encoding="ascii").split("\n")
    must(lines.pop() == "", "the last line has no end")
    trace, cpus, communicators = _header(lines[0])
    last = {1: 0, 2: 0, 3: 0}
    for number, line in enumerate(lines[1:]):
        if number < communicators:
            _communicator(trace, line)
        elif not line.startswith("#CUTTER:"):  # how the trace came about
            time = _record(trace, line, cpus)
            must(time >= last[int(line[0])], line, "is out of order")
            last[int(line[0])] = time
    for row in trace.rows:
        _check_states(trace, row)
        trace.calls[row] = list(_calls(trace.events[row]))
    return trace


def _header(line: str) -> tuple[Trace, int, int]:
    found = HEADER.fullmatch(line)
    must(found is not None, line)
    assert found is not None
    cpus = [int(one) for one in found["cpus"].split(",")]
    must(len(cpus) == int(found["nodes"]), line)
    rows = []
    applications = found["applications"].split("):")
    must(len(applications) == int(found["count"]), line)
    for application, text in enumerate(applications, start=1):
        tasks, _, threads = text.rstrip(")").partition("(")
        must(threads.count(",") + 1 == int(tasks), text)
        for task, one in enumerate(threads.split(","), start=1):
            many, node = map(int, one.split(":"))
            must(1 <= node <= len(cpus), one)
            rows += [(application, task, thread + 1) for thread in range(many)]
    return Trace(int(found["time"]), rows), sum(cpus), int(found["communicators"])


def _communicator(trace: Trace, line: str) -> None:
    if line.startswith("i:"):
        _intercommunicator(trace, line)
        return
    kind, application, number, count, *tasks = line.split(":")
    must(kind == "c" and len(tasks) == int(count), line)
    known = {row[1] for row in trace.rows if row[0] == int(application)}
    must({int(one) for one in tasks} <= known and int(number) not in trace.communicators, line)
    trace.communicators[int(number)] = [int(one) for one in tasks]


def _intercommunicator(trace: Trace, line: str) -> None:
    """Two communicators of before, each with one of its tasks."""
    _, application, number, *sides = (int(one) if one != "i" else 0 for one in line.split(":"))
    must(len(sides) == 4 and any(row[0] == application for row in trace.rows), line)
    must(number not in trace.communicators and number not in trace.intercommunicators, line)
    for side, leader in (sides[:2], sides[2:]):
        must(leader in trace.communicators.get(side, []), line)
    trace.intercommunicators[number] = (sides[0], sides[2])


def _record(trace: Trace, line: str, cpus: int) -> int:
    kind, *numbers = (int(one) for one in line.split(":"))
    row = _row(trace, numbers[:4], cpus)
    if kind == 1:
        must(len(numbers) == 7 and 0 <= numbers[4] < numbers[5] <= trace.duration, line)
        trace.states[row].append(State(*numbers[4:]))
        return numbers[4]
    if kind == 2:
        pairs = numbers[5:]
        must(len(pairs) % 2 == 0 and pairs != [] and numbers[4] <= trace.duration, line)
        trace.events[row].append((numbers[4], dict(zip(pairs[::2], pairs[1::2], strict=True))))
        return numbers[4]
    must(kind == 3 and len(numbers) == 14, line)
    receiver = _row(trace, numbers[6:10], cpus)
    logical_send, physical_send, logical_receive, physical_receive, size, tag = numbers[4:6] + numbers[10:]
    message = Message(
        row, logical_send, physical_send, receiver, logical_receive, physical_receive, size, tag
    )
    must(message.logical_send <= message.physical_send <= trace.duration, line)
    must(message.logical_receive <= message.physical_receive <= trace.duration, line)
    trace.messages.append(message)
    return message.physical_send


def _row(trace: Trace, numbers: list[int], cpus: int) -> Row:
    cpu, application, task, thread = numbers
    must(1 <= cpu <= cpus and (application, task, thread) in trace.rows, numbers)
    return application, task, thread


def _check_states(trace: Trace, row: Row) -> None:
    """A row is in one state at any time from the begin to its end."""
    states = trace.states[row]
    must(states == [] or states[0].begin == 0, row, "begins late")
    for one, other in pairwise(states):
        must(one.end == other.begin, row, one, other)


def _calls(events: list[tuple[int, dict[int, int]]]) -> list[Call]:
    made: list[Call] = []
    inside: tuple[int, int, int, dict[int, int]] | None = None
    for time, pairs in events:
        for kind, value in pairs.items():
            if kind not in CALL_TYPES:
                continue
            if value:
                must(inside is None, time, "a call in a call")
                inside = time, kind, value, {k: v for k, v in pairs.items() if k != kind}
            else:
                must(inside is not None and inside[1] == kind, time, "an end without a begin")
                assert inside is not None
                made.append(Call(inside[0], time, inside[2], inside[3]))
                inside = None
    return made
