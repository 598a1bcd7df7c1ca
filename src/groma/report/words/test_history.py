from __future__ import annotations

from typing import Any

from groma.facts.history import PointInTime, Trend
from groma.record import Quantity
from groma.report.words.history import latest_words


def trend(*values: float, **said: Any) -> Trend:
    points = [
        PointInTime(
            created=f"2026-01-{day:02}",
            file="a.json",
            value=Quantity(value=value, unit="B/s", low=value, high=value, confidence=0.95, method="m"),
        )
        for day, value in enumerate(values, start=1)
    ]
    return Trend(
        machine="node17",
        kind="hpcc",
        shape="",
        name="hpcc.triad",
        unit="B/s",
        better="higher",
        points=points,
        **said,
    )


def test_values_without_a_ratio_are_not_called_few() -> None:
    assert latest_words(trend(1e10, 2e10, 1e10)) == "too few values"
    assert latest_words(trend(0.0, 0.0, 1.0, 0.0, 2.0)) == "3 of 5 not above zero"


def test_a_last_value_of_zero_is_a_change_by_all_of_it() -> None:
    assert latest_words(trend(1.0, 0.0, latest="worse", latest_ratio=0.0)) == "worse: -100 %"
