"""What groma says when groma-counters ends without an answer, and when a signal ends the program."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from groma.counters.native import PROGRAM, checked_plan, count_program, listed_names
from groma.errors import ExitCode, GromaError
from groma.launch.native import native_program

if TYPE_CHECKING:
    from pathlib import Path


def counters_that_end_by(folder: Path, end: str) -> str:
    """The folder of a groma-counters that answers all questions, but ends so where it is to count."""
    program = folder / PROGRAM
    real = shlex.quote(str(native_program(PROGRAM)))
    program.write_text(f'#!/bin/sh\n[ "$1" = run ] || exec {real} "$@"\n{end}\n')
    program.chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    ("end", "code", "what"),
    [
        ("exit 2", ExitCode.USAGE, "sleep was not counted"),
        ("exit 4", ExitCode.ENVIRONMENT, "sleep was not counted"),
        ("exit 9", ExitCode.ENVIRONMENT, "sleep was not counted"),
        ("kill -9 $$", ExitCode.ENVIRONMENT, "sleep was not counted: signal 9 ended groma-counters"),
    ],
)
def test_a_count_that_was_cut_short_is_no_internal_error(
    tmp_path: Path, end: str, code: ExitCode, what: str
) -> None:
    folder = counters_that_end_by(tmp_path, end)
    with pytest.raises(GromaError) as found:
        count_program(["software"], ["sleep", "1"], folder)
    assert (found.value.exit_code, found.value.what) == (code, what)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("cycles, tsc", ["cycles", "tsc"]),
        (
            "cpu/event=0x3c,umask=1/u,cpu/event=1,umask=2/",
            ["cpu/event=0x3c,umask=1/u", "cpu/event=1,umask=2/"],
        ),
        (",cycles,,", ["cycles"]),
        ("cpu/event=1,umask=2", ["cpu/event=1,umask=2"]),
        (" , ", []),
    ],
)
def test_a_list_keeps_the_commas_of_native_names(text: str, names: list[str]) -> None:
    assert listed_names(text) == names


@pytest.mark.parametrize(
    ("program", "what"),
    [
        ("no-such-program", "no-such-program cannot be started: there is no such program"),
        (__file__, f"{__file__} cannot be started: it may not be executed"),
        ("/", "/ cannot be started: it may not be executed"),
    ],
)
def test_a_program_that_cannot_be_started_is_refused_in_one_message(
    capfd: pytest.CaptureFixture[str], program: str, what: str
) -> None:
    with pytest.raises(GromaError) as found:
        count_program(["software"], [program], None)
    assert (found.value.exit_code, found.value.what) == (ExitCode.USAGE, what)
    assert capfd.readouterr() == ("", "")


def counters_that_check(folder: Path, **plan: object) -> str:
    """The folder of a groma-counters that answers so where it is to check."""
    answer = {"unavailable": [], "collisions": [], "runs": [], "remarks": [], "unknown": []} | plan
    program = folder / PROGRAM
    real = shlex.quote(str(native_program(PROGRAM)))
    text = shlex.quote(json.dumps(answer))
    program.write_text(f'#!/bin/sh\n[ "$1" = check ] || exec {real} "$@"\necho {text}\n')
    program.chmod(0o755)
    return str(folder)


UNKNOWN = {"event": "cycels", "reason": "unknown event or group"}


def test_names_of_which_none_is_known_are_refused_before_the_program_runs(tmp_path: Path) -> None:
    folder = counters_that_check(tmp_path, unavailable=[UNKNOWN], unknown=["cycels"])
    ran = tmp_path / "ran"
    for refused in (
        lambda: checked_plan(["cycels"], folder),
        lambda: count_program(["cycels"], ["touch", str(ran)], folder),
    ):
        with pytest.raises(GromaError) as found:
            refused()
        assert (found.value.exit_code, found.value.what) == (
            ExitCode.USAGE,
            "cycels cannot be counted: unknown event or group",
        )
    assert not ran.exists()


@pytest.mark.parametrize(
    "others",
    [
        {"runs": [["tsc"]]},
        {"unavailable": [UNKNOWN, {"event": "cycles", "reason": "not supported by this virtual machine"}]},
    ],
)
def test_a_name_that_is_unknown_beside_one_that_is_known_is_reported_with_it(
    tmp_path: Path, others: dict[str, object]
) -> None:
    plan = {"unavailable": [UNKNOWN], "unknown": ["cycels"]} | others
    assert checked_plan(["cycels", "tsc"], counters_that_check(tmp_path, **plan)).unknown == ["cycels"]


def test_a_list_without_names_is_refused() -> None:
    with pytest.raises(GromaError, match="no event is named") as found:
        checked_plan([], None)
    assert found.value.exit_code == ExitCode.USAGE
    with pytest.raises(GromaError, match="no event is named"):
        count_program([], ["true"], None)


INTERRUPTED = """
import sys
from groma.cli.main import run
sys.exit(run(["counters", "run", "-e", "page-faults", "--json", "--", *sys.argv[1:]]))
"""
SAVES = """
exec 2> /dev/null
trap 'trap "" {name}; echo saved; exit 9' {name}  # it may come several times, for groma hands it on as well
echo ready $$
while :; do sleep 0.05; done
"""


@pytest.mark.parametrize("name", ["INT", "QUIT", "TERM", "HUP", "USR1"])
def test_a_signal_to_all_processes_ends_the_program_in_its_own_way_and_its_counts_are_kept(name: str) -> None:
    """Keys of the terminal reach all of them, and so do the signals of batch systems."""
    words = [sys.executable, "-c", INTERRUPTED, "sh", "-c", SAVES.format(name=name)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as groma:
        assert groma.stdout is not None
        assert groma.stdout.readline().startswith("ready")
        os.killpg(groma.pid, signal.Signals[f"SIG{name}"])
        output, counts = groma.communicate(timeout=60)
    assert (groma.returncode, output) == (9, "saved\n")
    assert json.loads(counts)["counts"][0]["value"] > 0


@pytest.mark.parametrize("name", ["TERM", "HUP", "USR1"])
def test_a_signal_that_reaches_groma_alone_ends_the_program_and_its_counts_are_kept(name: str) -> None:
    program = f"trap 'exit 9' {name}; kill -{name} {os.getpid()}; while :; do sleep 0.05; done"
    done = count_program(["page-faults"], ["sh", "-c", program], None)
    assert done.exit_code == 9
    assert (done.counts[0].value or 0) > 0


def test_a_program_that_a_signal_ends_is_not_left_behind(tmp_path: Path) -> None:
    program = f"echo $$ > {tmp_path}/pid; kill -TERM {os.getpid()}; exec sleep 60"
    done = count_program(["page-faults"], ["sh", "-c", program], None)
    assert done.exit_code == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_no_run_begins_after_one_that_a_signal_ended(tmp_path: Path) -> None:
    folder = counters_that_check(tmp_path, runs=[["page-faults"], ["tsc"]])
    program = f"echo run >> {tmp_path}/runs; kill -TERM {os.getpid()}; exec sleep 60"
    done = count_program(["page-faults", "tsc"], ["sh", "-c", program], folder, whole_runs=True)
    assert (tmp_path / "runs").read_text() == "run\n"
    assert done.runs == 1
    counted, missing = done.counts
    assert (counted.value or 0) > 0
    assert (missing.event, missing.value) == ("tsc", None)
    assert missing.remark == "not counted: a signal came before its run"


def test_a_signal_before_the_program_is_started_is_an_interruption(tmp_path: Path) -> None:
    folder = counters_that_end_by(tmp_path, "kill -TERM $PPID; exec sleep 60")
    with pytest.raises(KeyboardInterrupt, match="SIGTERM"):
        count_program(["page-faults"], ["true"], folder)
