"""The page of a trace."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.report.blocks import COUNT, Choice, Figure, HeatMap, SystemChart, Tiles
from groma.report.views.registry import Named, comparison_of, sections_of
from groma.report.views.test_support import leads_in
from groma.report.views.trace.blocks_of_ranks import MOST_ROWS, rank_blocks
from groma.report.views.trace.sites import MOST_SITES
from groma.report.views.trace.times import StackChart
from groma.report.words.names import LONGEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.facts.trace import TraceFacts
    from groma.record import Record

DATA = Path(__file__).parents[5] / "tests" / "data"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Record[TraceFacts]]:
    monkeypatch.syspath_prepend(DATA)
    monkeypatch.delitem(sys.modules, "example_run", raising=False)
    made: Callable[..., Record[TraceFacts]] = runpy.run_path(str(DATA / "example_trace.py"))["example_trace"]
    return made


def figures(record: Record[TraceFacts]) -> dict[str, Figure]:
    blocks = [block for section in sections_of(record) for block in section.blocks]
    options = [one.figure for block in blocks if isinstance(block, Choice) for one in block.options]
    return {one.id: one for one in [*blocks, *options] if isinstance(one, Figure)}


def tiles(record: Record[TraceFacts]) -> dict[str, Any]:
    blocks = [block for section in sections_of(record) for block in section.blocks]
    (found,) = (block for block in blocks if isinstance(block, Tiles))
    return {one.title: one for one in found.tiles}


def test_tables_have_shares_in_per_cent_and_counts_as_such(
    example: Callable[..., Record[TraceFacts]],
) -> None:
    record = example()
    for name in ("trace-calls", "trace-call-sites", "trace-states"):
        table = figures(record)[name].table
        assert table is not None
        columns = list(table.columns)
        assert table.units[columns.index("count")] == COUNT
        for row in table.rows:
            assert re.fullmatch(r"[\d.]+\s%", str(row[columns.index("share")]))


def test_each_row_has_the_useful_time_and_all_of_the_time_in_mpi(
    example: Callable[..., Record[TraceFacts]],
) -> None:
    record = example()
    chart = figures(record)["trace-ranks"].drawing
    assert isinstance(chart, StackChart)
    assert [one.name for one in chart.parts] == [
        "useful",
        *(one.label for one in record.facts.calls[:5]),
        "other calls",
    ]
    for row, rank in zip(chart.rows, record.facts.ranks, strict=True):
        assert len(row.values) == len(chart.parts)
        assert row.values[0] == rank.useful
        assert sum(row.values[1:]) == pytest.approx(rank.in_mpi)


def test_more_ranks_than_rows_stand_together_and_lose_no_byte(
    example: Callable[..., Record[TraceFacts]],
) -> None:
    record = example(ranks=200)
    blocks = rank_blocks(record.facts)
    assert len(blocks) <= MOST_ROWS
    assert (blocks[0].name, blocks[-1].name) == ("0 to 3", "196 to 199")
    assert sum(len(one.ranks) for one in blocks) == 200
    found = figures(record)["trace-pairs"].drawing
    assert isinstance(found, HeatMap)
    assert len(found.rows) == len(blocks)
    shown = sum(cell.value for row in found.cells for cell in row if cell)
    assert shown == record.facts.messages.bytes
    assert found.absent == "no message"


def test_each_rank_has_its_calls_by_bandwidth(example: Callable[..., Record[TraceFacts]]) -> None:
    """As in figure 10 (b) of Martorell et al."""
    for ranks in (8, 200):
        record = example(ranks=ranks)
        found = figures(record)["trace-rank-bandwidth-mpi-sendrecv"].drawing
        assert isinstance(found, HeatMap)
        assert len(found.rows) == min(ranks, 50)
        assert found.columns[0] == "20-40 MB/s"
        shown = sum(cell.value for row in found.cells for cell in row if cell)
        assert shown == sum(one.count for one in record.facts.bandwidths if one.label == "MPI_Sendrecv")
        slow = [sum(cell.value for cell in row[:3] if cell) for row in found.cells]
        assert slow[0] > 0
        assert slow[-1] == 0


def test_times_of_ranks_do_not_hold_their_bandwidths_once_more(
    example: Callable[..., Record[TraceFacts]],
) -> None:
    record = example()
    assert record.facts.ranks[0].bandwidths
    data = figures(record)["trace-ranks"].data
    assert [(one.name, one.useful) for one in data] == [(one.name, one.useful) for one in record.facts.ranks]
    assert not any(one.bandwidths for one in data)


def test_a_call_that_one_rank_makes_has_no_map_of_ranks(example: Callable[..., Record[TraceFacts]]) -> None:
    assert "trace-rank-bandwidth-mpi-recv" not in figures(example())


def test_what_was_not_traced_has_no_row(example: Callable[..., Record[TraceFacts]]) -> None:
    record = example()
    lost = record.facts.ranks[3].__class__(
        name="3", useful=0, in_mpi=0, calls=0, sent=0, received=0, present=False
    )
    record.facts.ranks[3] = lost
    assert [one.name for one in rank_blocks(record.facts)] == ["0", "1", "2", "4", "5", "6", "7"]
    assert "7 threads" in leads_in(sections_of(record))[0]


def test_tiles_name_the_ranks_that_the_others_wait_for(example: Callable[..., Record[TraceFacts]]) -> None:
    found = tiles(example())
    assert found["Load balance"].lines[1].startswith("longest: rank 3,")
    assert "is the tracer's" in found["In MPI"].lines[0]
    assert "tracer" not in tiles(example(bare=True))["In MPI"].lines[0]


def test_the_longest_call_sites_are_drawn_and_all_are_in_the_table(
    example: Callable[..., Record[TraceFacts]],
) -> None:
    record = example()
    figure = figures(record)["trace-call-sites"]
    sites = record.facts.call_sites
    assert isinstance(figure.drawing, SystemChart)
    assert figure.table is not None
    assert len(figure.table.rows) == len(sites) > MOST_SITES
    first, *_, last = figure.drawing.rows
    assert len(figure.drawing.rows) == MOST_SITES
    assert first.name == "MPI_Sendrecv in exchange_0, 10 (halo.c, solver)"
    assert last.cells[1] is not None
    assert last.cells[1].value == sites[MOST_SITES - 1].seconds
    assert f"{len(sites) - MOST_SITES} more" in figure.what
    record.facts.call_sites = sites[:MOST_SITES]
    assert "more" not in figures(record)["trace-call-sites"].what


def longest_text(value: Any) -> int:
    if isinstance(value, dict):
        return max(map(longest_text, value.values()), default=0)
    if isinstance(value, list):
        return max(map(longest_text, value), default=0)
    return len(value) if isinstance(value, str) else 0


def with_long_names(values: list[Any], *fields: str) -> list[Any]:
    return [
        msgspec.structs.replace(one, **{name: f"{getattr(one, name)}{'n' * 5000}" for name in fields})
        for one in values
    ]


def test_a_long_name_does_not_widen_the_page(example: Callable[..., Record[TraceFacts]]) -> None:
    record = example()
    facts = record.facts
    longest = longest_text([msgspec.to_builtins(one) | {"data": None} for one in figures(record).values()])
    for name in ("states", "calls", "regions", "bandwidths"):
        setattr(facts, name, with_long_names(getattr(facts, name), "label"))
    facts.call_sites = with_long_names(facts.call_sites, "call", "function", "line")
    facts.counters = with_long_names(facts.counters, "counter", "place")
    shown = [msgspec.to_builtins(one) | {"data": None} for one in figures(record).values()]
    shown.append(msgspec.to_builtins([*comparison_of([Named("a", record), Named("b", record)])]))
    assert longest_text(shown) < longest + 3 * LONGEST


def test_a_trace_without_call_sites_has_no_figure_of_them(example: Callable[..., Record[TraceFacts]]) -> None:
    record = example()
    record.facts.call_sites = []
    assert "trace-call-sites" not in figures(record)


def test_a_trace_of_another_tracer_has_no_clocks(example: Callable[..., Record[TraceFacts]]) -> None:
    assert "trace-clocks" in figures(example())
    assert "trace-clocks" not in figures(example(bare=True))


def test_a_trace_of_nothing_is_a_page_as_well(example: Callable[..., Record[TraceFacts]]) -> None:
    record = example()
    facts = record.facts
    facts.duration = 0.0
    for name in (
        "ranks",
        "states",
        "calls",
        "call_sites",
        "collectives",
        "sizes",
        "pairs",
        "bandwidths",
        "regions",
        "counters",
    ):
        setattr(facts, name, [])
    facts.tracing = None
    assert not any(name.startswith("trace-") for name in figures(record))


def test_several_traces_stand_side_by_side(example: Callable[..., Record[TraceFacts]]) -> None:
    records = [Named("one", example()), Named("other", example(ranks=16, seed=2))]
    (section,) = comparison_of(records)
    (figure,) = section.blocks
    assert isinstance(figure, Figure)
    chart = figure.drawing
    assert isinstance(chart, SystemChart)
    assert [(row.name, row.marked) for row in chart.rows] == [("one", True), ("other", False)]
    assert [one.title for one in chart.columns[:3]] == ["run time", "threads", "parallel"]
    assert {len(row.cells) for row in chart.rows} == {len(chart.columns)}


def test_each_rank_has_its_counters_as_rates_and_as_totals(
    example: Callable[..., Record[TraceFacts]],
) -> None:
    record = example()
    found = figures(record)["trace-rank-counters"]
    chart, table = found.drawing, found.table
    assert isinstance(chart, SystemChart)
    assert [one.title for one in chart.columns] == ["instructions", "cycles", "instructions per cycle"]
    assert table is not None
    for row, totals, rank in zip(chart.rows, table.rows, record.facts.ranks, strict=True):
        assert (row.name, totals[0]) == (rank.name, rank.name)
        assert list(totals[1:]) == [rank.counters["instructions"], rank.counters["cycles"]]
        instructions, cycles, per_cycle = row.cells
        assert instructions is not None
        assert instructions.value == pytest.approx(rank.counters["instructions"] / rank.lifetime)
        assert instructions.text.endswith("/s")
        assert cycles is not None
        assert cycles.share == 1.0
        assert per_cycle is not None
        assert per_cycle.value == pytest.approx(rank.counters["instructions"] / rank.counters["cycles"])
    shares = [row.cells[0].share for row in chart.rows if row.cells[0]]
    assert max(one for one in shares if one) == 1.0


def test_ranks_without_a_counter_have_no_value_of_it(example: Callable[..., Record[TraceFacts]]) -> None:
    record = example()
    first, *others = record.facts.ranks
    only_cycles = msgspec.structs.replace(first, counters={"cycles": first.counters["cycles"]})
    facts = msgspec.structs.replace(record.facts, ranks=[only_cycles, *others])
    chart = figures(msgspec.structs.replace(record, facts=facts))["trace-rank-counters"].drawing
    assert isinstance(chart, SystemChart)
    of_first = dict(zip((one.title for one in chart.columns), chart.rows[0].cells, strict=True))
    assert of_first["instructions"] is None
    assert of_first["instructions per cycle"] is None
    assert of_first["cycles"] is not None


def test_many_ranks_have_the_mean_rates_of_their_blocks(example: Callable[..., Record[TraceFacts]]) -> None:
    record = example(ranks=200)
    found = figures(record)["trace-rank-counters"]
    assert isinstance(found.drawing, SystemChart)
    assert len(found.drawing.rows) == 50
    four = record.facts.ranks[:4]
    first = found.drawing.rows[0].cells[0]
    assert first is not None
    mean = sum(one.counters["instructions"] for one in four) / sum(one.lifetime for one in four)
    assert first.value == pytest.approx(mean)
    assert found.table is not None
    assert len(found.table.rows) == 200


@pytest.mark.parametrize(
    ("instructions", "cycles"),
    [
        ("PAPI_TOT_INS [Instr completed]", "PAPI_TOT_CYC [Total cycles]"),
        ("Instr completed (PAPI_TOT_INS)", "Total cycles (PAPI_TOT_CYC)"),
        ("Instructions", "Cycles"),
    ],
)
def test_other_tracers_names_of_instructions_and_cycles_are_known(
    example: Callable[..., Record[TraceFacts]], instructions: str, cycles: str
) -> None:
    record = example()
    names = {"instructions": instructions, "cycles": cycles}
    ranks = [
        msgspec.structs.replace(one, counters={names[name]: total for name, total in one.counters.items()})
        for one in record.facts.ranks
    ]
    facts = msgspec.structs.replace(record.facts, ranks=ranks)
    chart = figures(msgspec.structs.replace(record, facts=facts))["trace-rank-counters"].drawing
    assert isinstance(chart, SystemChart)
    assert [one.title for one in chart.columns] == [instructions, cycles, "instructions per cycle"]


def test_a_trace_without_counters_of_ranks_has_none_of_their_figure(
    example: Callable[..., Record[TraceFacts]],
) -> None:
    record = example()
    ranks = [msgspec.structs.replace(one, counters={}) for one in record.facts.ranks]
    facts = msgspec.structs.replace(record.facts, ranks=ranks)
    assert "trace-rank-counters" not in figures(msgspec.structs.replace(record, facts=facts))


def test_collectives_have_their_communicators(example: Callable[..., Record[TraceFacts]]) -> None:
    record = example()
    found = figures(record)["trace-collectives"]
    assert isinstance(found.drawing, SystemChart)
    assert found.drawing.rows[0].name == "MPI_Allreduce of ranks 1, 3, 5, 7"
    assert found.table is not None
    assert len(found.table.rows) == len(record.facts.collectives) == 4
    for row, one in zip(found.drawing.rows, record.facts.collectives, strict=True):
        assert row.cells[1] is not None
        assert row.cells[1].value == one.seconds


def test_of_one_communicator_alone_calls_say_as_much(example: Callable[..., Record[TraceFacts]]) -> None:
    record = example()
    alone = [one for one in record.facts.collectives if one.communicator.startswith("ranks 1")]
    facts = msgspec.structs.replace(record.facts, collectives=alone)
    assert "trace-collectives" not in figures(msgspec.structs.replace(record, facts=facts))
