"""Load latency over the size of the working set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.facts.survey import SurveyFacts
from groma.report.blocks import Axis, DataTable, Figure, LineChart, Point, Series, XRange, not_measured
from groma.report.page_samples import summaries_of
from groma.report.views.comparing import TONES
from groma.report.views.registry import comparison, view
from groma.report.words.node import cache_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.facts.survey import Cache
    from groma.record import Record, SampleSummary
    from groma.report.blocks import Cell
    from groma.report.views.registry import Blocks, Named

_PROBE = "load_latency"
_PAGE_NAMES = {"huge": "huge pages", "small": "small pages"}
_COLUMNS = ("pages", "size (B)", "p5 (s)", "p50 (s)", "p95 (s)", "min (s)", "samples")


class Curve(NamedTuple):
    """Latencies over sizes with one kind of pages."""

    pages: str
    points: list[tuple[int, SampleSummary]]


@view("latency", order=1, of=SurveyFacts)
def latency_curve(record: Record[SurveyFacts]) -> Blocks:
    curves = _curves_of(record)
    if not curves:
        return [not_measured("Load latency over size")]
    return [
        Figure(
            id="load-latency",
            title="Load latency over the size of the working set",
            what="Time of one load that depends on the one before it. Each line is the 5th "
            "percentile, and its shade reaches up to the median. Vertical bands mark the "
            "measured cache sizes.",
            method="Random cyclic chase over one pointer per line, with short samples of all sizes in "
            "random order and different physical pages in every round.",
            drawing=_chart(
                [_series(curve, tone, dashed=tone > 0) for tone, curve in enumerate(curves)],
                _ranges(record.facts.node.caches),
            ),
            table=DataTable(columns=_COLUMNS, rows=list(_rows(curves))),
            data={"unit": "s", "curves": [_data(curve) for curve in curves]},
        )
    ]


@comparison(order=2, of=SurveyFacts)
def latency_comparison(records: Sequence[Named]) -> Blocks:
    """The curves of several records in one figure."""
    found = [(name, _curves_of(record)) for name, record in records]
    if not any(curves for _, curves in found):
        return []
    series = [
        msgspec.structs.replace(
            _series(curve, tone, dashed=number > 0, prefix=f"{name}: "), shown=tone < TONES
        )
        for tone, (name, curves) in enumerate(found)
        for number, curve in enumerate(curves)
    ]
    more = (
        f" Those beyond the first {TONES} share colours with them: choose them in the legend."
        if len(found) > TONES
        else ""
    )
    rows = [[name, *row] for name, curves in found for row in _rows(curves)]
    return [
        Figure(
            id="latency-comparison",
            title="Load latency, overlaid",
            what="Time of one dependent load: 5th percentile, shaded up to the median. Each record "
            f"has one colour.{more}",
            method="The same probe in each record; see the method of each.",
            drawing=_chart(series, []),
            table=DataTable(columns=["record", *_COLUMNS], rows=rows),
            data=[{"name": name, "curves": [_data(curve) for curve in curves]} for name, curves in found],
        )
    ]


def _curves_of(record: Record[SurveyFacts]) -> list[Curve]:
    """One curve per page mode, sizes ascending; empty where the probe did not run."""
    samples = record.samples.get(_PROBE)
    if samples is None:
        return []
    found: dict[str, list[tuple[int, SampleSummary]]] = {}
    # A file that was edited may have more cases than samples.
    for case, summary in zip(samples.cases, summaries_of(samples.values), strict=False):
        pages, size = str(case.get("pages", "default")), case.get("size_bytes")
        if summary is not None and isinstance(size, int):
            found.setdefault(pages, []).append((size, summary))
    return [Curve(pages, sorted(points, key=lambda one: one[0])) for pages, points in found.items()]


def _chart(series: Sequence[Series], ranges: Sequence[XRange]) -> LineChart:
    return LineChart(
        x=Axis(title="working set", unit="B", scale="log2"),
        y=Axis(title="time per load", unit="s", scale="log10"),
        series=series,
        ranges=ranges,
    )


def _series(curve: Curve, tone: int, *, dashed: bool, prefix: str = "") -> Series:
    """The 5th percentile as the line, up to the median as its band."""
    return Series(
        name=prefix + _PAGE_NAMES.get(curve.pages, f"{curve.pages} pages"),
        spread="band",
        upper="median",
        tone=tone,
        dashed=dashed,
        points=[
            Point(x=size, y=one.p5, low=one.p5, high=one.p50, note=f"{one.n} samples")
            for size, one in curve.points
        ],
    )


def _rows(curves: Sequence[Curve]) -> Iterator[list[Cell]]:
    for pages, points in curves:
        for size, one in points:
            yield [pages, size, one.p5, one.p50, one.p95, one.min, one.n]


def _data(curve: Curve) -> dict[str, Any]:
    return {"pages": curve.pages, "points": [{"size": size, "summary": one} for size, one in curve.points]}


def _ranges(caches: Sequence[Cache]) -> list[XRange]:
    """The brackets of the caches, and what the system declares where that lies outside."""
    found = []
    for cache in caches:
        name, size = cache_name(cache), cache.size
        found.append(XRange(name=name, low=size.low, high=size.high))
        if size.os_value is not None and size.agrees is False:
            declared = size.os_value
            found.append(XRange(name=f"{name} by the OS", low=declared, high=declared, kind="declared"))
    return found
