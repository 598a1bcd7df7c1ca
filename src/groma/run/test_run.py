"""Whatever ends a run, what was measured is kept, and only what is missing is measured when it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.reading import read_record
from groma.record import Advice, Build, ProbeSamples, Record
from groma.record.partial_file import partial_path
from groma.record.unfinished import Steps, unfinished
from groma.run.interruption import Interruption
from groma.run.partial import Inference, PartialFile, PartialRecord
from groma.run.run import Follower, Run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from groma.record import Unfinished

NAMES = ("one", "two", "three")


@dataclass
class Counting(Inference[Any]):
    """Its fact is the number of samples."""

    warned: list[Advice] = field(default_factory=list)

    def measured(self, record: Record[Any]) -> Mapping[str, ProbeSamples]:
        return record.samples

    def infer(self, record: Record[Any]) -> None:
        record.facts, record.warnings = {"samples": len(record.samples)}, list(self.warned)

    def warn(self, record: Record[Any], *some: Advice) -> None:
        del record
        self.warned += some

    def _steps(self, record: Record[Any]) -> Steps:
        missing = [name for name in NAMES if name not in record.samples]
        return Steps(noun="task", planned=3, done=3 - len(missing), missing=missing)

    def state(self, record: Record[Any], path: Path) -> Unfinished | None:
        return unfinished(self._steps(record), f"go on with {path.name}")

    def done(self, record: Record[Any]) -> str:
        return self._steps(record).done_in_words

    def next_step(self, record: Record[Any], partial_file: PartialFile, advised: str) -> str:
        del record
        return f"{advised}: look at {partial_file.path.name}"


@dataclass
class FakeTask:
    """Leaves samples that ended so, then raises its problem."""

    name: str
    ended: str = "stable"
    problem: GromaError | None = None
    budget: float = 2.0
    after: list[float] = field(default_factory=list)

    def is_done(self, record: Record[Any]) -> bool:
        return self.name in record.samples

    def measure(self, partial: PartialRecord[Any], follower: Follower) -> None:
        self.after.append(follower.after)
        if self.ended:
            samples = ProbeSamples(probe=self.name, cases=[], values=[], ended=self.ended)
            partial.record.samples[self.name] = samples
        if self.problem is not None:
            raise self.problem


def tasks(**special: FakeTask) -> list[FakeTask]:
    return [special.get(name, FakeTask(name)) for name in NAMES]


def run_of(output: Path, some: list[FakeTask], record: Record[Any] | None = None) -> Run[Any]:
    begun = record or Record(
        kind="count",
        created="2026-01-02T03:04:05+00:00",
        command=["groma"],
        build=Build(version="0"),
        environment={},
        parameters={},
        samples={},
        facts={},
    )
    return Run(some, PartialRecord(begun, output, Counting()))


def broken(name: str, ended: str = "") -> FakeTask:
    return FakeTask(name, ended, GromaError("it broke", "mind", ExitCode.ENVIRONMENT))


def test_a_whole_run_leaves_its_record_and_no_partial_one(tmp_path: Path) -> None:
    record = run_of(tmp_path / "r.json", tasks()).run(Interruption())
    assert read_record(tmp_path / "r.json").facts == record.facts == {"samples": 3}
    assert record.unfinished is None
    assert not partial_path(tmp_path / "r.json").exists()


def test_a_task_knows_the_time_of_those_after_it(tmp_path: Path) -> None:
    some = tasks()
    run_of(tmp_path / "r.json", some).run(Interruption())
    assert [task.after for task in some] == [[4.0], [2.0], [0.0]]


def test_a_problem_names_its_task_and_where_the_rest_is_kept(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    with pytest.raises(GromaError) as raised:
        run_of(output, tasks(two=broken("two"))).run(Interruption())
    assert raised.value.what == f"two: it broke; 1 of 3 tasks are saved in {partial_path(output)}"
    assert raised.value.next_step == "mind: look at r.partial.json"
    assert raised.value.exit_code == ExitCode.ENVIRONMENT
    kept = read_record(partial_path(output))
    assert (list(kept.samples), kept.facts) == (["one"], {"samples": 1})
    assert kept.unfinished is not None
    assert not output.exists()


def test_only_what_is_missing_is_measured_when_it_goes_on(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    with pytest.raises(GromaError):
        run_of(output, tasks(two=broken("two"))).run(Interruption())
    some = tasks()
    run_of(output, some, read_record(partial_path(output))).run(Interruption())
    assert [len(task.after) for task in some] == [0, 1, 1]
    assert set(read_record(output).samples) == set(NAMES)


def test_a_problem_before_anything_was_measured_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match=r"^it broke: mind$"):
        run_of(tmp_path / "r.json", tasks(one=broken("one"))).run(Interruption())
    assert list(tmp_path.iterdir()) == []


def test_when_no_task_could_measure_nothing_is_pretended(tmp_path: Path) -> None:
    some = [FakeTask(name, "failed") for name in NAMES]
    with pytest.raises(GromaError, match="nothing was measured") as raised:
        run_of(tmp_path / "r.json", some).run(Interruption())
    assert raised.value.exit_code == ExitCode.NOTHING_RAN
    assert not (tmp_path / "r.json").exists()


def test_what_is_written_and_returned_is_redacted_and_what_is_measured_is_not(tmp_path: Path) -> None:
    def redacted(record: Record[Any]) -> Record[Any]:
        return Record(
            **{name: getattr(record, name) for name in Record.__struct_fields__} | {"command": ["removed"]}
        )

    run = run_of(tmp_path / "r.json", tasks())
    run.partial.redact = redacted
    assert run.run(Interruption()).command == ["removed"]
    assert read_record(tmp_path / "r.json").command == ["removed"]
    assert run.partial.record.command == ["groma"]


def test_what_disturbed_beforehand_is_warned_of(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r.json", tasks())
    run.beforehand = (Advice(code="doctor.load", what="a core is busy", next="wait"),)
    assert [one.code for one in run.run(Interruption()).warnings] == ["doctor.load"]
