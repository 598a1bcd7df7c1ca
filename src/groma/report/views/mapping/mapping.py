"""A process mapping: its quality beside the usual placements, where ranks go, what it gains."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.facts.mapping import MappingFacts
from groma.record.counting import counted
from groma.record.units import format_ids, format_number, format_value
from groma.report.blocks import (
    Banner,
    DataTable,
    DotAxis,
    Figure,
    Note,
    Strip,
    StripChart,
    SystemCell,
    SystemChart,
    SystemColumn,
    SystemRow,
    Tile,
    lead_and_tiles,
)
from groma.report.views.marks import quantity_lane, sampled_tile
from groma.report.views.registry import view
from groma.report.words.mapping import places_of_ranks, proof_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.facts.mapping import MappingQuality
    from groma.facts.placed import Gain
    from groma.record import Record
    from groma.report.blocks import Cell
    from groma.report.views.registry import Blocks

OWN = "this mapping"


@view("verdict", order=0, of=MappingFacts)
def verdict(record: Record[MappingFacts]) -> Blocks:
    facts = record.facts
    tiles = [*_shorter(facts), *_gained(facts.gain)]
    lead = " ".join([f"{facts.ranks} ranks on {facts.machine}, by {facts.method}.", *proof_of(facts)])
    notes = [Note(text=text) for text in facts.remarks]
    return [*_misplaced(facts), *lead_and_tiles(lead, tiles), *notes]


def _misplaced(facts: MappingFacts) -> list[Banner]:
    wrong = facts.verification.misplaced if facts.verification else []
    if not wrong:
        return []
    title = f"{len(wrong)} of {counted(facts.ranks, 'rank')} ran elsewhere than planned."
    what = "The quality is that of the plan. The places of ranks tell where they ran."
    return [Banner(outcome="warn", title=title, lines=[what])]


def _shorter(facts: MappingFacts) -> list[Tile]:
    block, own = facts.baselines.get("block"), facts.quality
    if block is None or not own.hop_bytes:
        return []
    lines = [f"{format_value(own.hop_bytes, 'B')}, in blocks {format_value(block.hop_bytes, 'B')}"]
    ratio = f"{block.hop_bytes / own.hop_bytes:.2f} x"
    return [Tile(title="Hop-bytes in blocks / mapped", value=ratio, lines=lines)]


def _gained(gain: Gain | None) -> list[Tile]:
    if gain is None:
        return []
    return [sampled_tile("Time by default / mapped", gain.gain, [gain.kernel])]


@view("results", order=1, of=MappingFacts)
def results(record: Record[MappingFacts]) -> Blocks:
    facts = record.facts
    return [*_quality(facts), *_gain(facts.gain), *_ranks(facts)]


class _Measure(NamedTuple):
    """A column of the qualities; `value` is None where a placement has none."""

    title: str
    unit: str
    value: Callable[[MappingQuality], float | None]
    least: bool = True

    def cell(self, one: MappingQuality, every: Sequence[MappingQuality]) -> SystemCell | None:
        value = self.value(one)
        if value is None:
            return None
        text = format_value(value, self.unit) if self.unit else format_number(value)
        most = max(self.value(each) or 0.0 for each in every)
        return SystemCell(text=text, value=value, share=value / most if self.least and most > 0 else None)


_MEASURES = (
    _Measure("hop-bytes", "B", lambda one: one.hop_bytes),
    _Measure("dilation", "", lambda one: one.dilation),
    _Measure("busiest link", "B", lambda one: one.max_congestion),
    _Measure("modularity", "", lambda one: one.modularity, least=False),
)


def _quality(facts: MappingFacts) -> Blocks:
    if facts.quality.dilation is None:
        return []
    every = {OWN: facts.quality} | facts.baselines
    known = [one for one in _MEASURES if any(one.value(each) is not None for each in every.values())]
    more = "; modularity is better if it is large" if _MEASURES[-1] in known else ""
    return [
        Figure(
            id="mapping-quality",
            title="Quality of the mapping",
            what=f"Beside the placements that launchers use. Less is better{more}.",
            method=f"computed from {facts.traffic or 'the matrix'} and the distances of {facts.machine}",
            drawing=SystemChart(
                of="placement",
                columns=[SystemColumn(title=one.title, least=one.least) for one in known],
                rows=[_row(name, one, known, list(every.values())) for name, one in every.items()],
            ),
            table=DataTable(
                columns=["placement", *(one.title for one in known)],
                units=["", *(one.unit for one in known)],
                rows=[[name, *(one.value(each) for one in known)] for name, each in every.items()],
            ),
            data=facts.quality,
        )
    ]


def _row(
    name: str, one: MappingQuality, known: Sequence[_Measure], every: Sequence[MappingQuality]
) -> SystemRow:
    layers = [(layer, format_value(value, "B")) for layer, value in one.bytes_by_layer.items()]
    cells = [measure.cell(one, every) for measure in known]
    return SystemRow(name=name, marked=name == OWN, cells=cells, details=layers)


def _gain(gain: Gain | None) -> Blocks:
    if gain is None:
        return []
    both = {"by default": gain.default, "mapped": gain.mapped}
    return [
        Figure(
            id="mapping-gain",
            title="Time of an iteration",
            what=f"Kernel: {gain.kernel}. {gain.launches} launches of each kind took turns.",
            method=gain.gain.method,
            drawing=StripChart(
                x=DotAxis(title="time", unit="s"),
                strips=[
                    Strip(name=name, lanes=[quantity_lane(quantity, tone)])
                    for tone, (name, quantity) in enumerate(both.items())
                ],
                marks=[],
                bars=True,
            ),
            table=DataTable(
                columns=["placement", "time", "command"],
                rows=[
                    ["by default", gain.default, gain.default_command],
                    ["mapped", gain.mapped, gain.mapped_command],
                ],
            ),
        )
    ]


def _ranks(facts: MappingFacts) -> Blocks:
    ran = {one.rank: one for one in facts.verification.ranks} if facts.verification else {}
    known = places_of_ranks(facts)
    rows: list[list[Cell]] = []
    for rank, place in enumerate(facts.mapping):
        found = ran.get(rank)
        ended = [
            f"{found.host} {format_ids(found.cpus)}" if found else None,
            ("as planned" if found.is_as_planned else "elsewhere") if found else None,
        ]
        rows.append([rank, place, *(values[rank] for values in known.values()), *(ended if ran else ())])
    explained = ["Cores are logical ids."] if "cores" in known else []
    explained += ["Processors that ranks ran on have the numbers of the kernel."] if ran else []
    return [
        Figure(
            id="mapping-ranks",
            title="Places of ranks",
            what=" ".join(explained),
            table=DataTable(columns=["rank", "place", *known, *(("ran on", "") if ran else ())], rows=rows),
        )
    ]
