"""A launched job ends in good order: finished, dead, stuck or interrupted, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.launch import job
from groma.launch.command import Command
from groma.launch.job import Ended, Patience, cause_of, ending_of, run_job, said_by
from groma.launch.native import Interruption, interruptible

if TYPE_CHECKING:
    from pathlib import Path

LONG = Patience(start=60, silence=60)


def run(script: str, patience: Patience = LONG) -> tuple[Ended, list[bytes]]:
    lines: list[bytes] = []
    command = Command(words=(sys.executable, "-c", script), variables={"GREETING": "hello"})
    return run_job(command, lines.append, Interruption(), patience), lines


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
    assert len(ended.complaints) == job.MOST_COMPLAINTS


def test_a_program_that_is_not_there_is_an_environment_error() -> None:
    with pytest.raises(GromaError, match="no such file") as refusal:
        run_job(Command(words=("/no/such/launcher",)), lambda _: None, Interruption(), LONG)
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT


def test_a_silent_job_is_ended() -> None:
    started = time.monotonic()
    ended, lines = run("import time; print('begun', flush=True); time.sleep(600)", Patience(60, 0.5))
    assert lines == [b"begun\n"]
    assert (ended.ending, ended.silence) == ("stuck", 0.5)
    assert time.monotonic() - started < 60


def test_a_job_that_does_not_end_when_all_is_said_is_ended() -> None:
    script = "import time; print('one'); print('last', flush=True); time.sleep(600)"
    command = Command(words=(sys.executable, "-c", script))
    ended = run_job(command, lambda line: line == b"last\n", Interruption(), Patience(60, 60, end=0.5))
    assert (ended.ending, ended.silence) == ("lingering", 0.5)


def test_a_job_that_never_speaks_is_ended() -> None:
    ended, _ = run("import time; time.sleep(600)", Patience(start=0.5, silence=60))
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
    ended, _ = run(script, Patience(60, 0.5, kill=0.3))
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


def test_an_interruption_is_passed_on_and_said() -> None:
    script = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (print("last words", flush=True), sys.exit(0)))
print("begun", flush=True)
time.sleep(600)
"""
    lines: list[bytes] = []

    def on_line(line: bytes) -> None:
        lines.append(line)
        if line == b"begun\n":
            os.kill(os.getpid(), signal.SIGINT)

    with interruptible() as interruption:
        ended = run_job(Command(words=(sys.executable, "-c", script)), on_line, interruption, LONG)
    assert ended.ending == "interrupted"
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


NO_LIBRARY = "error while loading shared libraries: libmpi.so.40: cannot open: No such file or directory"

CAUSES = {
    "Open MPI 4": (
        """\
--------------------------------------------------------------------------
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------
mpirun noticed that process rank 1 with PID 412 on node n1 exited on signal 11 (Segmentation fault).
--------------------------------------------------------------------------""",
        "rank 1 exited on signal 11 (Segmentation fault)",
    ),
    "Open MPI 5 wraps its lines": (
        """\
--------------------------------------------------------------------------
prterun noticed that process rank 0 with PID 2718 on node vm exited on
signal 9 (Killed).
--------------------------------------------------------------------------""",
        "rank 0 exited on signal 9 (Killed)",
    ),
    "MPICH": (
        """\
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   EXIT CODE: 9
=   CLEANING UP REMAINING PROCESSES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
[mpiexec@vm] main (ui/mpich/mpiexec.c:325): process manager error waiting for completion""",
        "Killed (signal 9)",
    ),
    "Slurm": (
        "slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026 ***\nsrun: error: n1: task 1: Killed",
        "srun: error: n1: task 1: Killed",
    ),
    "slots": (
        "There are not enough slots available to satisfy the 8\nslots that were asked for:\n\n  true\n",
        "There are not enough slots available to satisfy the 8 slots that were asked for",
    ),
    "a library is missing": (
        f"groma-hpcc: {NO_LIBRARY}",
        NO_LIBRARY,
    ),
    "a remote shell": (
        """\
ssh: connect to host h4 port 22: No route to host
--------------------------------------------------------------------------
ORTE was unable to reliably start one or more daemons.
* compilation of the orted with dynamic libraries when static are required
--------------------------------------------------------------------------""",
        "ssh: connect to host h4 port 22: No route to host",
    ),
    "nothing known": ("something\nlast words\n-----", "last words"),
    "nothing at all": ("-----\n\n", ""),
}


@pytest.mark.parametrize("case", CAUSES)
def test_the_cause_is_found_among_the_words_of_a_launcher(case: str) -> None:
    said, cause = CAUSES[case]
    assert cause_of(said.splitlines()) == cause


def test_return_codes_are_put_into_words() -> None:
    assert [ending_of(code) for code in (1, -9, 139)] == ["exit code 1", "signal 9", "signal 11"]


def test_words_of_our_own_program_are_found() -> None:
    lines = [
        "warning of a library",
        "groma-hpcc: no test is called 'x'",
        "  groma-hpcc list names them",
        "---",
    ]
    assert said_by("groma-hpcc", lines) == ("no test is called 'x'", "groma-hpcc list names them")
    assert said_by("groma-hpcc", ["groma-hpcc: short"]) == ("short", "")
    assert said_by("groma-hpcc", ["/opt/groma-hpcc: error while loading"]) is None
