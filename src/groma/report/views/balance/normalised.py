"""The paper's figures 4 to 6: each test over HPL, then over the best of its column; a Kiviat diagram."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from groma.balance.ratios import HPL, RATIOS, TITLES
from groma.balance.statements import HPL_OVER_DGEMM
from groma.facts.balance import BalanceFacts
from groma.report.blocks import DataTable, Figure, RadarChart, RadarShape
from groma.report.views.balance.rows import Column, chart_of, entries_of, table_of
from groma.report.views.balance.statements import notes_beside
from groma.report.views.registry import view
from groma.report.words.balance import title_over_hpl
from groma.report.words.text import ABSENT, joined, listed, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.record import Quantity, Record
    from groma.report.blocks import Block
    from groma.report.views.balance.rows import Entry
    from groma.report.views.registry import Blocks

FEWEST_AXES = 3
MOST_SHOWN = 4

PAPER = (
    "After Rabenseifner, Balance of HPC Systems Based on HPCC Benchmark Results (2005), section 5, "
    "figures 4 to 6. Values of one process are multiplied by the number of processes. The latency enters as "
    "its reciprocal, without HPL."
)


_RIM = (
    "Each axis is divided by its largest value, so the rim is the best of all systems. The diagram shows "
    "balance, not speed. Choose systems above it."
)


def _relative(name: str) -> Callable[[Entry], Quantity | None]:
    return lambda one: one.ratios.relative.get(name)


def _over_hpl(name: str) -> Callable[[Entry], Quantity | None]:
    return lambda one: one.ratios.over_hpl.get(name)


RELATIVE = tuple(Column(title, _relative(name), full=1.0) for name, title in TITLES.items())
ABSOLUTE = (
    Column("HPL", lambda one: one.system.accumulated.get(HPL), bars=False),
    *(Column(one.title, _over_hpl(one.name)) for one in RATIOS),
)


@view("balance", order=0, of=BalanceFacts)
def normalised(record: Record[BalanceFacts]) -> Blocks:
    return normalised_figures(record.facts)


def normalised_figures(facts: BalanceFacts, prefix: str = "balance") -> list[Block]:
    """Nothing where no system has a ratio beside that of the random ring."""
    entries = [one for one in entries_of(facts) if one.ratios.over_hpl.keys() - {"random_ring"}]
    if not entries:
        return []
    return [
        Figure(
            id=f"{prefix}-over-hpl",
            title="Each test over HPL",
            what="The work of the whole system in each test during 1,000 flop of HPL.",
            method=PAPER,
            drawing=chart_of(entries, ABSOLUTE),
            table=table_of(entries, ABSOLUTE),
        ),
        *notes_beside(facts, [*(one.name for one in RATIOS), HPL_OVER_DGEMM]),
        Figure(
            id=f"{prefix}-relative",
            title="Relative to the best",
            what=joined(
                "Each test over HPL, over the largest of all systems: the best of each column is 1. Only the "
                "column HPL compares speed itself.",
                *_best_elsewhere(facts, entries),
                *_alone(facts),
                by=" ",
            ),
            method=PAPER,
            drawing=chart_of(entries, RELATIVE),
            table=table_of(entries, RELATIVE),
        ),
        *kiviat(entries, prefix, _alone(facts)),
    ]


def _best_elsewhere(facts: BalanceFacts, entries: Sequence[Entry]) -> list[str]:
    """Where a column has no 1, as the best system has no other value and hence no row."""
    rows = {one.system.name for one in entries}
    best = {
        name: own.system for own in facts.ratios for name, share in own.relative.items() if share.value == 1
    }
    return [
        f"The best {title_over_hpl(name)} is that of {system}, which has no row here."
        for name, system in best.items()
        if system not in rows
    ]


def _alone(facts: BalanceFacts) -> list[str]:
    """Columns that one system has: its 1 there is no praise."""
    titles = {name: title for name, title in TITLES.items() if name != HPL}
    having = {name: [own.system for own in facts.ratios if name in own.relative] for name in titles}
    alone: defaultdict[str, list[str]] = defaultdict(list)
    for name, systems in having.items():
        if len(systems) == 1:
            alone[systems[0]].append(titles[name])
    return [
        f"Only {system} has {listed(names)}: its 1 there is no comparison (--reference adds systems)."
        for system, names in alone.items()
    ]


def kiviat(entries: Sequence[Entry], prefix: str, remarks: Sequence[str] = ()) -> list[Block]:
    """Of systems with three axes at least. The first of the user are shown, the others can be chosen."""
    axes = [column for column in RELATIVE[1:] if any(column.of(one) for one in entries)]
    able = [one for one in entries if sum(column.of(one) is not None for column in axes) >= FEWEST_AXES]
    if not able or len(axes) < FEWEST_AXES:
        return []
    ordered = sorted(able, key=lambda one: one.system.reference)
    rows = [[one.system.name, *(_text(axis, one) for axis in axes)] for one in ordered]
    return [
        Figure(
            id=f"{prefix}-kiviat",
            title="Balance, relative to the best",
            what=" ".join([_RIM, *remarks]),
            method=PAPER,
            drawing=RadarChart(
                axes=[axis.title for axis in axes],
                shapes=[_shape(one, axes, shown=order < MOST_SHOWN) for order, one in enumerate(ordered)],
            ),
            table=DataTable(columns=["system", *(axis.title for axis in axes)], rows=rows),
        )
    ]


def _shape(entry: Entry, axes: Sequence[Column], *, shown: bool) -> RadarShape:
    values = [axis.of(entry) for axis in axes]
    return RadarShape(
        name=entry.system.name,
        tone=entry.place,
        values=[one.value if one else None for one in values],
        texts=[_text(axis, entry) for axis in axes],
        shown=shown,
    )


def _text(axis: Column, entry: Entry) -> str:
    value = axis.of(entry)
    return value_text(value) if value else ABSENT
