"""The regions of a program on the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from groma.facts.regions import RegionMetric, RegionsFacts, RegionTotals, ValueTotals
from groma.record import Build, Record
from groma.report.kinds.regions import SECTIONS, by_path
from groma.report.renderers import plain
from groma.report.terminal import document_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def totals(path: Sequence[str], thread: int = 0, inclusive: float = 1.0, **more: object) -> RegionTotals:
    plain_totals = {"path": path, "thread": thread, "calls": 2, "inclusive": inclusive, "exclusive": 0.5}
    return msgspec.convert(plain_totals | more, RegionTotals)


def record_of(*regions: RegionTotals, **more: object) -> Record[RegionsFacts]:
    facts = msgspec.convert({"regions": [msgspec.to_builtins(one) for one in regions]} | more, RegionsFacts)
    return Record(
        kind="regions",
        created="2026-01-01T00:00:00Z",
        command=["./app"],
        build=Build(version="0.1.0"),
        environment={},
        parameters={},
        samples={},
        facts=facts,
    )


def shown(record: Record[RegionsFacts]) -> str:
    return plain(document_of(record)).replace("\N{NO-BREAK SPACE}", " ")


def test_threads_are_summed_and_their_balance_is_reported() -> None:
    lines = shown(record_of(totals(["a"], 0, 1.0), totals(["a"], 1, 3.0)))
    row = next(line for line in lines.splitlines() if line.strip().startswith("a "))
    assert row.split() == ["a", "2", "4", "4", "s", "1", "s", "25.0", "%", "0.67"]


def test_counts_metrics_and_values_are_shown() -> None:
    record = record_of(
        totals(["a"], counts=[5, 7], exclusive_counts=[5, 7]),
        totals(["a"], 1, counts=[]),
        events=["cycles", "branches"],
        metrics=[
            msgspec.to_builtins(
                RegionMetric(path=["a"], group="g", name="per cycle", unit="1", formula="b / c", value=1.4)
            ),
            msgspec.to_builtins(
                RegionMetric(path=["a"], group="g", name="empty", unit="1", formula="b / c", value=None)
            ),
        ],
        values=[msgspec.to_builtins(ValueTotals(name="step", thread=0, calls=2, sum=3.0, min=1, max=2))],
        remarks=["instructions is not counted: not supported by this virtual machine"],
    )
    text = shown(record)
    for part in ("cycles", "5", "per cycle", "1.4", "step", "not supported by this virtual machine"):
        assert part in text


def test_a_region_follows_the_one_around_it() -> None:
    record = record_of(totals(["b", "inner"]), totals(["a"]), totals(["b"], 1), totals(["a", "late"]))
    assert list(by_path(record.facts)) == [("a",), ("a", "late"), ("b",), ("b", "inner")]


def test_regions_may_be_nested_deeper_than_calls_of_python() -> None:
    depth = 2 * sys.getrecursionlimit()
    facts = RegionsFacts(regions=[totals(["r"] * level) for level in range(1, depth + 1)])
    assert [len(path) for path in by_path(facts)] == list(range(1, depth + 1))


def test_regions_inside_of_open_ones_come_last_and_stay_together() -> None:
    paths = [["x", "a"], ["y", "b"], ["x", "c"], ["d"]]
    record = record_of(*(totals(path) for path in paths))
    assert list(by_path(record.facts)) == [("d",), ("x", "a"), ("x", "c"), ("y", "b")]


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), max_size=20))
def test_any_paths_are_shown_once_with_their_regions_in_one_piece(paths: list[list[str]]) -> None:
    facts = record_of(*(totals(path) for path in paths)).facts
    order = list(by_path(facts))
    assert sorted(order) == sorted({tuple(path) for path in paths})
    for around in order:
        inside = [place for place, path in enumerate(order) if path[: len(around)] == around]
        assert inside == list(range(inside[0], inside[0] + len(inside)))


def test_large_counts_have_their_thousands_apart() -> None:
    text = shown(record_of(totals(["a"], calls=1200, counts=[123456789012]), events=["cycles"]))
    assert "1,200" in text
    assert "123,456,789,012" in text


def test_large_counts_of_values_have_their_thousands_apart() -> None:
    value = ValueTotals(name="step", thread=0, calls=3400, sum=3.0, min=1, max=2)
    assert "3,400" in shown(record_of(values=[msgspec.to_builtins(value)]))


def test_sections_are_those_of_a_record() -> None:
    assert SECTIONS is not None
    assert "Regions of a program" in shown(record_of())


def test_a_name_that_is_longer_than_a_line_is_shortened() -> None:
    name = f"solve<{'int, ' * 1000}>::step"
    metric = RegionMetric(path=[name], group="g", name="n" * 5000, unit="1", formula="p + " * 5000, value=1.0)
    text = shown(record_of(totals([name]), metrics=[msgspec.to_builtins(metric)]))
    assert max(map(len, text.splitlines())) < 400
    assert "solve<int" in text
    assert ">::step" in text
