"""Rates and errors of strategies follow from their samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.randomaccess_errors import ErrorFacts
from groma.facts.reading import read_record
from groma.randomaccess import run
from groma.randomaccess.infer_errors import (
    broken_strategies,
    error_facts,
    error_rate,
    oversubscription_advice,
)
from groma.record.io import write_record
from groma.run.events import collect_samples
from groma.run.interruption import Interruption
from groma.run.job import JobResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from groma.record import ProbeSamples

RECORDED = Path(__file__).parents[3] / "tests" / "data" / "randomaccess" / "errors-2-threads.jsonl"


@pytest.fixture
def recorded() -> list[bytes]:
    return RECORDED.read_bytes().splitlines(keepends=True)


@pytest.fixture
def samples(recorded: list[bytes]) -> ProbeSamples:
    return collect_samples("errors", recorded)


def test_all_strategies_of_a_recording_have_rates_and_errors(samples: ProbeSamples) -> None:
    facts = error_facts(samples)
    assert [one.name for one in facts.strategies] == [
        "serial",
        "unsynchronised",
        "atomic",
        "locks:16",
        "owner",
    ]
    assert [one.threads for one in facts.strategies] == [1, 2, 2, 2, 2]
    assert [one.exact for one in facts.strategies] == [True, False, True, True, True]
    assert facts.success
    assert broken_strategies(facts) == []
    for one in facts.strategies:
        assert one.gups.unit == "GUP/s"
        assert one.error_rate.runs == 4
        assert (one.error_rate.wrong_words == 0) or not one.exact


def test_threads_that_do_not_synchronise_lost_updates_in_the_recording(samples: ProbeSamples) -> None:
    facts = error_facts(samples)
    rate = next(one for one in facts.strategies if one.name == "unsynchronised").error_rate
    assert rate.wrong_words > 0
    assert rate.mean == pytest.approx(rate.wrong_words / rate.runs / facts.table_words)
    assert rate.min <= rate.p25 <= rate.p50 <= rate.p75 <= rate.max


def test_a_distribution_has_the_standard_deviation_of_a_sample() -> None:
    rate = error_rate([1e-6, 3e-6, 0.0, 4e-6], [1, 3, 0, 4])
    assert rate.mean == pytest.approx(2e-6)
    assert rate.standard_deviation == pytest.approx(1.8257e-6, rel=1e-3)
    assert rate.relative == pytest.approx(0.91287, rel=1e-3)
    assert (rate.min, rate.max, rate.wrong_runs, rate.wrong_words) == (0.0, 4e-6, 3, 8)


def test_no_errors_have_no_relative_deviation_and_one_run_none_at_all() -> None:
    assert error_rate([0.0, 0.0], [0, 0]).relative is None
    assert error_rate([0.0, 0.0], [0, 0]).standard_deviation == 0
    assert error_rate([2e-6], [2]).standard_deviation is None


def with_values(samples: ProbeSamples, values: dict[tuple[str, str], list[float]]) -> ProbeSamples:
    of = [
        values.get((case["strategy"], case["series"]), old)
        for case, old in zip(samples.cases, samples.values, strict=True)
    ]
    return msgspec.structs.replace(samples, values=of)


def test_rates_are_compared_within_rounds(samples: ProbeSamples) -> None:
    times = {
        ("serial", "time"): [2.0, 4.0, 2.0, 2.0],
        ("unsynchronised", "time"): [1.0, 2.0, 1.0, 1.0],
        ("atomic", "time"): [4.0, 8.0, 4.0, 4.0],
    }
    by_name = {one.name: one for one in error_facts(with_values(samples, times)).strategies}
    atomic = by_name["atomic"]
    assert atomic.to_serial is not None
    assert atomic.to_unsynchronised is not None
    assert atomic.to_serial.value == pytest.approx(0.5)
    assert atomic.to_unsynchronised.value == pytest.approx(0.25)
    assert atomic.gups.value == pytest.approx(1e-9 * error_facts(samples).updates / 4.0)


def test_a_wrong_word_under_locks_breaks_the_promise(samples: ProbeSamples) -> None:
    facts = error_facts(with_values(samples, {("locks:16", "wrong_words"): [0, 2, 0, 1]}))
    assert not facts.success
    assert broken_strategies(facts) == ["locks:16: 3 wrong words in 4 runs"]


def test_one_wrong_word_is_one_word(samples: ProbeSamples) -> None:
    facts = error_facts(with_values(samples, {("locks:16", "wrong_words"): [1]}))
    (broken,) = broken_strategies(facts)
    assert broken.startswith("locks:16: 1 wrong word in ")


def test_more_threads_than_cpus_are_warned_of() -> None:
    assert oversubscription_advice(4, 4) == []
    assert [one.code for one in oversubscription_advice(5, 4)] == ["randomaccess.oversubscribed"]
    assert oversubscription_advice(2, 1)[0].what.startswith("2 threads shared 1 CPU:")


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, setup: Any) -> None:
    monkeypatch.setattr(run, "mpi_programs", lambda *_, **__: [setup.program])


def job_of(lines: list[bytes], ended: JobResult) -> Callable[..., JobResult]:
    def job(command: Any, on_line: Any, interruption: Any, timeouts: Any) -> JobResult:
        assert command.words[1] in {"errors", "owner"}
        for line in lines:
            on_line(line)
        return ended

    return job


@pytest.mark.usefixtures("program")
def test_a_record_is_written_and_read_again(recorded: list[bytes], tmp_path: Path) -> None:
    record = run.measure_errors(
        None, ["--runs=4"], Interruption(), job_of(recorded, JobResult("finished", 0))
    )
    write_record(tmp_path / "errors.json", record)
    again = read_record(tmp_path / "errors.json")
    assert isinstance(again.facts, ErrorFacts)
    assert again.facts == record.facts
    assert again.parameters["arguments"] == ["--runs=4"]


@pytest.mark.usefixtures("program")
def test_an_interruption_keeps_the_runs_until_then(recorded: list[bytes]) -> None:
    job = job_of(recorded[: len(recorded) // 2], JobResult("interrupted", -15))
    facts = run.measure_errors(None, [], Interruption(), job).facts
    assert 0 < facts.strategies[0].error_rate.runs < 4


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize(
    ("ended", "code"),
    [
        (
            JobResult("finished", 2, ["groma-randomaccess: 'luck' is not a strategy", "  take serial"]),
            ExitCode.USAGE,
        ),
        (JobResult("finished", -11, []), ExitCode.ENVIRONMENT),
        (JobResult("interrupted", -15), ExitCode.INTERRUPTED),
    ],
)
def test_a_run_without_samples_says_why(ended: JobResult, code: ExitCode) -> None:
    with pytest.raises(GromaError) as refused:
        run.measure_errors(None, [], Interruption(), job_of([], ended))
    assert refused.value.exit_code == code
