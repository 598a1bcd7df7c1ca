"""A run keeps what was measured, whatever way it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.randomaccess import RandomAccessFacts
from groma.facts.reading import read_record
from groma.randomaccess.run import measure_owners, random_access
from groma.record.partial_file import partial_path
from groma.record.redact import redacted
from groma.run.interruption import Interruption
from groma.run.job import JobResult

if TYPE_CHECKING:
    from pathlib import Path

    from groma.facts.randomaccess_owner import OwnerFacts
    from groma.randomaccess.setup import Setup
    from groma.record import Record
    from groma.run.run import Run


def run_of(setup: Setup, path: Path, lines: list[bytes], ended: JobResult) -> Run[RandomAccessFacts]:
    def job(command: Any, on_line: Any, interruption: Any, timeouts: Any) -> JobResult:
        for line in lines:
            on_line(line)
        return ended

    return random_access(setup, path, job)


def test_a_whole_run_is_written_and_read_again(setup: Setup, tmp_path: Path, lines: list[bytes]) -> None:
    path = tmp_path / "randomaccess.json"
    record = run_of(setup, path, lines, JobResult("finished", 0)).run(Interruption())
    again = read_record(path)
    assert again.kind == "randomaccess"
    assert isinstance(again.facts, RandomAccessFacts)
    assert again.facts == record.facts
    assert again.facts.launch is not None
    assert again.facts.launch.ranks == 2
    assert len(again.samples["random_access"].values[0]) == 3
    assert not partial_path(path).exists()


OWNER_CASES = [
    {"unit": "s", "way": way, "parts": parts, "words": 1024}
    for way, parts in (("division", 3), ("prediction", 3), ("division", 6))
]
OWNER_LINES = [
    json.dumps({"event": "begin", "probe": "owner", "seed": 1, "cases": OWNER_CASES}).encode(),
    b'{"event":"sample","case":0,"round":0,"value":2e-9}',
    b'{"event":"sample","case":1,"round":0,"value":1e-9}',
    b'{"event":"sample","case":2,"round":0,"value":2e-9}',
]


def lookups_of(lines: list[bytes], monkeypatch: pytest.MonkeyPatch, setup: Setup) -> Record[OwnerFacts]:
    def job(command: Any, on_line: Any, interruption: Any, timeouts: Any) -> JobResult:
        for line in lines:
            on_line(line)
        return JobResult("interrupted", -2)

    monkeypatch.setattr("groma.randomaccess.run.mpi_programs", lambda *_, **__: [setup.program])
    return measure_owners(None, [], Interruption(), job)


def test_an_interruption_keeps_the_lookups_until_then(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    record = lookups_of(OWNER_LINES, monkeypatch, setup)
    assert [one.parts for one in record.facts.lookups] == [3]


def test_an_interruption_before_any_lookup_says_so(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GromaError) as refused:
        lookups_of(OWNER_LINES[:2], monkeypatch, setup)
    assert refused.value.exit_code == ExitCode.INTERRUPTED


def test_a_run_whose_time_ended_before_the_rate_settled_says_so(
    setup: Setup, tmp_path: Path, lines: list[bytes]
) -> None:
    record = run_of(setup, tmp_path / "r.json", lines, JobResult("finished", 0)).run(Interruption())
    assert "randomaccess.unsettled" in {one.code for one in record.warnings}
    stable = [line.replace(b'"ended":"budget"', b'"ended":"stable"') for line in lines]
    record = run_of(setup, tmp_path / "r.json", stable, JobResult("finished", 0)).run(Interruption())
    assert "randomaccess.unsettled" not in {one.code for one in record.warnings}


def test_ranks_that_do_not_end_leave_a_whole_record(setup: Setup, tmp_path: Path, lines: list[bytes]) -> None:
    path = tmp_path / "randomaccess.json"
    record = run_of(setup, path, lines, JobResult("lingering", -15, silence=10.0)).run(Interruption())
    assert record.facts.success
    assert "launch.lingering" in {one.code for one in record.warnings}
    assert not partial_path(path).exists()


@pytest.mark.parametrize(
    ("ended", "code", "words"),
    [
        (JobResult("interrupted", -15), ExitCode.INTERRUPTED, "2 of 3 repetitions are saved"),
        (JobResult("stuck", -9, silence=300.0), ExitCode.ENVIRONMENT, "the launch printed nothing for 300 s"),
        (JobResult("finished", 137), ExitCode.ENVIRONMENT, "(signal 9)"),
        (
            JobResult("finished", 4, ["groma-randomaccess: no room in /dev/shm", "  take a smaller table"]),
            ExitCode.ENVIRONMENT,
            "no room in /dev/shm",
        ),
    ],
)
def test_what_was_done_before_the_end_is_kept(  # noqa: PLR0913, PLR0917 - fixtures and cases
    setup: Setup, tmp_path: Path, lines: list[bytes], ended: JobResult, code: ExitCode, words: str
) -> None:
    path = tmp_path / "randomaccess.json"
    rounds = [number for number, line in enumerate(lines) if b'"event":"round"' in line]
    with pytest.raises(GromaError) as refusal:
        run_of(setup, path, lines[: rounds[1] + 1], ended).run(Interruption())
    assert refusal.value.exit_code == code
    assert words in refusal.value.what
    kept = read_record(partial_path(path))
    assert kept.facts.success is None
    assert kept.facts.gups.samples.n == 2
    assert not path.exists()


def test_a_wrong_word_is_a_finished_run(setup: Setup, tmp_path: Path, lines: list[bytes]) -> None:
    wrong = [line.replace(b'"passed":true', b'"passed":false', 1) for line in lines]
    record = run_of(setup, tmp_path / "r.json", wrong, JobResult("finished", 3)).run(Interruption())
    assert record.facts.success is False


def test_host_names_can_be_left_out(setup: Setup, tmp_path: Path, lines: list[bytes]) -> None:
    record = run_of(setup, tmp_path / "r.json", lines, JobResult("finished", 0)).run(Interruption())
    launch = redacted(record).facts.launch
    assert launch is not None
    assert {one.host for one in launch.placement} == {"host-1"} or len(launch.placement) == 2
