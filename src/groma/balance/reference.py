"""Published results as systems: data files with one fact in a row, each with its source."""

from __future__ import annotations

import csv
import io
import math
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from groma.balance.ratios import RATIOS, accumulated_of
from groma.errors import GromaError
from groma.facts.balance import System
from groma.stats.quotient import one_sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groma.record import Quantity

SHIPPED = ("paper", "awards")
COLUMNS = ("system", "fact", "value", "unit", "source")

TEXTS = frozenset({"platform", "switch", "cpu", "note"})
COUNTS = frozenset({"ranks", "threads", "nodes"})
PRINTED = "printed."
ACCUMULATED = "accumulated."
RATIO = "ratio."

_PREFIXES = {"P": 1e15, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "u": 1e-6, "m": 1e-3, "n": 1e-9}
_PLAIN = frozenset({"flop/s", "B/s", "update/s", "s", "Hz", "B/kflop", "flop/kflop", "update/kflop"})


class Fact(NamedTuple):
    """A row. `value` is as it was published, with its digits; `line` is that of the file."""

    system: str
    name: str
    value: str
    unit: str
    source: str
    line: int


def shipped(name: str) -> list[Fact]:
    text = resources.files("groma.balance").joinpath(f"data/{name}.csv").read_text(encoding="utf-8")
    return facts_in(text, name)


def is_reference_file(text: str) -> bool:
    """Whether it begins as a file of facts does."""
    return text.removeprefix("\ufeff").lstrip().partition("\n")[0].strip() == ",".join(COLUMNS)


def facts_in(text: str, name: str) -> list[Fact]:
    """Raises GromaError (exit code 2) with file and line of a row that is no fact."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    found = []
    try:
        for row in reader:
            if not row or row == list(COLUMNS):
                continue
            found.append(_fact(row, name, reader.line_num))
    except csv.Error as error:
        raise GromaError(f"{name}, line {reader.line_num}: {error}", "correct the file there") from None
    return found


def _fact(row: Sequence[str], name: str, line: int) -> Fact:
    if len(row) != len(COLUMNS):
        what = f"{name}, line {line}: {len(row)} columns instead of {len(COLUMNS)}"
        raise GromaError(what, f"write {', '.join(COLUMNS)} in each row")
    system, name_of, value, unit, source = (cell.strip() for cell in row)
    fact = Fact(system, name_of, value, unit, source, line)
    is_sound = fact.name in TEXTS or (_count(fact) if fact.name in COUNTS else _number(fact))
    if not is_sound:
        what = f"{name}, line {line}: {fact.name} is {fact.value!r} {fact.unit}".rstrip()
        raise GromaError(what, "write a positive number and its unit, such as 1.5 and GB/s")
    return fact


def _count(fact: Fact) -> int | None:
    is_count = fact.value.isascii() and fact.value.isdecimal() and 0 < int(fact.value[:12]) <= 10**9
    return int(fact.value) if is_count else None


def _number(fact: Fact) -> float | None:
    """In the unit without its prefix; None where it is no positive number of a known unit."""
    factor = 1.0 if fact.unit in _PLAIN else _PREFIXES.get(fact.unit[:1])
    try:
        value = float(fact.value) * (factor or math.nan)
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 and base_unit(fact.unit) in _PLAIN else None


def base_unit(unit: str) -> str:
    return unit if unit in _PLAIN else unit[1:]


# ---- systems -----------------------------------------------------------------------------------------------


def systems_of(facts: Iterable[Fact]) -> list[System]:
    """In the order in which they are first named."""
    by_system: dict[str, list[Fact]] = {}
    for fact in facts:
        by_system.setdefault(fact.system, []).append(fact)
    return [_system(name, own) for name, own in by_system.items()]


def _system(name: str, facts: Sequence[Fact]) -> System:
    texts = {one.name: one.value for one in facts if one.name in TEXTS}
    counts = {one.name: _count(one) for one in facts if one.name in COUNTS}
    measured = dict(_quantities(facts))
    clock = measured.pop("clock", None)
    whole = {name.removeprefix(ACCUMULATED): one for name, one in _split(measured, ACCUMULATED)}
    ratios = {name.removeprefix(RATIO): one for name, one in _split(measured, RATIO)}
    quantities = {name: one for name, one in measured.items() if "." not in name}
    accumulated = {**accumulated_of(quantities, counts.get("ranks")), **whole}
    return System(
        name=name,
        source="; ".join(dict.fromkeys(one.source for one in facts)),
        reference=True,
        platform=texts.get("platform", name),
        switch=texts.get("switch", ""),
        cpu=texts.get("cpu", ""),
        note=texts.get("note", ""),
        clock=clock,
        ranks=counts.get("ranks"),
        threads=counts.get("threads"),
        nodes=counts.get("nodes"),
        quantities=quantities,
        accumulated={**accumulated, **_from_ratios(ratios, accumulated.get("hpl"))},
    )


def _quantities(facts: Iterable[Fact]) -> Iterator[tuple[str, Quantity]]:
    for one in facts:
        if one.name in TEXTS or one.name in COUNTS or one.name.startswith(PRINTED):
            continue
        value = _number(one)
        if value is not None:
            yield one.name, one_sample(value, base_unit(one.unit), one.source)


def _split(measured: dict[str, Quantity], prefix: str) -> list[tuple[str, Quantity]]:
    return [(name, one) for name, one in measured.items() if name.startswith(prefix)]


def _from_ratios(ratios: dict[str, Quantity], hpl: Quantity | None) -> dict[str, Quantity]:
    """What a published ratio to HPL says of the whole system."""
    if hpl is None:
        return {}
    units = {one.name: one.unit.replace("kflop", "s") for one in RATIOS}
    return {
        name: one_sample(ratio.value * hpl.value / 1000, units[name], ratio.method)
        for name, ratio in ratios.items()
        if name in units
    }
