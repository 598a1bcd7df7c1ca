"""A launched job ends in good order: finished, dead, stuck or interrupted, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.launch.causes import LONGEST_LINE
from groma.launch.children import MOST_COMPLAINTS
from groma.launch.command import Command
from groma.launch.prepare import Timeouts
from groma.run import job, session
from groma.run.interruption import Interruption, interruptible
from groma.run.job import JobResult, run_job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONG = Timeouts(start=60, silence=60)


def run(script: str, timeouts: Timeouts = LONG) -> tuple[JobResult, list[bytes]]:
    lines: list[bytes] = []
    command = Command(words=(sys.executable, "-c", script), variables={"GREETING": "hello"})
    return run_job(command, lines.append, Interruption(), timeouts), lines


def is_running(pid: int) -> bool:
    """Whether it does more than wait to be buried."""
    try:
        with open(f"/proc/{pid}/stat") as stream:  # noqa: PTH123
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_lines_variables_and_return_code_come_through() -> None:
    ended, lines = run("import os, sys; print(os.environ['GREETING']); print('two'); sys.exit(3)")
    assert lines == [b"hello\n", b"two\n"]
    assert (ended.ending, ended.returncode, ended.spoke) == ("finished", 3, True)


def test_much_on_stderr_blocks_nothing_and_its_end_is_kept() -> None:
    ended, lines = run("import sys\nfor i in range(20000): print('line', i, file=sys.stderr)\nprint('done')")
    assert lines == [b"done\n"]
    assert ended.complaints[-1] == "line 19999"
    assert len(ended.complaints) == MOST_COMPLAINTS


def test_a_line_on_stderr_without_an_end_is_kept_in_part() -> None:
    ended, _ = run("import sys; sys.stderr.write('x' * 1_000_000)")
    assert [len(one) for one in ended.complaints] == [LONGEST_LINE]


def test_standard_input_is_empty_but_does_not_end() -> None:
    _, lines = run("import select; print(select.select([0], [], [], 0.2)[0])")
    assert lines == [b"[]\n"]


def test_a_program_that_is_not_there_is_an_environment_error() -> None:
    with pytest.raises(GromaError, match="no such file") as refusal:
        run_job(Command(words=("/no/such/launcher",)), lambda _: None, Interruption(), LONG)
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT


def test_a_silent_job_is_ended() -> None:
    started = time.monotonic()
    ended, lines = run("import time; print('begun', flush=True); time.sleep(600)", Timeouts(60, 0.5))
    assert lines == [b"begun\n"]
    assert (ended.ending, ended.silence) == ("stuck", 0.5)
    assert time.monotonic() - started < 60


def test_a_job_that_does_not_end_when_all_is_said_is_ended() -> None:
    script = "import time; print('one'); print('last', flush=True); time.sleep(600)"
    command = Command(words=(sys.executable, "-c", script))
    ended = run_job(command, lambda line: line == b"last\n", Interruption(), Timeouts(60, 60, end=0.5))
    assert (ended.ending, ended.silence) == ("lingering", 0.5)


def test_a_job_that_never_speaks_is_ended() -> None:
    ended, _ = run("import time; time.sleep(600)", Timeouts(start=0.5, silence=60))
    assert (ended.ending, ended.spoke, ended.silence) == ("stuck", False, 0.5)


def test_a_job_that_ignores_the_signal_is_killed_with_its_children(tmp_path: Path) -> None:
    """Launchers put ranks into groups of their own; a session holds them all."""
    note = tmp_path / "child"
    script = f"""
import os, pathlib, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], process_group=0)
pathlib.Path({str(note)!r}).write_text(str(child.pid))
print("begun", flush=True)
time.sleep(600)
"""
    ended, _ = run(script, Timeouts(60, 0.5, kill=0.3))
    assert (ended.ending, ended.returncode) == ("stuck", -signal.SIGKILL)
    time.sleep(0.2)
    assert not is_running(int(note.read_text()))


def test_children_that_outlive_their_launcher_are_killed() -> None:
    script = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, process_group=0)
print(child.pid)
"""
    _, lines = run(script)
    time.sleep(0.2)
    assert not is_running(int(lines[0]))


def test_children_in_sessions_of_their_own_are_killed() -> None:
    """As the proxy of Hydra and each of its ranks."""
    script = """
import subprocess, sys
words = [sys.executable, "-c", "import time; time.sleep(600)"]
child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
print(child.pid)
"""
    _, lines = run(script)
    time.sleep(0.2)
    assert not is_running(int(lines[0]))


def test_a_termination_signal_that_got_lost_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hydra loses one that comes while it starts its proxy."""
    monkeypatch.setattr(job, "REPEAT_SECONDS", 0.3)
    script = """
import signal, sys, time
def lose(*_): signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
signal.signal(signal.SIGTERM, lose)
print("begun", flush=True)
while True: time.sleep(0.1)
"""
    ended, _ = run(script, Timeouts(60, 0.5, kill=600))
    assert (ended.ending, ended.returncode) == ("stuck", 7)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU])
def test_an_interruption_is_passed_on_and_said(number: signal.Signals) -> None:
    script = """
import os, signal, time
signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b"last words\\n"), os._exit(0)))
os.write(1, b"begun\\n")
time.sleep(600)
"""
    lines: list[bytes] = []

    def on_line(line: bytes) -> None:
        lines.append(line)
        if line == b"begun\n":
            os.kill(os.getpid(), number)

    with interruptible() as interruption:
        ended = run_job(Command(words=(sys.executable, "-c", script)), on_line, interruption, LONG)
    assert (ended.ending, ended.signal_number) == ("interrupted", number)
    assert lines == [b"begun\n", b"last words\n"]


def test_an_error_while_lines_are_taken_ends_the_job() -> None:
    script = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    seen: list[int] = []

    def refuse(line: bytes) -> None:
        seen.append(int(line))
        raise GromaError("wrong ranks", "")

    with pytest.raises(GromaError, match="wrong ranks"):
        run_job(Command(words=(sys.executable, "-c", script)), refuse, Interruption(), LONG)
    assert not is_running(seen[0])


def test_the_limit_on_cpu_time_is_repeated_by_the_system_and_heeded_once() -> None:
    interruption = Interruption()
    interruption(signal.SIGXCPU, None)
    interruption(signal.SIGXCPU, None)
    with pytest.raises(KeyboardInterrupt):
        interruption(signal.SIGINT, None)
    assert interruption.signal_number == signal.SIGXCPU


def test_a_further_interruption_amid_the_killing_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes are stopped then: what is not killed would stay so for ever."""
    known = session._held_by
    sent: list[int] = []

    def interrupted(pid: int, folder: Path) -> Iterator[Path]:
        if not sent:
            sent.append(pid)
            os.kill(os.getpid(), signal.SIGINT)
        return known(pid, folder)

    def twice(line: bytes) -> None:
        pids.append(int(line))
        if len(pids) == 2:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(session, "_held_by", interrupted)
    pids: list[int] = []
    script = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], process_group=0)
print(os.getpid())
print(child.pid, flush=True)
time.sleep(600)
"""
    with pytest.raises(KeyboardInterrupt), interruptible() as interruption:
        run_job(Command(words=(sys.executable, "-c", script)), twice, interruption, LONG)
    assert sent
    time.sleep(0.2)
    assert not any(map(is_running, pids))
