from hypothesis import given
from hypothesis import strategies as st

from groma.report.plots import ROWS, WIDEST, chart, sparkline

VALUES = st.lists(st.floats(min_value=-1e12, max_value=1e12), min_size=1, max_size=300)


def test_values_stand_above_each_other_as_they_are() -> None:
    lines = chart([1.0, 3.0, 2.0], "s")
    assert lines[0].endswith("┤ ●")
    assert lines[ROWS // 2].endswith("┤  ●")
    assert lines[-1].endswith("┤●")
    assert lines[0].startswith("3 s")


def test_a_marked_value_begins_with_a_bar() -> None:
    assert all("│" in line or "●" in line for line in chart([1.0, 1.0, 9.0], "s", [2]))


def columns(count: int, widest: int) -> int:
    each = -(-count // widest)
    return -(-count // each)


@given(VALUES)
def test_every_column_has_a_dot(values: list[float]) -> None:
    lines = chart(values, "B/s", range(0, len(values), 7))
    assert len(lines) == ROWS
    assert sum(line.count("●") for line in lines) == columns(len(values), WIDEST)


@given(VALUES)
def test_a_sparkline_spans_all_values(values: list[float]) -> None:
    assert len(sparkline(values, 20)) == columns(len(values), 20)


def test_a_sparkline_shows_where_a_level_changes() -> None:
    assert sparkline([1.0] * 30 + [2.0] * 30) == "▁" * 10 + "█" * 10
