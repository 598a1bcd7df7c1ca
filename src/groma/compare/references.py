"""Reference files: what a machine should reach, with the tolerances that its administrators keep.

machine = "node*"                      # names of hosts; optional

[quantity."hpcc.stream.triad.star"]
value = 38.9
unit = "GB/s"
minus = "5%"                           # how much less is allowed; any if left out
plus = "10%"                           # how much more is allowed; any if left out
"""

from __future__ import annotations

import math
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.compare.gates import Gate
from groma.errors import GromaError
from groma.record.amounts import Amount, amount_of, in_unit
from groma.record.naming import better_by_unit, is_named
from groma.record.reading import read_toml
from groma.record.units import scale_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from groma.facts.comparison import ComparedQuantity, ComparedRecord
    from groma.record import Quantity
    from groma.record.naming import Better

Tolerance = str | float | int | None


_ROUNDING = 1e-9
"""A share of the value: 41859.9 MB/s are all of 41.8599 GB/s."""


class Entry(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A tolerance is `5%`, an amount such as `2 GB/s`, or a plain number: a share of the value, as in
    ReFrame. Its sign does not matter: ReFrame writes the lower one with a minus.
    """

    value: float
    unit: str = ""
    minus: Tolerance = None
    plus: Tolerance = None


class ReferenceFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    quantity: dict[str, Entry]
    machine: str = "*"


class Reference(NamedTuple):
    path: Path
    machine: str
    gates: list[Gate]


def read_reference(path: Path) -> Reference:
    """Raises GromaError (exit code 2) with the file and the entry."""
    try:
        found = msgspec.convert(read_toml(path), ReferenceFile)
    except msgspec.ValidationError as error:
        raise GromaError(f"{path}: {error}", "docs/compare.md shows a reference file") from None
    gates = [gate for name, entry in found.quantity.items() for gate in _gates(path, name, entry)]
    return Reference(path, found.machine, gates)


def _gates(path: Path, name: str, entry: Entry) -> Iterator[Gate]:
    """One for each side that has a bound."""
    if not math.isfinite(entry.value):
        raise GromaError(f"{path}: {name}: {entry.value} is not a value", "write the number that is expected")
    if entry.minus is None and entry.plus is None:
        raise GromaError(
            f"{path}: {name} has neither minus nor plus", 'give one tolerance at least: minus = "5%"'
        )
    for sign, tolerance, direction in (("<", entry.minus, -1), (">", entry.plus, 1)):
        if tolerance is not None:
            width = _width(path, name, entry, tolerance)
            if direction < 0 and _is_below_all(entry, width):
                raise GromaError(
                    f"{path}: {name}: no value is less by {tolerance}, so none would fail",
                    'write 5 % as "5%" or 0.05, or leave minus out',
                )
            bound = entry.value + direction * width
            limit = Amount(bound, entry.unit)
            yield Gate(
                name.lower(),
                sign,
                limit,
                f"{name} {sign} {limit} ({_tolerance_text(entry, tolerance, direction)})",
            )


def _is_below_all(entry: Entry, width: float) -> bool:
    """Whether the bound is zero or less, where no value is: rates and times are above it."""
    is_time = in_unit(Amount(1.0, entry.unit), "s") is not None
    is_above_zero = entry.value > 0 or is_time or better_by_unit(entry.unit) != "neither"
    return is_above_zero and entry.value - width <= _ROUNDING * abs(entry.value)


def _tolerance_text(entry: Entry, tolerance: Tolerance, direction: int) -> str:
    sign = "-" if direction < 0 else "+"
    shown = (
        f"{abs(tolerance):.4g} of it" if isinstance(tolerance, (int, float)) else str(tolerance).lstrip("+-")
    )
    return f"reference {Amount(entry.value, entry.unit)}, {sign}{shown}"


def _width(path: Path, name: str, entry: Entry, tolerance: str | float) -> float:
    amount = Amount(100.0 * tolerance, "%") if isinstance(tolerance, (int, float)) else amount_of(tolerance)
    width = None
    if amount is not None:
        is_share = amount.is_share
        # The share first: of 100 % no more than the value comes out.
        width = entry.value * (amount.number / 100.0) if is_share else in_unit(amount, entry.unit)
    if width is None or not math.isfinite(width):
        raise GromaError(
            f"{path}: {name}: {tolerance!r} is not a tolerance",
            'write "5%", an amount in the unit of the value, or 0.05',
        )
    return abs(width)


def gates_for(references: Sequence[Reference], records: Sequence[ComparedRecord]) -> list[Gate]:
    """Those of the machines on which `records` were measured, which are all that they judge.

    Raises GromaError where a file is of another machine: to ignore it would let every gate of it pass.
    """
    for reference in references:
        for record in records:
            for run in record.runs or [record]:
                _refuse_other_machine(reference, run)
    return [gate for reference in references for gate in reference.gates]


def _refuse_other_machine(reference: Reference, run: ComparedRecord) -> None:
    if not fnmatchcase((run.host or "").lower(), reference.machine.lower()):
        host = run.host or "an unknown host"
        raise GromaError(
            f"{reference.path} is for machines named {reference.machine}, {run.file} is of {host}",
            "name the reference file of that machine",
        )


def machine_of(record: ComparedRecord) -> str:
    """The pattern that a reference file has for the hosts of a record, or of the runs in it."""
    hosts = {run.host for run in record.runs or [record]}
    known = [host for host in hosts if host]
    if len(known) < len(hosts):
        return "*"
    return known[0] if len(known) == 1 else f"{_common_start(known)}*"


def _common_start(names: Sequence[str]) -> str:
    columns = enumerate(zip(*names, strict=False))
    shortest = min(map(len, names))
    return names[0][: next((place for place, column in columns if len(set(column)) > 1), shortest)]


def reference_of(
    quantities: Sequence[ComparedQuantity], names: Sequence[str], machine: str, tolerance: Amount
) -> str:
    """A reference file (TOML) with the determined values of the first record.

    No tolerance is less than the uncertainty of its value, and none is of a value that may be zero: such a
    gate could not be decided. Raises GromaError if there is no such value: a file without any holds nothing
    against a record; and for a tolerance that nothing would fail.
    """
    lines: list[str] = []
    for one in quantities:
        wanted = not one.detail if not names else any(is_named(one.name, name) for name in names)
        if wanted and one.first is not None and one.first.confidence > 0 and one.first.low > 0:
            lines += _section(one, one.first, dict(_sides(one.better, one.first, tolerance)))
    if not lines:
        raise GromaError(
            "no value of the runs has an interval, which a tolerance needs",
            "name several runs: groma compare RUN... --write-reference FILE pools them",
        )
    return "\n".join([f"machine = {_quoted(machine)}", *lines]) + "\n"


_BOUNDED: dict[Better, tuple[str, ...]] = {
    "higher": ("minus",),
    "lower": ("plus",),
    "neither": ("minus", "plus"),
}
"""The side that is worse, or both where neither is."""


def _sides(better: Better, value: Quantity, tolerance: Amount) -> Iterator[tuple[str, Amount]]:
    """How much is allowed on each side; none where the value is so uncertain that nothing would fail."""
    reaches = {"minus": value.value - value.low, "plus": value.high - value.value}
    for side in _BOUNDED[better]:
        uncertain = math.ceil(100.0 * reaches[side] / value.value)
        most = 100.0 if side == "minus" else math.inf  # less than nothing does not occur
        if tolerance.number >= most:
            raise GromaError(
                f"no value is less by {tolerance}, so none would fail", "give a tolerance below 100%"
            )
        if uncertain < most:
            yield side, Amount(max(tolerance.number, uncertain), "%")


def _section(one: ComparedQuantity, value: Quantity, allowed: Mapping[str, Amount]) -> list[str]:
    if not allowed:
        return []
    divisor, unit = scale_of(value.value, value.unit)
    digits = f"{value.value / divisor:.6g}"
    number = digits if any(mark in digits for mark in ".e") else f"{digits}.0"
    head = ["", f"[quantity.{_quoted(one.name)}]", f"value = {number}", f"unit = {_quoted(unit)}"]
    return [*head, *(f'{side} = "{share}"' for side, share in allowed.items())]


def _quoted(text: str) -> Any:
    return msgspec.json.encode(text).decode()
