"""Native programs are stood in for by small scripts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from groma import __version__
from groma.errors import ExitCode, GromaError
from groma.launch import native
from scripted import program


def test_a_missing_program_is_an_environment_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("GROMA_NATIVE_PATH", raising=False)
    with pytest.raises(GromaError, match="make setup") as raised:
        native.native_program("groma-no-such-program")
    assert raised.value.exit_code == ExitCode.ENVIRONMENT


def of_version(version: str) -> str:
    return f"""print('{{"version": "{version}"}}')"""


def test_the_configured_folder_comes_first(tmp_path: Path) -> None:
    expected = program(tmp_path, of_version(__version__))
    assert native.native_program(folder=str(tmp_path)) == expected


def not_executable(folder: Path) -> None:
    program(folder, "").chmod(0o644)


@pytest.mark.parametrize("by_variable", [True, False])
@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        (lambda folder: folder.rmdir(), "is not a folder"),
        (lambda folder: folder.rmdir() or folder.write_text(""), "is not a folder"),
        (Path.exists, "there is no groma-probe in"),
        (lambda folder: (folder / "groma-probe").mkdir(), "there is no groma-probe in"),
        (not_executable, "is not executable"),
        (lambda folder: program(folder, of_version("0.0.9")), "is version 0.0.9"),
        (lambda folder: program(folder, "print('hello')"), "gave an answer"),
        (lambda folder: program(folder, "print('{')"), "gave an answer"),
        (lambda folder: program(folder, "sys.exit(1)"), "failed"),
    ],
)
def test_no_other_program_takes_the_place_of_the_configured_one(
    prepare: Callable[[Path], object],
    said: str,
    by_variable: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there, elsewhere = tmp_path / "there", tmp_path / "elsewhere"
    for folder in (there, elsewhere):
        folder.mkdir()
    program(elsewhere, of_version(__version__))
    monkeypatch.setenv("PATH", str(elsewhere))
    prepare(there)
    monkeypatch.setenv("GROMA_NATIVE_PATH", str(there) if by_variable else "")
    with pytest.raises(GromaError) as raised:
        native.native_program(folder=None if by_variable else str(there))
    assert raised.value.exit_code == ExitCode.ENVIRONMENT
    assert said in raised.value.what
    assert str(there) in raised.value.what or "groma-probe build failed" in raised.value.what


def test_a_folder_of_programs_for_one_mpi_stands_for_its_installation(tmp_path: Path) -> None:
    of_mpi = tmp_path / "lib" / "groma" / "mpich" / "bin"
    of_mpi.mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    expected = program(tmp_path / "bin", of_version(__version__))
    assert native.native_program(folder=str(of_mpi)) == expected


@pytest.mark.parametrize("answer", ["{", "[]", "null", '{"name": 3}', "[" * 5000, "\xff"])
def test_an_answer_of_another_kind_is_an_environment_error(answer: str, tmp_path: Path) -> None:
    broken = program(tmp_path, f"sys.stdout.buffer.write({answer.encode('latin-1')!r})")
    for question in (native.catalogue, native.declared_topology, native.build_of):
        with pytest.raises(GromaError, match="gave an answer") as raised:
            question(broken)
        assert raised.value.exit_code == ExitCode.ENVIRONMENT


def test_a_program_that_cannot_answer_is_an_environment_error(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="make setup") as raised:
        native.catalogue(program(tmp_path, "sys.exit(3)"))
    assert raised.value.exit_code == ExitCode.ENVIRONMENT


def test_a_program_that_gives_no_answer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "ANSWER_SECONDS", 0.2)
    monkeypatch.setattr("resource.getrlimit", lambda _which: (200_000 << 10, -1))
    with pytest.raises(GromaError, match="groma-probe list gave no answer within") as raised:
        native.catalogue(program(tmp_path, "time.sleep(60)"))
    assert "ulimit -v: at 200000 KiB" in raised.value.next_step
    assert raised.value.exit_code == ExitCode.ENVIRONMENT


def test_no_question_waits_for_the_threads_of_a_library(tmp_path: Path) -> None:
    """OpenBLAS 0.3.21 beside MPICH 4.0 waits forever for them where ulimit -v is 200 MB."""
    asked = program(tmp_path, "print(os.environ['OPENBLAS_NUM_THREADS'])")
    assert native.ask(asked, "build") == b"1\n"
