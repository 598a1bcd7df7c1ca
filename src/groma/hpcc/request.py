"""What the user asks of a run, in the words that groma-hpcc takes."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import GromaError
from groma.launch.shape import RequestedShape
from groma.record.reading import MOST_SETTINGS, known, read_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

USUAL_INPUT = "hpccinf.txt"

_AMOUNT = re.compile(r"(?P<number>[0-9]{1,15}(?:\.[0-9]{1,15})?)\s*(?P<unit>%|[kKMGTP]?i?B?)$")
_COUNT = re.compile(r"(\+?[0-9]{1,15})(?:$|[A-Za-z]{2})")  # 4Qs is a number with its comment
_POWERS = "kMGTP"


class SuiteRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`n`, `nb` and `grid` are lists as typed ("6000,8000", "1x2"); `budget` is in seconds.

    `input_copy` is where the input is read if it could not be read again by its own name.
    """

    shape: RequestedShape = RequestedShape()
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    n: str | None = None
    nb: str | None = None
    grid: str | None = None
    memory: str | None = None
    input: str | None = None
    input_copy: str | None = None
    repeat: int | None = None
    budget: float | None = None
    seed: int | None = None
    curves: bool = False
    fft_235: bool = False
    random_access: str | None = None
    summary: str = "hpccoutf.txt"
    append: bool = False


class Sizing(msgspec.Struct, frozen=True, kw_only=True):
    """Where the sizes come from: arguments for groma-hpcc and the same in words."""

    arguments: tuple[str, ...]
    reason: str
    input: str | None = None


def sizing_of(request: SuiteRequest, folder: Path) -> Sizing:
    """An input file, sizes given, or memory, as groma-hpcc itself would decide in this folder.

    Raises GromaError (exit code 2) for an amount of memory that cannot be read.
    """
    given = tuple(
        word
        for name, value in (("--n", request.n), ("--nb", request.nb), ("--grid", request.grid))
        if value is not None
        for word in (name, value)
    )
    memory = () if request.memory is None else ("--memory", memory_word(request.memory))
    file = input_file(request, folder)
    if file is not None:
        path = request.input_copy or str(Path(file).absolute())
        changed = " with the given options in their place" if memory or given else ""
        words = ("--input", path, *memory, *given)
        return Sizing(arguments=words, reason=f"sizes of {_shown(file)}{changed}", input=path)
    if memory:
        return Sizing(arguments=(*memory, *given), reason=f"the HPL matrix fills {request.memory} of memory")
    if request.n is not None:
        return Sizing(arguments=given, reason="the given N; the other sizes follow from its memory")
    return Sizing(arguments=given, reason="the largest matrix that memory and budget allow")


def input_file(request: SuiteRequest, folder: Path) -> str | None:
    """The file given, or the usual one where it is in this folder and no size was given."""
    if request.input is not None:
        return request.input
    found = folder / USUAL_INPUT
    is_sized = request.n is not None or request.memory is not None
    return str(found) if not is_sized and known(found.exists) else None


def _shown(file: str) -> str:
    path = Path(file)
    return path.name if path.absolute().parent == Path.cwd() else file


def arguments_of(request: SuiteRequest, sizing: Sizing, threads: int) -> list[str]:
    """The arguments of groma-hpcc for planning as for running."""
    words = list(sizing.arguments)
    for name, value in (
        ("--only", ",".join(request.only) or None),
        ("--skip", ",".join(request.skip) or None),
        ("--repeat", request.repeat),
        ("--budget", None if request.budget is None else f"{request.budget:g}"),
        ("--seed", request.seed),
        ("--threads", threads),
        ("--random-access", request.random_access),
    ):
        if value is not None:
            words += [name, str(value)]
    return [*words, *(name for name, is_set in _flags(request) if is_set)]


def _flags(request: SuiteRequest) -> Sequence[tuple[str, bool]]:
    return (("--curves", request.curves), ("--fft-235", request.fft_235))


def memory_word(text: str) -> str:
    """An amount of memory as groma-hpcc takes it: "25%", which it counts itself on every machine, or bytes.

    "8GiB", "8G" (binary as well) and "8GB" are read. Raises GromaError (exit code 2).
    """
    match = _AMOUNT.match(text.strip())
    if not match:
        raise GromaError(f"{text!r} is not an amount of memory", "write for example 25%, 8GiB or 500MB")
    number, unit = float(match["number"]), match["unit"]
    if unit == "%":
        if not 0 < number <= 95:
            raise GromaError(f"the matrix cannot fill {text} of the memory", "give between 1% and 95%")
        return f"{number:g}%"
    power = _POWERS.lower().find(unit[:1].lower()) + 1 if unit[:1] not in {"", "B"} else 0
    base = 1000 if len(unit) == 2 and unit.endswith("B") else 1024
    amount = int(number * base**power)
    if amount < 1:
        raise GromaError(f"{text!r} is not an amount of memory", "write for example 25% or 8GiB")
    return str(amount)


def grid_ranks(request: SuiteRequest, file: str | None) -> int | None:
    """Ranks of the largest grid that is asked for, so that -n may be left out; None where none is named."""
    pairs = _grids_given(request.grid) if request.grid else _grids_in(file) if file else []
    return max((p * q for p, q in pairs), default=None)


def _grids_given(text: str) -> list[tuple[int, int]]:
    return [(int(p), int(q)) for p, q in re.findall(r"([0-9]{1,9})x([0-9]{1,9})", text)]


def _grids_in(file: str) -> list[tuple[int, int]]:
    """Lines 10 to 12 of an input file: how many grids, their rows, their columns.

    A file that is broken names none here; groma-hpcc says what is wrong with it.
    """
    try:
        lines = read_bytes(Path(file), MOST_SETTINGS).decode(errors="replace").split("\n")
    except GromaError:
        return []
    rows, columns = (_numbers(line) for line in [*lines[10:12], "", ""][:2])
    count = next(iter(_numbers(lines[9])), 0) if len(lines) > 9 else 0
    return list(zip(rows, columns, strict=False))[:count]


def _numbers(line: str) -> list[int]:
    return [int(word[1]) for word in takewhile(bool, map(_COUNT.match, line.split())) if word]
