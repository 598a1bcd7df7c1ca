"""Profiles of several days as one: medians, intervals, spread, and what cannot be merged."""

import copy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.survey import CoreToCore, NodeFacts, Numa, SurveyFacts
from groma.record import Quantity, Record
from groma.record.io import encoded_record
from groma.record.naming import named_quantities
from groma.survey.merge import Survey, merged
from groma.survey.run import SurveyRecord

DAYS = ("2025-03-01T09:30:00+00:00", "2025-03-02T09:30:00+00:00", "2025-03-03T09:30:00+00:00")


def scaled(quantity: Quantity, factor: float) -> Quantity:
    return msgspec.structs.replace(
        quantity, value=quantity.value * factor, low=quantity.low * factor, high=quantity.high * factor
    )


def days(survey: SurveyRecord, factors: tuple[float, ...] = (1.0, 1.2, 0.9)) -> list[Survey]:
    """The same machine on several days, on which its memory has other latencies."""
    found = []
    for day, factor in zip(DAYS, factors, strict=False):
        record = copy.deepcopy(survey)
        record.created = day
        assert record.facts.node.memory is not None
        assert record.facts.node.memory.latency is not None
        record.facts.node.memory.latency = scaled(record.facts.node.memory.latency, factor)
        found.append(Survey(Path(f"{day[:10]}.json"), record))
    return found


def by_name(record: SurveyRecord) -> dict[str, Quantity]:
    return {one.name: one.quantity for one in named_quantities("survey", record.facts)}


def test_quantities_are_medians_whose_intervals_cover_all_days(survey: SurveyRecord) -> None:
    surveys = days(survey)
    each = [by_name(one.record) for one in surveys]
    for name, quantity in by_name(merged(surveys)).items():
        assert quantity.value == sorted(one[name].value for one in each)[1]
        assert quantity.low == min(one[name].low for one in each)
        assert quantity.high == max(one[name].high for one in each)


def test_surveys_are_in_the_order_of_time_whatever_zone_says_it(survey: SurveyRecord) -> None:
    zoned = ("2025-03-01T08:30:00-05:00", "2025-03-01T09:00:00+00:00", "2025-03-01T09:30:00+01:00")
    surveys = days(survey)
    for one, created in zip(surveys, zoned, strict=True):
        one.record.created = created
    found = merged(surveys)
    assert found.facts.merged is not None
    assert [one.created for one in found.facts.merged.surveys] == list(reversed(zoned))
    assert found.created == zoned[0]


def test_spread_between_days_is_reported_for_each_quantity(survey: SurveyRecord) -> None:
    found = merged(days(survey)).facts.merged
    assert found is not None
    spread = {one.name: one for one in found.quantities}["node.memory.latency"]
    assert spread.spread == pytest.approx(0.3)
    assert spread.deviation == pytest.approx(spread.median * 0.1528, rel=1e-3)
    assert not spread.agrees
    assert all(one.agrees for one in found.quantities if one.name != "node.memory.latency")


def test_order_of_the_files_does_not_matter(survey: SurveyRecord) -> None:
    surveys = days(survey)
    assert merged(surveys) == merged(surveys[::-1])


def test_latest_survey_decides_on_what_is_no_quantity_and_differences_are_named(survey: SurveyRecord) -> None:
    surveys = days(survey, (1.0, 1.0))
    surveys[1].record.facts.node.caches[2].shared_by = [[0, 1], [2, 3], [4, 5], [6, 7]]
    record = merged(surveys)
    assert record.facts.node.caches[2].shared_by == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert record.facts.merged is not None
    differing = [one for one in record.facts.merged.facts if not one.agrees]
    assert [one.name for one in differing] == ["cores that share L3"]
    assert "merge.facts_differ" in [one.code for one in record.warnings]


def over_cores(survey: SurveyRecord, cores: list[int], apart: float) -> SurveyRecord:
    """The survey with latencies between these cores alone: `apart` for each step between two numbers."""
    record = copy.deepcopy(survey)
    record.facts.node.core_to_core = CoreToCore(
        cores=cores, latency=[[exactly(apart * abs(a - b)) if a != b else None for b in cores] for a in cores]
    )
    return record


def exactly(value: float) -> Quantity:
    return Quantity(value=value, unit="s", low=value, high=value, confidence=0.95, method="m")


def test_medians_are_over_the_same_pairs_of_cores_whichever_cores_were_surveyed(
    survey: SurveyRecord,
) -> None:
    first, second = over_cores(survey, [0, 1, 2, 3], 1e-9), over_cores(survey, [2, 3, 7], 3e-9)
    second.created = DAYS[-1]
    found = merged([Survey(Path("a.json"), first), Survey(Path("b.json"), second)]).facts
    assert found.node.core_to_core is not None
    assert found.merged is not None
    values = [[one.value if one else None for one in row] for row in found.node.core_to_core.latency]
    assert found.node.core_to_core.cores == [2, 3, 7]
    assert values[0] == [None, pytest.approx(2e-9), pytest.approx(15e-9)]
    names = {one.name for one in found.merged.quantities if "core_to_core" in one.name}
    assert names == {"node.core_to_core.latency.2.3", "node.core_to_core.latency.3.2"}


def test_reads_of_cores_and_of_numa_nodes_are_not_merged(survey: SurveyRecord) -> None:
    surveys = days(survey, (1.0, 1.0))
    for one, over, value in zip(surveys, ("numa", "cores"), (1e-6, 3e-6), strict=True):
        one.record.facts.node.numa = Numa(
            over=over,
            places=[0, 1],
            sequential_first=[[exactly(value)] * 2] * 2,
            sequential_again=[],
        )
    numa = merged(surveys).facts.node.numa
    assert numa is not None
    assert [one.value for row in numa.sequential_first for one in row if one] == [3e-6] * 4


def test_a_part_that_one_survey_lacks_comes_from_another(survey: SurveyRecord) -> None:
    surveys = days(survey, (1.0, 1.0))
    surveys[1].record.facts.node.tlb = []
    record = merged(surveys)
    assert record.facts.node.tlb == surveys[0].record.facts.node.tlb
    (lacking,) = [one for one in record.warnings if one.code == "merge.lacking"]
    assert "2025-03-02.json lacks node.tlb" in lacking.what


def test_samples_of_all_days_are_pooled(survey: SurveyRecord) -> None:
    record = merged(days(survey))
    for name, samples in survey.samples.items():
        assert len(record.samples[name].cases) == len(samples.cases)
        assert sum(map(len, record.samples[name].values)) == 3 * sum(map(len, samples.values))


def test_merged_profile_is_a_profile_that_is_written_and_read(survey: SurveyRecord) -> None:
    assert encoded_record(merged(days(survey)))


def test_state_of_the_machine_may_change_and_is_reported(survey: SurveyRecord) -> None:
    surveys = days(survey, (1.0, 1.0))
    surveys[1].record.environment["kernel"] = "9.9"
    (reported,) = [one for one in merged(surveys).warnings if one.code == "merge.conditions"]
    assert "later 9.9" in reported.what


def another_host(record: SurveyRecord) -> None:
    record.environment["host"] = "elsewhere"


def another_processor(record: SurveyRecord) -> None:
    record.environment["cpu"]["model"] = "Elsewhere 9000"


def already_merged(record: SurveyRecord) -> None:
    record.facts.merged = merged(days(record)).facts.merged


def of_no_machine(record: SurveyRecord) -> None:
    record.environment.clear()


@pytest.mark.parametrize(
    ("spoil", "reported"),
    [
        (another_host, "different machines: host"),
        (another_processor, "different machines: CPU"),
        (already_merged, "is merged already"),
        (of_no_machine, "does not record the machine"),
    ],
)
def test_what_cannot_be_merged_is_refused_in_one_line(
    survey: SurveyRecord, spoil: Any, reported: str
) -> None:
    surveys = days(survey, (1.0, 1.0))
    spoil(surveys[1].record)
    with pytest.raises(GromaError, match=reported) as refused:
        merged(surveys)
    assert refused.value.exit_code == ExitCode.USAGE
    assert "\n" not in str(refused.value)


def test_one_survey_or_the_same_twice_is_refused(survey: SurveyRecord) -> None:
    surveys = days(survey, (1.0, 1.0))
    with pytest.raises(GromaError, match="only one survey"):
        merged(surveys[:1])
    with pytest.raises(GromaError, match="are the same survey"):
        merged([surveys[0], surveys[0]._replace(path=Path("copy.json"))])


def test_a_record_of_another_kind_is_refused(survey: SurveyRecord) -> None:
    other: Record[Any] = copy.deepcopy(survey)
    other.kind, other.facts = "hpcc", {}
    with pytest.raises(GromaError, match="record of kind hpcc"):
        merged([*days(survey, (1.0,)), Survey(Path("hpcc.json"), other)])


def test_surveys_without_facts_give_an_empty_profile(survey: SurveyRecord) -> None:
    surveys = days(survey, (1.0, 1.0))
    for one in surveys:
        one.record.facts = SurveyFacts(node=NodeFacts(), declared=survey.facts.declared)
    assert merged(surveys).facts.node == NodeFacts()
