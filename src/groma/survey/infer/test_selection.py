import math

from groma.record import ProbeSamples
from groma.survey.infer.selection import by_label, measured_only, split, values_of

SAMPLES = ProbeSamples(
    probe="p",
    cases=[
        {"unit": "s", "core": 0, "pages": "huge"},
        {"unit": "s", "core": 1, "pages": "huge"},
        {"unit": "s", "core": 1, "pages": "small"},
        {"unit": "Hz"},
    ],
    values=[[1.0, 2.0], [3.0], [4.0], []],
)


def test_values_of_joins_every_case_that_carries_the_labels() -> None:
    assert values_of(SAMPLES, core=1) == [3.0, 4.0]
    assert values_of(SAMPLES, core=1, pages="small") == [4.0]
    assert values_of(SAMPLES, core=2) == []


def test_by_label_leaves_out_cases_without_the_label_or_without_samples() -> None:
    assert by_label(SAMPLES, "core") == {0: [1.0, 2.0], 1: [3.0, 4.0]}
    assert by_label(SAMPLES, "unit", unit="Hz") == {}


def test_parts_hold_the_cases_with_all_labels_in_their_order() -> None:
    parts = split(SAMPLES, "core")
    assert list(parts) == [(0,), (1,)]
    assert parts[1,].values == [[3.0], [4.0]]
    assert list(split(SAMPLES, "pages", "core")) == [("huge", 0), ("huge", 1), ("small", 1)]
    assert split(SAMPLES, "size") == {}


def test_what_is_selected_from_a_part_is_what_is_selected_from_all() -> None:
    part = split(SAMPLES, "core")[1,]
    assert by_label(part, "pages") == by_label(SAMPLES, "pages", core=1)
    assert values_of(part, pages="small") == values_of(SAMPLES, pages="small", core=1)


def test_a_time_or_rate_that_is_not_above_zero_is_no_measurement() -> None:
    """A clock of coarse steps shows a time of zero, and with it a rate without end."""
    samples = ProbeSamples(
        probe="p",
        cases=[{"unit": "s"}, {"unit": "B/s"}, {"unit": "lines"}],
        values=[[0.0, 1e-9, -1e-9], [math.inf, 1e9, math.nan], [0.0, 8.0, math.inf]],
    )
    assert measured_only(samples).values == [[1e-9], [1e9], [0.0, 8.0]]
    assert samples.values[0] == [0.0, 1e-9, -1e-9]


def test_samples_that_are_all_measured_stay_as_they_are() -> None:
    assert measured_only(SAMPLES) is SAMPLES
