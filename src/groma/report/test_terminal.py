"""What `groma show` says of a record: everything with its unit, nothing that was not measured."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.errors import GromaError
from groma.facts.matrices import entries_of
from groma.facts.survey import (
    CoreToCore,
    LatencyLayer,
    LoadedLatency,
    Memory,
    NodeFacts,
    Numa,
    ScalingPoint,
    SurveyFacts,
)
from groma.record import Advice, Build, Quantity, Record
from groma.report.matrices import LARGEST_SHOWN, matrix_blocks, summary_row
from groma.report.renderers import plain
from groma.report.terminal import document_of, facts_of, generic_blocks, notes_of, section_names
from groma.report.words.node import contention, sharing

if TYPE_CHECKING:
    from groma.report.document import Block


def measured(value: float, unit: str) -> Quantity:
    return Quantity(value=value, unit=unit, low=value, high=value, confidence=0.9, method="synthetic")


def shown(record: Record[Any], *sections: str) -> str:
    return plain(document_of(record, sections))


def words(text: str) -> str:
    """The text with its columns closed up."""
    return re.sub(r" +", " ", text)


def empty_survey() -> Record[SurveyFacts]:
    return Record(
        kind="survey",
        created="2026-01-02T03:04:05+00:00",
        command=["groma", "survey"],
        build=Build(version="0.1.0"),
        environment={},
        parameters={},
        samples={},
        facts=SurveyFacts(node=NodeFacts()),
    )


def test_caches_stand_beside_what_the_system_says(survey: Record[SurveyFacts]) -> None:
    caches = words(shown(survey, "caches"))
    assert "L1d L2 L3" in caches
    assert "size 32 KiB [32, 36]" in caches
    assert "system says 32 KiB, agrees 1 MiB, agrees 8 MiB, disagrees" in caches
    assert "8 ways not determined" in caches
    assert "shared by no one no one {0-3} {4-7}" in caches


def test_every_section_of_a_full_profile_has_content(survey: Record[SurveyFacts]) -> None:
    for name in (one for one in section_names(survey) if not one.startswith(("network", "merged"))):
        assert "not measured" not in shown(survey, name)


def test_no_figure_stands_without_its_unit(survey: Record[SurveyFacts]) -> None:
    figure = r"[a-z ]+ [\d.]+ (GHz|ns|ps|µs)( \[[\d.]+, [\d.]+\])?"
    lines = words(shown(survey, "clock")).splitlines()[1:]
    assert len(lines) == 3
    assert all(re.fullmatch(figure, line) for line in lines)


def test_details_are_left_for_those_who_ask(survey: Record[SurveyFacts]) -> None:
    assert "Loaded latency" not in shown(survey)
    assert "Loaded latency" in shown(survey, "loaded-latency")
    assert "at full load" in shown(survey, "memory")


def test_memory_shows_one_core_all_cores_and_the_gain(survey: Record[SurveyFacts]) -> None:
    memory = words(shown(survey, "memory"))
    assert "kernel 1 core 8 cores at once gain" in memory
    assert re.search(r"triad 11\.\d GB/s \[.*\] \d+\.\d GB/s \[.*\] \d\.\d\d x", memory)


def test_one_core_has_no_gain() -> None:
    record = empty_survey()
    points = [ScalingPoint(cores=1, value=measured(1e10, "B/s"))]
    record.facts.node.memory = Memory(bandwidth={"triad": points})
    assert "gain" not in shown(record, "memory")


def test_warnings_carry_code_and_next_step(survey: Record[SurveyFacts]) -> None:
    survey.warnings = [Advice(code="some.code", what="it is so", next="do that")]
    assert "! it is so [some.code]\n    -> do that" in shown(survey)


def test_warnings_of_one_kind_stand_together_with_their_step_once() -> None:
    said = [("a", "first", "do it"), ("b", "other", "do that"), ("a", "second", "do it")]
    advice = [Advice(code=code, what=what, next=step) for code, what, step in said]
    notes = [(note.what, note.next) for note in notes_of(advice)]
    assert notes == [("first", ""), ("second", "do it"), ("other", "do that")]


def test_an_empty_survey_is_shown_without_invention() -> None:
    text = shown(empty_survey())
    assert "2026-01-02 03:04:05 UTC" in text
    assert "Caches" not in text
    assert "not measured" in shown(empty_survey(), "caches")


def test_an_environment_of_a_later_shape_is_no_error(survey: Record[SurveyFacts]) -> None:
    survey.environment = {"captured": 7, "cpu": "fast"}
    assert "surveyed" in shown(survey, "machine")


def test_machine_says_what_limits_it(survey: Record[SurveyFacts]) -> None:
    survey.environment |= {
        "limits": {"affinity": "0", "online": "0-7", "cpu_quota": 1.5, "memory_bytes": 2**30},
        "virtualisation": {"hypervisor": "KVM"},
    }
    machine = shown(survey, "machine")
    assert (
        "may run on processors 0 of 0-7, 1.5 processors by control group, 1 GiB by control group" in machine
    )
    assert "KVM" in machine


def test_unknown_section_is_refused_with_the_known_ones(survey: Record[SurveyFacts]) -> None:
    with pytest.raises(GromaError, match="caches"):
        document_of(survey, ["cache"])


def test_json_of_sections_is_that_of_the_record(survey: Record[SurveyFacts]) -> None:
    plain_record = msgspec.to_builtins(survey)
    chosen = facts_of(survey, ["caches", "loaded-latency"])
    assert chosen["caches"] == plain_record["facts"]["node"]["caches"]
    assert chosen["loaded-latency"] == plain_record["facts"]["node"]["memory"]["loaded_latency"]
    assert facts_of(survey, []) is survey
    assert facts_of(empty_survey(), ["loaded-latency"]) == {"loaded-latency": None}


def test_record_of_unknown_kind_is_shown_as_it_is(foreign_record: Record[Any]) -> None:
    text = words(shown(foreign_record))
    for part in ("kind astrolabe", "stars 3", "altitude 0.500 rad [0.400, 0.600]", "Vega yes", "note -"):
        assert part in text
    assert facts_of(foreign_record, ["facts"]) == {"facts": foreign_record.facts}


@pytest.mark.parametrize("value", [None, 3, "x", [], [1, 2], {}, {"a": [[1], [2]]}, [{"b": {"c": [1] * 99}}]])
def test_any_json_value_can_be_shown(value: Any) -> None:
    for block in generic_blocks(value):
        assert block


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (None, None),
        ([[0], [1]], "no one"),
        ([[0, 1, 2]], "all 3 cores"),
        ([[0, 1], [2, 3]], "{0-1} {2-3}"),
        ([[i, i + 1] for i in range(0, 20, 2)], "10 groups of 2"),
        ([[0], [1, 2], [3], [4], [5]], "5 groups of 1 to 2"),
    ],
)
def test_sharing_in_words(groups: list[list[int]] | None, said: str | None) -> None:
    assert sharing(groups) == said


def test_contention_in_words() -> None:
    assert contention([[0], [1]]) == "no core slows another"
    assert contention([[0, 1], [2]]) == "cores that slow each other: all 2 cores"


def square(count: int) -> list[list[Quantity | None]]:
    return [[measured((1 + abs(i - j)) * 1e-8, "s") for j in range(count)] for i in range(count)]


def text_of(blocks: list[Block]) -> str:
    from groma.report.document import one_section

    return plain(one_section(*blocks))


def test_small_matrix_is_shown_whole_with_one_unit() -> None:
    text = words(text_of(matrix_blocks("latency", [4, 5], entries_of(square(2)))))
    assert text.splitlines() == ["latency, in ns", " 4 5", "4 10 20", "5 20 10"]


def test_big_matrix_is_summarised_with_its_extremes() -> None:
    count = LARGEST_SHOWN + 1
    text = words(text_of(matrix_blocks("latency", list(range(100, 100 + count)), entries_of(square(count)))))
    assert f"{count * count} pairs of {count} measured" in text
    assert f"largest {10 * count} ns ({99 + count} to 100)" in text


def test_holes_in_a_matrix_are_dashes() -> None:
    matrix = square(2)
    matrix[0][0] = None
    assert "4 - 20" in words(text_of(matrix_blocks("latency", [4, 5], entries_of(matrix))))
    assert matrix_blocks("latency", [4, 5], []) == []


def test_a_misspelt_section_gets_the_nearest_one() -> None:
    with pytest.raises(GromaError) as refused:
        document_of(empty_survey(), ["cachess"])
    assert refused.value.next_step.startswith("did you mean caches? sections of this record: ")


def test_summary_names_the_slowest_pair_by_its_places() -> None:
    matrix = square(3)
    assert summary_row("read", [7, 8, 9], entries_of(matrix)) == ["read", "10 ns", "20 ns", "30 ns", "7 <- 9"]


def test_slowest_rate_is_the_smallest() -> None:
    rates: list[list[Quantity | None]] = [[None, measured(2e9, "B/s")], [measured(1e9, "B/s"), None]]
    assert summary_row("read", [0, 1], entries_of(rates)) == ["read", "-", "1.50 GB/s", "1 GB/s", "1 <- 0"]


def test_summary_has_the_medians_of_own_and_of_others() -> None:
    times: list[list[Quantity | None]] = [
        [measured(373e-6, "s"), measured(908e-6, "s")],
        [measured(980e-6, "s"), measured(515e-6, "s")],
    ]
    assert summary_row("read", [0, 1], entries_of(times))[1:4] == ["444 µs", "944 µs", "980 µs"]


def test_layers_name_some_of_their_pairs() -> None:
    record = empty_survey()
    pairs = [(0, i) for i in range(1, 9)]
    layer = LatencyLayer(latency=measured(5e-8, "s"), pairs=pairs, relations=["share L3"])
    record.facts.node.core_to_core = CoreToCore(cores=list(range(9)), latency=square(9), layers=[layer])
    assert "1 50 ns share L3 8 0-1 0-2 0-3 0-4 ..." in words(shown(record, "core-to-core"))
    layer.groups = [[0, 1, 2], [3, 4, 5], [6, 8]]
    assert "1 50 ns share L3 8 1 of 2, 2 of 3: 0-2 3-5 6,8" in words(shown(record, "core-to-core"))


def test_atomic_exchanges_stand_beside_the_plain_store() -> None:
    record = empty_survey()
    record.facts.node.core_to_core = CoreToCore(
        cores=[0, 1], latency=square(2), compare_exchange=[[None, measured(5e-8, "s")], [None, None]]
    )
    assert "by compare-and-exchange 50 ns\n" in words(shown(record, "core-to-core"))


def test_first_touch_is_reported_for_each_way_that_was_measured() -> None:
    record = empty_survey()
    record.facts.node.numa = Numa(
        over="cores",
        places=[0, 1],
        sequential_first=[],
        sequential_again=[],
        first_touch_huge=[measured(4e-5, "s"), measured(5e-5, "s")],
        first_touch_alone=[None, measured(2e-7, "s")],
    )
    reported = words(shown(record, "numa"))
    assert "first touch, huge pages 40 µs to 50 µs" in reported
    assert "first touch, one at a time 200 ns\n" in reported


def test_loaded_latency_is_summed_up_by_its_two_ends() -> None:
    record = empty_survey()
    points = [
        LoadedLatency(read_fraction=0.5, bandwidth=measured(b * 1e9, "B/s"), latency=measured(t * 1e-9, "s"))
        for b, t in ((8, 300), (1, 90), (4, 100))
    ]
    record.facts.node.memory = Memory(loaded_latency=points)
    assert "50 % 90 ns 300 ns 8 GB/s" in words(shown(record, "memory"))


def test_one_core_has_no_load_no_others_and_nothing_at_once() -> None:
    record = empty_survey()
    record.facts.node.memory = Memory(
        latency=measured(9e-8, "s"),
        bandwidth={"triad": [ScalingPoint(cores=1, value=measured(2e10, "B/s"))]},
    )
    record.facts.node.numa = Numa(
        over="cores",
        places=[0],
        sequential_first=[],
        sequential_again=[],
        first_touch_alone=[measured(2e-3, "s")],
    )
    reported = words(shown(record))
    assert "first touch 2 ms\n" in reported
    for nonsense in ("0 B/s", "at full load", "at once", "others'", "1 cores", "one at a time", "pair is"):
        assert nonsense not in reported
