"""Samples of many ranks keep what the page draws of them, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from groma.record import ProbeSamples
from groma.record.units import format_value
from groma.report.series import KEPT, series_of


def samples(*reported: tuple[dict[str, Any], list[float]]) -> ProbeSamples:
    return ProbeSamples(
        probe="one", cases=[case for case, _ in reported], values=[values for _, values in reported]
    )


def star(rank: int, **labels: Any) -> dict[str, Any]:
    return {"unit": "B/s", "series": "triad", "mode": "star", "rank": rank, **labels}


def raw(**labels: Any) -> dict[str, Any]:
    return {"unit": "s", "series": "time", "mode": "mpi", "raw": True, **labels}


def test_ranks_of_one_figure_are_one_series() -> None:
    (one,) = series_of(samples((star(0), [3.0, 1.0, 2.0]), (star(4), [6.0, 8.0, 7.0])))
    assert one.labels == {"unit": "B/s", "series": "triad", "mode": "star"}
    assert (one.over, one.members) == (["rank"], [[0], [4]])
    assert (one.low, one.median, one.high) == ([1, 6], [2, 7], [3, 8])


def test_cases_of_an_edited_file_that_have_no_samples_are_left_out() -> None:
    (one,) = series_of(ProbeSamples(probe="one", cases=[star(0), star(1)], values=[[3.0]]))
    assert one.members == [[0]]


def test_a_case_of_an_edited_file_without_its_rank_is_a_series_of_its_own() -> None:
    nameless = {name: value for name, value in star(1).items() if name != "rank"}
    found = series_of(samples((star(0), [3.0]), (nameless, [5.0])))
    assert [one.median for one in found] == [[3.0], [5.0]]


def test_each_repetition_has_its_slowest_rank_mean_and_fastest_rank() -> None:
    (one,) = series_of(samples((star(0), [3.0, 1.0]), (star(1), [6.0, 8.0])))
    assert one.repetitions == [(3, 4.5, 6), (1, 4.5, 8)]


def test_a_repetition_that_some_rank_did_not_finish_is_not_reported() -> None:
    (one,) = series_of(samples((star(0), [3.0, 1.0]), (star(1), [6.0])))
    assert len(one.repetitions) == 1


def test_labels_and_modes_make_series_of_their_own() -> None:
    single = {**star(1), "mode": "single"}
    found = series_of(samples((star(0), [1.0]), (single, [2.0]), (star(0, buffers="huge"), [3.0])))
    assert [one.median for one in found] == [[1], [2], [3]]


def test_ranks_of_one_role_are_one_series_though_they_are_behind_a_figure() -> None:
    worked = {"unit": "s", "series": "worked", "raw": True}
    found = series_of(
        samples(
            ({**worked, "rank": 0, "role": "generate"}, [1.0, 2.0]),
            ({**worked, "rank": 3, "role": "generate"}, [4.0, 5.0]),
            ({**worked, "rank": 1, "role": "update"}, [7.0]),
            ({**worked, "rank": 2}, [9.0]),
        )
    )
    assert [(one.labels["role"], one.members) for one in found] == [
        ("generate", [[0], [3]]),
        ("update", [[1]]),
    ]


@pytest.mark.parametrize(
    ("over", "first", "second"),
    [
        (["client", "server"], {"client": 0, "server": 1}, {"client": 1, "server": 0}),
        (["ring"], {"ring": 1, "order": [0, 1]}, {"ring": 2, "order": [1, 0]}),
    ],
)
def test_pairs_and_rings_behind_figures_are_members(
    over: list[str], first: dict[str, Any], second: dict[str, Any]
) -> None:
    (one,) = series_of(samples((raw(**first), [1.0, 2.0]), (raw(**second), [5.0])))
    assert one.over == over
    assert one.members == [[case[name] for name in over] for case in (first, second)]
    assert (one.high, one.repetitions) == ([2, 5], [])


def test_figures_of_one_pair_keep_it_as_label() -> None:
    figure = {"unit": "s", "series": "time", "mode": "mpi", "client": 0, "server": 1, "bytes": 8}
    (one,) = series_of(samples((figure, [1.0])))
    assert one.labels == figure
    assert (one.over, one.members) == ([], [[]])


def test_what_single_ranks_saw_behind_figures_and_empty_cases_stay_in_the_record() -> None:
    assert series_of(samples((raw(rank=3, client=3, server=1), [1.0]), (star(0), []))) == []


@pytest.mark.parametrize(
    "case",
    [
        raw(buffers="rotating", client=0, server=1),
        raw(purpose="curve", buffers="reused", ring=1),
        {"unit": "s", "series": "time", "mode": "mpi", "purpose": "curve", "bytes": 8},
    ],
)
def test_curves_and_samples_of_other_buffers_stay_in_the_record(case: dict[str, Any]) -> None:
    reported = raw(buffers="reused", client=0, server=1)
    assert [one.labels["buffers"] for one in series_of(samples((case, [1.0]), (reported, [2.0])))] == [
        "reused"
    ]


def test_probes_whose_cases_name_no_series_have_none() -> None:
    assert series_of(samples(({"unit": "s", "size_bytes": 4096}, [1.0]))) == []


def test_a_rank_that_is_no_number_is_none() -> None:
    (one,) = series_of(samples(({**star(0), "rank": {"a": 1}}, [1.0])))
    assert one.over == []


def test_numbers_are_reported_with_seven_digits() -> None:
    (one,) = series_of(samples((star(0), [1.23456789e10])))
    assert one.median == [12345680000]


@pytest.mark.parametrize(
    ("value", "unit"), [(4.6554e10, "flop/s"), (4.6546e10, "flop/s"), (41_923, "messages")]
)
def test_numbers_are_shown_as_those_of_the_record(value: float, unit: str) -> None:
    (one,) = series_of(samples((star(0), [value])))
    assert format_value(one.median[0], unit) == format_value(value, unit)


def test_all_figures_of_a_page_use_one_computation_of_the_series() -> None:
    some, others = (samples((star(0), [value])) for value in (1.0, 1.0))
    assert series_of(some) is series_of(some)
    assert series_of(some) is not series_of(others)


def test_series_are_of_the_samples_that_were_asked_for() -> None:
    found = [series_of(samples((star(0), [float(value)]))) for value in range(3 * KEPT)]
    assert [one.median for (one,) in found] == [[float(value)] for value in range(3 * KEPT)]
