import ast
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from groma.cli.main import run
from groma.nightly import TEMPLATES

Captured = pytest.CaptureFixture[str]

ODD_FOLDER = "with spaces, it's {odd}"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A groma in a folder that no PATH names and that needs quotes; it says with what it was called."""
    found = tmp_path / ODD_FOLDER / "groma"
    found.parent.mkdir()
    found.write_text("#!/bin/sh\n[ $1 = hpcc ] && echo called: $0\nexit 5\n", encoding="utf-8")
    found.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(found), "nightly"])
    return found


def printed(which: str, capsys: Captured) -> str:
    assert run(["nightly", which]) == 0
    return capsys.readouterr().out


def test_a_job_with_the_short_path_of_cron_calls_the_groma_that_printed_it(
    program: Path, tmp_path: Path, capsys: Captured
) -> None:
    job = printed("slurm", capsys)
    done = subprocess.run(
        ["bash", "-s"],
        input=job,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == (f"called: {program}\n", 5), done.stderr


def test_a_job_calls_another_groma_that_a_variable_names(
    program: Path, tmp_path: Path, capsys: Captured
) -> None:
    job = printed("slurm", capsys)
    other = tmp_path / "other"
    other.write_bytes(program.read_bytes())
    other.chmod(0o755)
    surroundings = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "NIGHTLY_GROMA": str(other)}
    done = subprocess.run(
        ["bash", "-s"], input=job, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.stdout == f"called: {other}\n", done.stderr


def test_the_class_calls_the_groma_that_printed_it(program: Path, capsys: Captured) -> None:
    words = [
        one.value for one in ast.walk(ast.parse(printed("reframe", capsys))) if isinstance(one, ast.Constant)
    ]
    assert str(program) in words


def test_without_a_program_of_that_name_the_path_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "pytest")])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    assert printed("slurm", capsys) == TEMPLATES["slurm"].text


@pytest.mark.parametrize("which", TEMPLATES)
def test_a_program_gets_the_template_as_json(which: str, program: Path, capsys: Captured) -> None:
    assert run(["nightly", which, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == {"file": TEMPLATES[which].file, "text": TEMPLATES[which].calling(str(program))}


def test_a_path_is_a_word_of_the_shell() -> None:
    path = f"/opt/{ODD_FOLDER}/groma"
    assert f":-{shlex.quote(path)}}}" in TEMPLATES["slurm"].calling(path)


def test_the_class_is_python() -> None:
    compile(TEMPLATES["reframe"].text, TEMPLATES["reframe"].file, "exec")
