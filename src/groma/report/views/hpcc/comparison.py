"""Several runs of the suite beside each other: values, what differed, balance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from groma.balance.ratios import balance_of, quantities_of, reciprocal
from groma.facts.hpcc import HpccFacts
from groma.hpccoutf.headlines import headlines_of
from groma.record.units import format_value
from groma.report.blocks import DataTable, Drawing, Figure
from groma.report.views.comparing import Headline, compared, relative_figures
from groma.report.views.registry import comparison
from groma.report.views.run.differences import differences_figure
from groma.report.words.text import ABSENT

if TYPE_CHECKING:
    from groma.record import Quantity, Record
    from groma.report.views.registry import Blocks, Named


@comparison(order=3, of=HpccFacts)
def runs(records: Sequence[Named]) -> Blocks:
    every = compared(records, _headlines)
    return [
        *relative_figures("hpcc", "HPC Challenge", every, "Lower latencies are better."),
        *differences_figure("hpcc-differences", records),
        *_kiviat(records),
    ]


def _headlines(record: Record[HpccFacts]) -> list[Headline]:
    found = headlines_of(record.facts).values()
    return [Headline(one.definition.full_name, one.quantity) for one in found]


class RadarShape(msgspec.Struct, kw_only=True):
    """A closed line over axes from 0 to 1; None where there is no value."""

    name: str
    tone: int
    values: Sequence[float | None]
    texts: Sequence[str]


class RadarChart(Drawing, kw_only=True):
    """A Kiviat diagram."""

    kind: Literal["radar"] = "radar"
    axes: Sequence[str]
    shapes: Sequence[RadarShape]


Column = tuple[str, list["Quantity | None"]]


def _columns(records: Sequence[Named]) -> list[Column]:
    """The columns of the paper's figures 4 to 6; HPL itself is 1 in all of them."""
    ratios = [{one.name: one.quantity for one in balance_of(record.facts)} for _, record in records]
    names = dict.fromkeys(name for own in ratios for name in own)
    columns: list[Column] = [(name, [own.get(name) for own in ratios]) for name in names]
    latency = [_reciprocal_latency(record.facts) for _, record in records]
    every = [*columns, ("1 / ring latency", latency)]
    return [(name, values) for name, values in every if sum(value is not None for value in values) > 1]


def _reciprocal_latency(facts: HpccFacts) -> Quantity | None:
    latency = quantities_of(facts).get("random_ring_latency")
    return reciprocal(latency) if latency else None


def _kiviat(records: Sequence[Named]) -> list[Figure]:
    columns = _columns(records)
    if len(columns) < 3:
        return []
    rows = [[name, *map(_text, values)] for name, values in columns]
    return [
        Figure(
            id="hpcc-kiviat",
            title="Balance, relative to the best",
            what="Each test relative to HPL, for all ranks together, and the inverse latency of "
            "random rings. Each axis is divided by its largest value, so the rim is the best of "
            "these records. The diagram shows balance, not speed.",
            method="After Rabenseifner, Balance of HPC Systems Based on HPCC Benchmark Results (2005), "
            "section 5, figures 4 to 6.",
            drawing=RadarChart(axes=[name for name, _ in columns], shapes=_shapes(records, columns)),
            table=DataTable(columns=["axis", *(name for name, _ in records)], rows=rows),
        )
    ]


def _shapes(records: Sequence[Named], columns: Sequence[Column]) -> list[RadarShape]:
    best = [max(value.value for value in values if value) for _, values in columns]
    shapes = []
    for tone, (name, _) in enumerate(records):
        own = [values[tone] for _, values in columns]
        shares = [value.value / most if value else None for value, most in zip(own, best, strict=True)]
        shapes.append(RadarShape(name=name, tone=tone, values=shares, texts=[_text(value) for value in own]))
    return [shape for shape in shapes if any(value is not None for value in shape.values)]


def _text(value: Quantity | None) -> str:
    return format_value(value.value, value.unit) if value else ABSENT
