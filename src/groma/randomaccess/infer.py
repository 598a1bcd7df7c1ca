"""From the samples of a run to its facts. Pure: the same samples give the same facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.randomaccess import Exchange, Load, RandomAccessFacts, RandomAccessPlan
from groma.facts.randomaccess_owner import OwnerFacts, OwnerLookup
from groma.record import Advice
from groma.record.units import format_share
from groma.run.facts import launch_of, means_over_ranks, more_samples
from groma.stats.quantities import UNSTABLE, is_unstable, low_quantile_quantity, median_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.randomaccess.setup import Setup
    from groma.record import ProbeSamples, Quantity
    from groma.record.launch import CheckResult
    from groma.run.launch_results import LaunchResults, Outcome

TEST = "random_access"

MEDIAN = "median over the repetitions, order-statistic interval"
MEDIAN_OF_MEANS = "median over the repetitions of the mean over the ranks, order-statistic interval"
LOW = "low quantile over interleaved rounds, order-statistic interval"
MEDIAN_OF_RATIOS = "median of the ratios within a round, order-statistic interval"


def facts_of(known: LaunchResults, setup: Setup) -> RandomAccessFacts:
    """What is known so far; figures are None until there are samples, counts until the run reports them."""
    samples, outcome = known.samples.get(TEST), known.outcomes.get(TEST)
    plan = known.run.plan if known.run is not None else setup.plan
    facts = planned_facts(plan if isinstance(plan, RandomAccessPlan) else setup.plan, setup.shape.ranks)
    facts.launch = launch_of(known, setup)
    if samples is not None:
        facts.gups = _median(samples, "rate", "GUP/s", 1e-9)
        facts.seconds = _median(samples, "time", "s", 1.0)
        facts.loads = list(loads_of(samples))
    if outcome is not None:
        _conclude(facts, outcome)
    return facts


def planned_facts(plan: RandomAccessPlan, ranks: int) -> RandomAccessFacts:
    """What follows from the plan of groma-randomaccess."""
    return RandomAccessFacts(
        algorithm=plan.algorithm,
        mapping_mode=plan.mapping_mode,
        grid=plan.grid,
        ranks=ranks,
        table_words=plan.table_words,
        generator=plan.generator,
        owner=plan.owner,
        look_ahead=plan.look_ahead,
        plan=plan,
    )


def _conclude(facts: RandomAccessFacts, outcome: Outcome) -> None:
    reported = outcome.facts
    exchange = reported.get("exchange", {})
    facts.updates, facts.errors = reported.get("updates"), reported.get("errors")
    facts.look_ahead_max = reported.get("look_ahead_max")
    facts.exchange = Exchange(
        messages=exchange.get("messages_per_update", 0.0),
        part_full=exchange.get("part_full_per_update"),
        empty=exchange.get("empty_per_update"),
        bytes=exchange.get("bytes_per_update", 0.0),
        handed=exchange.get("handed_per_update", 0.0),
    )
    facts.checks = outcome.checks
    facts.success = all(check.passed for check in outcome.checks)


def _median(samples: ProbeSamples, series: str, unit: str, factor: float) -> Quantity | None:
    """Of the one case of a series that all ranks gave together."""
    for case, values in zip(samples.cases, samples.values, strict=True):
        if case.get("series") == series and case.get("mode") == "mpi" and values:
            return median_quantity([factor * value for value in values], unit, MEDIAN)
    return None


def loads_of(samples: ProbeSamples) -> Iterator[Load]:
    """One for each role, in the order of the first rank that has it."""
    roles = dict.fromkeys(str(case["role"]) for case in samples.cases if "role" in case)
    for role in roles:
        worked = _of_role(samples, role, "worked")
        waited = _of_role(samples, role, "waited")
        means = [means_over_ranks(worked), means_over_ranks(waited)]
        if all(means):
            yield Load(
                role=role,
                ranks=len(worked),
                worked=median_quantity(means[0], "s", MEDIAN_OF_MEANS),
                waited=median_quantity(means[1], "s", MEDIAN_OF_MEANS),
            )


def _of_role(samples: ProbeSamples, role: str, series: str) -> list[list[float]]:
    return [
        values
        for case, values in zip(samples.cases, samples.values, strict=True)
        if case.get("role") == role and case.get("series") == series
    ]


def failed_checks(checks: Sequence[CheckResult]) -> list[str]:
    """Each check that failed, in words."""
    return [check.in_words() for check in checks if not check.passed]


def stability_advice(facts: RandomAccessFacts) -> list[Advice]:
    """A figure whose interval is too wide to compare with anything."""
    if facts.gups is None or not is_unstable(facts.gups):
        return []
    return [
        Advice(
            code="randomaccess.unstable",
            what=f"the interval of the rate is wider than ±{format_share(UNSTABLE)}",
            next=more_samples([facts.gups], facts.plan),
        )
    ]


# ---- owners ------------------------------------------------------------------------------------------------


def owner_facts(samples: ProbeSamples) -> OwnerFacts:
    """One lookup for each number of parts that both ways were timed for."""
    by_parts: dict[tuple[int, int], dict[str, list[float]]] = {}
    for case, values in zip(samples.cases, samples.values, strict=True):
        if values:
            by_parts.setdefault((case["parts"], case["words"]), {})[case["way"]] = values
    return OwnerFacts(
        lookups=[
            _lookup(*key, ways) for key, ways in by_parts.items() if "division" in ways and len(ways) > 1
        ]
    )


def _lookup(parts: int, words: int, ways: Mapping[str, Sequence[float]]) -> OwnerLookup:
    without = ways.get("prediction") or ways["search"]
    ratios = [slow / fast for slow, fast in zip(ways["division"], without, strict=False) if fast > 0]
    return OwnerLookup(
        parts=parts,
        table_words=words,
        divided=low_quantile_quantity(ways["division"], "s", LOW),
        predicted=low_quantile_quantity(ways["prediction"], "s", LOW) if "prediction" in ways else None,
        searched=low_quantile_quantity(ways["search"], "s", LOW) if "search" in ways else None,
        ratio=median_quantity(ratios, "ratio", MEDIAN_OF_RATIOS) if ratios else None,
    )
