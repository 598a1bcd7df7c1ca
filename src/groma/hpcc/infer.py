"""From the samples of a test to its figures. Pure: the same samples give the same figures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from groma.facts.hpcc import Figure, HpccFacts, HpccTest, RankSpread
from groma.record import Advice, Quantity
from groma.record.units import format_share
from groma.run.facts import means_over_ranks, more_samples
from groma.stats.quantities import UNSTABLE, is_unstable, median_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.record import ProbeSamples
    from groma.run.launch_results import Outcome

MEDIAN = "median over the repetitions, order-statistic interval"
MEDIAN_OF_MEANS = "median over the repetitions of the mean over the ranks, order-statistic interval"

_OF_CASE = {"unit", "series", "mode", "rank"}


def facts_of_test(
    name: str, title: str, samples: Sequence[ProbeSamples], outcome: Outcome | None
) -> HpccTest:
    """What is known of one test from its loops of measurement and, where it was through, its outcome."""
    figures = [figure for one in samples for figure in figures_of(one)]
    return HpccTest(
        name=name,
        title=title,
        done=outcome is not None,
        figures=figures,
        checks=outcome.checks if outcome is not None else [],
    )


def figures_of(samples: ProbeSamples) -> Iterator[Figure]:
    """One figure for each series, over all ranks that have a part in it; none without a sample."""
    for cases in _series(samples).values():
        values = [samples.values[index] for index in cases]
        if any(values):
            yield _figure(samples.cases[cases[0]], [samples.cases[i].get("rank", 0) for i in cases], values)


def _series(samples: ProbeSamples) -> dict[str, list[int]]:
    """Indices of cases that differ in nothing but the rank; samples behind figures (raw) are no figures."""
    found: dict[str, list[int]] = {}
    for index, case in enumerate(samples.cases):
        if case.get("raw"):
            continue
        key = json.dumps({name: value for name, value in case.items() if name != "rank"}, sort_keys=True)
        found.setdefault(key, []).append(index)
    return found


def _figure(case: Mapping[str, Any], ranks: Sequence[int], values: Sequence[Sequence[float]]) -> Figure:
    unit, mode = str(case.get("unit", "")), str(case.get("mode", ""))
    kept = [(rank, of_rank) for rank, of_rank in zip(ranks, values, strict=True) if of_rank]
    several = len(kept) > 1
    means = means_over_ranks([of_rank for _, of_rank in kept])
    return Figure(
        series=str(case.get("series", "")),
        mode=mode,
        value=median_quantity(means, unit, MEDIAN_OF_MEANS if several else MEDIAN),
        labels={name: value for name, value in case.items() if name not in _OF_CASE},
        spread=_spread(kept, unit) if several else None,
    )


def _spread(values: Sequence[tuple[int, Sequence[float]]], unit: str) -> RankSpread:
    medians: list[tuple[Quantity, int]] = [
        (median_quantity(of_rank, unit, MEDIAN), rank) for rank, of_rank in values
    ]
    lowest = min(medians, key=lambda one: one[0].value)
    highest = max(medians, key=lambda one: one[0].value)
    return RankSpread(
        ranks=len(medians),
        min=lowest[0],
        min_rank=lowest[1],
        max=highest[0],
        max_rank=highest[1],
    )


def stability_advice(facts: HpccFacts) -> list[Advice]:
    """Figures whose interval is too wide to compare with anything."""
    unstable = [
        (f"{test.name} {figure.mode} {figure.series}", figure.value)
        for test in facts.tests
        for figure in test.figures
        if is_unstable(figure.value)
    ]
    if not unstable:
        return []
    names = ", ".join(name for name, _ in unstable[:4])
    more = f" and {len(unstable) - 4} more" if len(unstable) > 4 else ""
    return [
        Advice(
            code="hpcc.unstable",
            what=f"the interval is wider than ±{format_share(UNSTABLE)} for {names}{more}",
            next=more_samples((value for _, value in unstable), facts.plan),
        )
    ]


def failed_checks(tests: Sequence[HpccTest]) -> list[str]:
    """Each check that failed, in words."""
    return [f"{test.name}: {check.in_words()}" for test in tests for check in test.checks if not check.passed]


def success_of(tests: Sequence[HpccTest]) -> bool | None:
    """Whether every check passed; None while some test is not through."""
    if any(not check.passed for test in tests for check in test.checks):
        return False
    return True if tests and all(test.done for test in tests) else None
