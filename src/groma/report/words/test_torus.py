from __future__ import annotations

import pytest

from groma.report.words.torus import value_rows


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("finished_at", "cycles"),
        ("bytes_per_cycle_of_rank.min", "B/cycle"),
        ("latency_of_window.n", "packets"),
        ("rank_finished.max", "cycles"),
        ("stalled.node 6", ""),
    ],
)
def test_values_have_their_unit_and_meaning(name: str, unit: str) -> None:
    [row] = value_rows({name: [3.0]})
    assert row[:3] == [name, "3", unit]
    assert row[3]


def test_a_value_that_nobody_described_is_shown_all_the_same() -> None:
    assert value_rows({"new": [1.0]}) == [["new", "1", "", ""]]
