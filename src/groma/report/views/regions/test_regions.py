"""What the page shows of the regions of a program."""

from __future__ import annotations

from groma.facts.regions import RegionMetric, RegionsFacts, RegionTotals, ValueTotals
from groma.report.views.registry import sections_of
from groma.report.views.test_support import (
    assert_whole,
    figures_in,
    ids_of,
    leads_in,
    notes_in,
    record_of,
    rows_in,
)
from groma.report.words.text import unbroken

REGIONS = RegionsFacts(
    regions=[
        RegionTotals(path=["main"], thread=0, calls=1, inclusive=2.0, exclusive=0.5, counts=[30]),
        RegionTotals(path=["main", "solve"], thread=0, calls=4, inclusive=1.5, exclusive=1.5, counts=[20]),
    ],
    events=["PAPI_TOT_INS"],
    values=[ValueTotals(name="size", thread=0, calls=2, sum=6.0, min=2, max=4)],
    metrics=[RegionMetric(path=["main"], group="g", name="ipc", unit="1", formula="a / b", value=1.25)],
    remarks=["the counters were multiplexed"],
    host="walnut",
    rank="3",
)


def test_a_page_of_regions_has_their_times_counts_metrics_and_values() -> None:
    record = record_of("regions", REGIONS, command=["./app", "-n"])
    sections = sections_of(record)
    assert ids_of(record)[:2] == ["verdict", "results"]
    assert "facts" not in ids_of(record)
    assert leads_in(sections) == ["./app -n, rank 3 on walnut."]
    assert notes_in(sections) == ["the counters were multiplexed"]
    assert_whole(figures_in(sections))
    assert rows_in(sections, "regions-times")[1][1:6] == [
        unbroken(one) for one in ("1", "4", "1.50 s", "1.50 s", "75.0 %")
    ]
    assert rows_in(sections, "regions-counts")[1][1] == "20"
    assert rows_in(sections, "regions-metrics")[0][2] == "1.25"
    assert rows_in(sections, "regions-values")[0][3] == "3"


def test_regions_without_counters_have_times_alone() -> None:
    record = record_of("regions", RegionsFacts(regions=REGIONS.regions[:1]))
    tables = [one.id for one in figures_in(sections_of(record)) if one.id.startswith("regions")]
    assert tables == ["regions-times"]


def test_a_damaged_region_without_a_path_has_its_times() -> None:
    nameless = RegionTotals(path=[], thread=0, calls=1, inclusive=2.0, exclusive=0.5, counts=[])
    rows = rows_in(sections_of(record_of("regions", RegionsFacts(regions=[nameless]))), "regions-times")
    assert rows[0][0] == ""


def test_large_counts_have_their_thousands_apart() -> None:
    often = RegionTotals(
        path=["a"], thread=0, calls=1200, inclusive=2.0, exclusive=2.0, counts=[123456789012]
    )
    value = ValueTotals(name="size", thread=0, calls=3400, sum=6.0, min=2, max=4)
    facts = RegionsFacts(regions=[often], events=["PAPI_TOT_INS"], values=[value])
    sections = sections_of(record_of("regions", facts))
    assert rows_in(sections, "regions-times")[0][2] == "1,200"
    assert rows_in(sections, "regions-counts")[0][1] == "123,456,789,012"
    assert "3,400" in rows_in(sections, "regions-values")[0]
