"""Whatever ends a run, what was measured is kept, and only what is missing is measured when it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.reading import read_record
from groma.record import Advice, Build, ProbeSamples, Record, Unfinished
from groma.record.partial_file import partial_path
from groma.record.unfinished import Steps, unfinished
from groma.run.interruption import Interruption
from groma.run.listener import Listener
from groma.run.partial import EarlierRun, Inference, PartialFile, PartialRecord
from groma.run.run import Follower, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

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


class Noting(Listener):
    """Keeps what is told beside the steps."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def noted(self, what: str) -> None:
        self.notes.append(what)


@dataclass
class FlushingTask(FakeTask):
    """Writes what it left, as all tasks do, and calls `meanwhile` before and after."""

    meanwhile: Callable[[], object] = lambda: None

    def measure(self, partial: PartialRecord[Any], follower: Follower) -> None:
        self.meanwhile()
        try:
            super().measure(partial, follower)
        finally:
            partial.flush()
            self.meanwhile()


def begun_before(output: Path) -> bytes:
    """The partial record of a run that finished one step."""
    with pytest.raises(GromaError):
        run_of(output, tasks(two=broken("two"))).run(Interruption())
    return partial_path(output).read_bytes()


INTERRUPTED = GromaError("interrupted", "", ExitCode.INTERRUPTED)


def test_a_run_that_is_interrupted_before_its_first_step_leaves_an_earlier_one_as_it_was(
    tmp_path: Path,
) -> None:
    output = tmp_path / "r.json"
    before = begun_before(output)
    for one in (FlushingTask("one", "", INTERRUPTED), FakeTask("one", "", INTERRUPTED)):
        with pytest.raises(GromaError) as raised:
            run_of(output, tasks(one=one)).run(Interruption())
        assert partial_path(output).read_bytes() == before
        assert raised.value.what == (
            f"one: interrupted; this run has finished no step, {partial_path(output)} holds an earlier run "
            "(unfinished: 1 of 3 tasks done)"
        )
        assert raised.value.next_step == f"show it with: groma show {partial_path(output)}"
        assert raised.value.exit_code == ExitCode.INTERRUPTED


def test_a_run_replaces_an_earlier_one_when_it_has_finished_a_step(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    before = begun_before(output)
    seen: list[bytes] = []
    one = FlushingTask("one", meanwhile=lambda: seen.append(partial_path(output).read_bytes()))
    with pytest.raises(GromaError, match="1 of 3 tasks are saved in"):
        run_of(output, tasks(one=one, two=broken("two"))).run(Interruption())
    assert seen[0] == before
    assert seen[1] != before
    assert list(read_record(partial_path(output)).samples) == ["one"]


def test_whoever_starts_a_run_anew_is_told_of_an_earlier_one_and_how_to_keep_it(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    listener = Noting()
    first = run_of(output, tasks(two=broken("two")))
    first.listener = listener
    with pytest.raises(GromaError):
        first.run(Interruption())
    assert listener.notes == []
    second = run_of(output, tasks(one=broken("one")))
    second.listener = listener
    with pytest.raises(GromaError):
        second.run(Interruption())
    (note,) = listener.notes
    assert note == (
        f"{partial_path(output)} holds an earlier run (unfinished: 1 of 3 tasks done); this run replaces it "
        "when it has finished a step. To keep it, press Ctrl-C now and move it"
    )


def test_a_run_that_can_be_resumed_says_how(tmp_path: Path) -> None:
    state = Unfinished(planned=2, done=1, what="unfinished", next="finish it with: groma count --resume")
    earlier = EarlierRun(tmp_path / "r.partial.json", state)
    assert earlier.note.endswith("press Ctrl-C now and finish it with: groma count --resume")
    assert earlier.outlives(INTERRUPTED, "").next_step == "finish it with: groma count --resume"
    assert earlier.outlives(GromaError("it broke", "mend it"), "").next_step == "mend it"


def test_a_resumed_run_goes_on_in_the_same_file_and_tells_nothing_of_it(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    begun_before(output)
    again = run_of(
        output, tasks(two=FlushingTask("two"), three=broken("three")), read_record(partial_path(output))
    )
    again.listener = Noting()
    with pytest.raises(GromaError):
        again.run(Interruption())
    assert again.listener.notes == []
    assert list(read_record(partial_path(output)).samples) == ["one", "two"]


@pytest.mark.parametrize("content", [b"", b"not a record", b"{}"])
def test_a_partial_record_without_finished_steps_is_in_nobodys_way(tmp_path: Path, content: bytes) -> None:
    output = tmp_path / "r.json"
    partial_path(output).write_bytes(content)
    with pytest.raises(GromaError, match=r"^it broke: mind$"):
        run_of(output, tasks(one=broken("one"))).run(Interruption())
    assert list(tmp_path.iterdir()) == []


def test_when_nothing_could_be_measured_an_earlier_run_stays(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    before = begun_before(output)
    with pytest.raises(GromaError, match="nothing was measured"):
        run_of(output, [FakeTask(name, "") for name in NAMES]).run(Interruption())
    assert partial_path(output).read_bytes() == before
