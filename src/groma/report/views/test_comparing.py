from __future__ import annotations

import math
from typing import TYPE_CHECKING

from groma.report.blocks import Figure, StripChart, SystemChart
from groma.report.views.comparing import Compared, many_figure, relative_figures
from groma.report.views.test_support import measured

if TYPE_CHECKING:
    from groma.record import Quantity


def drawn(count: int) -> StripChart:
    names = [f"night{number}" for number in range(count)]
    values = [measured(1e10 + number, "B/s", low=9e9, high=1.1e10) for number in range(count)]
    figure, *_ = relative_figures("a", "A", Compared(names, {"rate": list(values)}, {"": ["rate"]}), "")
    assert isinstance(figure, Figure)
    assert isinstance(figure.drawing, StripChart)
    return figure.drawing


def test_a_few_records_have_colours() -> None:
    chart = drawn(7)
    assert [one.name for one in chart.legend] == [f"night{number}" for number in range(1, 7)]
    assert {lane.text for lane in chart.strips[0].lanes} == {"1.00 x, indistinguishable"}


def test_many_records_have_their_names_beside_them_for_colours_repeat() -> None:
    chart = drawn(9)
    assert chart.legend == []
    assert [lane.text for lane in chart.strips[0].lanes] == [
        f"1.00 x, night{number}, indistinguishable" for number in range(1, 9)
    ]


def rows_of_many(values: list[Quantity | None]) -> SystemChart:
    names = [f"night{number}" for number in range(len(values))]
    (figure,) = many_figure("a", "A", Compared(names, {"rate": values}, {"": ["rate"]}), "")
    assert isinstance(figure, Figure)
    assert isinstance(figure.drawing, SystemChart)
    return figure.drawing


def test_what_was_not_determined_has_neither_unit_nor_bar_and_sets_none() -> None:
    unknown = measured(9e10, "B/s", confidence=0.0)
    chart = rows_of_many([measured(1e9, "B/s"), unknown, measured(2e9, "B/s"), None])
    assert chart.columns[0].unit == "GB/s"
    found = [cell and (cell.text, cell.value, cell.share) for (cell,) in (row.cells for row in chart.rows)]
    assert found == [("1", 1e9, 0.5), ("not determined", None, None), ("2", 2e9, 1.0), None]


def test_where_nothing_was_determined_no_unit_is_shown() -> None:
    chart = rows_of_many([measured(1e9, "B/s", confidence=0.0)] * 3)
    assert chart.columns[0].unit == ""
    assert {cell and cell.text for row in chart.rows for cell in row.cells} == {"not determined"}


def test_cells_of_several_units_have_theirs_each() -> None:
    chart = rows_of_many([measured(1e9, "B/s"), measured(1e6, "B/s"), measured(math.nan, "B/s")])
    assert chart.columns[0].unit == ""
    cells = [cell for row in chart.rows for cell in row.cells if cell]
    assert [cell.text for cell in cells] == ["1 GB/s", "1 MB/s", "unknown B/s"]
    assert [cell.share for cell in cells] == [1.0, 0.001, None]
