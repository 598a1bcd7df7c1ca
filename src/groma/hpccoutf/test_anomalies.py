"""Every anomaly of an output is reported with its line, and none becomes a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groma.hpccoutf.runs import HpccRun, read_hpccoutf
from groma.hpccoutf.test_runs import GOLDEN, HEADER, SIXTEEN, changed, codes, only, run_text, summary
from groma.hpccoutf.values import ABSENT, FAILED

if TYPE_CHECKING:
    from groma.hpccoutf.advice import Anomaly

NUMBER = re.compile(r"[+-]?\d")


def anomaly_of(run: HpccRun, code: str) -> Anomaly:
    found = [one for one in run.anomalies if one.code == f"hpccoutf.{code}"]
    assert found, codes(run)
    return found[0]


def line_of(text: str, start: str) -> int:
    return next(i for i, line in enumerate(text.splitlines(), start=1) if line.startswith(start))


def test_an_anomaly_names_the_line_of_its_key() -> None:
    text = "slurm log\n" * 7 + run_text(SIXTEEN | {"HPL_Tflops": "nan"})
    assert anomaly_of(only(text), "not-a-number").line == line_of(text, "HPL_Tflops")
    assert anomaly_of(only(text), "time-bound").line == line_of(text, "MPIRandomAccess_TimeBound")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_editors_do(end: str) -> None:
    text = run_text(SIXTEEN | {"HPL_Tflops": "nan"})
    (run,) = read_hpccoutf(text.replace("\n", end))
    assert anomaly_of(run, "not-a-number").line == line_of(text, "HPL_Tflops")


def test_what_no_measurement_gives_is_reported_and_not_used() -> None:
    run = changed(StarSTREAM_Triad="0", HPL_Tflops="-0.5")
    assert run.number("StarSTREAM_Triad") is None
    assert run.values["HPL_Tflops"].state == FAILED
    assert "StarSTREAM_Triad" in anomaly_of(run, "zero").what
    assert "HPL_Tflops" in anomaly_of(run, "negative").what


@pytest.mark.parametrize(
    ("elements", "size"), [("16", "2 KiB"), ("8192", "1 MiB"), ("12288", "1.50 MiB"), ("262144", "32 MiB")]
)
def test_the_size_of_short_vectors_is_readable(elements: str, size: str) -> None:
    assert (
        f"each STREAM vector has {size} over all ranks"
        in anomaly_of(changed(STREAM_VectorSize=elements), "stream-in-cache").what
    )


def test_zeros_of_tests_that_did_not_run_are_no_anomaly() -> None:
    run = changed(MPIFFT_N="-1", MPIFFT_Gflops="0", StarSTREAM_Copy="-1")
    assert not {"zero", "negative"} & set(codes(run))


def test_fields_that_were_never_set_are_reported() -> None:
    run = changed(SingleRandomAccess_LCG_GUPs="2.36541e-310")
    assert run.values["SingleRandomAccess_LCG_GUPs"].state == ABSENT
    assert "SingleRandomAccess_LCG_GUPs" in anomaly_of(run, "unset").what


def comma(**values: str) -> HpccRun:
    """A run whose every number has a decimal comma."""
    text = {key: value.replace(".", ",") for key, value in SIXTEEN.items()}
    return only(run_text(text | values))


@pytest.mark.parametrize(
    "keys", [["HPL_N"], ["HPL_nprow", "HPL_npcol"], ["CommWorldProcs"], ["STREAM_VectorSize"]]
)
def test_counts_beyond_all_machines_are_reported_as_never_set(keys: list[str]) -> None:
    run = changed(HPL_time="125.29", StarDGEMM_Gflops="8", **dict.fromkeys(keys, "1e200"))
    assert [run.number(key) for key in keys] == [None] * len(keys)
    assert anomaly_of(run, "unset").what == f"never set by the program: {', '.join(keys)}"


def test_a_rate_far_beyond_what_its_size_and_time_give_is_reported() -> None:
    run = changed(HPL_N=str(2**62), HPL_time="1e-299")
    assert "HPL_N and HPL_time give inf" in anomaly_of(run, "inconsistent").what


def test_decimal_commas_are_read_as_points_and_reported() -> None:
    run = comma()
    assert run.number("HPL_Tflops") == pytest.approx(0.120409)
    assert run.number("StarSTREAM_Triad") == pytest.approx(2.9362)
    assert "decimal comma" in anomaly_of(run, "decimal-comma").what


@pytest.mark.parametrize(
    "values",
    [
        {"HPL_Tflops": "1,204", "StarSTREAM_Triad": "2.9362"},  # points beside: the comma parts thousands
        {"HPL_Tflops": "1,204,000"},
    ],
)
def test_a_comma_that_may_part_thousands_is_no_number(values: dict[str, str]) -> None:
    run = changed(**values)
    assert run.number("HPL_Tflops") is None
    assert "HPL_Tflops" in anomaly_of(run, "not-a-number").what


def test_commas_that_all_may_part_thousands_are_not_read() -> None:
    run = only(summary({"CommWorldProcs": "4", "HPL_N": "1000", "HPL_Tflops": "1,204"}))
    assert run.number("HPL_Tflops") is None


def test_a_key_with_two_values_has_none() -> None:
    twice = run_text(SIXTEEN).replace("HPL_N=28284\n", "HPL_N=28284\nHPL_Tflops=9.9\n")
    run = only(twice)
    assert run.number("HPL_Tflops") is None
    assert "HPL_Tflops" in anomaly_of(run, "conflicting").what
    same = run_text(SIXTEEN).replace("HPL_N=28284\n", "HPL_N=28284\nHPL_N=28284\n")
    assert only(same).number("HPL_N") == 28284


def test_other_output_within_a_summary_is_reported() -> None:
    text = run_text(SIXTEEN).replace("HPL_NB=112\n", "srun: error: node 7\nHPL_NB=112\n")
    found = anomaly_of(only(text), "strange-lines")
    assert found.line == line_of(text, "srun")
    assert "1 of" in found.what


@pytest.mark.parametrize("fence", ["", "```", "~~~", "</pre>", "#####"])
def test_lines_that_only_set_text_apart_are_no_anomaly(fence: str) -> None:
    text = run_text(SIXTEEN).replace("HPL_NB=112\n", f"{fence}\nHPL_NB=112\n")
    assert "strange-lines" not in codes(only(text))


@pytest.mark.parametrize(
    ("before", "after"), [("- ", ""), ("* `", "`"), ("    ", "  "), ("", "<br>"), ("", "\\")]
)
def test_marks_of_markdown_around_keys_do_not_matter(before: str, after: str) -> None:
    lines = "".join(f"{before}{key}={value}{after}\n" for key, value in SIXTEEN.items())
    run = only(f"{HEADER}Begin of Summary section.\n{lines}End of Summary section.\n")
    assert run.values == only(run_text(SIXTEEN)).values


def test_keys_that_were_copied_alone_make_a_run() -> None:
    lines = "".join(f"{key}={value}\n" for key, value in SIXTEEN.items())
    run = only(f"Our result:\n\n```\n{lines}```\n")
    assert run.values == only(run_text(SIXTEEN)).values
    assert {"no-begin", "cut"} <= set(codes(run))
    assert "so later keys may be missing" in anomaly_of(run, "cut").what
    assert read_hpccoutf("HPL_N=5\nHPL_NB=80\n") == []


def test_a_rate_that_its_size_and_time_do_not_give_is_reported() -> None:
    fits = {"HPL_time": f"{(2 / 3 * 28284**3 + 1.5 * 28284**2) / 0.120409e12:.6g}"}
    assert "inconsistent" not in codes(changed(**fits))
    run = changed(**fits, HPL_Tflops="1.20409")
    assert "HPL_Tflops is 1.20409" in anomaly_of(run, "inconsistent").what
    assert "inconsistent" in codes(changed(MPIRandomAccess_time="1"))


def test_a_time_of_few_digits_contradicts_no_rate() -> None:
    """Of a killed run: the table of HPL prints 0.01 for 0.0117 s."""
    rate = (2 / 3 * 512**3 + 1.5 * 512**2) / 0.0117 / 1e12
    size = {"HPL_N": "512", "HPL_Tflops": f"{rate:.6g}"}
    assert "inconsistent" not in codes(changed(**size, HPL_time="0.01"))
    assert "inconsistent" in codes(changed(**size, HPL_time="0.0100"))


def test_wrong_words_are_counted_in_words() -> None:
    one, two = (changed(MPIRandomAccess_Errors=errors) for errors in "12")
    assert "left 1 wrong word (" in anomaly_of(one, "wrong-words").what
    assert "left 2 wrong words (" in anomaly_of(two, "wrong-words").what


def test_hpl_that_is_faster_than_dgemm_is_reported() -> None:
    assert "hpl-above-dgemm" in codes(changed(StarDGEMM_Gflops="1"))
    assert "hpl-above-dgemm" not in codes(changed(StarDGEMM_Gflops="8"))


def test_least_mean_and_most_out_of_order_are_reported() -> None:
    names = [f"{which}PingPongLatency_usec" for which in ("Min", "Avg", "Max")]
    assert "order" in codes(changed(**dict(zip(names, "132", strict=True))))
    assert "order" not in codes(changed(**dict(zip(names, "112", strict=True))))


def test_unknown_keys_and_other_versions_are_reported() -> None:
    assert "FFT_API" in anomaly_of(changed(FFT_API="FFTW3"), "unknown-keys").what
    other = run_text(SIXTEEN).replace("version 1.5.0", "version 2.0.0")
    assert "2.0.0" in anomaly_of(only(other), "version").what


def test_a_sound_run_of_groma_has_no_anomaly_but_its_sizes() -> None:
    assert set(codes(only(GOLDEN.read_text(encoding="utf-8")))) == {"algorithm", "stream-in-cache"}


junk = st.text(alphabet=st.characters(codec="utf-8"), max_size=60)
lines_of_runs = st.one_of(
    junk,
    st.sampled_from(run_text(SIXTEEN).splitlines()),
    st.builds("{}={}".format, st.sampled_from(list(SIXTEEN)), junk),
    st.sampled_from(["Begin of Summary section.", "End of Summary section.", HEADER]),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(st.lists(lines_of_runs, max_size=60), st.sampled_from(["\n", "\r\n"]))
def test_any_text_gives_runs_and_no_number_that_it_does_not_hold(lines: list[str], end: str) -> None:
    text = end.join(lines)
    for run in read_hpccoutf(text):
        last = text.count("\n") + text.count("\r") + 1
        assert all(1 <= one.line <= last for one in run.anomalies)
        for name, value in run.values.items():
            assert name in text
            assert value.text in text
            if isinstance(value.value, int | float):
                assert NUMBER.search(value.text)
                assert float(value.text.replace(",", ".")) == pytest.approx(value.value)
