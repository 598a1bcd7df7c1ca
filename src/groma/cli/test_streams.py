"""Whatever becomes of standard output and standard error, a command finishes and its exit code says how."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from groma.cli.test_main import VARIABLES
from groma.errors import ExitCode

ROOT = Path(__file__).parents[3]
MADE = ROOT / "build" / "test-data"
PROFILE = str(MADE / "example-profile.json")
COMPLETION = {"_GROMA_COMPLETE": "bash_complete", "COMP_WORDS": "groma sh", "COMP_CWORD": "1"}

COMMANDS = [
    (["show", PROFILE], {}),
    (["show", PROFILE, "--json"], {}),
    (["show", PROFILE, "--color", "always"], {}),
    (["report", PROFILE, "-o", "page.html"], {}),
    (["infer", "caches", str(next((ROOT / "tests/data/curves").glob("*.csv")))], {}),
    (["config", "show"], {}),
    (["config", "init", "--project"], {}),
    (["model", "randomaccess", "--machine", "bluegene-p"], {}),
    (["doctor"], {}),
    (["--help"], {}),
    (["survey", "--help"], {}),
    (["--version", "-v"], {}),
    ([], COMPLETION),
]


def ends(
    words: list[str], redirection: str, cwd: Path, variables: dict[str, str] | None = None
) -> tuple[int, str]:
    """The exit code and all that was said where it still can be."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "groma", *words],
        cwd=cwd,
        env={**VARIABLES, **(variables or {}), "XDG_CONFIG_HOME": str(cwd)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["report", PROFILE],
        ["balance", "--reference", "paper"],
        ["randomaccess", "owner", "--parts", "3", "--table", "2^10"],
    ],
    ids=lambda one: one[0],
)
def test_a_file_that_goes_to_standard_output_goes_there_alone(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "groma", *words, "-o", "/dev/stdout"],
        cwd=tmp_path,
        env={**VARIABLES, "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    if words[0] == "randomaccess":
        assert set(json.loads(done.stdout)["samples"]) == {"owner"}
    else:
        assert done.stdout.rstrip().endswith(b"</html>")


@pytest.mark.parametrize(
    ("script", "before", "after"),
    [
        ('"$@" >> all.log', "first\n", ""),
        ('{ echo first; "$@"; echo last; } > all.log', "first\n", "last\n"),
        ('{ echo first; "$@" -o /dev/fd/3 3>&1; echo last; } > all.log', "first\n", "last\n"),
    ],
    ids=["append", "group", "other-descriptor"],
)
def test_a_file_that_standard_output_goes_to_keeps_what_it_has(
    script: str, before: str, after: str, tmp_path: Path
) -> None:
    (tmp_path / "all.log").write_text("first\n")
    output = [] if "/dev/fd" in script else ["-o", "/dev/stdout"]
    command = [sys.executable, "-m", "groma", "randomaccess", "owner", "--parts", "3", "--table", "2^10"]
    done = subprocess.run(
        ["sh", "-c", script, "sh", *command, "--quiet", *output],
        cwd=tmp_path,
        env={**VARIABLES, "XDG_CONFIG_HOME": str(tmp_path)},
        check=False,
    )
    written = (tmp_path / "all.log").read_text()
    assert done.returncode == 0
    assert written.startswith(before)
    assert written.endswith(after)
    assert set(json.loads(written.removeprefix(before).removesuffix(after))["samples"]) == {"owner"}
    assert [one.name for one in tmp_path.iterdir()] == ["all.log"]


@pytest.mark.parametrize(("words", "variables"), COMMANDS, ids=lambda one: " ".join(one)[:40])
def test_output_that_cannot_be_written_is_one_line_and_exit_code_4(
    words: list[str], variables: dict[str, str], tmp_path: Path
) -> None:
    code, said = ends(words, "> /dev/full", tmp_path, variables)
    assert code == ExitCode.ENVIRONMENT
    lines = [line for line in said.splitlines() if not line.startswith("note: ")]
    assert lines[0] == "groma: cannot write to standard output: no space left on device"
    assert lines[1].startswith("  -> ")
    assert len(lines) == 2


@pytest.mark.parametrize(
    ("redirection", "code", "lines"),
    [
        (">&-", ExitCode.ENVIRONMENT, 2),
        ("<&- >&-", ExitCode.ENVIRONMENT, 2),
        ("<&- >&- 2>&-", ExitCode.ENVIRONMENT, 0),
        ("> /dev/full 2>&1", ExitCode.ENVIRONMENT, 0),
        (">/dev/null 2>&-", ExitCode.OK, 0),
        (">/dev/null 2>/dev/full", ExitCode.OK, 0),
        (">/dev/null <&-", ExitCode.OK, 0),
    ],
)
def test_closed_descriptors_are_reported_where_it_can_be_done(
    redirection: str, code: ExitCode, lines: int, tmp_path: Path
) -> None:
    found, said = ends(["show", PROFILE], redirection, tmp_path)
    assert (found, len(said.splitlines())) == (code, lines), said


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_no_file_that_is_written_takes_the_place_of_a_closed_descriptor(
    redirection: str, tmp_path: Path
) -> None:
    ends(["report", PROFILE, "-o", "page.html"], redirection, tmp_path)
    whole = (tmp_path / "page.html").read_text()
    assert whole.rstrip().endswith("</html>")
    assert "cannot write" not in whole


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", ">&- 2>&-"])
def test_a_failure_keeps_its_exit_code_when_no_message_can_be_written(
    redirection: str, tmp_path: Path
) -> None:
    code, said = ends(["show", "absent.json"], redirection, tmp_path)
    assert (code, said) == (ExitCode.USAGE, "")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["show", PROFILE], ExitCode.OK),
        (["show", PROFILE, "--json"], ExitCode.OK),
        (["report", PROFILE, "-o", "page.html"], ExitCode.OK),
        (["--help"], ExitCode.OK),
        (["show", "absent.json"], ExitCode.USAGE),
        ([], ExitCode.USAGE),
    ],
)
def test_a_reader_that_went_away_changes_no_exit_code(
    words: list[str], code: ExitCode, stream: str, tmp_path: Path
) -> None:
    read, write = os.pipe()
    os.close(read)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: write}
    done = subprocess.run(
        [sys.executable, "-m", "groma", *words],
        **streams,  # type: ignore[call-overload]
        cwd=tmp_path,
        env=VARIABLES,
        check=False,
    )
    os.close(write)
    assert done.returncode == code
    assert b"Exception ignored" not in (done.stderr or b"")
    assert (tmp_path / "page.html").exists() == ("report" in words)


def test_a_pipe_that_does_not_block_gets_everything(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    with subprocess.Popen(
        [sys.executable, "-m", "groma", "show", str(MADE / "example-network.json"), "--json"],
        stdout=write,
        env=VARIABLES,
        cwd=tmp_path,
    ) as child:
        os.close(write)
        with os.fdopen(read, "rb") as stream:
            shown = stream.read()
    assert child.returncode == ExitCode.OK
    assert shown.rstrip().endswith(b"}")


def test_a_completion_that_no_shell_asks_for_is_wrong_use(tmp_path: Path) -> None:
    code, said = ends([], "", tmp_path, {"_GROMA_COMPLETE": "csh_source"})
    assert code == ExitCode.USAGE
    assert "csh_source" in said
