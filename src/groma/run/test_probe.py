"""Probes are stood in for by small scripts that speak the protocol."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from groma.errors import ExitCode, GromaError
from groma.run import probe
from groma.run.interruption import Interruption, interruptible
from groma.run.probe import run_probe
from scripted import BEGIN, END, ROUND, program, sample


def test_a_program_that_dies_says_how(tmp_path: Path) -> None:
    body = 'print(\'{"event":"begin","cases":[]}\', flush=True); print(\'boom\', file=sys.stderr); os.abort()'
    samples = run_probe(program(tmp_path, body), "p", {}, Interruption())
    assert samples.error is not None
    assert "signal 6, boom" in samples.error.what
    assert "groma survey --only p" in samples.error.next


def test_a_probe_measures_also_where_no_thread_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refuse)
    body = f"print('''{BEGIN.decode()}'''); print('''{sample(0, '1.0').decode()}''')"
    assert run_probe(program(tmp_path, body), "p", {}, Interruption()).values[0] == [1.0]


def test_parameters_reach_the_program(tmp_path: Path) -> None:
    body = 'print(\'{"event":"failed","code":"c","next":"","what":"\' + \' \'.join(sys.argv[1:]) + \'"}\')'
    samples = run_probe(program(tmp_path, body), "p", {"rounds": "2", "budget": "1"}, Interruption())
    assert samples.error is not None
    assert samples.error.what == "run p budget=1 rounds=2"


def test_an_interruption_ends_the_program_and_keeps_its_samples(tmp_path: Path) -> None:
    body = f"""
END = b'{{"event":"end","ended":"interrupted"}}\\n'
signal.signal(signal.SIGTERM, lambda *_: (os.write(1, END), os._exit(130)))  # no print within a print
print('''{BEGIN.decode()}''')
print('''{sample(0, "1.0").decode()}''')
print('''{ROUND.decode()}''', flush=True)
while True: time.sleep(0.05)  # a signal just before a long sleep would wait for its end
"""
    started = time.monotonic()
    with interruptible() as interruption:
        samples = run_probe(
            program(tmp_path, body), "p", {}, interruption, lambda _: os.kill(os.getpid(), signal.SIGINT)
        )
    assert interruption.requested
    assert samples.ended == "interrupted"
    assert samples.values[0] == [1.0]
    assert time.monotonic() - started < 30


def test_signal_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_program_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "GRACE_SECONDS", 0.3)
    samples = run_probe(program(tmp_path, "time.sleep(60)"), "p", {"budget": "0"}, Interruption())
    assert samples.error is not None
    assert samples.error.code == "probe.overdue"
    assert "groma ended it after" in samples.error.what


def test_a_probe_that_dies_amid_a_line_died_and_wrote_nothing_foreign(tmp_path: Path) -> None:
    body = f"""
print('''{BEGIN.decode()}''')
sys.stdout.write('{{"event":"sam')
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGXCPU)
"""
    samples = run_probe(program(tmp_path, body), "p", {}, Interruption())
    assert samples.error is not None
    assert samples.error.code == "probe.died"
    assert "ulimit -t" in samples.error.what


def test_a_foreign_line_of_a_probe_that_dies_later_is_still_one(tmp_path: Path) -> None:
    body = "print('Fatal: no version', flush=True); os.kill(os.getpid(), 9)"
    samples = run_probe(program(tmp_path, body), "p", {}, Interruption())
    assert samples.error is not None
    assert samples.error.code == "probe.protocol"


def test_a_probe_that_the_kernel_killed_for_lack_of_memory_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = iter([3, 4])
    monkeypatch.setattr(probe, "oom_kills", lambda _host: next(counts))
    samples = run_probe(program(tmp_path, "os.kill(os.getpid(), 9)"), "p", {"budget": "0"}, Interruption())
    assert samples.error is not None
    assert samples.error.code == "probe.out_of_memory"
    assert samples.ended == "failed"
    assert "--skip p" in samples.error.next


@pytest.mark.parametrize(("limit", "named"), [(0, True), (3600, False), (-1, False)])
def test_a_probe_that_used_up_its_cpu_time_says_so(
    limit: int, named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shell sets the soft limit and the hard one, which kills without a warning."""
    monkeypatch.setattr("resource.getrlimit", lambda _which: (limit, limit))
    samples = run_probe(program(tmp_path, "os.kill(os.getpid(), 9)"), "p", {}, Interruption())
    assert samples.error is not None
    assert ("ulimit -t" in samples.error.what) is named


def test_a_talkative_probe_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "GRACE_SECONDS", 20.0)
    body = f"""
sys.stderr.write("a warning of some library\\n" * 9000)
sys.stderr.flush()
print('''{BEGIN.decode()}''')
print('''{sample(0, "1.0").decode()}''')
print('''{END.decode()}''')
"""
    samples = run_probe(program(tmp_path, body), "p", {}, Interruption())
    assert (samples.ended, samples.error, samples.values[0]) == ("stable", None, [1.0])


def is_running(pid: int) -> bool:
    """Whether it does more than wait to be buried."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


STUBBORN = """
import subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(__file__ + ".pids", "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
"""


def test_a_second_interruption_leaves_nothing_of_a_probe_that_does_not_heed_the_first(tmp_path: Path) -> None:
    def twice(_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    path = program(tmp_path, f"{STUBBORN}print('''{ROUND.decode()}''', flush=True)\ntime.sleep(600)")
    with pytest.raises(KeyboardInterrupt), interruptible() as interruption:
        run_probe(path, "p", {}, interruption, twice)
    assert interruption.child is None
    pids = Path(f"{path}.pids").read_text().split()
    assert len(pids) == 2
    wait_for(lambda: not any(is_running(int(pid)) for pid in pids))


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    assert condition()


def test_a_probe_that_goes_on_after_a_foreign_line_is_ended_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "GRACE_SECONDS", 1.5)
    body = f"{STUBBORN}print('Fatal: no version', flush=True)\ntime.sleep(600)"
    started = time.monotonic()
    samples = run_probe(program(tmp_path, body), "p", {}, Interruption())
    assert samples.error is not None
    assert samples.error.code == "probe.protocol"
    assert time.monotonic() - started < 60


def test_what_follows_a_foreign_line_is_read_and_not_kept(tmp_path: Path) -> None:
    body = "print('Fatal: no version')\nfor i in range(20000): print('more', i)\nsys.exit(3)"
    samples = run_probe(program(tmp_path, body), "p", {}, Interruption())
    assert samples.error is not None
    assert samples.error.code == "probe.protocol"


def test_a_probe_of_another_architecture_is_an_environment_error(tmp_path: Path) -> None:
    path = tmp_path / "groma-probe"
    path.write_bytes(b"\x7fELF\x02\x01\x01\x00garbage")
    path.chmod(0o755)
    with pytest.raises(GromaError, match="groma-probe cannot be started: ") as failed:
        run_probe(path, "p", {}, Interruption())
    assert failed.value.exit_code == ExitCode.ENVIRONMENT
