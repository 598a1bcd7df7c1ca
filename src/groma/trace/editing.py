"""Starts groma-trace-store, which makes stores, sorts, cuts and filters traces."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.errors import GromaError
from groma.launch.trace_store import TraceWarning, trace_in
from groma.record.reading import known
from groma.trace.replacing import refuse_replacing
from groma.trace.sums import Records, answer_of, sums_of

if TYPE_CHECKING:
    from pathlib import Path

_STORE = ".groma"
_PARAVER = (".prv", ".prv.gz")
_TIME = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,12})?)\s*(ns|us|µs|ms|s|m|min|h|%)?", re.ASCII)
_MINUTE = 60 * 10**9
_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": _MINUTE,
    "min": _MINUTE,
    "h": 60 * _MINUTE,
}
_SECOND = "s"
_RANGE = re.compile(r"([0-9]{1,20})(?:-([0-9]{1,20}))?", re.ASCII)
_MOST = 2**64 - 1


class EditResult(msgspec.Struct, frozen=True):
    """What was read to write `target`. A filter `kept` and `dropped` records."""

    records: Records
    warnings: list[TraceWarning] = []
    cut_messages: int = 0
    kept: int = 0
    dropped: int = 0
    target: str = ""


class CutTimes(msgspec.Struct, frozen=True):
    """From and to, as users write them: 1.5s, 200ms, 10%. None: the begin and the end."""

    begin: str | None = None
    end: str | None = None
    keep: bool = False


def target_for(trace: Path, target: Path | None, addition: str, ending: str | None = None) -> Path:
    """Where a result goes: TARGET, in it if it is a folder, else beside the trace with an addition.

    Raises GromaError (exit code 2) where it would be the trace itself.
    """
    stem = trace.name
    for one in (*_PARAVER, _STORE):
        stem = stem.removesuffix(one)
    name = stem + addition + (ending or (".prv" if trace.name.endswith(_PARAVER) else _STORE))
    made = trace.parent / name if target is None else target / name if known(target.is_dir) else target
    if made.suffix not in {".prv", _STORE}:
        raise GromaError(
            f"{made} is not the name of a trace", "end it with .groma (a store) or .prv (for Paraver)"
        )
    if known(lambda: made.samefile(trace)):
        raise GromaError(f"{made} would replace the trace that is read", "name another file with -o")
    return made


def _target_of_part(source: Path, target: Path | None, addition: str) -> Path:
    """As `target_for`; neither may a part of a trace pass for the trace in its other format."""
    made = target_for(source, target, addition)
    refuse_replacing(source, made)
    return made


def import_trace(trace: Path, target: Path | None, folder: str | None) -> EditResult:
    """Makes a store, or a .prv in order, of any trace. Raises GromaError as sums_of does."""
    source = trace_in(trace)
    return _edit("import", source, target_for(source, target, "", _STORE), [], folder)


def cut_trace(trace: Path, target: Path | None, times: CutTimes, folder: str | None) -> EditResult:
    """The part of a trace between two times. Raises GromaError as sums_of does, and for such times."""
    source = trace_in(trace)
    made = _target_of_part(source, target, "-cut")
    begin, end = _range(source, times, folder)
    return _edit(
        "cut", source, made, [str(begin), str(end), *(["--keep-times"] if times.keep else [])], folder
    )


def filter_trace(trace: Path, target: Path | None, rules: list[str], folder: str | None) -> EditResult:
    """The records of a trace that rules of groma-trace-store keep. Raises GromaError as sums_of does."""
    source = trace_in(trace)
    made = _edit("filter", source, _target_of_part(source, target, "-filtered"), rules, folder)
    if made.kept or not made.dropped:
        return made
    none = TraceWarning(
        "nothing_kept", "records that do not satisfy the rules: none is left", made.dropped, 0
    )
    return msgspec.structs.replace(made, warnings=[*made.warnings, none])


class TraceTimes(NamedTuple):
    """Of the first record and of the last."""

    begin: int
    end: int


def nanoseconds(text: str, whole: TraceTimes | None) -> int:
    """Of "1.5s", "200ms", "10%" of the `whole`, or plain seconds, to the last digit.

    Raises GromaError (exit code 2).
    """
    match = _TIME.fullmatch(text.strip())
    if not match:
        raise GromaError(f"{text!r} is not a time of a trace", "write for example 1.5s, 200ms or 10%")
    amount, unit = Fraction(match[1]), match[2] or _SECOND
    if unit != "%":
        return min(round(amount * _NANOSECONDS[unit]), _MOST)
    if whole is None:
        raise GromaError(f"{text!r} is a share, and nothing says of what", "write for example 1.5s or 200ms")
    return min(round(whole.begin + amount / 100 * (whole.end - whole.begin)), _MOST)


def numbers(text: str, option: str) -> str:
    """A list such as "1, 8-13" as groma-trace-store takes it. Raises GromaError (exit code 2)."""
    parts = re.sub(r"\s*([,-])\s*", r"\1", text.strip()).split(",")
    if not all(map(_is_range, parts)):
        raise GromaError(f"{option}={text} is not a list of numbers", "write for example 1,8-13")
    return ",".join(parts)


def _is_range(part: str) -> bool:
    match = _RANGE.fullmatch(part)
    return match is not None and int(match[1]) <= int(match[2] or match[1]) <= _MOST


def _range(source: Path, times: CutTimes, folder: str | None) -> tuple[int, int]:
    needs_whole = any(one is None or "%" in one for one in (times.begin, times.end))
    sums = sums_of(source, folder) if needs_whole else None
    whole = TraceTimes(sums.begin, sums.duration) if sums else None
    begin = nanoseconds(times.begin or "0%", whole)
    end = nanoseconds(times.end or "100%", whole)
    last = end if whole is None else min(end, whole.end)
    if begin >= last:
        raise GromaError(
            f"nothing lies between {times.begin or 'the beginning'} and {times.end or 'the end'}",
            "name a later end with --to"
            if whole is None or begin < whole.end
            else f"the trace ends at {_shown(whole.end)}",
        )
    return begin, end


def _shown(time: int) -> str:
    """With all of its digits, as users write it."""
    unit = next((one for one in ("s", "ms", "us") if time >= _NANOSECONDS[one]), "ns")
    return f"{Decimal(time) / _NANOSECONDS[unit]:f} {unit}"


def _edit(verb: str, source: Path, target: Path, words: list[str], folder: str | None) -> EditResult:
    made = answer_of([verb, source, target, *words], EditResult, folder)
    return msgspec.structs.replace(made, target=str(target))
