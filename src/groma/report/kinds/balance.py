"""The sections of a balance on the terminal: the paper's table 1, ratios, what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.balance.ratios import RATIOS
from groma.record.units import format_number, format_quantity, format_share
from groma.report.document import StyledText, Text
from groma.report.terminal import Sections, notes_of, table
from groma.report.words.balance import (
    ratio_title,
    statement_name,
    threshold_words,
    title_over_hpl,
    with_ratios,
    with_rows,
    without_ratios,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.facts.balance import BalanceFacts, Statement, System, SystemRatios, TableRow
    from groma.record import Quantity, Record
    from groma.report.document import Cell
    from groma.report.terminal import Blocks

    Outcome = Record[BalanceFacts]

SECTIONS = Sections()


class _UnitColumn(NamedTuple):
    """A column in one unit, as in the paper: a terminal has no room for a unit in each cell."""

    title: str
    unit: str
    of_base: float
    of: Callable[[TableRow], Quantity | None]

    def cell(self, row: TableRow) -> str:
        quantity = self.of(row)
        return format_number(quantity.value / self.of_base) if quantity else "-"


_SHOWN = (
    _UnitColumn("ring", "GB/s", 1e9, lambda row: row.random_ring_bandwidth),
    _UnitColumn("pair", "GB/s", 1e9, lambda row: row.ping_pong_bandwidth),
    _UnitColumn("ring", "µs", 1e-6, lambda row: row.random_ring_latency),
    _UnitColumn("pair", "µs", 1e-6, lambda row: row.ping_pong_latency),
    _UnitColumn("HPL", "Gflop/s", 1e9, lambda row: row.hpl),
    _UnitColumn("each", "Gflop/s", 1e9, lambda row: row.hpl_per_rank),
    _UnitColumn("balance", "B/kflop", 1, lambda row: row.balance),
)


@SECTIONS.section("table1", "Communication and computation (the paper's table 1)", "facts", "table1")
def table1(record: Outcome) -> Blocks:
    columns = ["system", "ranks", *(f">{one.title} {one.unit}" for one in _SHOWN)]
    rows = [_row(*one) for one in by_balance(record.facts) if _has_messages(*one)]
    caption = (
        "Ranks x threads; random ring per rank; ping-pong of the slowest pair; HPL of all and of each rank. "
        "> marks your systems."
    )
    return table(columns, rows, " ".join([caption, *_on_marks(record.facts.systems)]))


def _on_marks(systems: Sequence[System]) -> list[str]:
    is_marked = any(one.no_ratios for one in systems)
    return ["* marks an HPL that does not count (What the numbers say)."] if is_marked else []


def by_balance(facts: BalanceFacts) -> list[tuple[System, TableRow]]:
    """Best balance first, so that each system stands between those that are like it."""
    return sorted(with_rows(facts), key=lambda one: -one[1].balance.value if one[1].balance else 1.0)


def _has_messages(system: System, row: TableRow) -> bool:
    """References without any message, as most awards, say nothing here; the user's systems always stand."""
    return not system.reference or bool(row.balance or row.random_ring_bandwidth or row.ping_pong_bandwidth)


def _row(system: System, row: TableRow) -> list[Cell]:
    return [_name(system), processes_of(row), *(one.cell(row) for one in _SHOWN)]


def _name(system: System) -> Cell:
    name = f"{system.name} *" if system.no_ratios else system.name
    return f"  {name}" if system.reference else StyledText(f"> {name}", "strong")


def processes_of(row: TableRow) -> str:
    """`64x4`; a dash for what is not known."""
    return "-" if row.ranks is None else f"{row.ranks}x{row.threads or '?'}"


def _number(quantity: Quantity | None) -> str:
    return format_number(quantity.value) if quantity else "-"


def _value(quantity: Quantity | None) -> str:
    return format_quantity(quantity, interval=False)


@SECTIONS.section("ratios", "Each test over HPL", "facts", "ratios")
def ratios(record: Outcome) -> Blocks:
    shown = [one for one in RATIOS if any(one.name in own.over_hpl for own in record.facts.ratios)]
    columns = ["system", *(f">{_SHORT.get(one.name, one.title)}" for one in shown)]
    rows = [
        [_name(system), *(_number(own.over_hpl.get(one.name)) for one in shown)]
        for system, own in with_ratios(record.facts)
        if own.over_hpl.keys() - {"random_ring"}
    ]
    caption = (
        "What the whole system does for 1,000 flop of HPL: bytes of PTRANS, STREAM and rings, flop of DGEMM "
        "and FFT, updates of RandomAccess."
    )
    return table(columns, rows, caption)


_SHORT = {
    "stream_copy": "copy",
    "stream_triad": "triad",
    "natural_ring": "natural ring",
    "random_ring": "random ring",
    "random_access": "updates",
}


@SECTIONS.section("inter-node", "Random ring between nodes", "facts", "ratios")
def inter_node(record: Outcome) -> Blocks:
    rows = [row for own in record.facts.ratios for row in _inter_node(own)]
    columns = ["system", ">ranks per node", ">within nodes", ">per process", ">per node", ">balance"]
    return table(columns, rows, "Without neighbours on the same node.")


def _inter_node(ratios: SystemRatios) -> list[list[Cell]]:
    one = ratios.inter_node
    if one is None:
        return []
    return [
        [
            ratios.system,
            f"{one.ranks_per_node:g}",
            format_share(one.inner_share),
            _value(one.per_rank),
            _value(one.per_node),
            _value(one.over_hpl),
        ]
    ]


@SECTIONS.section("statements", "What the numbers say", "facts", "statements")
def statements(record: Outcome) -> Blocks:
    found = record.facts.statements[:MOST_STATEMENTS]
    lines = [
        *without_ratios(record.facts.systems),
        *(f"{one.system}: {_words(one)}" for one in found),
    ]
    left_out = len(record.facts.statements) - len(found)
    more = [f"and {left_out} more (groma balance --json, or -o PAGE)"] if left_out else []
    return [Text([*lines, *more])] if lines else []


MOST_STATEMENTS = 20


def _words(one: Statement) -> str:
    threshold = threshold_words(one.side, one.threshold, one.value.unit)
    ratio = f"{ratio_title(one.ratio)} is {_value(one.value)}"
    return f"{statement_name(one.code)}; {ratio}, {threshold}: {one.text}"


@SECTIONS.section("readings", "Platforms at one speed", "facts", "readings")
def readings(record: Outcome) -> Blocks:
    rows: list[list[Cell]] = [
        [one.platform, _value(one.at), title_over_hpl(one.ratio), _value(one.value), " to ".join(one.between)]
        for one in record.facts.readings
    ]
    caption = "Platforms whose curve covers this speed of HPL (--at)."
    return table(["platform", ">HPL", "test", ">ratio to HPL", "between"], rows, caption)


@SECTIONS.section("printed", "The paper's arithmetic again", "facts", "printed", at_a_glance=False)
def printed(record: Outcome) -> Blocks:
    rows: list[list[Cell]] = [
        [one.system, one.what, one.printed, one.computed, one.unit, one.verdict]
        for one in record.facts.printed
    ]
    return table(["system", "value", ">printed", ">computed", "unit", "verdict"], rows)


@SECTIONS.section("warnings", "Warnings", "warnings")
def warnings(record: Outcome) -> Blocks:
    return notes_of(record.warnings)
