"""Who gets a signal, and who does not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from groma.run.signals import handling, named, undisturbed

SIGNALS = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGXCPU,
    signal.SIGQUIT,
)

SELF = """
import os, signal
from groma.run.signals import handling
with handling(lambda number, _: print(signal.Signals(number).name, flush=True)):
    {body}
"""


def under_ignored(number: str, body: str) -> str:
    words = ["sh", "-c", f'trap "" {number}; exec "$0" -c "$1"', sys.executable, SELF.format(body=body)]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize("number", SIGNALS)
def test_the_handler_gets_signals_within_and_the_former_one_afterwards(number: signal.Signals) -> None:
    former: list[int] = []
    before = signal.signal(number, lambda one, _: former.append(one))
    try:
        reported: list[int] = []
        with handling(lambda one, _: reported.append(one)):
            os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
    finally:
        signal.signal(number, before)
    assert (reported, former) == ([number], [number])


def test_a_signal_that_a_preloaded_library_handles_stays_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As USR2 with DMTCP. Python knows no handler that was set in C, and cannot give it back."""
    known = signal.getsignal
    monkeypatch.setattr(signal, "getsignal", lambda one: None if one == signal.SIGUSR2 else known(one))
    before = known(signal.SIGUSR2)
    with handling(lambda _number, _frame: None):
        assert known(signal.SIGUSR2) == before
        assert known(signal.SIGUSR1) != before
    assert known(signal.SIGUSR2) == before


def test_what_nohup_ignores_stays_ignored() -> None:
    assert under_ignored("HUP", "os.kill(os.getpid(), signal.SIGHUP)") == ""
    assert under_ignored("USR1", "os.kill(os.getpid(), signal.SIGUSR1)") == ""


def test_the_message_names_every_signal_but_ctrl_c() -> None:
    assert [named(one) for one in (0, signal.SIGINT)] == ["", ""]
    assert [named(one) for one in (signal.SIGTERM, signal.SIGUSR1)] == [" (SIGTERM)", " (SIGUSR1)"]


def test_an_interrupt_is_heeded_although_a_shell_without_job_control_ignores_it() -> None:
    assert under_ignored("INT", "os.kill(os.getpid(), signal.SIGINT)") == "SIGINT\n"


def test_a_program_started_within_can_be_interrupted() -> None:
    body = """import subprocess
    print(subprocess.run(['sh', '-c', 'kill -INT $$; echo ignored']).returncode)"""
    assert under_ignored("INT", body) == "-2\n"


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_takes_effect_after_what_it_must_not_disturb(number: signal.Signals) -> None:
    """Once, however often it came, and also where another thread of this process gets it."""
    reported: list[str] = []
    over = threading.Event()
    other = threading.Thread(target=over.wait)
    other.start()
    with handling(lambda *_: reported.append("signal")):
        with undisturbed():
            signal.pthread_kill(other.ident or 0, number)
            os.kill(os.getpid(), number)
            time.sleep(0.05)
            reported.append("done")
        reported.append("after")
    over.set()
    other.join()
    assert reported == ["done", "signal", "after"]


def test_an_exception_comes_through_and_so_does_the_signal() -> None:
    reported: list[int] = []

    def fail() -> None:
        with undisturbed():
            os.kill(os.getpid(), signal.SIGTERM)
            raise ValueError("within")

    with handling(lambda number, _: reported.append(number)), pytest.raises(ValueError, match="within"):
        fail()
    assert reported == [signal.SIGTERM]


def test_another_thread_is_not_disturbed_anyway() -> None:
    def work() -> None:
        with undisturbed():
            done.append(True)

    done: list[bool] = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done
