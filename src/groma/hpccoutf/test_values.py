"""One function decides what was measured: every mark of a test that did not run means the same everywhere."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from groma.hpccoutf.keys import BY_NAME, KEYS, SIZE_OF
from groma.hpccoutf.values import ABSENT, FAILED, MEASURED, count_of, finite, summary_values

MARKS = (
    "-1",
    "-1.0",
    "-1.00000",
    "-1e0",
    "-",
    "",
    "2.36541e-310",
    "-4.9e-324",
    "1e-305",
    "1.7e+308",
    "-9e307",
)

RATES = [key.name for key in KEYS if key.unit == "us" or key.unit.endswith("/s")]


def state(name: str, text: str) -> str:
    return summary_values({name: text})[name].state


@pytest.mark.parametrize("text", MARKS)
@pytest.mark.parametrize(
    "name", ["StarRandomAccess_LCG_GUPs", "HPL_time", "HPL_N", "MPIFFT_maxErr", "Unknown"]
)
def test_every_mark_of_what_did_not_run_is_not_measured(name: str, text: str) -> None:
    value = summary_values({name: text})[name]
    assert (value.state, value.value) == (ABSENT, None)


@pytest.mark.parametrize("name", RATES)
def test_no_rate_or_latency_is_nothing(name: str) -> None:
    assert [state(name, text) for text in ("0", "-0", "0.0", "-0.5")] == [ABSENT, ABSENT, ABSENT, FAILED]


@pytest.mark.parametrize("name", ["MPIRandomAccess_Errors", "PTRANS_residual", "MPIFFT_time3", "HPL_depth"])
def test_counts_and_residuals_may_be_nothing(name: str) -> None:
    assert summary_values({name: "0"})[name].value == 0


@pytest.mark.parametrize("text", ["nan", "-nan", "inf", "1e400", "1_000", "٣", "0x10", "0.1.2", "3 4"])
def test_what_is_no_number_of_a_program_has_failed(text: str) -> None:
    assert state("HPL_Tflops", text) == FAILED


@pytest.mark.parametrize("text", ["1e200", "1e19", str(2**63), str(2**64 - 1), "9" * 300, f"-{2**63}"])
def test_no_count_has_more_than_63_bits(text: str) -> None:
    """So counts can be multiplied and printed like any number."""
    value = summary_values({"HPL_N": text})["HPL_N"]
    assert (value.value, value.state) == (None, ABSENT)
    assert not isinstance(summary_values({"Unknown": text})["Unknown"].value, int)
    assert count_of(text) is None


def test_the_largest_count_is_exact() -> None:
    largest = 2**63 - 1024  # the largest double
    assert summary_values({"HPL_N": str(largest - 7)})["HPL_N"].value == largest - 7
    assert [count_of(text) for text in ("0", "007", str(2**63 - 1))] == [0, 7, 2**63 - 1]


@pytest.mark.parametrize("text", ["\u0663", "1_0", "+3", "-3", "3.0", "", "9" * 5000])
def test_what_no_program_prints_for_a_count_is_none(text: str) -> None:
    assert count_of(text) is None


@pytest.mark.parametrize(
    "text", ["1e99999", "1e-99999", "1e99999999999999999999", "9" * 5000, "1." + "0" * 5000]
)
def test_a_number_of_more_digits_than_any_program_prints_is_none(text: str) -> None:
    assert finite(text) is None


def test_limits_of_the_arithmetic_are_what_they_are() -> None:
    values = {
        "HPL_dMACH_SFMIN": "2.225074e-308",
        "HPL_dMACH_RMAX": "1.797693e+308",
        "HPL_dMACH_EMIN": "-1021",
    }
    assert {name: value.value for name, value in summary_values(values).items()} == {
        name: float(text) for name, text in values.items()
    }


@pytest.mark.parametrize("size", ["-1", "-1.0", "0", "1.2e-312", "-", ""])
@pytest.mark.parametrize("text", ["0", "-1", "2.3e-310", "0.0271", "1e+20"])
def test_a_figure_of_a_test_without_a_size_is_not_measured(size: str, text: str) -> None:
    values = summary_values({"StarRandomAccess_LCG_GUPs": text, "RandomAccess_LCG_N": size})
    assert [(one.state, one.value) for one in values.values()] == [(ABSENT, None)] * 2
    assert values["StarRandomAccess_LCG_GUPs"].text == text


def test_a_figure_whose_size_the_file_has_lost_stays() -> None:
    assert state("StarRandomAccess_LCG_GUPs", "0.0271") == MEASURED


def test_every_figure_of_a_rate_has_a_size_but_those_of_the_network() -> None:
    assert {name for name in RATES if name not in SIZE_OF} == {
        name for name in RATES if "PingPong" in name or "OrderedRing" in name
    }
    assert {*SIZE_OF, *SIZE_OF.values()} <= BY_NAME.keys()


texts = st.one_of(
    st.sampled_from(MARKS),
    st.text(max_size=12),
    st.floats().map(str),
    st.floats().map(lambda number: f"{number:g}"),
    st.integers().map(str),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@example({"": "-1", "STREAM_VectorSize": "1"})
@given(st.dictionaries(st.sampled_from([key.name for key in KEYS]) | st.text(max_size=8), texts, max_size=30))
def test_a_value_is_there_exactly_where_it_was_measured(given: dict[str, str]) -> None:
    values = summary_values(given)
    assert values.keys() == given.keys()
    for name, one in values.items():
        assert (one.value is not None) == (one.state == MEASURED)
        assert one.text == given[name]
        if isinstance(one.value, float):
            assert math.isfinite(one.value)
        if one.state == MEASURED and name in RATES:
            assert not isinstance(one.value, str)
            assert one.value is not None
            assert one.value > 0
        size = values.get(SIZE_OF[name]) if name in SIZE_OF else None
        if size is not None and size.state == ABSENT:
            assert one.state == ABSENT
