"""Several surveys of one machine as one profile, with the spread of each quantity between them.

Every quantity becomes the median over the surveys that have it, with an interval that covers theirs; whatever
is no quantity is that of the latest survey with the part. docs/merge.md has the rules.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.facts.merged import Merged, MergedSurvey, QuantitySpread
from groma.facts.survey import KIND, SurveyFacts
from groma.record import Advice, ProbeSamples, Record
from groma.record.moments import moment_of
from groma.record.naming import named_quantities
from groma.record.quantity import Quantity, SampleSummary, as_quantity
from groma.stats.intervals import quantile_ranks
from groma.survey.merge_facts import compared_facts
from groma.survey.mergeable import conditions, refuse_unlike

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    SurveyRecord = Record[SurveyFacts]

ALIKE = 0.05
"""Values within this part of their median agree, however narrow their intervals are."""


class Survey(NamedTuple):
    """A survey and the file that it was read from."""

    path: Path
    record: SurveyRecord


def merged(surveys: Sequence[Survey]) -> SurveyRecord:
    """One profile of all. Raises GromaError (exit code 2) where they cannot be merged."""
    refuse_unlike([(str(one.path), one.record) for one in surveys])
    ordered = sorted(surveys, key=lambda one: moment_of(one.record.created))
    records = [one.record for one in ordered]
    latest = records[-1]
    facts = _latest_parts(records)
    named = [_by_name(_over_places_of(facts, record.facts)) for record in records]
    by_name = {name: [one.get(name) for one in named] for name in _by_name(facts)}
    together = _with_quantities(facts, [_together(values) for values in by_name.values()])
    together.merged = Merged(
        surveys=[_survey(one) for one in ordered],
        quantities=[_spread(name, values) for name, values in by_name.items() if _counts(values) > 1],
        facts=compared_facts([record.facts for record in records]),
    )
    return Record(
        kind=KIND.name,
        created=latest.created,
        command=latest.command,
        build=latest.build,
        environment=latest.environment,
        parameters={"merged": [str(one.path) for one in ordered]},
        samples=_pooled(records),
        facts=together,
        warnings=[
            *_warnings(together.merged, records),
            *_once(one for record in records for one in record.warnings),
        ],
    )


def _counts(values: Sequence[Quantity | None]) -> int:
    return sum(one is not None for one in values)


def _by_name(facts: SurveyFacts) -> dict[str, Quantity]:
    return {one.name: one.quantity for one in named_quantities(KIND.name, facts)}


# ---- facts -------------------------------------------------------------------------------------------------


def _latest_parts(records: Sequence[SurveyRecord]) -> SurveyFacts:
    """Each part from the latest survey that has it; of a network, part by part as well."""
    latest = records[-1].facts
    node = _latest([record.facts.node for record in records])
    networks = [record.facts.network for record in records if record.facts.network is not None]
    return SurveyFacts(node=node, declared=latest.declared, network=_latest(networks) if networks else None)


def _latest(parts: Sequence[Any]) -> Any:
    chosen: dict[str, Any] = {}
    for part in parts:
        for field in part.__struct_fields__:
            value = getattr(part, field)
            if field not in chosen or value not in (None, [], {}):
                chosen[field] = value
    return type(parts[-1])(**chosen)


def _over_places_of(latest: SurveyFacts, facts: SurveyFacts) -> SurveyFacts:
    """The facts less those of NUMA that are over other places: cores have the numbers of nodes as well."""
    ours, theirs = latest.node.numa, facts.node.numa
    if ours is None or theirs is None or ours.over == theirs.over:
        return facts
    return msgspec.structs.replace(facts, node=msgspec.structs.replace(facts.node, numa=None))


def _with_quantities(facts: SurveyFacts, quantities: Iterable[Quantity]) -> SurveyFacts:
    """The same facts with other quantities, in the order in which `named_quantities` finds them."""
    left = iter(quantities)

    def replaced(value: Any) -> Any:
        if as_quantity(value) is not None:
            return next(left)
        if isinstance(value, msgspec.Struct):
            fields = {name: replaced(getattr(value, name)) for name in value.__struct_fields__}
            return type(value)(**fields)
        if isinstance(value, (list, tuple)):
            return type(value)(replaced(one) for one in value)
        if isinstance(value, dict):
            return {key: replaced(one) for key, one in value.items()}
        return value

    whole: SurveyFacts = replaced(facts)
    return whole


def _together(values: Sequence[Quantity | None]) -> Quantity:
    """The median of those that there are; one alone stays as it is."""
    known = [one for one in values if one is not None]
    if len(known) == 1:
        return known[0]
    center = statistics.median(one.value for one in known)
    latest = known[-1]
    together = Quantity(
        value=center,
        unit=latest.unit,
        low=min(one.low for one in known),
        high=max(one.high for one in known),
        confidence=_confidence(known),
        method=f"median of {len(known)} surveys, interval over theirs; in each: {latest.method}",
        samples=_samples(known),
    )
    return together.beside_os(latest.os_value)


def _confidence(known: Sequence[Quantity]) -> float:
    """That the median over all days lies between the smallest and the largest of these, or what one survey
    claims if that is less.
    """
    return min(quantile_ranks(len(known), 0.5).confidence, *(one.confidence for one in known))


def _samples(known: Sequence[Quantity]) -> SampleSummary | None:
    """Extremes and typical quantiles of the samples of all surveys together."""
    summaries = [one.samples for one in known if one.samples is not None]
    if not summaries:
        return None
    middle: dict[str, float] = {
        name: statistics.median(getattr(one, name) for one in summaries) for name in ("p5", "p50", "p95")
    }
    return SampleSummary(n=sum(one.n for one in summaries), min=min(one.min for one in summaries), **middle)


# ---- differences between surveys ---------------------------------------------------------------------------


def _survey(one: Survey) -> MergedSurvey:
    return MergedSurvey(
        name=one.path.name,
        created=one.record.created,
        parts=parts_of(one.record.facts),
        host=str(one.record.environment.get("host") or ""),
    )


def parts_of(facts: SurveyFacts) -> list[str]:
    """Names of the parts that hold anything that was measured: `node.caches`, `network.distance`."""
    parts = [("node", facts.node), *([("network", facts.network)] if facts.network else [])]
    return [
        f"{name}.{field}"
        for name, part in parts
        for field in part.__struct_fields__
        if next(iter(named_quantities(name, getattr(part, field))), None) is not None
    ]


def _spread(name: str, values: Sequence[Quantity | None]) -> QuantitySpread:
    known = [one for one in values if one is not None]
    numbers = [one.value for one in known]
    center = statistics.median(numbers)
    spread = (max(numbers) - min(numbers)) / abs(center) if center else 0.0
    meet = max(one.low for one in known) <= min(one.high for one in known)
    return QuantitySpread(
        name=name.removeprefix(f"{KIND.name}."),
        unit=known[0].unit,
        median=center,
        values=[None if one is None else one.value for one in values],
        spread=spread,
        deviation=statistics.stdev(numbers),
        agrees=meet or spread <= ALIKE,
    )


def _warnings(found: Merged, records: Sequence[SurveyRecord]) -> Iterator[Advice]:
    unlike = [one.name for one in found.quantities if not one.agrees]
    if unlike:
        yield Advice(
            code="merge.quantities_differ",
            what=f"{len(unlike)} of {len(found.quantities)} quantities differ between the surveys by more "
            f"than their intervals, such as {', '.join(unlike[:3])}",
            next="see the section merged (groma show FILE merged); use the interval, not the value alone",
        )
    facts = [f"{one.name} ({' / '.join(one.values)})" for one in found.facts if not one.agrees]
    if facts:
        yield Advice(
            code="merge.facts_differ",
            what=f"the surveys disagree on {'; '.join(facts)}: the profile has what the latest says",
            next="survey the machine again while it is idle, with --depth thorough",
        )
    changed = conditions(records)
    if changed:
        yield Advice(
            code="merge.conditions",
            what=f"the surveys were made under other conditions: {changed}",
            next="merge only surveys of one state to see what varies by itself",
        )
    lacking = _lacking(found)
    if lacking:
        yield Advice(
            code="merge.lacking",
            what=f"not all surveys have all parts: {lacking}",
            next="survey with the same options each time",
        )


def _lacking(found: Merged) -> str:
    parts = {part for one in found.surveys for part in one.parts}
    without = {one.name: sorted(parts - set(one.parts)) for one in found.surveys}
    return "; ".join(f"{name} lacks {', '.join(some)}" for name, some in without.items() if some)


def _once(warnings: Iterable[Advice]) -> Iterator[Advice]:
    """The first of each code: the same defect has other figures on each day."""
    seen: set[str] = set()
    for one in warnings:
        if one.code not in seen:
            seen.add(one.code)
            yield one


# ---- samples -----------------------------------------------------------------------------------------------


def _pooled(records: Sequence[SurveyRecord]) -> dict[str, ProbeSamples]:
    """The samples of all surveys case by case, so that curves of the page show all days."""
    found: dict[str, list[ProbeSamples]] = defaultdict(list)
    for record in records:
        for name, samples in record.samples.items():
            found[name].append(samples)
    return {name: _pooled_probe(parts) for name, parts in found.items()}


def _pooled_probe(parts: Sequence[ProbeSamples]) -> ProbeSamples:
    if len(parts) == 1:
        return parts[0]
    cases: dict[bytes, dict[str, Any]] = {}
    values: dict[bytes, list[float]] = defaultdict(list)
    for part in parts:
        for case, some in zip(part.cases, part.values, strict=True):
            key = msgspec.json.encode(case, order="deterministic")
            cases.setdefault(key, case)
            values[key].extend(some)
    latest = parts[-1]
    return ProbeSamples(
        probe=latest.probe,
        cases=list(cases.values()),
        values=[values[key] for key in cases],
        rounds=[one for part in parts for one in part.rounds],
        parameters=latest.parameters,
        seed=latest.seed,
        elapsed=sum(part.elapsed for part in parts),
        ended=latest.ended,
        error=latest.error,
    )
