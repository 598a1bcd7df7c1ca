"""groma randomaccess under each MPI of this machine, with the real program; skipped where there is none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, cast

import pytest

from groma.errors import GromaError
from groma.launch.mpi_programs import mpi_programs

if TYPE_CHECKING:
    from pathlib import Path

SMALL = ("--table", "2^14", "--repeat", "2", "--budget", "0s", "--bind", "none")


def families() -> list[str]:
    try:
        return [one.family for one in mpi_programs("groma-randomaccess")]
    except GromaError:
        return []


@pytest.fixture(autouse=True)
def _only_with_mpi(request: pytest.FixtureRequest) -> None:
    there = families()
    wanted = request.node.callspec.params.get("mpi") if hasattr(request.node, "callspec") else None
    if not there or (wanted and wanted not in there):
        pytest.skip(f"groma-randomaccess is not built for {wanted or 'any MPI'}")


def groma(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "groma", *arguments],
        cwd=cwd,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def facts(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "randomaccess.json").read_text())["facts"])


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_specialised_ranks_tell_the_load_of_each_role(mpi: str, tmp_path: Path) -> None:
    roles = ("--algorithm", "specialise", "--mapping-mode", "8", "--routers", "1")
    done = groma("randomaccess", "run", "-n", "3", "--launcher", mpi, *roles, *SMALL, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = facts(tmp_path)
    assert found["success"] is True
    assert [(load["role"], load["ranks"]) for load in found["loads"]] == [("generate", 1), ("update", 2)]
    assert found["exchange"]["handed"] == 1.0


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_a_run_is_verified_and_recorded(mpi: str, tmp_path: Path) -> None:
    arguments = ("-n", "2", "--launcher", mpi, "--algorithm", "route", "--grid", "1x2", *SMALL)
    done = groma("randomaccess", "run", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = facts(tmp_path)
    assert found["success"] is True
    assert (found["errors"], found["updates"], found["table_words"]) == (0, 4 << 14, 1 << 14)
    assert (found["algorithm"], found["grid"], found["mapping_mode"]) == ("route", [1, 2], 1)
    assert 0 < found["look_ahead_max"] <= 1024
    assert found["gups"]["value"] > 0
    assert found["gups"]["samples"]["n"] == 2
    assert found["exchange"]["bytes"] > 0
    assert found["launch"]["ranks"] == len(found["launch"]["placement"]) == 2
    assert [one["ranks"] for one in found["loads"]] == [2]


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_a_bottleneck_is_sought_and_no_figure_is_reported(mpi: str, tmp_path: Path) -> None:
    arguments = ("-n", "3", "--launcher", mpi, "--routers", "1", *SMALL)
    done = groma("randomaccess", "bottleneck", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "randomaccess-bottleneck.json").read_text())
    found = record["facts"]
    assert record["kind"] == "randomaccess_bottleneck"
    assert found["success"] is True
    assert "gups" not in found
    assert [(one["role"], one["ranks"]) for one in found["roles"]] == [("generate", 1), ("update", 2)]
    assert all(one["dropped"]["value"] > 0 and one["response"]["samples"]["n"] == 2 for one in found["roles"])
    shown = groma("show", "randomaccess-bottleneck.json", cwd=tmp_path)
    assert "not verified" in shown.stdout
    assert groma("report", "randomaccess-bottleneck.json", cwd=tmp_path).returncode == 0


BURDEN = "5e-6"
"""Seconds for an update: hundreds of times what an update takes."""


def burdened(ranks: int, role: str, folder: Path) -> dict[str, Any]:
    """Facts of an experiment in which a role takes longer for each update, of which groma does not know."""
    template = f"{launcher()} -n {{n}} {{cmd}} --burden={role}={BURDEN}"
    options = ("-n", str(ranks), "--launcher", template, "--repeat", "15", "--table", "2^13", *SMALL[4:])
    done = groma("randomaccess", "bottleneck", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    record = json.loads((folder / "randomaccess-bottleneck.json").read_text())
    assert record["facts"]["success"] is True
    return cast("dict[str, Any]", record["facts"])


LAUNCHERS = {
    "openmpi": "mpirun.openmpi --oversubscribe",
    "mpich": "mpirun.mpich",
}


def launcher() -> str:
    """Of the program that a template starts."""
    family = mpi_programs("groma-randomaccess")[0].family
    words = LAUNCHERS.get(family, "mpirun")
    if shutil.which(words.partition(" ")[0]) is None:
        pytest.skip(f"no launcher of {family} here")
    return words


@pytest.fixture(autouse=True)
def _as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        monkeypatch.setenv(name, "1")


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("role", ["generate", "update"])
def test_a_planted_bottleneck_is_found(ranks: int, role: str, tmp_path: Path) -> None:
    found = burdened(ranks, role, tmp_path)
    # Where other programs take the cores away, times vary and no role is named; the loads still tell.
    assert found["by_dropping"] in (role, None)
    whole, first = found["update_time"], found["roles"][0]["dropped"]
    varies = whole["high"] - whole["low"] > 0.2 * whole["value"]
    assert found["by_dropping"] == role or varies
    assert (first["value"] > 0.2 * whole["value"]) == (role == "generate")


def test_a_burden_on_no_role_is_refused(tmp_path: Path) -> None:
    template = f"{launcher()} -n {{n}} {{cmd}} --burden=deliver={BURDEN}"
    done = groma("randomaccess", "bottleneck", "-n", "2", "--launcher", template, *SMALL, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "no rank has the role 'deliver'" in done.stderr
    assert "'generate', 'update'" in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-n", "1"), "that rank has all of them"),
        (("-n", "2", "--mapping-mode", "1"), "mapping modes 5 to 8"),
    ],
)
def test_a_bottleneck_of_ranks_without_roles_is_refused(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    done = groma("randomaccess", "bottleneck", *options, "--bind", "none", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr


def test_one_core_of_a_node_generates_in_mode_8(tmp_path: Path) -> None:
    done = groma("randomaccess", "run", "-n", "2", "--mapping-mode", "8", *SMALL, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = facts(tmp_path)
    assert found["errors"] == 0
    assert found["updates"] == 4 << 14
    assert [one["role"] for one in found["loads"]] == ["generate, route, update", "route, update"]


@pytest.mark.parametrize(("mode", "algorithm"), [("6", "specialise"), ("8", "shared")])
def test_the_ranks_of_a_node_of_64_cores_share_one_limit(mode: str, algorithm: str, tmp_path: Path) -> None:
    if "openmpi" not in families():
        pytest.skip("groma-randomaccess is not built for Open MPI")
    node = ("-n", "64", "--launcher", "openmpi", "--mapping-mode", mode, "--algorithm", algorithm)
    small = ("--table", "2^12", "--repeat", "1", *SMALL[4:])
    done = groma("randomaccess", "run", *node, *small, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = facts(tmp_path)
    assert (found["ranks"], found["errors"], found["updates"]) == (64, 0, 4 << 12)
    # 16 for each rank, an even share, was too little to run.
    assert 512 < found["look_ahead_max"] <= 1024


def test_the_record_is_shown(tmp_path: Path) -> None:
    assert groma("randomaccess", "run", "-n", "1", *SMALL, cwd=tmp_path).returncode == 0
    shown = groma("show", "randomaccess.json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "GUP/s" in shown.stdout
    assert "wrong words" in shown.stdout
    report = groma("report", "randomaccess.json", cwd=tmp_path)
    assert report.returncode == 0 or "report page is not built" in report.stderr


def test_a_dry_run_starts_and_writes_nothing(tmp_path: Path) -> None:
    done = groma("randomaccess", "run", "-n", "6", "--grid", "3x2", "--dry-run", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)["plan"]
    assert (plan["algorithm"], plan["grid"]) == ("route", [3, 2])
    assert list(tmp_path.iterdir()) == []


def test_a_table_with_fewer_words_than_parts_has_no_owners(tmp_path: Path) -> None:
    done = groma("randomaccess", "owner", "--table", "2^10", "--parts", "6,1025", cwd=tmp_path)
    assert done.returncode == 2
    assert "1025 parts of a table of 1024 words" in done.stderr


def test_lookups_of_owners_are_timed_without_mpi(tmp_path: Path) -> None:
    done = groma("randomaccess", "owner", "--table", "2^20", "--parts", "6,5000", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    few, many = json.loads(done.stdout)["facts"]["lookups"]
    assert (few["parts"], many["parts"]) == (6, 5000)
    assert few["divided"]["value"] > 0
    assert few["predicted"]["value"] > 0
    assert many["predicted"] is None
    assert many["searched"]["value"] > 0


ERRORS = ("randomaccess", "errors")
SHARED = ("--table", "2^14", "--threads", "2")


def test_threads_share_a_table_without_mpi(tmp_path: Path) -> None:
    done = groma(
        *ERRORS, *SHARED, "--updates", "8x", "--runs", "2", "--json", "-o", "errors.json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)["facts"]
    names = [one["name"] for one in facts["strategies"]]
    assert names == ["serial", "unsynchronised", "atomic", "locks:1", "locks:16", "locks:32", "owner"]
    assert facts["success"] is True
    assert facts["updates"] == 8 * facts["table_words"] == 2**17
    assert all(one["gups"]["value"] > 0 and one["error_rate"]["runs"] == 2 for one in facts["strategies"])
    shown = groma("show", "errors.json", cwd=tmp_path)
    assert "unsynchronised" in shown.stdout
    assert groma("report", "errors.json", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--threads", "0"), "0 threads"),
        (("--strategies", "locks:0"), "'locks:0' is not a strategy"),
        (("--strategies", "luck"), "'luck' is not a strategy"),
        (("--table", "1000"), "not a power of two"),
        (("--updates", "-4x"), "--updates takes"),
        (("--runs", "0"), "--runs"),
    ],
)
def test_a_shared_table_that_cannot_be_is_refused(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    done = groma(*ERRORS, *options, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--algorithm", "guess"), 2, "'guess'"),
        (("--algorithm", "route", "-n", "8", "--grid", "3x3"), 2, "9 places for 8 ranks"),
        (("--table", "1000"), 2, "1000 words is not a power of two"),
        (("--table", "1024TiB"), 2, "MiB are free"),
        (("--look-ahead", "1025"), 2, "--look-ahead takes"),
        (("--updates", "-5"), 2, "--updates takes"),
        (("--mapping-mode", "2"), 2, "mapping mode 2"),
        (("-o", "/proc/randomaccess.json"), 4, "/proc/randomaccess"),
        (("--launcher", "/bin/false {cmd}"), 4, "died before the first rank answered"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    tmp_path: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    done = groma("randomaccess", "run", *options, "-q", cwd=tmp_path)
    assert done.returncode == code, done.stderr
    what, step = done.stderr.splitlines()
    assert words in what
    assert step.startswith("  -> ")
    assert list(tmp_path.iterdir()) == []
