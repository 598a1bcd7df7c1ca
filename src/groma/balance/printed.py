"""The arithmetic of the paper, done again with the numbers that it prints.

The paper computed with more digits than it prints. What its printed inputs give is therefore an interval; a
derived value is reproduced where the inputs give its very digits, and consistent where it lies within.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, NamedTuple

from groma.balance.inter_node import inner_share
from groma.balance.reference import PRINTED, shipped
from groma.facts.balance import PrintedValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.balance.reference import Fact
    from groma.facts.balance import System

REPRODUCED = "reproduced"
ROUNDED = "rounded inputs"
INCONSISTENT = "inconsistent"


class PrintedNumber(NamedTuple):
    """A number as it was printed, with what it may have been before: half a unit of its last digit."""

    text: str

    @property
    def number(self) -> Decimal:
        return Decimal(self.text)

    @property
    def step(self) -> Decimal:
        exponent = self.number.as_tuple().exponent
        return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)

    @property
    def least(self) -> Decimal:
        return self.number - self.step / 2

    @property
    def most(self) -> Decimal:
        return self.number + self.step / 2


class BoundedValue(NamedTuple):
    """What printed numbers give: the value and its bounds."""

    value: Decimal
    least: Decimal
    most: Decimal


def quotient(one: PrintedNumber, other: PrintedNumber, factor: Decimal) -> BoundedValue:
    return BoundedValue(
        factor * one.number / other.number, factor * one.least / other.most, factor * one.most / other.least
    )


def verdict_of(printed: PrintedNumber, derived: BoundedValue) -> str:
    if derived.value.quantize(printed.step, ROUND_HALF_UP) == printed.number:
        return REPRODUCED
    within = derived.least <= printed.most and derived.most >= printed.least
    return ROUNDED if within else INCONSISTENT


# ---- table 1 -----------------------------------------------------------------------------------------------


def printed_values(systems: Sequence[System]) -> list[PrintedValue]:
    """Of the rows of the paper's table 1 that are among the systems, and of its section 4 with them."""
    by_system: dict[str, dict[str, Fact]] = {}
    for fact in shipped("paper"):
        by_system.setdefault(fact.system, {})[fact.name] = fact
    known = {one.name for one in systems if one.reference}
    rows = [one for name, facts in by_system.items() if name in known for one in _row(facts)]
    return [*rows, *_section4(by_system)] if rows else []


def _row(facts: Mapping[str, Fact]) -> Iterator[PrintedValue]:
    if f"{PRINTED}balance" not in facts:
        return
    ring, hpl = PrintedNumber(facts["random_ring_bandwidth"].value), PrintedNumber(facts["hpl_mpi"].value)
    ranks = Decimal(facts["ranks"].value)
    per_rank = BoundedValue(hpl.number / ranks, hpl.least / ranks, hpl.most / ranks)
    yield _value(facts[f"{PRINTED}hpl_per_rank"], "HPL per process", [per_rank])
    reported = PrintedNumber(facts[f"{PRINTED}hpl_per_rank"].value)
    ways = [quotient(ring, hpl, 1000 * ranks), quotient(ring, reported, Decimal(1000))]
    yield _value(facts[f"{PRINTED}balance"], "balance", ways)


def _value(fact: Fact, what: str, ways: Sequence[BoundedValue]) -> PrintedValue:
    """By the first of the ways that gives the printed digits, else by the first of all."""
    printed = PrintedNumber(fact.value)
    derived = next((one for one in ways if verdict_of(printed, one) == REPRODUCED), ways[0])
    return PrintedValue(
        system=fact.system,
        what=what,
        printed=fact.value,
        computed=str(derived.value.quantize(printed.step, ROUND_HALF_UP)),
        low=float(derived.least),
        high=float(derived.most),
        unit=fact.unit,
        verdict=verdict_of(printed, derived),
        source=fact.source,
    )


# ---- section 4: what is left between nodes -----------------------------------------------------------------

_NODES = "NEC SX-6+, 32x1"


def _section4(by_system: Mapping[str, Mapping[str, Fact]]) -> Iterator[PrintedValue]:
    """The paper takes p / P of the neighbours as inner ones, and rounds at every step."""
    facts = by_system[_NODES]
    ring, hpl = PrintedNumber(facts["random_ring_bandwidth"].value), PrintedNumber(facts["hpl_mpi"].value)
    ranks, nodes = Decimal(facts["ranks"].value), Decimal(facts["nodes"].value)
    outer = 1 - 1 / nodes
    exact = Decimal(inner_share(int(ranks), int(nodes)))
    reported = (
        ("share of inner neighbours, p / P", "25", "%", _exactly(100 / nodes)),
        ("share of inner neighbours, (p - 1) / (P - 1)", "25", "%", _exactly(100 * exact)),
        ("ring between nodes per process", "0.504", "GB/s", _scaled(ring, outer)),
        ("ring between nodes per node", "4.02", "GB/s", _scaled(ring, outer * ranks / nodes)),
        ("balance between nodes", "60.2", "B/kflop", quotient(ring, hpl, 1000 * ranks * outer)),
    )
    for what, text, unit, derived in reported:
        fact = facts["nodes"]._replace(value=text, unit=unit, source="Rabenseifner 2005, section 4")
        yield _value(fact, what, [derived])


def _exactly(value: Decimal) -> BoundedValue:
    return BoundedValue(value, value, value)


def _scaled(one: PrintedNumber, factor: Decimal) -> BoundedValue:
    return BoundedValue(one.number * factor, one.least * factor, one.most * factor)
