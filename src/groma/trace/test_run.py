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
