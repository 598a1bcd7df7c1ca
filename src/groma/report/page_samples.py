"""What a page carries of samples: everything but the single ones, which stay in the record file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.record import Advice, ProbeSamples, Round, SampleSummary
from groma.report.packing import rounded
from groma.report.series import PageSeries, series_of
from groma.stats.quantiles import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_CASES = 2000
"""Probes of more cases (core pairs of a big node) are counted in the page, not listed."""

SUMMARY_DIGITS = 5
"""Significant digits of a sample summary in the page; the fifth is far below any noise."""


class Disturbance(msgspec.Struct, frozen=True, kw_only=True):
    """What disturbed the rounds of a probe. `fixed_work` in s, `wall_over_cpu` a ratio, `steal` in s."""

    rounds: int
    fixed_work: SampleSummary
    wall_over_cpu: SampleSummary
    steal: float


class PageSamples(msgspec.Struct, kw_only=True):
    """Samples of one probe. `summary[i]` belongs to `cases[i]`, None where a case has no sample yet.

    Both lists are empty above MAX_CASES and where `series` tells the samples by rank and repetition instead;
    `case_count` and `sample_count` are always there.
    """

    probe: str
    case_count: int
    sample_count: int
    cases: list[dict[str, Any]]
    summary: list[SampleSummary | None]
    series: list[PageSeries]
    disturbance: Disturbance | None
    parameters: dict[str, str]
    seed: int
    elapsed: float
    ended: str
    error: Advice | None


def page_samples(samples: ProbeSamples) -> PageSamples:
    series = series_of(samples)
    listed = not series and len(samples.cases) <= MAX_CASES
    return PageSamples(
        probe=samples.probe,
        case_count=len(samples.cases),
        sample_count=sum(map(len, samples.values)),
        cases=samples.cases if listed else [],
        summary=[summary_of(values) for values in samples.values] if listed else [],
        series=series,
        disturbance=_disturbance(samples.rounds),
        parameters=samples.parameters,
        seed=samples.seed,
        elapsed=samples.elapsed,
        ended=samples.ended,
        error=samples.error,
    )


def summary_of(values: Sequence[float]) -> SampleSummary | None:
    """Count, minimum and quantiles at the page's precision, None without values."""
    if not values:
        return None
    exact = summarize(values)
    low, p5, p50, p95 = (
        rounded(value, SUMMARY_DIGITS) for value in (exact.min, exact.p5, exact.p50, exact.p95)
    )
    return SampleSummary(n=exact.n, min=low, p5=p5, p50=p50, p95=p95)


def _disturbance(rounds: Sequence[Round]) -> Disturbance | None:
    fixed_work = summary_of([one.fixed_work for one in rounds])
    wall_over_cpu = summary_of([one.wall_over_cpu for one in rounds])
    if fixed_work is None or wall_over_cpu is None:
        return None
    return Disturbance(
        rounds=len(rounds),
        fixed_work=fixed_work,
        wall_over_cpu=wall_over_cpu,
        steal=sum(one.steal for one in rounds),
    )
