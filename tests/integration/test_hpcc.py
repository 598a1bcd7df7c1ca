"""groma hpcc under each MPI of this machine, with the real groma-hpcc; skipped where there is none."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import GromaError
from groma.launch.mpi_programs import mpi_programs
from groma.report.words.suite import name_of_test

if TYPE_CHECKING:
    from pathlib import Path

SMALL = ("-N", "256", "--nb", "32", "--repeat", "2", "--budget", "0s", "--bind", "none")


def families() -> list[str]:
    try:
        return [one.family for one in mpi_programs()]
    except GromaError:
        return []


MPIS = pytest.mark.parametrize("mpi", ["openmpi", "mpich"])


@pytest.fixture(autouse=True)
def _only_with_mpi(request: pytest.FixtureRequest) -> None:
    there = families()
    wanted = request.node.callspec.params.get("mpi") if hasattr(request.node, "callspec") else None
    if not there or (wanted and wanted not in there):
        pytest.skip(f"groma-hpcc is not built for {wanted or 'any MPI'}")


def groma(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "groma", *arguments],
        cwd=cwd,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def record(folder: Path, name: str = "hpcc.json") -> dict[str, Any]:
    return dict(json.loads((folder / name).read_text()))


@MPIS
def test_all_tests_run_validate_and_are_recorded(mpi: str, tmp_path: Path) -> None:
    done = groma("hpcc", "-n", "2", "--launcher", mpi, *SMALL, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    facts = record(tmp_path)["facts"]
    assert facts["success"] is True
    assert facts["launch"]["ranks"] == len(facts["launch"]["placement"]) == 2
    assert facts["launch"]["inter_node"] is False
    names = [test["name"] for test in facts["tests"]]
    assert "dgemm" in names
    for test in facts["tests"]:
        assert test["done"], test["name"]
        assert all(figure["value"]["value"] > 0 for figure in test["figures"]), test["name"]
        assert name_of_test(test["name"]) in done.stdout
    assert re.search(r"^Success=1$", (tmp_path / "hpccoutf.txt").read_text(), re.MULTILINE)
    assert not (tmp_path / "hpcc.partial.json").exists()


@MPIS
def test_more_ranks_than_cores_are_started_and_reported(mpi: str, tmp_path: Path) -> None:
    ranks = str(len(os.sched_getaffinity(0)) + 1)
    done = groma("hpcc", "-n", ranks, "--launcher", mpi, "--only", "dgemm", *SMALL, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "launch.oversubscribed" in [one["code"] for one in record(tmp_path)["warnings"]]


def test_the_record_is_shown_and_reported(tmp_path: Path) -> None:
    assert groma("hpcc", "-n", "1", "--only", "dgemm", *SMALL, cwd=tmp_path).returncode == 0
    shown = groma("show", "hpcc.json", "results", "placement", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "DGEMM" in shown.stdout
    report = groma("report", "hpcc.json", cwd=tmp_path)
    assert report.returncode == 0 or "report page is not built" in report.stderr


def test_a_dry_run_starts_and_writes_nothing(tmp_path: Path) -> None:
    done = groma("hpcc", "-n", "2", "-N", "1000", "--dry-run", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert plan["plan"]["hpl"][0]["n"] == 1000
    assert plan["shape"]["ranks"] == 2
    assert list(tmp_path.iterdir()) == []


def test_the_printed_launch_line_works_in_a_shell(tmp_path: Path) -> None:
    done = groma("hpcc", "-n", "2", "--only", "dgemm", *SMALL, "--dry-run", "--json", cwd=tmp_path)
    line = json.loads(done.stdout)["command"]
    by_hand = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S602
    assert by_hand.returncode == 0, by_hand.stderr
    assert '"event":"outcome"' in by_hand.stdout


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--only", "hplx"), 2, "hplx"),
        (("-n", "2", "--grid", "3x3"), 2, "3 x 3"),
        (("-n", "2", "-N", "2000000"), 2, "MiB"),
        (("-n", "5", "--nodes", "2", "--ppn", "2"), 2, "5 ranks"),
        (("--memory", "much"), 2, "much"),
        (("--launcher", "slrm"), 2, "slrm"),
        (("--launcher", "run {n}"), 2, "{cmd}"),
        (("-N", "300", "-o", "/proc/hpcc.json"), 4, "/proc/hpcc"),
        (("-N", "300", "--output", "/proc/hpccoutf.txt"), 4, "/proc/hpccoutf.txt"),
        (("-N", "300", "--launcher", "/bin/false {cmd}"), 4, "died before the first rank answered"),
        (("-N", "300", "--launcher", "/no/such {cmd}"), 4, "cannot be started"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    tmp_path: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    done = groma("hpcc", *options, "-q", cwd=tmp_path)
    assert done.returncode == code, done.stderr
    what, step = done.stderr.splitlines()
    assert words in what
    assert step.startswith("  -> ")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_input_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "hpccinf.txt").write_text("four\nlines\nof\nwords\nand more\n")
    done = groma("hpcc", "-q", cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 2


def test_without_its_program_it_says_how_to_build_it(tmp_path: Path) -> None:
    script = "import sys; sys.executable = '/nowhere/python'; from groma.cli.main import run; sys.exit(run())"
    done = subprocess.run(
        [sys.executable, "-c", script, "hpcc"],
        cwd=tmp_path,
        env={"PATH": "/nowhere", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    what, step = done.stderr.splitlines()
    assert "groma-hpcc is not built" in what
    assert "make setup" in step


@MPIS
def test_a_rank_that_dies_ends_the_run(mpi: str, tmp_path: Path) -> None:
    done = groma(
        "hpcc", "-n", "2", "--launcher", mpi, "--only", "dgemm", *SMALL, cwd=with_fake(tmp_path, mpi, DIES)
    )
    assert done.returncode == 4, done.stderr
    assert "died during dgemm" in done.stderr
    assert "saved in" in done.stderr


@MPIS
def test_a_rank_that_hangs_ends_the_run(mpi: str, tmp_path: Path) -> None:
    folder = with_fake(tmp_path, mpi, HANGS)
    started = time.monotonic()
    done = groma("hpcc", "-n", "2", "--launcher", mpi, "--timeout", "2s", "-q", *SMALL, cwd=folder)
    assert done.returncode == 4, done.stderr
    assert "the launch printed nothing for 2 s during dgemm" in done.stderr
    assert time.monotonic() - started < 60


@MPIS
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_it_has(mpi: str, how: signal.Signals, tmp_path: Path) -> None:
    folder = with_fake(tmp_path, mpi, HANGS)
    words = ["hpcc", "-n", "2", "--launcher", mpi, "-q", *SMALL]
    with subprocess.Popen(
        [sys.executable, "-m", "groma", *words], cwd=folder, stderr=subprocess.PIPE, text=True
    ) as running:
        wait_for(folder / "rank-0")
        time.sleep(1.0)  # its first line is on its way
        running.send_signal(how)
        assert running.stderr is not None
        complaint = running.stderr.read()
    assert running.returncode == 130, complaint
    assert "interrupted during dgemm" in complaint
    assert record(folder, "hpcc.partial.json")["samples"]["dgemm"]["values"][0]


def wait_for(path: Path, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(0.05)


# ---- a program in groma-hpcc's place that answers like it, then fails on both ranks ----------------------

RANK = "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"

FAKE = """\
#!/bin/sh
case $1 in
  build) echo '{{"build": {{"version": "0.1.0"}}, "mpi": "{library}"}}'; exit ;;
  list) exit ;;
  plan) echo '{{"tests": ["dgemm"], "hpl": []}}'; exit ;;
esac
if [ "{rank}" = 0 ]; then
  cat <<'END'
{{"event":"run","ranks":2,"build":{{"version":"0"}},"plan":{{"tests":["dgemm"]}}}}
{{"event":"begin","probe":"dgemm","cases":[{{"unit":"flop/s","series":"dgemm","mode":"mpi","rank":0}}]}}
{{"event":"sample","case":0,"round":0,"value":1e9}}
END
fi
touch rank-{rank}
{ending}
"""

DIES = "sleep 1; kill -9 $$"
HANGS = "exec sleep 600"
LIBRARIES = {"openmpi": "Open MPI v4", "mpich": "MPICH Version: 4"}


def with_fake(folder: Path, mpi: str, ending: str) -> Path:
    """A folder whose settings name such a program as the native one."""
    program = folder / "native" / "groma-hpcc"
    program.parent.mkdir()
    program.write_text(FAKE.format(library=LIBRARIES[mpi], rank=RANK, ending=ending))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    work = folder / "work"
    work.mkdir()
    (work / "groma.toml").write_text(f'[native]\npath = "{program.parent}"\n')
    return work
