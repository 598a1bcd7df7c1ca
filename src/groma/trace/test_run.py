"""The program that is traced, and the signals that reach groma meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.trace.merging import merge
from groma.trace.run import run

if TYPE_CHECKING:
    from pathlib import Path

SLEEPS = "#!/bin/sh\necho $$ > {folder}/pid\nexec sleep 60\n"


def test_the_exit_code_is_that_of_the_program() -> None:
    assert run([sys.executable, "-c", "raise SystemExit(3)"], {}) == 3


def test_a_handler_that_a_library_set_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(signal, "getsignal", lambda _: None)  # what Python says of handlers in C
    assert run(["true"], {}) == 0
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("handler", [signal.SIG_DFL, signal.default_int_handler])
def test_a_signal_goes_to_the_program_whatever_groma_does_with_it(handler: signal._HANDLER) -> None:
    before = signal.signal(signal.SIGTERM, handler)
    try:
        assert run(["sh", "-c", f"trap 'exit 9' TERM; kill -TERM {os.getpid()}; sleep 5 & wait"], {}) == 9
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("name", ["HUP", "USR1", "USR2", "XCPU"])
def test_signals_of_batch_systems_go_to_the_program(name: str) -> None:
    """It may save its state first; its trace is merged afterwards."""
    program = f"trap 'exit 9' {name}; kill -{name} {os.getpid()}; sleep 5 & wait"
    assert run(["sh", "-c", program], {}) == 9


@pytest.fixture
def endless_merge(tmp_path: Path) -> Path:
    """The folder of a program that writes its number into a file there once it runs."""
    program = tmp_path / "groma-merge"
    program.write_text(SLEEPS.format(folder=tmp_path))
    program.chmod(0o755)
    return tmp_path


def end_groma_during_the_merge(folder: Path, number: signal.Signals) -> None:
    def end_it() -> None:
        while not (folder / "pid").exists() or not (folder / "pid").read_text():
            time.sleep(0.01)
        os.kill(os.getpid(), number)

    threading.Thread(target=end_it, daemon=True).start()


def is_left(folder: Path) -> bool:
    try:
        os.kill(int((folder / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_who_ends_groma_during_the_merge_ends_the_merge(number: signal.Signals, endless_merge: Path) -> None:
    end_groma_during_the_merge(endless_merge, number)
    with pytest.raises(GromaError, match=f"ended by {number.name}") as raised:
        merge(endless_merge, endless_merge / "trace", str(endless_merge))
    assert raised.value.exit_code == ExitCode.INTERRUPTED
    assert not is_left(endless_merge)


def test_a_signal_that_groma_alone_gets_from_the_terminal_leaves_no_merge_behind(endless_merge: Path) -> None:
    end_groma_during_the_merge(endless_merge, signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        merge(endless_merge, endless_merge / "trace", str(endless_merge))
    assert not is_left(endless_merge)


@pytest.mark.parametrize("ignored", [signal.SIGINT, signal.SIGQUIT])
def test_a_signal_that_is_ignored_stays_ignored_in_the_program(
    ignored: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    """As in what a script starts behind itself."""
    before = signal.signal(ignored, signal.SIG_IGN)
    try:
        assert run(["sh", "-c", f"kill -{ignored.name.removeprefix('SIG')} $$; echo goes on"], {}) == 0
        assert signal.getsignal(ignored) is signal.SIG_IGN
    finally:
        signal.signal(ignored, before)
    assert capfd.readouterr().out == "goes on\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT])
def test_the_terminal_ends_a_program_that_does_not_ignore_its_signals(number: signal.Signals) -> None:
    assert run(["sh", "-c", f"ulimit -c 0; kill -{number.name.removeprefix('SIG')} $$"], {}) == 128 + number
