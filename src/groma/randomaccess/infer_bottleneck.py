"""From the samples of interventions to the loads of roles and the bottleneck among them. Pure.

Section 5.1 of Aggarwal et al. (2008): roles drop what reaches them, one more in each run from the last to the
second, and the rate tells the load of those that are left. Delays of a known time confirm it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from groma.facts.randomaccess import RandomAccessPlan
from groma.facts.randomaccess_bottleneck import BottleneckFacts, RoleLoad
from groma.record import Advice
from groma.record.counting import counted
from groma.run.facts import launch_of, more_samples
from groma.stats.quantities import is_unstable, median_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.randomaccess.setup import Setup
    from groma.record import ProbeSamples, Quantity
    from groma.run.launch_results import LaunchResults

TEST = "random_access"
MESSAGES = ("send", "receive")

MEDIAN = "median over the repetitions, order-statistic interval"
LESS_DELAY = "median over the repetitions of the time less the delay, order-statistic interval"
RESPONSE = "median of (time - time without a delay) / delay within a repetition, order-statistic interval"


class _SeriesKey(NamedTuple):
    """One series of samples."""

    series: str
    intervention: str
    role: str = ""


def bottleneck_facts(known: LaunchResults, setup: Setup) -> BottleneckFacts:
    """What is known so far."""
    plan = known.run.plan if known.run is not None else setup.plan
    facts = planned_bottleneck(plan if isinstance(plan, RandomAccessPlan) else setup.plan, setup.shape.ranks)
    facts.launch = launch_of(known, setup)
    outcome = known.outcomes.get(TEST)
    if (samples := known.samples.get(TEST)) is not None:
        add_loads(facts, samples)
    if outcome is not None:
        _count_ranks(facts, outcome.facts.get("roles", []))
        facts.checks = outcome.checks
        facts.success = all(check.passed for check in outcome.checks)
    return facts


def planned_bottleneck(plan: RandomAccessPlan, ranks: int) -> BottleneckFacts:
    """What follows from the plan of groma-randomaccess."""
    return BottleneckFacts(
        ranks=ranks,
        table_words=plan.table_words,
        mapping_mode=plan.mapping_mode,
        grid=plan.grid,
        plan=plan,
    )


def add_loads(facts: BottleneckFacts, samples: ProbeSamples) -> None:
    """Loads of all roles, and the bottleneck that each method finds: none where the times vary too much."""
    times = _times_of(samples)
    delayed = [way.role for way in times if way.series == "update_time" and way.intervention == "delay"]
    roles = [role for role in delayed if role not in MESSAGES]
    facts.update_time = _median(times.get(_SeriesKey("update_time", "none")), MEDIAN)
    facts.roles = [
        _load(times, role, _time_without(times, later))
        for role, later in zip(roles, [*roles, None][1:], strict=True)
    ]
    facts.messages = [_load(times, role, None) for role in delayed if role in MESSAGES]
    if facts.update_time is None:
        return
    facts.by_dropping = _slowest_by_dropping(facts.roles, facts.update_time)
    facts.by_delaying = None if is_unstable(facts.update_time) else _slowest_by_delaying(facts.roles)


def _times_of(samples: ProbeSamples) -> dict[_SeriesKey, Sequence[float]]:
    return {
        _SeriesKey(case["series"], case["intervention"], case["role"]): values
        for case, values in zip(samples.cases, samples.values, strict=True)
        if values
    }


def _median(values: Sequence[float] | None, method: str, unit: str = "s") -> Quantity | None:
    return median_quantity(values, unit, method) if values else None


def _time_without(times: Mapping[_SeriesKey, Sequence[float]], later: str | None) -> Quantity | None:
    """Of an update where this later role and those after it drop what reaches them."""
    way = _SeriesKey("update_time", "none") if later is None else _SeriesKey("update_time", "discard", later)
    return _median(times.get(way), MEDIAN)


def _load(times: Mapping[_SeriesKey, Sequence[float]], role: str, dropped: Quantity | None) -> RoleLoad:
    whole = times.get(_SeriesKey("update_time", "delay", role), [])
    added = times.get(_SeriesKey("delayed_time", "delay", role), [])
    alone = times.get(_SeriesKey("update_time", "none"), [])
    both = list(zip(whole, added, strict=False))
    compared = list(zip(whole, added, alone, strict=False))
    responses = [(slow - fast) / delay for slow, delay, fast in compared if delay > 0]
    return RoleLoad(
        role=role,
        dropped=dropped,
        delayed=_median([slow - delay for slow, delay in both], LESS_DELAY),
        response=_median(responses, RESPONSE, "ratio"),
    )


def _slowest_by_dropping(roles: Sequence[RoleLoad], whole: Quantity) -> str | None:
    """The first role with which an update takes as long as with all: what follows changes nothing.

    Times that vary leave that open, but for the last role: all before it are clearly faster.
    """
    reaching = next((one for one in roles if one.dropped and one.dropped.high >= whole.low), None)
    is_open = reaching is not None and is_unstable(whole) and reaching is not roles[-1]
    return None if reaching is None or is_open else reaching.role


def _slowest_by_delaying(roles: Sequence[RoleLoad]) -> str | None:
    """The role whose delay is least hidden behind those of others."""
    known = [(one.response.value, one.role) for one in roles if one.response]
    return max(known)[1] if known else None


def _count_ranks(facts: BottleneckFacts, reported: Sequence[Mapping[str, object]]) -> None:
    ranks = {one["role"]: one["ranks"] for one in reported}
    for one in facts.roles:
        count = ranks.get(one.role)
        one.ranks = count if isinstance(count, int) else None


def bottleneck_advice(facts: BottleneckFacts, cpus: int | None = None) -> list[Advice]:
    """Why the experiment may not show the load of roles."""
    room = cpus or len(os.sched_getaffinity(0))
    nodes = facts.launch.nodes if facts.launch else 1
    return [*_crowded(facts.ranks / nodes, room), *_unstable(facts)]


def _crowded(ranks: float, cpus: int) -> list[Advice]:
    if ranks <= cpus:
        return []
    return [
        Advice(
            code="randomaccess.oversubscribed",
            what=f"{ranks:g} ranks of a node shared {counted(cpus, 'CPU')}: a role that waits lets another "
            "one work, so that its load is hidden",
            next=f"use at most -n {cpus} on each node",
        )
    ]


def _unstable(facts: BottleneckFacts) -> list[Advice]:
    if facts.update_time is None or not is_unstable(facts.update_time):
        return []
    return [
        Advice(
            code="randomaccess.unstable",
            what="the time of an update varies by more than a role could explain",
            next=more_samples([facts.update_time], facts.plan),
        )
    ]
