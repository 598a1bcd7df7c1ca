"""hpccoutf.txt as it is found in the world: numbers of real files, put together here."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groma.hpccoutf.keys import BY_NAME, KEYS
from groma.hpccoutf.runs import HpccRun, read_hpccoutf
from groma.hpccoutf.values import ABSENT, FAILED, MEASURED

REPOSITORY = Path(__file__).parents[3]
GOLDEN = REPOSITORY / "tests" / "data" / "hpcc" / "groma-hpccoutf.txt"
PAGE = REPOSITORY / "docs" / "hpcc" / "formats.md"

HEADER = """\
########################################################################
This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012
Compiled on Jul  1 2017 at 13:11:57
Current time (1553529900) is Mon Mar 25 12:05:00 2019

Hostname: 'node1'
########################################################################
"""

# Of a public run on 16 ranks.
SIXTEEN = {
    "VersionMajor": "1",
    "Success": "1",
    "CommWorldProcs": "16",
    "HPL_Tflops": "0.120409",
    "HPL_N": "28284",
    "HPL_NB": "112",
    "HPL_nprow": "4",
    "HPL_npcol": "4",
    "HPL_order": "R",
    "HPL_dMACH_SFMIN": "2.225074e-308",
    "MPIRandomAccess_N": "536870912",
    "MPIRandomAccess_Errors": "0",
    "MPIRandomAccess_ExeUpdates": "245540672",
    "MPIRandomAccess_GUPs": "0.00442194",
    "MPIRandomAccess_TimeBound": "60",
    "MPIRandomAccess_Algorithm": "0",
    "STREAM_VectorSize": "16666347",
    "StarSTREAM_Triad": "2.9362",
    "MemProc": "-1",
    "MemSpec": "-1",
}


def summary(values: dict[str, str]) -> str:
    lines = "".join(f"{key}={value}\n" for key, value in values.items())
    return f"Begin of Summary section.\n{lines}End of Summary section.\n"


def run_text(values: dict[str, str]) -> str:
    return HEADER + summary(values) + "Current time (1553530370) is Mon Mar 25 12:12:50 2019\n\n"


def only(text: str) -> HpccRun:
    runs = read_hpccoutf(text)
    assert len(runs) == 1
    return runs[0]


def codes(run: HpccRun) -> list[str]:
    return [one.code.removeprefix("hpccoutf.") for one in run.warnings]


def changed(**values: str) -> HpccRun:
    return only(run_text(SIXTEEN | values))


def test_a_run_has_typed_values_with_units() -> None:
    run = only(run_text(SIXTEEN))
    assert run.version == "1.5.0"
    assert (run.host, run.started, run.ended) == ("node1", 1553529900, 1553530370)
    assert run.complete
    assert run.success is True
    assert run.values["HPL_N"].value == 28284
    assert isinstance(run.values["HPL_N"].value, int)
    assert run.values["StarSTREAM_Triad"].unit == "GB/s"
    assert run.values["HPL_order"].value == "R"
    assert run.number("HPL_dMACH_SFMIN") == pytest.approx(2.225074e-308)


def test_the_share_of_updates_and_the_time_bound_are_reported() -> None:
    run = only(run_text(SIXTEEN))
    (bound,) = [one for one in run.warnings if one.code == "hpccoutf.time-bound"]
    assert "11.4\u00a0%" in bound.what
    assert codes(changed(MPIRandomAccess_TimeBound="-1")) == ["updates"]


def test_a_time_bound_that_cut_nothing_is_not_warned_of() -> None:
    """HPCC 1.5.0 prints 60 whenever it was built with a bound, which is its default."""
    whole = str(4 * int(SIXTEEN["MPIRandomAccess_N"]))
    assert "time-bound" not in codes(changed(MPIRandomAccess_ExeUpdates=whole))


def test_a_time_bound_is_warned_of_where_the_updates_are_unknown() -> None:
    run = only(run_text({key: one for key, one in SIXTEEN.items() if not key.endswith("ExeUpdates")}))
    (bound,) = [one for one in run.warnings if one.code == "hpccoutf.time-bound"]
    assert "its updates are not said" in bound.what


def test_minus_one_and_what_memory_held_are_not_measured() -> None:
    run = changed(StarSTREAM_Triad="-1", SingleRandomAccess_LCG_GUPs="2.36541e-310", HPL_cpfact="-")
    for key in ("StarSTREAM_Triad", "SingleRandomAccess_LCG_GUPs", "HPL_cpfact", "MemProc"):
        assert run.values[key].state == ABSENT
        assert run.number(key) is None


@pytest.mark.parametrize("text", ["-nan", "nan", "inf", "-inf", "0.12.3", "Segmentation fault"])
def test_what_is_no_number_has_failed(text: str) -> None:
    run = changed(HPL_Tflops=text)
    assert run.values["HPL_Tflops"].state == FAILED
    assert "not-a-number" in codes(run)


def test_unknown_keys_are_kept() -> None:
    run = changed(FFT_API="FFTW3", My_Number="2.5")
    assert run.unknown == ["FFT_API", "My_Number"]
    assert run.values["FFT_API"].value == "FFTW3"
    assert run.values["My_Number"].value == 2.5


def test_appended_runs_are_distinguished() -> None:
    runs = read_hpccoutf(run_text(SIXTEEN) * 44 + HEADER + run_text(SIXTEEN | {"Success": "0"}))
    assert len(runs) == 46
    assert [run.complete for run in runs] == [True] * 44 + [False, True]
    assert "no-summary" in codes(runs[44])
    assert runs[45].success is False


def test_two_summaries_without_a_header_between_are_two_runs() -> None:
    assert len(read_hpccoutf(run_text(SIXTEEN) + summary(SIXTEEN))) == 2
    assert only(summary(SIXTEEN)).version is None


def test_runs_of_versions_that_misspell_their_name_are_distinguished() -> None:
    """Early versions call themselves HPC Challange."""
    old = HEADER.replace("HPC Challenge", "HPC Challange").replace("1.5.0 October 2012", "1.0.0 October 2003")
    killed = old.replace("node1", "node2") + "Begin of HPL section.\n"
    runs = read_hpccoutf(old + summary(SIXTEEN) + killed + old + summary(SIXTEEN))
    assert [run.complete for run in runs] == [True, False, True]
    assert [run.host for run in runs] == ["node1", "node2", "node1"]
    assert {run.program for run in runs} == {"hpcc 1.0.0"}
    assert runs[1].open_section == "HPL"


def test_what_stands_before_a_misspelt_header_stands_before_every_line() -> None:
    old = HEADER.replace("HPC Challenge", "HPC Challange")
    assert only(labelled("node1 | ", old + summary(SIXTEEN))).values == only(run_text(SIXTEEN)).values


def test_a_killed_run_says_in_which_section() -> None:
    text = HEADER + "Begin of PTRANS section.\nEnd of PTRANS section.\nBegin of StarDGEMM section.\n"
    run = only(text)
    assert run.sections == ["PTRANS"]
    assert run.open_section == "StarDGEMM"
    assert "StarDGEMM" in run.warnings[0].what
    assert run.success is None


def test_a_value_that_is_cut_off_is_not_believed() -> None:
    whole = HEADER + "Begin of Summary section.\nHPL_N=28284\nHPL_Tflops=0.120409"
    run = only(whole[:-3])
    assert run.number("HPL_N") == 28284
    assert "HPL_Tflops" not in run.values
    assert codes(run) == ["cut"]


@pytest.mark.parametrize("prefix", ["[1,0]<stdout>:", "0: ", "> ", "| ", "    "])
def test_logs_and_wiki_marks_around_a_run_do_not_matter(prefix: str) -> None:
    lines = run_text(SIXTEEN).splitlines()
    noisy = (
        "slurmstepd: error\n```\n"
        + "\r\n".join(prefix + line for line in lines)
        + "\r\n```\nExeBinSignature\n"
    )
    assert only(noisy).values == only(run_text(SIXTEEN)).values


def labelled(label: str, text: str) -> str:
    """As a launcher or a tool prints it: `label` may count the lines, from 95 on."""
    return "".join(f"{label.format(95 + number)}{line}\n" for number, line in enumerate(text.splitlines()))


LABELS = [
    "[0] ",
    "  0: ",
    "[prterun-n1-99@1,0]<stdout>: ",
    "2026-01-02 03:04:{:02} ",
    "[2026-01-02T03:04:05.{:03}Z] ",
    "Jan  2 03:04:05 node1 hpcc[{}]: ",
    "nights/hpccoutf-3.txt:",
    "nights/hpccoutf.txt:{}:",
    "{:6}\t",
    ">> ",
    "node1 | ",
    "\x1b[32m0:\x1b[0m ",
]


@pytest.mark.parametrize("label", LABELS)
def test_what_stands_before_the_header_stands_before_every_line(label: str) -> None:
    plain = only(run_text(SIXTEEN))
    run = only("mpirun: starts\n" + labelled(label, run_text(SIXTEEN)))
    assert (run.values, run.strange, codes(run)) == (plain.values, plain.strange, codes(plain))
    assert (run.host, run.started, run.ended) == (plain.host, plain.started, plain.ended)


def test_every_run_may_have_a_prefix_of_its_own() -> None:
    text = (
        labelled("a/out.txt:", run_text(SIXTEEN))
        + run_text(SIXTEEN)
        + labelled("b/out.txt-", run_text(SIXTEEN))
    )
    assert [run.values for run in read_hpccoutf(text)] == [only(run_text(SIXTEEN)).values] * 3


def test_colours_of_a_terminal_do_not_matter() -> None:
    text = "".join(f"\x1b[1m{line}\x1b[0m\n" for line in run_text(SIXTEEN).splitlines())
    assert only(text).values == only(run_text(SIXTEEN)).values


def test_a_summary_behind_an_unknown_prefix_is_not_called_killed() -> None:
    """The header alone has another prefix: a wrapper printed it again, or somebody cut the lines."""
    run = only(HEADER + labelled("rank-zero says ", summary(SIXTEEN)))
    assert codes(run) == ["prefix"]
    (anomaly,) = run.anomalies
    assert anomaly.line == len(HEADER.splitlines()) + 1
    assert "'rank-zero says '" in anomaly.what


def test_noise_within_a_summary_is_passed_over() -> None:
    text = run_text(SIXTEEN).replace("HPL_NB=112\n", "mpirun noticed that rank 3 = dead\nHPL_NB=112\n\n")
    assert only(text).values == only(run_text(SIXTEEN)).values


@pytest.mark.parametrize("noise", [" ", "` ", "<br>", "<br />\\"])
def test_marks_around_long_lines_take_no_time(noise: str) -> None:
    """A search that begins again at every blank would not end."""
    run = only(run_text(SIXTEEN).replace("HPL_N=28284", f"{200_000 * noise}x\nHPL_N=28284{200_000 * noise}"))
    assert run.number("HPL_N") == 28284
    assert len(run.strange) == 1


def test_a_text_without_runs_has_none() -> None:
    assert read_hpccoutf("") == []
    assert read_hpccoutf("HPL_N=5\n") == []


def test_sizes_that_are_built_in_are_reported() -> None:
    assert "default-size" in codes(changed(HPL_N="2560", HPL_NB="80"))
    assert "default-size" in codes(changed(HPL_N="3520", MemProc="64"))
    assert "default-size" not in codes(changed(MemProc="64", MemSpec="1"))


def test_a_grid_that_leaves_ranks_out_is_reported() -> None:
    assert "grid" in codes(changed(HPL_npcol="2"))


def test_early_versions_say_how_many_ranks_a_grid_had_and_not_its_sides() -> None:
    early = {key: value for key, value in SIXTEEN.items() if key not in {"HPL_nprow", "HPL_npcol"}}
    assert "grid" in codes(only(run_text(early | {"HPLMaxProcs": "8"})))
    assert "grid" not in codes(only(run_text(early | {"HPLMaxProcs": "16"})))
    assert "grid" not in codes(only(run_text(early | {"HPLMaxProcs": "8", "HPL_Tflops": "-1"})))


def test_vectors_that_fit_into_caches_are_reported() -> None:
    small = run_text(SIXTEEN | {"STREAM_VectorSize": "60000"})
    assert "stream-in-cache" in codes(only(small))
    assert "stream-in-cache" not in codes(only(run_text(SIXTEEN)))
    (run,) = read_hpccoutf(run_text(SIXTEEN), last_level_cache=1 << 30)
    assert "stream-in-cache" in codes(run)


def test_wrong_words_and_algorithms_are_reported() -> None:
    run = changed(MPIRandomAccess_Errors="863", MPIRandomAccess_N="16777216", MPIRandomAccess_Algorithm="2")
    assert {"wrong-words", "algorithm"} <= set(codes(run))
    (errors,) = [one for one in run.warnings if one.code == "hpccoutf.wrong-words"]
    assert "5.1e-05" in errors.what
    assert "allowed" in errors.what


def test_lines_of_hpl_are_read() -> None:
    line = "WR03R3R4       28284   112     4     4             125.29              1.204e+02\n"
    failed = "WC11C2R4        2560    80     1     1               3.92                   -nan\n"
    run = only(HEADER + line + failed)
    assert [(one.n, one.nb) for one in run.hpl] == [(28284, 112), (2560, 80)]
    assert (run.hpl[0].rows, run.hpl[0].columns) == (4, 4)
    assert run.hpl[0].gflops == pytest.approx(120.4)
    assert run.hpl[1].gflops is None


def test_there_are_148_keys() -> None:
    assert len(KEYS) == len(BY_NAME) == 148


def plain(text: str) -> dict[str, str]:
    """As every script reads the file: each line with an equals sign."""
    inside = text[text.index("Begin of Summary") : text.index("End of Summary")]
    pairs = (line.split("=", 1) for line in inside.splitlines() if "=" in line)
    return dict(pairs)


def test_the_file_that_groma_writes_is_read_the_same_by_any_script() -> None:
    text = GOLDEN.read_text(encoding="utf-8")
    run = only(text)
    scripted = plain(text)
    assert list(scripted) == [key.name for key in KEYS]
    assert run.complete
    assert run.success is True
    assert run.unknown == []
    assert {key: value.text for key, value in run.values.items()} == scripted
    for key in ("HPL_Tflops", "StarSTREAM_Triad", "MPIRandomAccess_GUPs", "MPIFFT_Gflops", "PTRANS_GBs"):
        assert run.number(key) == float(scripted[key])
    assert not [key for key, value in run.values.items() if value.state == FAILED]


def test_the_page_lists_every_key_with_its_unit() -> None:
    rows = [
        line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    reported = {cells[1].strip(" `"): cells[2].strip() for cells in rows if "." not in cells[1]}
    assert reported == {key.name: "text" if key.kind == "text" else key.unit or "1" for key in KEYS}


def _value_text(kind: str) -> st.SearchStrategy[str]:
    whole = st.integers(1, 2**62).map(str)
    real = st.floats(1e-30, 1e30).map(lambda number: f"{number:g}")
    return {"int": whole, "float": real, "text": st.sampled_from("LCR")}[kind]


whole_runs = st.fixed_dictionaries({key.name: _value_text(key.kind) for key in KEYS})


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(whole_runs)
def test_every_value_survives_reading(values: dict[str, str]) -> None:
    run = only(run_text(values))
    assert run.complete
    for name, text in values.items():
        expected = text if BY_NAME[name].kind == "text" else float(text)
        assert run.values[name].state == MEASURED
        assert run.values[name].value == pytest.approx(expected)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(st.text(), st.integers(0, 2000), st.integers(0, 2000))
def test_any_damage_is_survived(noise: str, begin: int, length: int) -> None:
    whole = run_text(SIXTEEN)
    for run in read_hpccoutf(whole[:begin] + noise + whole[begin + length :]):
        assert {value.state for value in run.values.values()} <= {MEASURED, ABSENT, FAILED}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(st.lists(st.booleans(), max_size=30))
def test_there_are_as_many_runs_as_headers(finished: list[bool]) -> None:
    text = "".join(run_text(SIXTEEN) if one else HEADER + "Begin of HPL section.\n" for one in finished)
    assert [run.complete for run in read_hpccoutf(text)] == finished
