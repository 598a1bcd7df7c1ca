"""The command line starts fast, answers mistakes in one line, and ends with the right exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
import pytest

from groma import __version__
from groma.cli.frame import Output, Verb, pass_output
from groma.cli.main import Verbs, groma, run, verbs
from groma.errors import ExitCode, GromaError
from groma.record.io import write_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groma.facts.survey import SurveyFacts
    from groma.record import Record

    Captured = pytest.CaptureFixture[str]
    InstallVerb = Callable[[Callable[..., Any]], None]

SOURCE = Path(__file__).parents[2]
VARIABLES = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])]),
}


def launch(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run groma in a process of its own."""
    words = [sys.executable, "-m", "groma", *arguments]
    return subprocess.run(words, capture_output=True, text=True, env=VARIABLES | variables, check=False)


@pytest.fixture
def install_verb(monkeypatch: pytest.MonkeyPatch) -> InstallVerb:
    """Make a function the verb `boom`."""

    def install(function: Callable[..., Any]) -> None:
        command = click.command("boom", cls=Verb)(function)
        monkeypatch.setattr(Verbs, "get_command", lambda _self, _context, name: {"boom": command}.get(name))

    return install


def commands() -> Iterator[list[str]]:
    """The words of every verb and sub-verb."""
    for name in verbs():
        command = groma.get_command(click.Context(groma), name)
        yield [name]
        if isinstance(command, click.Group):
            yield from ([name, inner] for inner in command.commands)


@pytest.mark.parametrize("words", [[], *commands()], ids=" ".join)
def test_every_help_has_examples_that_name_the_command(words: list[str], capsys: Captured) -> None:
    assert run([*words, "--help"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "Examples:" in shown
    assert f"groma {' '.join(words)}".strip() in shown.partition("Examples:")[2]


@pytest.mark.parametrize("words", [[], *commands()], ids=" ".join)
def test_no_summary_of_a_verb_is_cut_in_the_help(words: list[str], capsys: Captured) -> None:
    assert run([*words, "--help"]) == ExitCode.OK
    listed = capsys.readouterr().out.partition("Commands:")[2].partition("Examples:")[0]
    assert "..." not in listed


def test_help_names_every_verb_with_its_summary(capsys: Captured) -> None:
    run(["--help"])
    shown = " ".join(capsys.readouterr().out.split())
    for name, verb in verbs().items():
        assert f"{name} {verb.summary}" in shown


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys; from groma.cli.main import run; run(['--help']);"
        "sys.exit(', '.join({'msgspec', 'numpy', 'rich', 'subprocess'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=VARIABLES,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("asked", "same"),
    [
        (["help"], ["--help"]),
        (["help", "survey"], ["survey", "--help"]),
        (["help", "config", "show"], ["config", "show", "--help"]),
        (["config", "help", "show"], ["config", "show", "--help"]),
    ],
)
def test_help_is_a_verb_too(asked: list[str], same: list[str], capsys: Captured) -> None:
    assert run(asked) == ExitCode.OK
    shown = capsys.readouterr().out
    assert run(same) == ExitCode.OK
    assert shown == capsys.readouterr().out
    assert run(["help", "shwo"]) == ExitCode.USAGE
    assert "did you mean show?" in capsys.readouterr().err


def test_a_new_verb_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "weigh.py").write_text('"""groma weigh: say how heavy it is."""\n')
    (tmp_path / "helper.py").write_text('"""Not a verb."""\n')
    (tmp_path / "empty.py").write_text("")
    assert dict(verbs(tmp_path)) == {"weigh": ("groma.cli.weigh", "say how heavy it is.")}


@pytest.mark.parametrize(
    ("arguments", "said", "next_step"),
    [
        (["shwo"], "'shwo'", "did you mean show?"),
        (["zzz"], "'zzz'", "groma --help"),
        (["config", "shwo"], "'shwo'", "did you mean show?"),
        (["describe"], "PROBE", "groma describe --help"),
        (["show", "--jsn", "x"], "--jsn", "groma show --help"),
        (["--colour", "x"], "--colour", "groma --help"),
        (["--color", "blue", "list"], "blue", "groma --help"),
        (["compare"], "FILE", "groma compare --help"),
        (["history", "--quantity"], "'--quantity' requires an argument", "groma history --help"),
        (["survey", "-o", "x", "--output", "x"], "-o/--output", "groma survey --help"),
        (["survey", "--seed=1", "--seed", "1"], "--seed", "groma survey --help"),
        (["survey", "--quick", "--thorough"], "--quick and --thorough", "groma survey --help"),
        (["survey", "--depth", "quick", "--quick"], "--depth and --quick", "groma survey --help"),
        (["survey", "--network", "-n", "2"], "'-n'", "--nodes COUNT and --ppn COUNT"),
        (["survey", "--network", "--ranks=2"], "'--ranks'", "--nodes COUNT"),
        (["hpcc", "-n", "2", "--ranks", "4"], "-n/--ranks", "groma hpcc --help"),
        (["hpcc", "-N1", "-N2"], "-N", "groma hpcc --help"),
        (["hpcc", "--threads", "1", "--threads", "auto"], "--threads", "groma hpcc --help"),
        (["report", "x", "-oa", "y", "-ob"], "-o/--output", "groma report --help"),
        (["model", "randomaccess", "--nodes", "1", "--nodes", "2"], "--nodes", "model randomaccess --help"),
        (["testbed", "run", "--shape", "2", "--shape", "3", "true"], "--shape", "testbed run --help"),
        (["show", "x", "--color", "never", "--color", "never"], "--color", "groma show --help"),
        (["randomaccess", "-n", "2"], "No such option '-n'", "before -n: groma randomaccess run, groma"),
        (["randomaccess", "--nonsense"], "--nonsense", "groma randomaccess --help"),
    ],
)
def test_wrong_usage_is_one_line_and_a_step(
    arguments: list[str], said: str, next_step: str, capsys: Captured
) -> None:
    assert run(arguments) == ExitCode.USAGE
    what, step = capsys.readouterr().err.splitlines()
    assert what.startswith("groma: ")
    assert said in what
    assert step.startswith("  -> ")
    assert next_step in step


@pytest.mark.parametrize("words", [["--quick", "--quick"], ["-v", "-v"], ["-qq"], ["--json", "--json"]])
def test_a_flag_may_be_repeated(words: list[str], capsys: Captured) -> None:
    assert run(["survey", *words, "--help"]) == ExitCode.OK
    assert not capsys.readouterr().err


def test_what_may_be_given_often_may_be_repeated(capsys: Captured) -> None:
    events = ["--at", "1s", "cut h1", "--at", "2s", "restore h1"]
    assert run(["testbed", "run", *events, "--help"]) == ExitCode.OK


@pytest.mark.parametrize("words", [[], ["config"]])
def test_a_group_alone_shows_its_help_line_by_line(words: list[str], capsys: Captured) -> None:
    assert run(words) == ExitCode.USAGE
    assert "\nCommands:\n" in capsys.readouterr().err


@pytest.mark.parametrize("code", [code for code in ExitCode if code != ExitCode.OK])
def test_expected_failures_end_with_their_exit_code(
    code: ExitCode, install_verb: InstallVerb, capsys: Captured
) -> None:
    def fail() -> None:
        raise GromaError("it broke", "repair it", code)

    install_verb(fail)
    assert run(["boom"]) == code
    assert capsys.readouterr().err == "groma: it broke\n  -> repair it\n"


def test_a_message_does_not_steer_the_terminal(install_verb: InstallVerb, capsys: Captured) -> None:
    def fail() -> None:
        raise GromaError("\x1b[2J of\nit", "\x9b31m \u202e", ExitCode.USAGE)

    install_verb(fail)
    run(["boom"])
    assert capsys.readouterr().err == "groma: \\x1b[2J of\\nit\n  -> \\x9b31m \\u202e\n"
    assert run(["\x1b[31mboom"]) == ExitCode.USAGE
    assert "\x1b" not in capsys.readouterr().err


def test_a_verb_may_return_its_exit_code(install_verb: InstallVerb) -> None:
    install_verb(lambda: ExitCode.GATE_FAILED)
    assert run(["boom"]) == ExitCode.GATE_FAILED


def test_ctrl_c_ends_with_130(install_verb: InstallVerb, capsys: Captured) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    install_verb(interrupt)
    assert run(["boom"]) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err.strip() == "groma: interrupted"


def test_a_defect_is_one_line_and_shows_its_place_only_when_asked(
    install_verb: InstallVerb, capsys: Captured
) -> None:
    def defect() -> None:
        raise ZeroDivisionError("several\nlines")

    install_verb(defect)
    assert run(["boom"]) == ExitCode.INTERNAL
    what, step = capsys.readouterr().err.splitlines()
    assert what == "groma: internal error: ZeroDivisionError: several lines"
    assert "groma --version -v" in step
    assert run(["boom", "-v"]) == ExitCode.INTERNAL
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "lacking"),
    [
        (MemoryError(), "no memory for this"),
        (RuntimeError("can't start new thread"), "no further thread"),
        (ImportError("a page of help"), "no memory for the libraries of groma"),
    ],
)
def test_a_limit_of_the_system_is_no_defect_of_groma(
    error: Exception,
    lacking: str,
    install_verb: InstallVerb,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr("resource.getrlimit", lambda _: (200000 << 10, 200000 << 10))
    install_verb(fail)
    assert run(["boom"]) == ExitCode.ENVIRONMENT
    what, step = capsys.readouterr().err.splitlines()
    assert what == f"groma: the system gives this process {lacking}: ulimit -v allows 200000 KiB"
    assert "ulimit -v" in step


def test_an_import_that_fails_without_a_limit_is_a_defect(install_verb: InstallVerb) -> None:
    def fail() -> None:
        raise ImportError("no module")

    install_verb(fail)
    assert run(["boom"]) == ExitCode.INTERNAL


@pytest.mark.parametrize(
    "arguments", [["--json", "-q", "boom"], ["boom", "--json", "-q"], ["--json", "boom", "-q"]]
)
def test_shared_options_hold_before_and_after_the_verb(
    arguments: list[str], install_verb: InstallVerb
) -> None:
    seen: list[Output] = []
    install_verb(pass_output(seen.append))
    assert run(arguments) == ExitCode.OK
    assert (seen[0].json, seen[0].quiet, seen[0].verbose) == (True, True, False)


def test_version_says_how_it_was_built_when_asked(capsys: Captured) -> None:
    assert run(["--version"]) == ExitCode.OK
    assert len(capsys.readouterr().out.splitlines()) == 1
    for arguments in (["--version", "-v"], ["-v", "--version"]):
        run(arguments)
        shown = capsys.readouterr().out
        assert "python" in shown
        assert "native" in shown


@pytest.mark.parametrize("arguments", [["--version", "--json"], ["--json", "--version"]])
def test_a_program_gets_the_version_as_json(arguments: list[str], capsys: Captured) -> None:
    assert run(arguments) == ExitCode.OK
    assert json.loads(capsys.readouterr().out) == {"version": __version__}


@pytest.mark.parametrize("columns", ["0", "1", "12"])
def test_a_terminal_of_no_columns_still_shows_the_text(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert run(["config", "show", "--color", "always"]) == ExitCode.OK
    assert "survey.depth" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["show", "FILE"], ["show", "FILE", "--json"], ["--help"]])
def test_a_reader_that_leaves_early_is_no_error(arguments: list[str], example_profile: Path) -> None:
    words = [str(example_profile) if word == "FILE" else word for word in arguments]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "groma", *words],
        stdout=write,
        stderr=subprocess.PIPE,
        env=VARIABLES,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_old_encoding_is_written_to_without_failing(survey: Record[SurveyFacts], tmp_path: Path) -> None:
    assert survey.facts.node.clock is not None
    cost = msgspec.structs.replace(survey.facts.node.clock.timer_cost, value=4e-6, low=4e-6, high=4e-6)
    survey.facts.node.clock.timer_cost = cost
    write_record(tmp_path / "slow.json", survey)
    done = launch("show", str(tmp_path / "slow.json"), "clock", PYTHONIOENCODING="ascii")
    assert done.returncode == ExitCode.OK
    assert "4 us" in done.stdout


def test_the_shell_completes_verbs_without_importing_them() -> None:
    done = launch(_GROMA_COMPLETE="bash_complete", COMP_WORDS="groma sh", COMP_CWORD="1")
    assert done.stdout.split(",")[1].strip() == "show"
    assert done.returncode == ExitCode.OK


@pytest.mark.parametrize(
    "words",
    [
        ["hpcc", "-o", "-"],
        ["hpcc", "--output=-"],
        ["hpcc", "--record", "-"],
        ["randomaccess", "run", "-o-"],
        ["randomaccess", "owner", "-o", "-"],
        ["survey", "-o", "-"],
        ["report", "x.json", "-o", "-"],
        ["balance", "x.json", "-o", "-"],
        ["sim", "torus", "run", "-o", "-"],
        ["import", "x.txt", "-o", "-"],
        ["map", "--matrix", "m.csv", "--launch-file", "-"],
        ["compare", "x.json", "--write-reference", "-"],
    ],
)
def test_no_verb_takes_a_dash_for_standard_output(
    words: list[str], capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(words) == ExitCode.USAGE
    what, step = capsys.readouterr().err.splitlines()
    assert "needs the name of a file, and - is none" in what
    assert "--json" in step
    assert "/dev/stdout" in step
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["trace", "-o", "-", "true"], ["sim", "torus", "run", "--paraver", "-"]])
def test_a_dash_is_no_folder(
    words: list[str], capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(words) == ExitCode.USAGE
    assert "needs the name of a folder, and - is none" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_called_dash_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["hpcc", "--dry-run", "-n1", "-N64", "-o", "./-"]) == ExitCode.OK
