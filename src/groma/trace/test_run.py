"""The program that is traced, and the signals that reach groma meanwhile."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.trace.merging import merge
from groma.trace.run import handed_on, run

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

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


def test_who_ends_groma_during_the_merge_ends_the_merge(tmp_path: Path) -> None:
    program = tmp_path / "groma-merge"
    program.write_text(SLEEPS.format(folder=tmp_path))
    program.chmod(0o755)

    def end_it() -> None:
        while not (tmp_path / "pid").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_it, daemon=True).start()
    with pytest.raises(GromaError, match="ended by SIGTERM") as raised:
        merge(tmp_path, tmp_path / "trace", str(tmp_path))
    assert raised.value.exit_code == ExitCode.ENVIRONMENT
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


class StartedProgram:
    """Keeps the signals that it is sent."""

    def __init__(self) -> None:
        self.signals: list[int] = []

    def send_signal(self, number: int) -> None:
        self.signals.append(number)


@pytest.mark.parametrize("at", range(6))
def test_a_signal_that_comes_as_the_program_is_named_is_sent_once(at: int) -> None:
    program, lines = StartedProgram(), itertools.count()

    def follow(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_name != "hand_on_to":
            return None
        if event == "line" and next(lines) == at:
            signal.raise_signal(signal.SIGTERM)
        return follow

    with handed_on() as hand_on_to:
        sys.settrace(follow)
        try:
            hand_on_to(program)  # type: ignore[arg-type]
        finally:
            sys.settrace(None)
        if next(lines) <= at:  # all lines were run
            signal.raise_signal(signal.SIGTERM)
    assert program.signals == [signal.SIGTERM]
