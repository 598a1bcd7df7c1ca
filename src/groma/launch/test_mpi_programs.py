"""Programs built for several MPIs are found and distinguished."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.launch.mpi_programs import family_of, mpi_programs

if TYPE_CHECKING:
    from pathlib import Path

BUILD = '{"build": {"version": "0.1.0"}, "mpi": "%s", "blas": "OpenBLAS"}'


def program(path: Path, library: str, *, works: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{'' if works else 'exit 1'}\necho '{BUILD % library}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place where no program of this machine is found."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("GROMA_NATIVE_PATH", raising=False)
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    return tmp_path


def test_families_are_known_by_the_library() -> None:
    assert family_of("Open MPI v4.1.4, package: Debian OpenMPI") == "openmpi"
    assert family_of("MPICH Version: 4.0.2") == "mpich"
    assert family_of("Intel(R) MPI Library 2021.11 for Linux* OS") == "mpich"
    assert family_of("Spectrum of my own") == ""


def test_each_build_is_found_once_and_the_default_first(prefix: Path) -> None:
    mpich = program(prefix / "lib/groma/mpich/bin/groma-hpcc", "MPICH Version: 4.0.2")
    openmpi = program(prefix / "lib/groma/openmpi/bin/groma-hpcc", "Open MPI v4.1.4\\u0000")
    (prefix / "bin").mkdir()
    (prefix / "bin/groma-hpcc").symlink_to(openmpi)
    found = mpi_programs()
    assert [one.path for one in found] == [str(openmpi), str(mpich)]
    assert [one.family for one in found] == ["openmpi", "mpich"]
    assert found[0].mpi == "Open MPI v4.1.4"


def test_the_name_of_a_library_is_one_line_with_single_spaces(prefix: Path) -> None:
    """MPICH 5 fills it with spaces."""
    program(prefix / "lib/groma/mpich/bin/groma-hpcc", "MPICH Version:      5.0.2 ")
    (found,) = mpi_programs()
    assert found.mpi == "MPICH Version: 5.0.2"


def test_a_build_that_does_not_tell_is_known_by_its_folder(prefix: Path) -> None:
    program(prefix / "lib/groma/mpich/bin/groma-hpcc", "")
    assert mpi_programs()[0].family == "mpich"


def test_a_broken_build_is_passed_over_where_another_works(prefix: Path) -> None:
    program(prefix / "lib/groma/mpich/bin/groma-hpcc", "MPICH")
    program(prefix / "lib/groma/openmpi/bin/groma-hpcc", "Open MPI", works=False)
    assert [one.family for one in mpi_programs()] == ["mpich"]


def test_only_broken_builds_are_an_environment_error(prefix: Path) -> None:
    program(prefix / "bin/groma-hpcc", "Open MPI", works=False)
    with pytest.raises(GromaError, match="groma-hpcc build failed") as refusal:
        mpi_programs()
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT


@pytest.mark.parametrize("name", ["groma-hpcc", "groma-randomaccess", "groma-network"])
def test_a_program_that_is_not_built_is_named_with_the_command(prefix: Path, name: str) -> None:
    with pytest.raises(GromaError, match=f"{name} is not built") as refusal:
        mpi_programs(name)
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT
    assert refusal.value.next_step.startswith("make setup ")


def test_what_is_looked_for_may_have_a_name_of_its_own(prefix: Path) -> None:
    with pytest.raises(GromaError, match=r"^the tracer is not built: make survey builds only"):
        mpi_programs("groma-network", title="the tracer")


def test_a_configured_folder_comes_first(prefix: Path, tmp_path: Path) -> None:
    program(prefix / "bin/groma-hpcc", "Open MPI")
    mine = program(tmp_path / "mine/bin/groma-hpcc", "MPICH")
    assert mpi_programs(folder=str(mine.parent))[0].path == str(mine)


@pytest.mark.parametrize("folder", ["absent", "empty"])
def test_the_configured_folder_stands_alone(
    folder: str, prefix: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (prefix / "empty").mkdir()
    program(prefix / "elsewhere/bin/groma-hpcc", "Open MPI")
    monkeypatch.setenv("PATH", str(prefix / "elsewhere/bin"))
    with pytest.raises(GromaError, match=folder) as raised:
        mpi_programs(folder=str(prefix / folder))
    assert raised.value.exit_code == ExitCode.ENVIRONMENT


def test_a_build_of_another_version_is_refused(prefix: Path) -> None:
    path = program(prefix / "bin/groma-hpcc", "Open MPI")
    path.write_text(path.read_text().replace("0.1.0", "0.0.9"))
    with pytest.raises(GromaError, match=r"is version 0\.0\.9") as raised:
        mpi_programs()
    assert raised.value.exit_code == ExitCode.ENVIRONMENT
