from groma.report.blocks import Figure, StripChart
from groma.report.views.comparing import Compared, relative_figures
from groma.report.views.test_support import measured


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
