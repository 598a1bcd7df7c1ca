"""A bed comes up, holds its rates, tells how its command ended, and leaves nothing behind."""

from __future__ import annotations

import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.run.signals import ENDING
from groma.testbed.bed import Bed
from groma.testbed.namespace_shell import USER
from groma.testbed.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Groma = Callable[..., subprocess.CompletedProcess[str]]
    AssertRate = Callable[[Bed, str, str, int, float], None]

MBIT = 10**6
PAYLOAD = 1448 / 1514
"""Part of a link that TCP has for data."""


@pytest.fixture(scope="module")
def ring() -> Iterator[Bed]:
    with Bed(Plan((5,), link=200 * MBIT)) as bed:
        yield bed


def test_hosts_have_names_and_boot_ids_of_their_own(ring: Bed) -> None:
    script = "hostname; cat /proc/sys/kernel/random/boot_id"
    answers = [ring.run(["sh", "-c", script], host).stdout.split() for host in ring.plan.hosts]
    assert [name for name, _ in answers] == ["h0", "h1", "h2", "h3", "h4"]
    assert len({boot_id for _, boot_id in answers}) == 5


def test_a_shared_boot_id_is_that_of_the_machine() -> None:
    with Bed(Plan((2,)), shared_boot_id=True) as bed:
        reported = {bed.run(["cat", "/proc/sys/kernel/random/boot_id"], host).stdout for host in ("h0", "h1")}
    assert reported == {Path("/proc/sys/kernel/random/boot_id").read_text()}


def test_a_remote_shell_runs_commands_on_other_hosts(ring: Bed) -> None:
    done = ring.run(["ssh", "-x", "-l", "me", "h3", "hostname;", "exit 7"])
    assert (done.stdout, done.returncode) == ("h3\n", 7)
    assert ring.run(["ssh", "elsewhere", "hostname"]).returncode == 255


def test_a_cable_holds_its_rate(ring: Bed, assert_rate: AssertRate) -> None:
    assert_rate(ring, "h0", "h2", 6 << 20, 200 * MBIT * PAYLOAD)


def test_a_cable_is_slowed_cut_and_restored(ring: Bed, assert_rate: AssertRate) -> None:
    ring.slow("h1-h0", 80 * MBIT)
    assert_rate(ring, "h0", "h1", 3 << 20, 80 * MBIT * PAYLOAD)
    ring.restore("h0-h1")
    assert_rate(ring, "h0", "h1", 6 << 20, 200 * MBIT * PAYLOAD)


def test_the_interface_of_a_host_has_a_rate_of_its_own(assert_rate: AssertRate) -> None:
    with Bed(Plan((2,), nic=100 * MBIT)) as bed:
        assert_rate(bed, "h1", "h0", 4 << 20, 100 * MBIT * PAYLOAD)


def test_nothing_passes_a_cut_cable(ring: Bed) -> None:
    ask = "import socket; socket.create_connection(('h4', 9), timeout=0.5)"
    refused = ring.run([sys.executable, "-c", ask], "h3")
    assert "ConnectionRefusedError" in refused.stderr
    ring.cut("h4")
    lost = ring.run([sys.executable, "-c", ask], "h3")
    ring.restore("h4")
    assert "TimeoutError" in lost.stderr


def test_a_bed_needs_no_root() -> None:
    with Bed(Plan((2,), link=100 * MBIT), method=USER) as bed:
        assert bed.run(["ssh", "h1", "hostname"]).stdout == "h1\n"


def test_a_bed_works_for_somebody_without_privileges(in_bed: Groma) -> None:
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None:
        pytest.skip("only root can become somebody else, with setpriv")
    nobody = (setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--")
    readable = subprocess.run(
        [*nobody, sys.executable, "-c", "import groma"], check=False, capture_output=True
    )
    if readable.returncode:
        pytest.skip("this Python is not for everybody")
    done = in_bed("--shape", "3", "--link", "100mbit", "--", "ssh", "h2", "hostname", prefix=nobody)
    assert (done.stdout, done.returncode) == ("h2\n", 0), done.stderr


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill $$", 143)]
)
def test_the_exit_code_is_that_of_the_command(in_bed: Groma, script: str, code: int) -> None:
    done = in_bed("--shape", "2", "-q", "--", "sh", "-c", script)
    assert done.returncode == code, done.stderr


def test_it_says_how_long_it_took_unless_quiet(in_bed: Groma) -> None:
    assert in_bed("--shape", "2", "--", "true").stderr.startswith("the test bed of 2 hosts started in ")
    assert in_bed("--shape", "2", "-q", "--", "true").stderr == ""


def test_cables_change_while_the_command_runs(in_bed: Groma) -> None:
    look = "sleep 0.6; cat /proc/net/dev >/dev/null; tc qdisc show dev eth0"
    done = in_bed(
        "--shape", "2", "--nic", "100mbit", "--at", "0.1s", "slow h0 20mbit", "--", "sh", "-c", look
    )
    assert "rate 20Mbit" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("--shape", "1", "--", "true"),
        ("--shape", "ring", "--", "true"),
        ("--shape", "3", "--link", "fast", "--", "true"),
        ("--shape", "3", "--mpi", "lam", "--", "true"),
        ("--shape", "3"),
        ("--shape", "3", "--at", "1s", "cut h7", "--", "true"),
        ("--shape", "3", "--", "there-is-no-such-program"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(in_bed: Groma, words: tuple[str, ...]) -> None:
    done = in_bed(*words)
    assert done.returncode == 2
    assert [line[:5] for line in done.stderr.splitlines()] == ["groma", "  -> "]


@contextmanager
def started(*words: str, ignoring: str = "") -> Iterator[subprocess.Popen[str]]:
    """`groma testbed run`, begun with these signals ignored, and killed if it does not end in the test."""
    begin = ["sh", "-c", f'trap "" {ignoring or "USR1"}; exec "$0" "$@"', sys.executable, "-m", "groma"]
    with subprocess.Popen([*begin, "testbed", "run", *words], stdout=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


# Says that it runs, with a name that no other process has, and leaves a process behind that heeds no signal.
LASTING = "trap '' INT TERM HUP; sleep {unique} & trap - INT TERM; echo ready; wait"


def command_of(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:  # it has ended
        return ""


def running(words: str) -> bool:
    return any(words in command_of(process) for process in Path("/proc").glob("[0-9]*"))


def gone_within(seconds: float, words: str) -> bool:
    end = time.monotonic() + seconds
    while running(words):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("ignoring", ["", "INT"])  # INT by a shell without job control, as of many CI systems
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]
)
def test_whatever_ends_it_nothing_is_left_behind(number: signal.Signals, code: int, ignoring: str) -> None:
    unique = f"987654{os.getpid() % 10000}.{number.value}"
    words = ("--shape", "2", "-q", "--", "sh", "-c", LASTING.format(unique=unique))
    with started(*words, ignoring=ignoring) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        assert running(f"sleep {unique}")
        child.send_signal(number)
        assert child.wait(timeout=20) == code
    assert gone_within(10, f"sleep {unique}")


# Says what it got, then goes on for a moment, as a program does that saves its work.
SAVING = """
import signal, sys, time
def save(number, frame):
    time.sleep(0.3)
    print("saved at", signal.Signals(number).name, flush=True)
    sys.exit(3)
numbers = [signal.Signals[name] for name in sys.argv[1:]]
print(*(signal.getsignal(one) in (signal.SIG_DFL, signal.default_int_handler) for one in numbers), flush=True)
for one in numbers:
    signal.signal(one, save)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("number", ENDING)
def test_a_command_gets_every_signal_that_ends_a_run_and_ends_in_its_own_way(number: signal.Signals) -> None:
    names = [one.name for one in ENDING]
    with started("--shape", "2", "-q", "--", sys.executable, "-c", SAVING, *names, ignoring="PIPE") as child:
        assert child.stdout is not None
        assert set(child.stdout.readline().split()) == {"True"}
        assert child.stdout.readline() == "ready\n"
        child.send_signal(number)
        assert child.stdout.readline() == f"saved at {number.name}\n"
        assert child.wait(timeout=20) == 130


def test_a_script_that_fails_is_reported_and_the_bed_goes_on() -> None:
    with Bed(Plan((2,))) as bed:
        with pytest.raises(GromaError, match="no such cable") as failed:
            bed.execute("echo no such cable; false; echo reached")
        assert failed.value.exit_code == ExitCode.ENVIRONMENT
        assert bed.execute("echo fine") == "fine"
        assert bed.run(["hostname"]).stdout == "h0\n"


def test_an_event_of_a_cable_that_is_gone_ends_no_command(in_bed: Groma) -> None:
    script = "ip link del eth0; sleep 1; echo over"
    done = in_bed("--shape", "2", "-q", "--at", "0.4s", "slow h0 1mbit", "--", "sh", "-c", script)
    assert done.stdout == "over\n"
    assert done.returncode == ExitCode.ENVIRONMENT
    assert [line[:5] for line in done.stderr.splitlines()] == ["groma", "  -> "]


def commands() -> Iterator[bytes]:
    """What every process of this machine was started with."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield place.read_bytes()


def test_a_command_that_takes_too_long_is_gone(ring: Bed) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        ring.run(["sh", "-c", "trap '' TERM; sleep 4321"], timeout=0.5)
    until = time.monotonic() + 60  # the system ends what was killed in its own time
    while (is_left := any(b"sleep\x004321" in words for words in commands())) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_left


def test_what_is_no_text_is_kept_as_far_as_it_can_be(ring: Bed) -> None:
    assert ring.run(["printf", r"caf\351"]).stdout == "caf�"


def test_a_terminal_of_another_session_is_no_obstacle(in_bed: Groma) -> None:
    main, terminal = os.openpty()
    try:
        done = in_bed("--shape", "2", "-q", "--", "sh", "-c", "exit 3", stdin=terminal)
    finally:
        os.close(main)
        os.close(terminal)
    assert done.returncode == 3, done.stderr


PROMPT = "prompt> "


class Terminal:
    """An interactive shell at a terminal of its own."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._main, terminal = os.openpty()
        self._shell = subprocess.Popen(
            ["setsid", "--ctty", "bash", "--norc", "--noprofile", "-i"],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environment | {"PS1": PROMPT, "TERM": "dumb"},
        )
        os.close(terminal)
        self._shown = b""

    def type(self, text: str) -> None:
        os.write(self._main, text.encode())

    def wait_for(self, text: str) -> None:
        """Until this is shown after what was waited for before."""
        until = time.monotonic() + 60
        while (place := self._shown.find(text.encode())) < 0:
            left = until - time.monotonic()
            assert left > 0, (text, self._shown)
            if select.select([self._main], [], [], left)[0]:
                self._shown += os.read(self._main, 4096)
        self._shown = self._shown[place + len(text) :]

    def close(self) -> None:
        os.close(self._main)  # all that has it as its terminal ends
        self._shell.wait()


@pytest.fixture
def terminal(bed_environment: dict[str, str]) -> Iterator[Terminal]:
    opened = Terminal(bed_environment)
    try:
        yield opened
    finally:
        opened.close()


INTERACTIVE = """
import select, signal, sys
signal.signal(signal.SIGCONT, lambda *_: print("continued", flush=True))
print("begun", flush=True)
while not select.select([0], [], [], 0.05)[0]:
    pass
print("got", input(), flush=True)
sys.exit(5)
"""


def test_a_command_that_is_stopped_gives_the_terminal_back_and_goes_on_with_fg(
    terminal: Terminal, tmp_path: Path
) -> None:
    script = tmp_path / "interactive.py"
    script.write_text(INTERACTIVE)
    words = [
        sys.executable,
        "-m",
        "groma",
        "testbed",
        "run",
        "--shape",
        "2",
        "-q",
        "--",
        sys.executable,
        script,
    ]
    terminal.type(f"{shlex.join(map(str, words))}\n")
    terminal.wait_for("begun")
    terminal.type("\x1a")
    terminal.wait_for("Stopped")
    terminal.wait_for(PROMPT)
    terminal.type("fg\n")
    terminal.wait_for("continued")
    terminal.type("a line\n")
    terminal.wait_for("got a line")
    terminal.wait_for(PROMPT)
    terminal.type('echo "co""de $?"\n')
    terminal.wait_for("code 5")
