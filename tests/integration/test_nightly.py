"""What `groma nightly` prints is run: the script by a real Slurm, the class by a real ReFrame."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from groma.errors import GromaError
from groma.facts.reading import read_record
from groma.launch.mpi_programs import mpi_programs
from groma.nightly import TEMPLATES
from slurm_here import skip_without_slurm, under_slurm

SMALL = "-n 2 --only dgemm,stream -N 200 --nb 32 --repeat 5 --budget 0s"
"""A night of a second."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With the templates, and a `groma` that is the one under test."""
    try:
        programs = mpi_programs()
    except GromaError as error:
        pytest.skip(error.what)
    for template in TEMPLATES.values():
        (tmp_path / template.file).write_text(template.text, encoding="utf-8")
    (tmp_path / "groma.toml").write_text(
        f'[native]\npath = "{Path(programs[0].path).parent}"\n', encoding="utf-8"
    )
    program = tmp_path / "bin" / "groma"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m groma "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return tmp_path


def surroundings(folder: Path) -> dict[str, str]:
    """groma.toml is found from the folder of a test, and nothing is left in the home."""
    return {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "XDG_DATA_HOME": str(folder / "data"),
        "GROMA_NATIVE_PATH": str(Path(mpi_programs()[0].path).parent),
    }


# ---- Slurm -------------------------------------------------------------------------------------------------


def night(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    # Slurm has no accounting here, so the job's exit code is that of sbatch --wait.
    reported = {"NIGHTLY_FOLDER": str(folder / "nights"), "NIGHTLY_OPTIONS": SMALL, **variables}
    return under_slurm(folder, "sbatch", "--wait", "nightly.sbatch", **surroundings(folder), **reported)


def log(folder: Path) -> str:
    return max(folder.glob("groma-nightly-*.log"), key=lambda path: path.stat().st_mtime_ns).read_text()


def test_slurm_keeps_a_record_each_night_and_fails_by_a_gate(folder: Path) -> None:
    skip_without_slurm()
    first = night(folder)
    assert first.returncode == 0, first.stderr + log(folder)
    assert "first night" in log(folder)
    (record,) = (folder / "nights").glob("hpcc-*.json")
    assert read_record(record).facts.launch.launcher.startswith("Slurm")

    second = night(folder, NIGHTLY_GATES="hpcc.dgemm.star < 1 kflop/s;hpcc.stream.triad < 1 kB/s")
    assert second.returncode == 0, log(folder)
    assert "gates passed" in log(folder)
    assert len(list((folder / "nights").glob("hpcc-*.json"))) == 2
    assert (folder / "nights" / "history.html").stat().st_size > 10_000

    third = night(folder, NIGHTLY_GATES="hpcc.dgemm.star < 1 Pflop/s")
    assert third.returncode == 1
    assert "FAILED hpcc.dgemm.star" in log(folder)
    assert "run again: groma hpcc" in log(folder)


def test_slurm_holds_a_night_against_a_reference(folder: Path) -> None:
    skip_without_slurm()
    reference = folder / "reference.toml"
    reference.write_text(
        '[quantity."hpcc.stream.triad.star"]\nvalue = 1\nunit = "PB/s"\nminus = "5%"\n', encoding="utf-8"
    )
    assert night(folder, NIGHTLY_REFERENCE=str(reference)).returncode == 1
    assert "reference 1 PB/s, -5%" in log(folder)


def test_the_script_is_sound() -> None:
    checked = shutil.which(
        "shellcheck", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if checked is None:
        pytest.skip("shellcheck is not installed")
    text = TEMPLATES["slurm"].text
    done = subprocess.run([checked, "-"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


# ---- ReFrame -----------------------------------------------------------------------------------------------


def reframe(folder: Path, *words: str, file: str = "groma_checks.py") -> subprocess.CompletedProcess[str]:
    pytest.importorskip("reframe", reason="ReFrame is not installed (it is one of the packages for tests)")
    # Run by Python: the kernel splits the first line of the script at spaces.
    program = (sys.executable, Path(sys.executable).with_name("reframe"))
    return subprocess.run(
        [*program, "-c", file, "-r", "--prefix", "out", "--report-file", "report.json", *words],
        cwd=folder,
        env=os.environ | surroundings(folder) | {"HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def measured(folder: Path) -> dict[str, object]:
    """Performance variables of the only test in ReFrame's report, as ReFrame names them."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    (case,) = report["runs"][0]["testcases"]
    return {name.rpartition(":")[2]: value for name, value in (case["perfvalues"] or {}).items()}


def test_reframe_takes_every_quantity_by_its_name(folder: Path) -> None:
    done = reframe(folder, "-S", f"GromaSuite.arguments={SMALL}")
    assert done.returncode == 0, done.stdout + done.stderr
    found = measured(folder)
    assert {"hpcc.dgemm.star", "hpcc.stream.triad.star", "hpcc.stream.triad.single"} <= set(found)


def test_reframe_fails_by_a_gate_and_says_which(folder: Path) -> None:
    words = (f"GromaSuite.arguments={SMALL}", "GromaSuite.gates=hpcc.dgemm.star < 1 Pflop/s")
    done = reframe(folder, *(word for one in words for word in ("-S", one)))
    assert done.returncode == 1
    assert "FAILED hpcc.dgemm.star" in done.stdout


@pytest.mark.parametrize(("value", "expected"), [("1.0", 0), ("1e18", 1)])
def test_reframe_holds_its_own_references(folder: Path, value: str, expected: int) -> None:
    text = TEMPLATES["reframe"].text.partition("@rfm.simple_test")[0]
    site = f"""
@rfm.simple_test
class MySuite(GromaBase):
    arguments = "{SMALL}"
    quantities = "hpcc.stream.triad.*"
    reference = {{"*": {{"hpcc.stream.triad.star": ({value}, -0.05, None, "B/s")}}}}
"""
    (folder / "site_checks.py").write_text(text + site, encoding="utf-8")
    done = reframe(folder, file="site_checks.py")
    assert done.returncode == expected, done.stdout + done.stderr
    assert "hpcc.stream.triad.star" in done.stdout or expected == 0
