"""Probes are stood in for by small scripts that speak the protocol."""

import json
import os
import signal
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma import __version__
from groma.errors import ExitCode, GromaError
from groma.launch import native
from groma.launch.native import Interruption, gather, interruptible, run_probe

BEGIN = (
    b'{"event":"begin","probe":"p","seed":3,"parameters":{"rounds":"2"},"cases":[{"unit":"s"},{"unit":"s"}]}'
)
ROUND = b'{"event":"round","round":0,"elapsed":0.5,"fixed_work":1e-5,"wall_over_cpu":1.25,"steal":0.0}'
END = b'{"event":"end","ended":"stable"}'


KEYS = st.sampled_from(
    ["event", "case", "round", "value", "cases", "parameters", "seed", "elapsed", "ended", "what"]
)


def sample(case: int, value: str) -> bytes:
    return f'{{"event":"sample","case":{case},"round":0,"value":{value}}}'.encode()


def program(folder: Path, body: str) -> Path:
    path = folder / "groma-probe"
    # A first line cannot name a Python whose path has a space; the second is shell and Python.
    start = f'#!/bin/sh\n"exec" "{sys.executable}" "$0" "$@"\n'
    path.write_text(f"{start}import sys, time, signal, os\n{body}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_samples_are_gathered_per_case_in_the_order_of_rounds() -> None:
    seen: list[int] = []
    lines = [BEGIN, sample(1, "2.5"), sample(0, "1.5"), ROUND, sample(0, "3.5"), END]
    samples = gather("p", lines, lambda so_far: seen.append(len(so_far.rounds)))
    assert samples.values == [[1.5, 3.5], [2.5]]
    assert samples.rounds[0].wall_over_cpu == 1.25
    assert (samples.seed, samples.parameters, samples.ended) == (3, {"rounds": "2"}, "stable")
    assert seen == [1]


def test_a_value_that_is_not_finite_is_left_out() -> None:
    assert gather("p", [BEGIN, sample(0, "null"), sample(0, "1.0"), END]).values[0] == [1.0]


@pytest.mark.parametrize(
    "line", [b'{"event":"sam', b"Segmentation fault", sample(9, "1"), sample(-1, "1"), b"[]"]
)
def test_a_foreign_line_keeps_what_came_before(line: bytes) -> None:
    samples = gather("p", [BEGIN, sample(0, "1.0"), line, sample(0, "2.0"), END])
    assert samples.values[0] == [1.0]
    assert not samples.done
    assert samples.error is not None
    assert samples.error.code == "probe.protocol"


EVENT_LINES = st.one_of(
    st.binary(max_size=80),
    st.sampled_from([BEGIN, sample(0, "1.0"), sample(1, "null"), sample(2, "1"), ROUND, END, END[:-3]]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode()),
)


@given(st.lists(EVENT_LINES, max_size=12))
def test_no_output_of_a_program_breaks_the_gathering(lines: list[bytes]) -> None:
    samples = gather("p", lines)
    assert len(samples.values) == len(samples.cases)
    assert samples.ended in native.ENDINGS | {"failed"}
    assert all(isinstance(value, float) for values in samples.values for value in values)


def test_an_event_of_a_later_version_is_passed_over() -> None:
    assert gather("p", [BEGIN, b'{"event":"hint","text":"x"}', sample(0, "1.0"), END]).done


def test_a_failed_line_becomes_advice() -> None:
    samples = gather(
        "p", [b'{"event":"failed","code":"probe.needs_cores","what":"one core","next":"use two"}']
    )
    assert samples.error is not None
    assert (samples.ended, samples.error.next) == ("failed", "use two")


def test_a_program_that_dies_says_how(tmp_path: Path) -> None:
    body = 'print(\'{"event":"begin","cases":[]}\', flush=True); print(\'boom\', file=sys.stderr); os.abort()'
    samples = run_probe(program(tmp_path, body), "p", {}, Interruption())
    assert samples.error is not None
    assert "signal 6, boom" in samples.error.what
    assert "groma survey --only p" in samples.error.next


def test_parameters_reach_the_program(tmp_path: Path) -> None:
    body = 'print(\'{"event":"failed","code":"c","next":"","what":"\' + \' \'.join(sys.argv[1:]) + \'"}\')'
    samples = run_probe(program(tmp_path, body), "p", {"rounds": "2", "budget": "1"}, Interruption())
    assert samples.error is not None
    assert samples.error.what == "run p budget=1 rounds=2"


def test_an_interruption_ends_the_program_and_keeps_its_samples(tmp_path: Path) -> None:
    body = f"""
signal.signal(signal.SIGTERM, lambda *_: (print('{{"event":"end","ended":"interrupted"}}'), sys.exit(130)))
print('''{BEGIN.decode()}''')
print('''{sample(0, "1.0").decode()}''')
print('''{ROUND.decode()}''', flush=True)
time.sleep(60)
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
    monkeypatch.setattr(native, "GRACE_SECONDS", 0.3)
    samples = run_probe(program(tmp_path, "time.sleep(60)"), "p", {"budget": "0"}, Interruption())
    assert samples.error is not None
    assert "signal 9" in samples.error.what


def test_a_probe_that_the_kernel_killed_for_lack_of_memory_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = iter([3, 4])
    monkeypatch.setattr(native, "oom_kills", lambda _host: next(counts))
    samples = run_probe(program(tmp_path, "os.kill(os.getpid(), 9)"), "p", {"budget": "0"}, Interruption())
    assert samples.error is not None
    assert samples.error.code == "probe.out_of_memory"
    assert samples.ended == "failed"
    assert "--skip p" in samples.error.next


def test_a_missing_program_is_an_environment_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("GROMA_NATIVE_PATH", raising=False)
    with pytest.raises(GromaError, match="make setup") as raised:
        native.native_program("groma-no-such-program")
    assert raised.value.exit_code == ExitCode.ENVIRONMENT


def of_version(version: str) -> str:
    return f"""print('{{"version": "{version}"}}')"""


def test_the_configured_folder_comes_first(tmp_path: Path) -> None:
    expected = program(tmp_path, of_version(__version__))
    assert native.native_program(folder=str(tmp_path)) == expected


def not_executable(folder: Path) -> None:
    program(folder, "").chmod(0o644)


@pytest.mark.parametrize("by_variable", [True, False])
@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        (lambda folder: folder.rmdir(), "is no folder"),
        (lambda folder: folder.rmdir() or folder.write_text(""), "is no folder"),
        (Path.exists, "there is no groma-probe in"),
        (lambda folder: (folder / "groma-probe").mkdir(), "there is no groma-probe in"),
        (not_executable, "is not executable"),
        (lambda folder: program(folder, of_version("0.0.9")), "is version 0.0.9"),
        (lambda folder: program(folder, "print('hello')"), "answers in a way"),
        (lambda folder: program(folder, "print('{')"), "answers in a way"),
        (lambda folder: program(folder, "sys.exit(1)"), "failed"),
    ],
)
def test_no_other_program_takes_the_place_of_the_configured_one(
    prepare: Callable[[Path], object],
    said: str,
    by_variable: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there, elsewhere = tmp_path / "there", tmp_path / "elsewhere"
    for folder in (there, elsewhere):
        folder.mkdir()
    program(elsewhere, of_version(__version__))
    monkeypatch.setenv("PATH", str(elsewhere))
    prepare(there)
    monkeypatch.setenv("GROMA_NATIVE_PATH", str(there) if by_variable else "")
    with pytest.raises(GromaError) as raised:
        native.native_program(folder=None if by_variable else str(there))
    assert raised.value.exit_code == ExitCode.ENVIRONMENT
    assert said in raised.value.what
    assert str(there) in raised.value.what or "groma-probe build failed" in raised.value.what


def test_a_folder_of_programs_for_one_mpi_stands_for_its_installation(tmp_path: Path) -> None:
    of_mpi = tmp_path / "lib" / "groma" / "mpich" / "bin"
    of_mpi.mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    expected = program(tmp_path / "bin", of_version(__version__))
    assert native.native_program(folder=str(of_mpi)) == expected


@pytest.mark.parametrize("answer", ["{", "[]", "null", '{"name": 3}', "[" * 5000, "\xff"])
def test_an_answer_of_another_kind_is_an_environment_error(answer: str, tmp_path: Path) -> None:
    broken = program(tmp_path, f"sys.stdout.buffer.write({answer.encode('latin-1')!r})")
    for question in (native.catalogue, native.declared_topology, native.build_of):
        with pytest.raises(GromaError, match="answers in a way") as raised:
            question(broken)
        assert raised.value.exit_code == ExitCode.ENVIRONMENT


def test_a_program_that_cannot_answer_is_an_environment_error(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="make setup") as raised:
        native.catalogue(program(tmp_path, "sys.exit(3)"))
    assert raised.value.exit_code == ExitCode.ENVIRONMENT
