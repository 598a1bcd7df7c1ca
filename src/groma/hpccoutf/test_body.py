"""Values of a killed run, against the summaries of the same whole outputs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groma.hpccoutf.imported import imported_records
from groma.hpccoutf.keys import BY_NAME
from groma.hpccoutf.runs import HpccRun, read_hpccoutf
from groma.hpccoutf.test_runs import GOLDEN, HEADER, SIXTEEN, codes, only, summary
from groma.hpccoutf.values import FAILED

DATA = Path(__file__).parents[3] / "tests/data/hpcc"
WHOLE = (DATA / "debian-hpccoutf.txt").read_text(encoding="utf-8")
KILLED = WHOLE[: WHOLE.index("Begin of Summary")]


def section(name: str, *lines: str, end: str = "") -> str:
    return "\n".join([f"Begin of {name} section.", *lines, f"End of {end or name} section.", ""])


def body(*sections: str) -> HpccRun:
    return only(HEADER + "".join(sections))


def test_a_killed_run_says_what_its_summary_would_have_said() -> None:
    summary, killed = only(WHOLE), only(KILLED)
    assert set(killed.values) >= {
        *("HPL_Tflops", "HPL_N", "PTRANS_GBs", "StarDGEMM_Gflops", "SingleDGEMM_Gflops", "CommWorldProcs"),
        *("StarSTREAM_Triad", "SingleSTREAM_Copy", "STREAM_VectorSize", "MPIFFT_Gflops", "FFT_N"),
        *("MPIRandomAccess_GUPs", "StarRandomAccess_LCG_GUPs", "SingleRandomAccess_GUPs"),
        *("MaxPingPongLatency_usec", "AvgPingPongBandwidth_GBytes", "NaturallyOrderedRingLatency_usec"),
    }
    for key in killed.values:
        reported, wanted = killed.number(key), summary.number(key)
        assert reported == pytest.approx(wanted, rel=0.01), key
    assert killed.success is None
    assert killed.from_body == list(killed.values)


def test_the_warning_names_the_lines() -> None:
    (found,) = [one for one in only(KILLED).anomalies if one.code == "hpccoutf.body"]
    lines = [int(number) for number in re.findall(r"lines (\d+) to (\d+)", found.what)[0]]
    assert found.line == lines[0]
    assert "Running on" in KILLED.splitlines()[lines[0] - 1]
    assert "no-summary" in codes(only(KILLED))


def test_a_whole_summary_is_never_repaired() -> None:
    without = "".join(line for line in WHOLE.splitlines(keepends=True) if not line.startswith("HPL_Tflops"))
    run = only(without)
    assert run.number("HPL_Tflops") is None
    assert run.from_body == []


def test_a_summary_that_is_cut_off_is_completed_and_stands_before_the_body() -> None:
    cut = WHOLE[: WHOLE.index("PTRANS_GBs=")]
    run = only(cut)
    assert run.values["HPL_Tflops"].text == only(WHOLE).values["HPL_Tflops"].text
    assert "PTRANS_GBs" in run.from_body
    assert {"cut", "body"} <= set(codes(run))


def test_lines_of_groma_itself_are_not_taken_for_those_of_hpcc() -> None:
    text = GOLDEN.read_text(encoding="utf-8")
    assert only(text[: text.index("Begin of Summary")]).values == {}


def test_a_section_that_breaks_off_says_nothing() -> None:
    whole = section("StarDGEMM", "Node(s) with error 0", "Average Gflop/s 8.453829")
    assert body(whole).number("StarDGEMM_Gflops") == 8.453829
    assert body(whole[: whole.index("End of")]).values == {}
    assert body(section("StarDGEMM", "Average Gflop/s 8.5", end="SingleDGEMM")).values == {}


@pytest.mark.parametrize(
    "failure",
    [
        "Node(s) with error 1",
        "Found 9 errors in 10 locations (failed).",
        "DGEMM residual: 20 FAILED",
        "Scaled residual: 2.07466e+15",
        "Scaled residual: 16",
        "Scaled residual: -nan",
    ],
)
def test_a_check_that_failed_takes_the_values_with_it(failure: str) -> None:
    assert body(section("StarDGEMM", failure, "Average Gflop/s 8.453829")).values == {}


def test_one_node_with_errors_is_one_node() -> None:
    text = whole_text(section("StarDGEMM", "Node(s) with error 1", "Average Gflop/s 8.453829"))
    (found,) = [one for one in only(text).anomalies if one.code == "hpccoutf.failed-check"]
    assert "1 node with errors" in found.what


def whole_text(*sections: str, **summary_keys: str) -> str:
    """A run with a summary, and with these sections before it."""
    return HEADER + "".join(sections) + summary(SIXTEEN | summary_keys)


def whole(*sections: str, **summary_keys: str) -> HpccRun:
    return only(whole_text(*sections, **summary_keys))


def test_a_residual_over_the_limit_takes_the_figure_of_the_summary_with_it() -> None:
    """As seen of a library for graphics processors that returned at once."""
    lines = ["Scaled residual: 2.07466e+15", "Node(s) with error 0", "Average Gflop/s 65077.454901"]
    figures = {"StarDGEMM_Gflops": "65077.5", "SingleDGEMM_Gflops": "8.4", "Success": "0"}
    text = whole_text(section("StarDGEMM", *lines), **figures)
    run = only(text)
    assert run.values["StarDGEMM_Gflops"].state == FAILED
    assert run.number("SingleDGEMM_Gflops") == 8.4
    assert "not-a-number" not in codes(run)
    (found,) = [one for one in run.anomalies if one.code == "hpccoutf.failed-check"]
    assert "StarDGEMM" in found.what
    assert text.splitlines()[found.line - 1] == lines[0]
    (record,) = imported_records(text.encode(), "broken.txt")
    assert "StarDGEMM_Gflops" not in record.facts.summary


def test_a_residual_below_the_limit_leaves_the_figure() -> None:
    lines = ["Scaled residual: 0.00454207", "Average Gflop/s 8.45"]
    run = whole(section("StarDGEMM", *lines), StarDGEMM_Gflops="8.45")
    assert run.number("StarDGEMM_Gflops") == 8.45
    assert "failed-check" not in codes(run)


def test_residuals_with_a_decimal_comma_are_held_to_the_limit() -> None:
    """A comma that may part thousands proves nothing, and what proves nothing has not passed."""
    figures = SIXTEEN | {"StarDGEMM_Gflops": "8.45"}
    commas = {key: value.replace(".", ",") for key, value in figures.items()}
    for residual, is_good in (
        ("0,00454207", True),
        ("20,5", False),
        ("2,07466e+15", False),
        ("1,234", False),
    ):
        dgemm = section("StarDGEMM", f"Scaled residual: {residual}", "Average Gflop/s 8,45")
        run = only(HEADER + dgemm + summary(commas))
        assert ("failed-check" not in codes(run)) == is_good, residual
        assert (run.number("StarDGEMM_Gflops") is not None) == is_good, residual
    limit = "- Computational tests pass if scaled residuals are less than                64,0\n"
    dgemm = section("StarDGEMM", "Scaled residual: 20,5", "Average Gflop/s 8,45")
    assert "failed-check" not in codes(only(HEADER + limit + dgemm + summary(commas)))


def test_the_limit_of_residuals_is_that_of_the_run() -> None:
    limit = "- Computational tests pass if scaled residuals are less than                64.0\n"
    dgemm = section("StarDGEMM", "Scaled residual: 20", "Average Gflop/s 8.45")
    assert only(HEADER + limit + dgemm).number("StarDGEMM_Gflops") == 8.45
    assert only(HEADER + dgemm).values == {}


@pytest.mark.parametrize("text", ["8,453829", "-8.4", "nan", "", "0x1p3", "********", "\u0663.5"])
def test_what_is_no_plain_number_is_not_read(text: str) -> None:
    assert body(section("StarDGEMM", f"Average Gflop/s {text}")).number("StarDGEMM_Gflops") is None


def test_a_number_that_goes_on_is_not_read_in_part() -> None:
    run = body(
        section("StarDGEMM", "Average Gflop/s 8.45.3"), section("SingleDGEMM", "Single DGEMM Gflop/s 8,4")
    )
    assert run.values == {}


def test_two_lines_that_contradict_each_other_say_nothing() -> None:
    assert body(section("StarDGEMM", "Average Gflop/s 8.4", "Average Gflop/s 8.5")).values == {}
    ranks = [
        section("MPIRandomAccess", "Running on 16 processors (PowerofTwo)"),
        section("MPIRandomAccess_LCG", "Running on 8 processors (PowerofTwo)"),
    ]
    assert body(*ranks).values == {}


BEYOND = "1e+99999999999999999999"
"""More than any number that a machine knows."""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("LatencyBandwidth", f"Max Ping Pong Latency: {BEYOND} msecs"),
        ("LatencyBandwidth", "Min Ping Pong Bandwidth: 1e-99999999999999999999 MB/s"),
        ("StarDGEMM", f"Average Gflop/s {BEYOND}"),
        ("StarDGEMM", f"Average Gflop/s {'9' * 5000}"),
        ("PTRANS", "WALL 10 10 5 5 2 2 0.01 PASSED . 0.0"),
        ("PTRANS", f"WALL 10 10 5 5 2 2 0.01 PASSED {'9' * 5000} 0.0"),
        ("MPIRandomAccess", f"Running on {'9' * 5000} processors"),
    ],
)
def test_a_number_beyond_every_machine_is_no_value(name: str, line: str) -> None:
    run = body(section(name, line))
    assert all(one.value is None for one in run.values.values())


def test_a_count_of_errors_that_nobody_can_read_is_a_failure() -> None:
    lines = section("MPIRandomAccess", f"Node(s) with error {'9' * 5000}", "0.5 Billion(10^9) Updates")
    assert [one.section for one in body(lines).failures] == ["MPIRandomAccess"]


HPL = "WR03R3R4       28284   112     4     4             125.29              {}"
RESIDUAL = "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0036127 ...... {}"


def test_the_fastest_case_of_hpl_that_passed_counts() -> None:
    lines = [
        *(HPL.format("1.204e+02"), RESIDUAL.format("PASSED")),
        *(HPL.format("9.999e+02"), RESIDUAL.format("FAILED")),
        *(HPL.format("1.000e+02"), RESIDUAL.format("PASSED")),
    ]
    run = body(section("HPL", *lines))
    assert run.values["HPL_Tflops"].text == "0.1204"
    assert run.number("HPL_N") == 28284
    assert body(section("HPL", HPL.format("1.204e+02"))).values == {}


@pytest.mark.parametrize("rate", ["1.2.3e+01", ".e+01", "1.0e+99999999999999999999", f"{'9' * 5000}e+01"])
def test_of_cases_of_hpl_with_a_damaged_rate_none_is_the_fastest(rate: str) -> None:
    damaged = [HPL.format(rate), RESIDUAL.format("PASSED")]
    assert body(section("HPL", *damaged)).values == {}
    assert body(section("HPL", *damaged, HPL.format("1.000e+02"), RESIDUAL.format("PASSED"))).values == {}
    failed = section("HPL", HPL.format(rate), RESIDUAL.format("FAILED"))
    assert whole(failed, HPL_Tflops="0.222163").values["HPL_Tflops"].state == FAILED


def test_a_case_of_hpl_that_failed_is_no_figure_and_one_that_passed_is() -> None:
    failed = section("HPL", HPL.format("2.222e+02"), RESIDUAL.format("FAILED"))
    assert whole(failed, HPL_Tflops="0.222163").values["HPL_Tflops"].state == FAILED
    other = whole(failed, HPL_Tflops="0.120400")
    assert other.number("HPL_Tflops") == 0.1204
    assert "failed-check" in codes(other)


ROW = "WALL 14142 14142 112 112   {}   {}     0.62 {}    {}  0.00"


def test_ptrans_is_the_best_grid_at_its_least() -> None:
    rows = [
        *(ROW.format(4, 4, "PASSED", "2.588"), ROW.format(4, 4, "PASSED", "2.202")),
        *(ROW.format(2, 8, "PASSED", "2.300"), ROW.format(2, 8, "PASSED", "2.250")),
    ]
    run = body(section("PTRANS", *rows, "0 tests completed and failed residual checks."))
    assert run.number("PTRANS_GBs") == 2.25
    assert (run.number("PTRANS_nprow"), run.number("PTRANS_npcol")) == (2, 8)
    assert body(section("PTRANS", *rows, ROW.format(1, 16, "PASSED", "******"))).values == {}


def ptrans(lists: dict[str, str], *rows: tuple[str, str]) -> str:
    """A section of matrices of 99; `rows` are the block size and the rate of each repetition."""
    wall = "WALL    99    99 {0:>3} {0:>3}   2   1     0.00 PASSED {1:>8}  0.00"
    of_both = {"M": "M N", "NB": "MB NB", "P": "P", "Q": "Q"}
    header = [f"{name}: {text}" for key, text in lists.items() for name in of_both[key].split()]
    return section("PTRANS", *header, *(wall.format(*row) for row in rows))


TWICE = [("8", "0.956"), ("8", "0.021"), ("3", "0.062"), ("3", "0.052")]
TWICE += [("8", "0.035"), ("8", "0.019"), ("3", "2.035"), ("3", "0.178")]


def test_a_case_of_ptrans_that_is_listed_twice_is_two_cases() -> None:
    """The suite takes the least of each, and the list tells which repetitions are those of one."""
    listed = {"M": "99", "NB": "8 3", "P": "2 2", "Q": "1 1"}
    run = body(ptrans(listed, *TWICE))
    assert (run.number("PTRANS_GBs"), run.number("PTRANS_nb")) == (0.178, 3)
    neighbours = {"M": "99", "NB": "8", "P": "2 2 2", "Q": "1 1 1"}
    rates = ("0.5", "0.4", "0.9", "0.7", "0.8", "0.6")
    assert body(ptrans(neighbours, *(("8", rate) for rate in rates))).number("PTRANS_GBs") == 0.7


@pytest.mark.parametrize(
    "listed",
    [
        {"M": "99", "NB": "3 8", "P": "2 2", "Q": "1 1"},  # in another order than they ran
        {"M": "99", "NB": "8 3 8", "P": "2", "Q": "1"},  # not as many rows of each
        {"M": "99", "NB": "8 3"},
        {},
    ],
)
def test_equal_cases_that_no_list_tells_apart_are_one(listed: dict[str, str]) -> None:
    run = body(ptrans(listed, *TWICE))
    assert (run.number("PTRANS_GBs"), run.number("PTRANS_nb")) == (0.052, 3)


def test_a_case_of_ptrans_that_failed_takes_no_other_case_with_it() -> None:
    passed = ROW.format(4, 4, "PASSED", "0.900")
    failed = [ROW.format(1, 16, "FAILED", "9.000"), ROW.format(1, 16, "PASSED", "9.500")]
    run = body(section("PTRANS", *failed, passed, "1 tests completed and failed residual checks."))
    assert run.number("PTRANS_GBs") == 0.9
    assert run.number("PTRANS_nprow") == 4
    assert "failed-check" in codes(run)
    assert body(section("PTRANS", *failed)).values == {}
    assert body(section("PTRANS", "Found 9 errors (failed).", passed)).values == {}
    assert body(section("PTRANS", ROW.format(1, 16, "FAILED", "*****"), passed)).number("PTRANS_GBs") is None


@pytest.mark.parametrize(("hpl", "is_used"), [("1.000e+02", True), ("2.222e+02", False)])
def test_a_failed_case_is_not_the_failure_of_every_case(hpl: str, is_used: bool) -> None:
    failed = section("HPL", HPL.format("2.222e+02"), RESIDUAL.format("FAILED"))
    run = whole(failed, HPL_Tflops=f"{float(hpl) / 1000:g}")
    (found,) = [one for one in run.anomalies if one.code == "hpccoutf.failed-check"]
    assert (run.number("HPL_Tflops") is not None) == is_used
    assert found.what.startswith("a case of HPL failed its check and is not used: ") == is_used
    assert found.what.startswith("HPL failed its check, so its figures are not used: ") != is_used


def test_a_grid_of_ptrans_that_failed_is_no_figure() -> None:
    rows = [ROW.format(4, 4, "PASSED", "2.588"), ROW.format(2, 8, "FAILED", "9.000")]
    assert whole(section("PTRANS", *rows), PTRANS_GBs="9.0002").number("PTRANS_GBs") is None
    assert whole(section("PTRANS", *rows), PTRANS_GBs="2.588").number("PTRANS_GBs") == 2.588


SIZES_OF_4_BY_4 = {"PTRANS_n": "14142", "PTRANS_nb": "112", "PTRANS_nprow": "4", "PTRANS_npcol": "4"}


@pytest.mark.parametrize("sizes", [SIZES_OF_4_BY_4, {}])
def test_a_case_of_which_one_repetition_failed_is_no_figure(sizes: dict[str, str]) -> None:
    """The summary has the least rate of all repetitions, which need not be that of the one that failed."""
    repetitions = (("PASSED", "2.588"), ("FAILED", "2.511"), ("PASSED", "2.202"))
    failed = section("PTRANS", *(ROW.format(4, 4, *one) for one in repetitions))
    run = whole(failed, PTRANS_GBs="2.20197", Success="0", **sizes)
    assert run.number("PTRANS_GBs") is None
    (found,) = [one for one in run.anomalies if one.code == "hpccoutf.failed-check"]
    assert found.what.startswith("PTRANS failed its check, so its figures are not used: ")


def test_a_case_that_passed_counts_beside_one_with_the_same_rate_that_failed() -> None:
    rows = [ROW.format(2, 8, "FAILED", "2.202"), ROW.format(4, 4, "PASSED", "2.202")]
    run = whole(section("PTRANS", *rows), PTRANS_GBs="2.20197", **SIZES_OF_4_BY_4)
    assert run.number("PTRANS_GBs") == 2.20197


def test_a_failed_line_of_cpu_time_is_that_of_its_case() -> None:
    """A repetition that failed says so twice, once for each clock."""
    failed = ROW.format(1, 16, "FAILED", "9.000")
    rows = [failed, failed.replace("WALL", "CPU "), ROW.format(4, 4, "PASSED", "0.900")]
    run = body(section("PTRANS", *rows))
    assert (run.number("PTRANS_GBs"), run.number("PTRANS_nprow")) == (0.9, 4)


NAMES = [*re.findall(r"Begin of (\w+) section", KILLED)]
lines_of_bodies = st.one_of(
    st.sampled_from(KILLED.splitlines()),
    st.builds("Begin of {} section.".format, st.sampled_from(NAMES)),
    st.builds("End of {} section.".format, st.sampled_from(NAMES)),
    st.text(max_size=40),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(st.lists(lines_of_bodies, max_size=80))
def test_any_body_is_survived_and_every_digit_was_printed(lines: list[str]) -> None:
    text = HEADER + "\n".join(lines) + "\n"
    for run in read_hpccoutf(text):
        for key, value in run.values.items():
            assert key in BY_NAME
            digits = value.text.replace(".", "").strip("0")
            plain = re.sub(r"[.]", "", text.splitlines()[run.lines[key] - 1])
            assert digits in plain
