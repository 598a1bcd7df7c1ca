"""Sums over a trace, as groma-trace-store prints them. Times in nanoseconds, sizes in bytes."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, TypeVar

import msgspec

from groma.launch import native
from groma.launch.trace_store import PROGRAM, TraceWarning, failure, trace_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_Answer = TypeVar("_Answer")


class Thread(msgspec.Struct, frozen=True, array_like=True):
    application: int
    task: int
    thread: int
    node: int


class StateSum(msgspec.Struct, frozen=True, array_like=True):
    """`thread` is an index into the threads."""

    thread: int
    state: int
    count: int
    time: int


class CallSum(msgspec.Struct, frozen=True, array_like=True):
    """Calls of one number on one thread.

    `messages` with `received` bytes arrived within `receiving_calls` of them, which lasted `receiving_time`.
    """

    thread: int
    type: int
    value: int
    count: int
    time: int
    longest: int
    messages: int
    received: int
    receiving_calls: int
    receiving_time: int
    collective_sent: int
    collective_received: int


class RegionSum(msgspec.Struct, frozen=True, array_like=True):
    """`received` bytes in `messages` arrived in calls that began here, as innermost region."""

    thread: int
    type: int
    value: int
    count: int
    time: int
    calling_time: int = 0
    messages: int = 0
    received: int = 0


class CounterSum(msgspec.Struct, frozen=True, array_like=True):
    """What a counter counted in a call (type 0: outside of calls) and in a region (type 0: in none)."""

    counter: int
    call_type: int
    call: int
    region_type: int
    region: int
    count: int
    sum: int


class ThreadCounter(msgspec.Struct, frozen=True, array_like=True):
    thread: int
    counter: int
    count: int
    sum: int


class PairSum(msgspec.Struct, frozen=True, array_like=True):
    sender: int
    receiver: int
    count: int
    bytes: int


class SizeBin(msgspec.Struct, frozen=True, array_like=True):
    """Messages of 2^(bin-1) to below 2^bin bytes; bin 0 those without data."""

    bin: int
    count: int
    bytes: int


class BandwidthBin(msgspec.Struct, frozen=True, array_like=True):
    """Calls of one number on one thread that received 10 bin to 10 (bin + 1) MB/s.

    What they received came in messages, or by a collective that blocks.
    """

    type: int
    value: int
    bin: int
    count: int
    time: int
    thread: int = 0


class SiteSum(msgspec.Struct, frozen=True, array_like=True):
    """Calls of one number from one line of one function, on all threads; these are values of events."""

    type: int
    value: int
    function: int
    line: int
    count: int
    time: int
    longest: int
    sent: int
    received: int


class CollectiveSum(msgspec.Struct, frozen=True, array_like=True):
    """Collective calls of one number in one communicator of an application, on all threads."""

    application: int
    communicator: int
    type: int
    value: int
    count: int
    time: int
    longest: int
    sent: int
    received: int


class CommunicatorRanks(msgspec.Struct, frozen=True, array_like=True):
    """Ranks of a communicator: their number, the step from each to the next (0 where it differs), the last
    one, and the first ones.
    """

    application: int
    communicator: int
    size: int
    stride: int
    last: int
    first: list[int]


class TimelineLine(msgspec.Struct, frozen=True, array_like=True):
    """The time in one state, in each bin."""

    state: int
    times: list[int]


class TimelineRow(msgspec.Struct, frozen=True, array_like=True):
    """Of the threads from `first` to `last`."""

    first: int
    last: int
    lines: list[TimelineLine]


class Timeline(msgspec.Struct, frozen=True, array_like=True):
    """Bins of one width, the first of which begins at `begin`."""

    begin: int = 0
    width: int = 0
    rows: list[TimelineRow] = []


class TypeCount(msgspec.Struct, frozen=True, array_like=True):
    type: int
    count: int
    label: str


class Label(msgspec.Struct, frozen=True, array_like=True):
    type: int
    value: int
    label: str


class Records(msgspec.Struct, frozen=True):
    states: int = 0
    events: int = 0
    event_lines: int = 0
    communications: int = 0
    lines: int = 0
    bytes: int = 0


class TraceSums(msgspec.Struct, frozen=True):
    """`begin` is the time of the first record, `duration` that of the last. `spans` are from the first to the
    last state or event of each thread.
    """

    created: str
    duration: int
    threads: list[Thread] = msgspec.field(name="objects")
    states: list[StateSum]
    calls: list[CallSum]
    spans: list[int] = []
    begin: int = 0
    header_duration: int = 0
    nodes: int = 1
    node_names: list[str] = []
    communicators: int = 0
    regions: list[RegionSum] = []
    counters: list[CounterSum] = []
    thread_counters: list[ThreadCounter] = []
    pairs: list[PairSum] = []
    sizes: list[SizeBin] = []
    bandwidths: list[BandwidthBin] = []
    call_sites: list[SiteSum] = []
    collectives: list[CollectiveSum] = []
    communicator_ranks: list[CommunicatorRanks] = []
    types: list[TypeCount] = []
    labels: list[Label] = []
    state_labels: list[tuple[int, str]] = []
    timeline: Timeline = Timeline()
    outside_calls: tuple[int, int] = (0, 0)
    unpaired_calls: int = 0
    clipped_counts: int = 0
    left_out: int = 0
    records: Records = Records()
    warnings: list[TraceWarning] = []


def length_of(sums: TraceSums) -> int:
    """From the first record to the last: times need not begin at 0."""
    return sums.duration - sums.begin


def labels_of(sums: TraceSums) -> dict[tuple[int, int], str]:
    """Names of the values of events, by type and value; without those for which Extrae had none."""
    return {(one.type, one.value): one.label for one in sums.labels if one.label != "(null)"}


def sums_of(trace: Path, folder: str | None) -> TraceSums:
    """Sums over a .prv, .prv.gz, a store, or a folder with one. `folder` is that of native programs.

    Raises GromaError: exit code 2 where the trace cannot be read, 4 where the program fails.
    """
    return answer_of(["stat", trace_in(trace)], TraceSums, folder)


def answer_of(words: Sequence[str | Path], kind: type[_Answer], folder: str | None) -> _Answer:
    """What groma-trace-store says. Raises GromaError: exit code 2 where it cannot do that, else 4."""
    program = native.find_program(PROGRAM, folder)
    done = subprocess.run([program, *words], capture_output=True, check=False)
    if done.returncode != 0:
        raise failure(done.returncode, done.stderr)
    return native.decoded(done.stdout, kind, program)
