"""What a page carries of samples: everything but the single ones, which stay in the record file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from groma.record import Advice, ProbeSamples, Round, SampleSummary
from groma.report.packing import PAGE_DIGITS, rounded
from groma.report.series import PageSeries, series_of
from groma.stats.quantiles import by_size

MAX_CASES = 2000
"""Probes of more cases (core pairs of a big node) are counted in the page, not listed."""


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
    series: Sequence[PageSeries]
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
        summary=summaries_of(samples.values) if listed else [],
        series=series,
        disturbance=_disturbance(samples.rounds),
        parameters=samples.parameters,
        seed=samples.seed,
        elapsed=samples.elapsed,
        ended=samples.ended,
        error=samples.error,
    )


def summaries_of(groups: Sequence[Sequence[float]]) -> list[SampleSummary | None]:
    """Count, minimum and quantiles of each group at the page's precision, None for one without values."""
    found: list[SampleSummary | None] = [None] * len(groups)
    for indexes, rows in by_size(groups):
        if rows.shape[1] == 0:
            continue
        columns = (rows.min(axis=1), *np.quantile(rows, [0.05, 0.5, 0.95], axis=1))
        for index, row in zip(indexes, np.transpose(columns).tolist(), strict=True):
            low, p5, p50, p95 = (rounded(value, PAGE_DIGITS) for value in row)
            found[index] = SampleSummary(n=rows.shape[1], min=low, p5=p5, p50=p50, p95=p95)
    return found


def _disturbance(rounds: Sequence[Round]) -> Disturbance | None:
    fixed_work, wall_over_cpu = summaries_of(
        [[one.fixed_work for one in rounds], [one.wall_over_cpu for one in rounds]]
    )
    if fixed_work is None or wall_over_cpu is None:
        return None
    return Disturbance(
        rounds=len(rounds),
        fixed_work=fixed_work,
        wall_over_cpu=wall_over_cpu,
        steal=sum(one.steal for one in rounds),
    )
