"""Published results as systems: data files with one fact in a row, each with its source."""

from __future__ import annotations

import csv
import io
import math
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from groma.balance.ratios import HPL, RATIOS, accumulated_of
from groma.balance.soundness import name_of
from groma.errors import GromaError
from groma.facts.balance import System
from groma.hpccoutf.headlines import DEFINITIONS, FURTHER, base_unit_of
from groma.spelling import did_you_mean
from groma.stats.quotient import one_sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from groma.record import Quantity

SHIPPED = ("paper", "awards")
COLUMNS = ("system", "fact", "value", "unit", "source")

TEXTS = frozenset({"platform", "switch", "cpu", "note"})
COUNTS = frozenset({"ranks", "threads", "nodes"})
PRINTED = "printed."
ACCUMULATED = "accumulated."
RATIO = "ratio."

_PREFIXES = {"P": 1e15, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "u": 1e-6, "m": 1e-3, "n": 1e-9}

UNITS = {
    "clock": "Hz",
    **{name_of(one.id): base_unit_of(one) for one in (*DEFINITIONS, *FURTHER)},
    f"{ACCUMULATED}{HPL}": "flop/s",
    **{f"{ACCUMULATED}{one.name}": one.unit.replace("kflop", "s") for one in RATIOS},
    **{f"{RATIO}{one.name}": one.unit for one in RATIOS},
    f"{PRINTED}hpl_per_rank": "flop/s",
    f"{PRINTED}balance": "B/kflop",
}
"""Of each fact that is a number, without a prefix."""


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
    first = text.removeprefix("\ufeff").lstrip().partition("\n")[0]
    return _is_heading(first.replace('"', "").split(","))


def _is_heading(row: Sequence[str]) -> bool:
    return [cell.strip() for cell in row] == list(COLUMNS)


def facts_in(text: str, name: str) -> list[Fact]:
    """Raises GromaError (exit code 2) with file and line of a row that is no fact, or one that is there."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), skipinitialspace=True)
    found: dict[tuple[str, str], Fact] = {}
    try:
        for row in reader:
            if row and not _is_heading(row):
                fact = _fact(row, name, reader.line_num)
                _refuse_second(found.setdefault((fact.system, fact.name), fact), fact, name)
    except csv.Error as error:
        raise GromaError(f"{name}, line {reader.line_num}: {error}", "correct the file there") from None
    _refuse_contradictions(found, name)
    return list(found.values())


def _refuse_contradictions(found: Mapping[tuple[str, str], Fact], name: str) -> None:
    """Of facts about one system that cannot both hold, or that say the same in two ways."""
    for (system, what), fact in found.items():
        place = f"{name}, line {fact.line}"
        ranks = found.get((system, "ranks")) if what == "nodes" else None
        if ranks is not None and int(fact.value) > int(ranks.value):
            numbers = f"{fact.value} nodes, but {ranks.value} ranks (line {ranks.line})"
            raise GromaError(f"{place}: {system} has {numbers}", "count only nodes with a rank")
        whole = found.get((system, what.replace(RATIO, ACCUMULATED))) if what.startswith(RATIO) else None
        if whole is not None:
            other = f"{whole.name} (line {whole.line})"
            raise GromaError(
                f"{place}: {what} of {system} says the same as {other}", "leave one of the two out"
            )


def _refuse_second(first: Fact, fact: Fact, name: str) -> None:
    if first is not fact:
        what = f"{name}, line {fact.line}: {fact.name} of {fact.system} is in line {first.line} as well"
        raise GromaError(what, "leave one of the two out, or give the systems names of their own")


def _fact(row: Sequence[str], name: str, line: int) -> Fact:
    if len(row) != len(COLUMNS):
        what = f"{name}, line {line}: {len(row)} columns instead of {len(COLUMNS)}"
        raise GromaError(what, f"write {', '.join(COLUMNS)} in each row")
    system, name_of_fact, value, unit, source = (cell.strip() for cell in row)
    fact = Fact(system, name_of_fact, value, unit, source, line)
    if not system:
        raise GromaError(f"{name}, line {line}: the system has no name", "name it in the first column")
    if fact.name not in TEXTS | COUNTS | UNITS.keys():
        what = f"{name}, line {line}: there is no fact {fact.name}"
        raise GromaError(what, _nearest_fact(fact.name))
    is_sound = fact.name in TEXTS or (_count(fact) if fact.name in COUNTS else _number(fact))
    if not is_sound:
        what = f"{name}, line {line}: {fact.name} is {fact.value!r} {fact.unit}".rstrip()
        raise GromaError(what, _what_is_expected(fact.name))
    return fact


def _nearest_fact(name: str) -> str:
    known = sorted(TEXTS | COUNTS | UNITS.keys())
    return did_you_mean(name, known).rstrip() or f"name one of {', '.join(known)}"


def _what_is_expected(name: str) -> str:
    if name in COUNTS:
        return "write a whole number from 1 on"
    unit = UNITS[name]
    example = "us" if unit == "s" else unit if unit.endswith("/kflop") else f"G{unit}"
    return f"write a positive number in {unit}, a prefix is allowed: 1.5 and {example}"


def _count(fact: Fact) -> int | None:
    is_count = fact.value.isascii() and fact.value.isdecimal() and 0 < int(fact.value[:12]) <= 10**9
    return int(fact.value) if is_count else None


def _number(fact: Fact) -> float | None:
    """In the unit of the fact without a prefix; None where it is no positive number of that unit."""
    prefix = fact.unit.removesuffix(UNITS[fact.name])
    is_unit = fact.unit.endswith(UNITS[fact.name])
    factor = 1.0 if not prefix else _PREFIXES.get(prefix)
    try:
        value = float(fact.value) * (factor or math.nan)
    except ValueError:
        return None
    return value if is_unit and math.isfinite(value) and value > 0 else None


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
            yield one.name, one_sample(value, UNITS[one.name], one.source)


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
