"""Regions of programs in C, Fortran and Python, as users build them, and what becomes of them at the end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from groma.facts.reading import read_record
from groma.facts.regions import RegionsFacts

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "build/default/native/profile"
CONSUMER = Path(__file__).parent / "consumer"

pytestmark = pytest.mark.skipif(not (LIBRARY / "libgroma.so").is_file(), reason="libgroma is not built")


def compiled(folder: Path, *options: str) -> Path:
    program = folder / "regions"
    link = [f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}", "-lgroma", "-pthread"]
    strict = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    source = CONSUMER / "regions.c"
    command: list[str | Path] = ["cc", *strict, *options, source, f"-I{ROOT}/include", *link, "-o", program]
    subprocess.run(command, check=True)
    return program


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("regions"))


def run(*command: object, **variables: str) -> subprocess.CompletedProcess[str]:
    around = {name: value for name, value in os.environ.items() if not name.startswith("GROMA_")}
    words = [str(word) for word in command]
    return subprocess.run(
        words, env=around | variables, capture_output=True, text=True, timeout=60, check=False
    )


def facts_in(file: Path) -> RegionsFacts:
    facts = read_record(file).facts
    assert isinstance(facts, RegionsFacts)
    return facts


def calls(facts: RegionsFacts) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for one in facts.regions:
        found[tuple(one.path)] = found.get(tuple(one.path), 0) + one.calls
    return found


def test_nothing_is_printed_unasked(program: Path) -> None:
    done = run(program, "threads")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_table_goes_where_it_is_asked_to(program: Path, tmp_path: Path) -> None:
    done = run(program, GROMA_REGIONS="stderr", GROMA_COUNTERS="page-faults")
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[1].split()[-1] == "page-faults"
    assert [line.split()[:3] for line in lines[2:4]] == [["rank", "1", "1"], ["loop", "1", "3"]]
    run(program, GROMA_REGIONS=str(tmp_path / "table.txt"))
    assert (tmp_path / "table.txt").read_text().startswith("regions of ")


def test_a_record_has_all_threads_and_can_be_shown(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    run(program, "threads", GROMA_REGIONS=str(file), GROMA_COUNTERS="software")
    facts = facts_in(file)
    assert calls(facts) == {("rank",): 1, ("rank", "loop"): 3, ("loop",): 3}
    assert {one.thread for one in facts.regions} == {0, 1}
    assert "tsc" in facts.events
    assert [one.sum for one in facts.values] == [42.0]
    done = run(sys.executable, "-m", "groma", "show", file, NO_COLOR="1")
    assert done.returncode == 0
    assert "Time in regions" in done.stdout


def test_each_rank_has_its_own_file(program: Path, tmp_path: Path) -> None:
    for rank in ("0", "1"):
        run(program, GROMA_REGIONS=str(tmp_path / "r.json"), OMPI_COMM_WORLD_RANK=rank)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["r-0.json", "r-1.json"]
    assert facts_in(tmp_path / "r-1.json").rank == "1"


def test_a_program_that_ends_inside_a_region_keeps_its_code_and_the_region(
    program: Path, tmp_path: Path
) -> None:
    done = run(program, "open", GROMA_REGIONS=str(tmp_path / "r.json"))
    assert done.returncode == 3
    facts = facts_in(tmp_path / "r.json")
    assert calls(facts)["until the end",] == 1
    assert facts.remarks == ["regions that ended with the region or thread around them: 1"]


def test_a_file_that_cannot_be_written_is_reported_and_changes_no_exit_code(program: Path) -> None:
    done = run(program, GROMA_REGIONS="/absent/folder/r.json")
    assert done.returncode == 0
    assert done.stderr == "groma: regions are lost: /absent/folder/r.json: No such file or directory\n"


def test_an_empty_name_of_the_file_is_as_none(program: Path) -> None:
    done = run(program, GROMA_REGIONS="")
    assert (done.returncode, done.stderr) == (0, "")


WRITE = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print(*(library.groma_regions_write(name.encode()) for name in sys.argv[2:]))
"""


def test_regions_are_written_when_asked_even_if_there_are_none(tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    done = run(sys.executable, "-c", WRITE, LIBRARY / "libgroma.so", "/absent/folder/r.json", file)
    assert done.stdout == "9 0\n"  # GROMA_CANNOT_WRITE, GROMA_OK
    assert facts_in(file).regions == []


def test_a_tracer_hears_of_regions_and_values(tmp_path: Path) -> None:
    done = run(compiled(tmp_path, "-DTRACER", "-rdynamic"))
    loops = ["begin loop", "end loop"] * 3
    assert done.stdout.splitlines() == ["begin rank", *loops, "iteration = 42", "end rank"]


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="no Fortran compiler here")
def test_fortran_has_regions_and_plans(tmp_path: Path) -> None:
    if not (LIBRARY / "fortran/groma.mod").is_file():
        pytest.skip("the Fortran module is not built")
    flags = ["-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{LIBRARY}/fortran"]
    link = [f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}", "-lgroma_fortran", "-lgroma"]
    source = CONSUMER / "regions.f90"
    subprocess.run(["gfortran", *flags, source, *link, "-o", tmp_path / "f"], check=True)
    done = run(tmp_path / "f", GROMA_REGIONS=str(tmp_path / "f.json"))
    assert (done.returncode, done.stderr) == (0, "")
    assert calls(facts_in(tmp_path / "f.json")) == {("rank loop 1",): 1}


PYTHON = """
from groma.counters import region, value
with region("outer"):
    for step in range(5):
        with region("step"):
            value("number", step)
try:
    with region("fails"):
        raise KeyError
except KeyError:
    pass
"""


def test_python_has_regions_that_end_with_their_block(tmp_path: Path) -> None:
    done = run(sys.executable, "-c", PYTHON, GROMA_REGIONS=str(tmp_path / "p.json"))
    assert done.returncode == 0, done.stderr
    facts = facts_in(tmp_path / "p.json")
    assert calls(facts) == {("outer",): 1, ("outer", "step"): 5, ("fails",): 1}
    assert facts.remarks == []


@pytest.mark.parametrize("call", ["value('v', -1)", "value('v', 2**64)", "value('v', 1.5)", "value(5, 1)"])
def test_python_refuses_values_that_are_none(call: str) -> None:
    done = run(sys.executable, "-c", f"from groma.counters import value; {call}")
    assert "ValueError: a " in done.stderr


@pytest.fixture
def native() -> dict[str, str]:
    folder = ROOT / "build/default/native"
    if not (folder / "groma-counters").is_file():
        pytest.skip("groma-counters is not built")
    return {"GROMA_NATIVE_PATH": str(folder), "NO_COLOR": "1"}


def counters(native: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-m", "groma", "counters", *words, **native)


def answer(text: str) -> Any:
    return json.loads(text)


def test_papi_is_used_where_its_library_is(native: dict[str, str], program: Path, tmp_path: Path) -> None:
    library = tmp_path / "libpapi.so"
    command: list[str | Path] = ["cc", "-shared", "-fPIC", CONSUMER / "papi.c", "-o", library]
    subprocess.run(command, check=True)
    papi = {"GROMA_PAPI_LIBRARY": str(library)}
    plan = answer(counters(native | papi, "check", "papi:READS", "papi:PAPI_TOT_CYC", "--json").stdout)
    assert plan["runs"] == [["papi:READS"]]
    assert plan["unavailable"] == [
        {"event": "papi:PAPI_TOT_CYC", "reason": "PAPI refuses PAPI_TOT_CYC: the planted refusal -7"}
    ]
    run(program, GROMA_REGIONS=str(tmp_path / "r.json"), GROMA_COUNTERS="papi:READS,tsc", **papi)
    counts = {tuple(one.path): one.counts[0] for one in facts_in(tmp_path / "r.json").regions}
    # Each begin and end reads once: "rank" has its own two, and those of three loops.
    assert counts == {("rank",): 7, ("rank", "loop"): 3}


def test_without_papi_the_reason_is_said(native: dict[str, str]) -> None:
    absent = native | {"GROMA_PAPI_LIBRARY": "/absent/libpapi.so"}
    plan = answer(counters(absent, "check", "papi:PAPI_TOT_INS", "tsc", "--json").stdout)
    assert plan["unavailable"][0]["reason"].startswith("PAPI is not installed")
    assert plan["runs"] == [["tsc"]]


def test_the_list_says_of_every_event_that_is_missing_why(native: dict[str, str]) -> None:
    listed = answer(counters(native, "--json").stdout)
    events = {one["name"]: one for one in listed["events"]}
    assert events["tsc"]["counted"]
    assert events["page-faults"]["counted"]
    assert all(one["remark"] for one in listed["events"] if not one["counted"])
    assert {"software", "ipc", "caches", "branches"} <= {one["name"] for one in listed["groups"]}
    text = counters(native).stdout
    assert "What this machine counts" in text


def test_a_check_opens_events_and_groups(native: dict[str, str]) -> None:
    plan = answer(counters(native, "check", "software", "nonsense", "--json").stdout)
    assert plan["runs"] == [["task-clock", "page-faults", "context-switches", "tsc"]]
    assert [one["event"] for one in plan["unavailable"]] == ["nonsense"]


def test_events_may_be_listed_with_commas(native: dict[str, str]) -> None:
    plan = answer(counters(native, "check", "tsc,page-faults", "--json").stdout)
    assert plan["runs"] == [["tsc", "page-faults"]]
    done = counters(native, "run", "--json", "-e", "tsc,page-faults", "-e", "task-clock", "--", "true")
    assert [one["event"] for one in answer(done.stderr)["counts"]] == ["tsc", "page-faults", "task-clock"]


def test_a_program_that_is_counted_keeps_output_and_code(native: dict[str, str]) -> None:
    done = counters(native, "run", "--json", "-g", "software", "--", "sh", "-c", "echo out; exit 3")
    assert (done.returncode, done.stdout) == (3, "out\n")
    said = answer(done.stderr)
    assert {one["event"] for one in said["counts"]} == {
        "task-clock",
        "page-faults",
        "context-switches",
        "tsc",
    }
    rate = next(one for one in said["metrics"] if one["name"] == "page faults per second")
    faults = next(one for one in said["counts"] if one["event"] == "page-faults")
    assert rate["value"] == pytest.approx(faults["value"] / said["seconds"])


def test_whole_runs_run_the_program_for_each_set(native: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = f"echo once >> {log}"
    done = counters(native, "run", "--whole-runs", "-e", "tsc", "-e", "nonsense", "--", "sh", "-c", script)
    assert done.returncode == 0
    assert log.read_text() == "once\n"
    assert "nonsense" in done.stderr


def test_a_program_that_does_not_exist_is_an_error(native: dict[str, str]) -> None:
    done = counters(native, "run", "-e", "tsc", "--", "/absent/program")
    assert done.returncode == 2
    assert "/absent/program cannot be started" in done.stderr
