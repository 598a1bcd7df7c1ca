"""From the samples of strategies on a shared table to their rates and errors. Pure."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groma.facts.randomaccess_errors import ErrorFacts, ErrorRate, Strategy
from groma.record import Advice
from groma.record.counting import counted
from groma.stats.quantiles import quantile
from groma.stats.quantities import median_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.record import ProbeSamples, Quantity

MEDIAN = "median over the runs, order-statistic interval"
MEDIAN_OF_RATIOS = "median of the ratios within a round, order-statistic interval"


@dataclass(frozen=True)
class _Runs:
    """What was sampled of one strategy, run by run."""

    case: Mapping[str, Any]
    times: Sequence[float]
    wrong_words: Sequence[float]

    @property
    def gups(self) -> list[float]:
        return [1e-9 * self.case["updates"] / time for time in self.times]


def error_facts(samples: ProbeSamples) -> ErrorFacts:
    """Facts of all strategies that finished a run. Raises ValueError where none did."""
    runs = _runs_by_strategy(samples)
    if not runs:
        raise ValueError("no strategy completed a run")
    case = next(iter(runs.values())).case
    strategies = [_strategy(one, runs) for one in runs.values()]
    return ErrorFacts(
        table_words=case["table_words"],
        updates=case["updates"],
        threads=max(one.threads for one in strategies),
        strategies=strategies,
        success=all(one.error_rate.wrong_words == 0 for one in strategies if one.exact),
    )


def _runs_by_strategy(samples: ProbeSamples) -> dict[str, _Runs]:
    series: dict[str, dict[str, list[float]]] = {}
    cases: dict[str, Mapping[str, Any]] = {}
    for case, values in zip(samples.cases, samples.values, strict=True):
        series.setdefault(case["strategy"], {})[case["series"]] = values
        cases[case["strategy"]] = case
    return {
        name: _Runs(cases[name], of["time"], of["wrong_words"])
        for name, of in series.items()
        if of.get("time") and of.get("wrong_words")
    }


def _strategy(of: _Runs, among: Mapping[str, _Runs]) -> Strategy:
    return Strategy(
        name=of.case["strategy"],
        exact=of.case["exact"],
        threads=of.case["threads"],
        gups=median_quantity(of.gups, "GUP/s", MEDIAN),
        error_rate=error_rate([wrong / of.case["table_words"] for wrong in of.wrong_words], of.wrong_words),
        to_unsynchronised=_ratio(of, among.get("unsynchronised")),
        to_serial=_ratio(of, among.get("serial")),
    )


def error_rate(rates: Sequence[float], wrong_words: Sequence[float]) -> ErrorRate:
    """The distribution of a rate over at least one run."""
    mean = statistics.fmean(rates)
    deviation = statistics.stdev(rates) if len(rates) > 1 else None
    return ErrorRate(
        runs=len(rates),
        mean=mean,
        standard_deviation=deviation,
        relative=deviation / mean if deviation is not None and mean > 0 else None,
        min=min(rates),
        p25=quantile(rates, 0.25),
        p50=quantile(rates, 0.5),
        p75=quantile(rates, 0.75),
        max=max(rates),
        wrong_runs=sum(wrong > 0 for wrong in wrong_words),
        wrong_words=int(sum(wrong_words)),
        rates=list(rates),
    )


def _ratio(of: _Runs, to: _Runs | None) -> Quantity | None:
    """How many times as fast as another strategy in the same round."""
    if to is None:
        return None
    ratios = [other / own for own, other in zip(of.times, to.times, strict=False)]
    return median_quantity(ratios, "ratio", MEDIAN_OF_RATIOS)


def broken_strategies(facts: ErrorFacts) -> list[str]:
    """Each strategy that must make no error and did, in words."""
    return [
        f"{one.name}: {counted(wrong.wrong_words, 'wrong word')} in {counted(wrong.runs, 'run')}"
        for one in facts.strategies
        if one.exact and (wrong := one.error_rate).wrong_words
    ]


def oversubscription_advice(threads: int, cpus: int) -> list[Advice]:
    """Threads that take turns on a CPU meet less often than those that run at once."""
    if threads <= cpus:
        return []
    return [
        Advice(
            code="randomaccess.oversubscribed",
            what=f"{threads} threads shared {counted(cpus, 'CPU')}: "
            f"they collided less often than on {threads} CPUs",
            next=f"use at most --threads {cpus}",
        )
    ]
