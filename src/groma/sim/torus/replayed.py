"""The trace of a replay: recorded ones are turned into what their ranks do, for the simulator alone."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import GromaError
from groma.launch.replay_losses import LONGEST_REMARK, Losses, losses_in
from groma.launch.trace_store import print_trace, trace_in
from groma.record import Advice
from groma.record.read_once import copy_of, is_read_once
from groma.record.reading import known
from groma.record.trace_folder import UnmergedError
from groma.sim.torus.parameters import DEFAULT, GIVEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groma.facts.torus import SimulatedWith
    from groma.launch.trace_store import TraceWarning
    from groma.sim.torus.protocol import Request, Result
    from groma.sim.torus.simulation_plan import SimulationOptions

REPLAY = "replay"
_FILE, _UNIT = "workload.file", "workload.cycles_per_unit"
UNSIZED = "unsized"
"""Of the values of a result (native/sim/torus/messages/replay.cpp)."""

_HEADS = (b"#Paraver", b"gromatrc", b"\x1f\x8b")
"""Of a .prv, of a store, and of what gzip compressed."""


def is_recorded(trace: Path) -> bool:
    """Whether a trace has times, as groma trace leaves it. Raises GromaError (exit code 2) for no file."""
    source = _source_of(trace)
    try:
        with source.open("rb") as file:
            return file.read(8).startswith(_HEADS)
    except OSError as error:
        raise GromaError(f"{source} cannot be read: {error.strerror}", "name another trace") from None


def _source_of(trace: Path) -> Path:
    try:
        return trace_in(trace)
    except UnmergedError:
        raise
    except GromaError as error:
        words = "name a .prv file, a .groma file or a time-independent trace"
        raise error.saying(error.what, words) from None


@contextmanager
def readable_again(options: SimulationOptions) -> Iterator[SimulationOptions]:
    """The options, with a copy of a trace that can be read only once.

    Raises what `copy_of` raises, and GromaError (exit code 2) for a device, which may have no end.
    """
    trace = trace_of(options)
    if trace is None or not is_read_once(trace):
        yield options
        return
    if known(trace.is_char_device):
        raise GromaError(f"{trace} is a device", "name a file or a pipe")
    with copy_of(trace) as copy:
        yield replace(options, trace_copy=copy)


def trace_of(options: SimulationOptions) -> Path | None:
    """Of a replay, by whichever option it is named."""
    if options.workload != REPLAY or options.trace is not None:
        return options.trace
    named = [value for name, _, value in (one.partition("=") for one in options.settings) if name == _FILE]
    return Path(named[-1]) if named else None


def with_trace(
    parameters: list[SimulatedWith], trace: Path, frequency: float, copy: Path | None = None
) -> list[SimulatedWith]:
    """The parameters of a replay of a trace. What a recorded one computes is given in nanoseconds. A copy is
    read in the place of the trace.
    """
    values: dict[str, tuple[float | str, str]] = {_FILE: (str(trace), GIVEN)}
    if is_recorded(copy or trace):
        values[_UNIT] = (frequency / 1e9, "the trace: computing takes as long as it took")
    return [
        msgspec.structs.replace(one, value=values[one.name][0], source=values[one.name][1])
        if one.name in values and one.source == DEFAULT
        else one
        for one in parameters
    ]


@contextmanager
def replayable(
    request: Request, folder: str | None, copy: Path | None = None
) -> Iterator[tuple[Request, list[Advice]]]:
    """The request as the simulator understands it within, and what a reader has to know of its trace. A copy
    is read in the place of the trace.

    Raises GromaError: exit code 2 where a replay has no trace, 2 or 3 where it cannot be read or replayed.
    """
    is_replay = request.workload.get("name") == REPLAY
    name = request.workload.get("file") if is_replay else None
    if is_replay and name is None:
        raise GromaError("a replay needs a trace", "name one: --trace groma-trace")
    if name is None:
        yield request, []
        return
    trace = copy or Path(name)
    if not is_recorded(trace):
        yield _of_text(request, trace), list(advice_of(_losses(trace)))
        return
    with tempfile.NamedTemporaryFile(prefix="groma-replay-", suffix=".txt") as file:
        warnings = print_trace(REPLAY, trace_in(trace), file, folder)
        file.flush()
        text = Path(file.name)
        yield _of_text(request, text), [*_advice_of_trace(warnings), *advice_of(_losses(text))]


def _of_text(request: Request, text: Path) -> Request:
    return msgspec.structs.replace(request, workload=request.workload | {"file": str(text)})


def _losses(text: Path) -> Losses:
    """The remark in the last line; none where the text cannot be read, which the simulator says."""
    try:
        with text.open("rb") as file:
            file.seek(max(text.stat().st_size - LONGEST_REMARK, 0))
            return losses_in(file.read())
    except OSError:
        return Losses()


def _advice_of_trace(warnings: Iterable[TraceWarning]) -> Iterator[Advice]:
    """A replay has no use for names."""
    for one in warnings:
        if one.code != "no_names":
            yield Advice(code=f"trace.{one.code}", what=str(one), next="")


def advice_of(losses: Losses) -> Iterator[Advice]:
    counts = (
        (losses.other_calls, "one-sided or I/O calls are replayed as the time that they took"),
        (losses.left_out, "collectives that are persistent, of a topology or of two groups are left out"),
        (losses.unplaced, "messages belong to no call of the trace and are left out"),
        (losses.cut, "collectives are left out, because ranks are missing in them"),
        (losses.divided, "collectives have sizes that differ; they are derived from the sums of the ranks"),
    )
    parts = [f"{count} {what}" for count, what in counts if count]
    if parts:
        yield Advice(
            code="torus.replay",
            what=f"the trace is incomplete for a replay: {'; '.join(parts)}",
            next="docs/sim/torus.md says what a replay takes from a trace",
        )


def advice_of_result(result: Result) -> list[Advice]:
    """What a replay showed of its trace."""
    return [*_advice_of_sizes(result), *_advice_of_messages(result), *_advice_of_receives(result)]


def _advice_of_receives(result: Result) -> Iterator[Advice]:
    """Why ranks wait for ever, where they do not wait for each other alone."""
    left = result.unsent
    if left is None:
        return
    ranks = ", ".join(map(str, left.ranks))
    collectives = f", {left.of_collectives} of collectives" if left.of_collectives else ""
    first = f"; the first {_receive(*left.first)}" if left.first is not None else ""
    number = f"({left.receives} receives{collectives})"
    yield Advice(
        code="torus.unsent",
        what=f"ranks wait for messages that no rank sends: {ranks} {number}{first}",
        next=_SENDRECV if left.sendrecvs else "add what is missing to the trace, or trace the program again",
    )


_SENDRECV = (
    "SMPI leaves an MPI_Sendrecv with MPI_PROC_NULL out of its traces: add the message that it sends "
    "(RANK send TO 0 SIZE TYPE), or record the program with groma trace"
)


def _receive(sender: int, receiver: int, tag: int) -> str:
    source = "any rank" if sender < 0 else f"rank {sender}"
    return f"is that of rank {receiver} from {source} with {'any tag' if tag < 0 else f'tag {tag}'}"


def _advice_of_messages(result: Result) -> Iterator[Advice]:
    """MPI allows neither: a receive for each send, and one root for all ranks of a collective."""
    left = result.unreceived
    if left is not None and left.messages:
        first = ""
        if left.first is not None:
            sender, receiver, tag = left.first
            first = f", the first from rank {sender} to rank {receiver} with tag {tag}"
        yield Advice(
            code="torus.unreceived",
            what=f"messages that no rank receives: {left.messages}{first}",
            next="correct the trace: the simulated time is that of a program with more sends than receives",
        )
    if left is not None and left.of_collectives:
        yield Advice(
            code="torus.collectives",
            what="ranks disagree about a collective, or about its root: "
            f"{left.of_collectives} of its messages are received by none",
            next="correct the trace, or name communicators in it (docs/sim/torus.md)",
        )


def _advice_of_sizes(result: Result) -> list[Advice]:
    """Where SMPI did not write how large the elements of a message are."""
    [calls] = result.values.get(UNSIZED, [0.0])
    if not calls:
        return []
    return [
        Advice(
            code="torus.sizes",
            what=f"{calls:.0f} calls of the trace have a type of unknown size: an element counts 1 byte, "
            "or 8 after `init 1`",
            next="write their sizes in bytes and 6 as the type",
        )
    ]
