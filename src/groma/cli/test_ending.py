"""Whenever a signal comes, the command line ends with exit code 130 and one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from groma.cli.ending import interrupting
from groma.errors import ExitCode

SOURCE = Path(__file__).parents[2]
WORDS = {
    signal.SIGINT: b"groma: interrupted\n",
    signal.SIGTERM: b"groma: interrupted (SIGTERM)\n",
    signal.SIGHUP: b"groma: interrupted (SIGHUP)\n",
    signal.SIGUSR1: b"groma: interrupted (SIGUSR1)\n",
    signal.SIGUSR2: b"groma: interrupted (SIGUSR2)\n",
    signal.SIGXCPU: b"groma: interrupted (SIGXCPU)\n",
    signal.SIGQUIT: b"groma: interrupted (SIGQUIT)\n",
}
SIGNALS = tuple(WORDS)

STARTING = """
import os, sys
sys.argv[0] = sys.argv[2]
import groma.cli
os.kill(os.getpid(), int(sys.argv[1]))
"""

IMPORTING = """
import os, sys
sys.argv[0] = "/usr/bin/groma"
class Interrupting:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            os.kill(os.getpid(), 2)
sys.modules.pop(sys.argv[1], None)
sys.meta_path.insert(0, Interrupting())
import groma.cli.main
"""


def started(*words: str) -> subprocess.Popen[bytes]:
    variables = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.Popen([sys.executable, *words], env=variables, stderr=subprocess.PIPE)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("program", ["/usr/bin/groma", "/lib/groma/__main__.py"])
def test_a_signal_before_all_is_imported_ends_it_at_once(number: signal.Signals, program: str) -> None:
    child = started("-c", STARTING, str(int(number)), program)
    _, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (ExitCode.INTERRUPTED, WORDS[number])


@pytest.mark.parametrize("module", ["typing", "threading", "pathlib", "click"])
def test_a_signal_while_something_large_is_imported_leaves_no_trace(module: str) -> None:
    child = started("-c", IMPORTING, module)
    _, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (ExitCode.INTERRUPTED, WORDS[signal.SIGINT])


def test_a_program_that_imports_a_part_of_it_keeps_its_signals() -> None:
    child = started("-c", STARTING, str(int(signal.SIGTERM)), "/usr/bin/pytest")
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGTERM


def test_an_interrupt_is_heeded_although_a_shell_without_job_control_ignores_it(tmp_path: Path) -> None:
    """While a run is planned as while it measures."""
    pipe = tmp_path / "record.json"
    os.mkfifo(pipe)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        early = started("-c", STARTING, str(int(signal.SIGINT)), "/usr/bin/groma")
        late = started("-m", "groma", "show", str(pipe))
    finally:
        signal.signal(signal.SIGINT, before)
    with pipe.open("wb"):
        late.send_signal(signal.SIGINT)
        for child in (early, late):
            _, said = child.communicate(timeout=60)
            assert (child.returncode, said.lstrip()) == (ExitCode.INTERRUPTED, WORDS[signal.SIGINT])


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_a_verb_that_measures_nothing(number: signal.Signals, tmp_path: Path) -> None:
    pipe = tmp_path / "record.json"
    os.mkfifo(pipe)
    child = started("-m", "groma", "show", str(pipe))
    with pipe.open("wb"):  # waits until the verb reads
        child.send_signal(number)
        _, said = child.communicate(timeout=60)
    assert (child.returncode, said.lstrip()) == (ExitCode.INTERRUPTED, WORDS[number])


def test_what_nohup_ignores_stays_ignored(tmp_path: Path) -> None:
    pipe = tmp_path / "record.json"
    os.mkfifo(pipe)
    words = ("-m", "groma", "show", str(pipe))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        child = started(*words)
    finally:
        signal.signal(signal.SIGHUP, before)
    with pipe.open("wb"):
        child.send_signal(signal.SIGHUP)
    child.communicate(timeout=60)
    assert child.returncode == ExitCode.USAGE  # an empty record


def test_handlers_of_preloaded_libraries_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python knows no handler that was set in C."""
    taken: list[int] = []
    monkeypatch.setattr(signal, "getsignal", lambda _: None)
    monkeypatch.setattr(signal, "signal", lambda number, _: taken.append(number))
    with interrupting():
        pass
    assert taken == []
