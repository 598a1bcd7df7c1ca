"""A trace with call sites names the lines of the program from which each call comes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from installed import must
from traced import GROMA, HERE, start, traced

if TYPE_CHECKING:
    from pathlib import Path

    from traced import Programs

CALLER, CALLER_LINE = 70000001, 80000001
SITES = ("--call-sites",)


class Site(NamedTuple):
    call: str
    function: str
    line: str


def compiled(programs: Programs, folder: Path, *options: str, source: str = "sites.c") -> Path:
    target = folder / ("site.so" if "-shared" in options else "site")
    must(programs.mpi.compiler, "-g", "-O1", "-w", HERE / source, *options, "-o", target, "-ldl")
    return target


def stated(trace: Path) -> list[Any]:
    done = start(GROMA, "--json", "stat", trace, cwd=HERE)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)["facts"]["call_sites"]
    return found


def sites(folder: Path) -> set[Site]:
    return {Site(one["call"], one["function"], one["line"]) for one in stated(folder)}


def written(
    source: str, module: str, *, but: tuple[str, ...] = ("MPI_Comm_size", "MPI_Allreduce")
) -> set[Site]:
    """The calls that a source holds, each with its function and line."""
    found, function = set(), ""
    for number, line in enumerate((HERE / source).read_text().splitlines(), 1):
        if opened := re.match(r"\w.*?(\w+)\([^;]*\{$", line):
            function = opened[1]
        if (call := re.search(r"(MPI_[A-Z][a-z_]+)\(", line)) and call[1] not in but:
            found.add(Site(call[1], function, f"{number} ({source}, {module})"))
    return found - {one for one in found if one.call == "MPI_Comm_set_errhandler"}


@pytest.mark.parametrize("kind", ["-pie", "-no-pie"])
def test_each_call_has_its_function_and_line(programs: Programs, tmp_path: Path, kind: str) -> None:
    options = ("-fPIE", "-pie") if kind == "-pie" else ("-fno-pie", "-no-pie")
    run = traced(programs, 2, compiled(programs, tmp_path, *options), cwd=tmp_path, options=SITES)
    assert run.code == 0, run.said
    assert sites(run.folder) == written("sites.c", "site")


def test_call_sites_say_how_often_and_what_they_send_and_receive(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 2, compiled(programs, tmp_path), cwd=tmp_path, options=SITES)
    by_function = {(one["call"], one["function"]): one for one in stated(run.folder)}
    send, receive = by_function["MPI_Send", "exchange"], by_function["MPI_Recv", "exchange"]
    assert (send["count"], send["sent"], send["received"]) == (3, 12, 0)
    assert (receive["count"], receive["sent"], receive["received"]) == (3, 0, 12)
    assert by_function["MPI_Send", "fail"]["count"] == 2
    times = [one["seconds"] for one in stated(run.folder)]
    assert times == sorted(times, reverse=True)


def test_the_store_and_the_prv_say_the_same(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 2, compiled(programs, tmp_path), cwd=tmp_path, options=SITES)
    assert stated(run.folder / "trace.prv") == stated(run.folder / "trace.groma")


def test_callers_are_events_beside_the_begins_of_calls(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 2, compiled(programs, tmp_path), cwd=tmp_path, options=SITES)
    calls = [one for of_row in run.trace.calls.values() for one in of_row]
    assert len(calls) > 10
    assert all({CALLER, CALLER_LINE} <= one.parameters.keys() for one in calls)
    assert re.search(rf"^0 +{CALLER} +Caller at level 1$", run.pcf, re.MULTILINE)
    assert re.search(rf"^0 +{CALLER_LINE} +Caller line at level 1$", run.pcf, re.MULTILINE)


def test_no_call_sites_are_recorded_unless_asked_for(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 2, compiled(programs, tmp_path), cwd=tmp_path)
    assert run.code == 0
    assert "Caller" not in run.pcf
    assert stated(run.folder) == []


@pytest.mark.parametrize("kind", ["linked", "opened"])
def test_calls_of_libraries_have_the_lines_of_the_library(
    programs: Programs, tmp_path: Path, kind: str
) -> None:
    library = compiled(programs, tmp_path, "-shared", "-fPIC", source="sites_library.c")
    linked = ("-DLINKED", str(library), f"-Wl,-rpath,{tmp_path}") if kind == "linked" else ()
    program = compiled(programs, tmp_path, *linked)
    words = [program] if kind == "linked" else [program, "./site.so"]
    run = traced(programs, 2, *words, cwd=tmp_path, options=SITES)
    assert run.code == 0, run.said
    of_library = written("sites_library.c", "site.so", but=())
    assert len(of_library) == 1
    assert sites(run.folder) == written("sites.c", "site") | of_library


def test_a_stripped_program_has_addresses_in_its_file(programs: Programs, tmp_path: Path) -> None:
    program = compiled(programs, tmp_path)
    whole = shutil.copy(program, tmp_path / "whole")
    must("strip", program)
    run = traced(programs, 2, program, cwd=tmp_path, options=SITES)
    found = sites(run.folder)
    assert all(one.function == one.line and one.line.startswith("site+0x") for one in found)
    lines = set()
    for one in found:
        before = hex(int(one.line.removeprefix("site+"), 16) - 1)
        said = subprocess.run(["addr2line", "-e", whole, before], capture_output=True, text=True, check=True)
        lines.add((one.call, said.stdout.split(":")[-1].split()[0]))
    assert lines == {(one.call, one.line.split()[0]) for one in written("sites.c", "site")}


@pytest.mark.parametrize("interface", [1, 2, 3])
def test_calls_of_fortran_have_its_lines(programs: Programs, tmp_path: Path, interface: int) -> None:
    target = tmp_path / "program"
    options = ["-g", "-cpp", f"-DINTERFACE={interface}", "-fallow-argument-mismatch", "-w"]
    must(programs.mpi.fortran, *options, HERE / "calls.f90", f"-J{tmp_path}", "-o", target)
    run = traced(programs, 2, target, tmp_path, cwd=tmp_path, options=SITES)
    assert run.code == 0, run.said
    lines = (HERE / "calls.f90").read_text().upper().splitlines()
    begin = next(number for number, line in enumerate(lines, 1) if line.startswith("PROGRAM"))
    found = {(one.call.upper(), int(one.line.split()[0])) for one in sites(run.folder)}
    # gfortran gives a call of two lines the last, and some of interface modules the program.
    placed = {(call, line) for call, line in found if line != begin}
    wrong = {(call, line) for call, line in placed if call not in "".join(lines[line - 2 : line])}
    assert wrong == set()
    assert len(placed) >= len([line for line in lines if "CALL MPI_" in line]) - (0 if interface == 1 else 8)


def test_what_changed_since_it_was_traced_has_addresses(programs: Programs, tmp_path: Path) -> None:
    program = compiled(programs, tmp_path)
    run = traced(programs, 2, program, cwd=tmp_path, options=SITES)
    assert sites(run.folder) == written("sites.c", "site")
    compiled(programs, tmp_path, "-O0")
    os.utime(program, (1, 1))
    assert start(GROMA, "merge", run.folder, cwd=tmp_path).returncode == 0
    assert all(one.line.startswith("site+0x") for one in sites(run.folder))


def test_without_addr2line_there_are_addresses(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 2, compiled(programs, tmp_path), cwd=tmp_path, options=SITES)
    environment = os.environ | {"PATH": str(tmp_path / "nothing")}
    done = subprocess.run([GROMA, "merge", run.folder], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(one.line.startswith("site+0x") for one in sites(run.folder))
    assert not list(run.folder.glob(".*")), "nothing is left behind"


def test_sites_are_known_where_newer_calls_replaced_older_ones(programs: Programs, tmp_path: Path) -> None:
    words = (compiled(programs, tmp_path), "-", 200_000)
    options = (*SITES, "--buffer", "512KiB", "--when-full", "newest")
    run = traced(programs, 2, *words, cwd=tmp_path, options=options)
    assert run.code == 0, run.said
    assert any(one["overwritten_chunks"] for one in run.summary["threads"])
    assert not any(one["damaged_chunks"] for one in run.summary["threads"])
    sums = {one["call"]: one for one in stated(run.folder)}
    names = run.names
    assert sums["MPI_Comm_size"]["count"] == sum(
        names[one.value] == "Comm_size" for calls in run.trace.calls.values() for one in calls
    )
    assert {one.call for one in sites(run.folder)} >= {"MPI_Init", "MPI_Comm_size", "MPI_Finalize"}
