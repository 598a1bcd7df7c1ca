"""Runs groma-counters: what this machine counts, which events together, and the counts of a program."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.native import ANSWER_SECONDS, decoded, native_program
from groma.record.reading import known
from groma.run.foreground import OF_TERMINAL, handed_on, left_to_the_program
from groma.run.signals import named

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.run.foreground import HandedOn

T = TypeVar("T")

PROGRAM = "groma-counters"

_NOT_RUN = "not counted: a signal came before its run"

_LISTED = re.compile(r"(?:[^,/]|/[^/]*/?)+")
"""cycles, or cpu/event=0x3c,umask=1/u."""


class CounterEvent(msgspec.Struct, frozen=True):
    """`counted` says whether it could be opened and started; `remark` why not, or what restricts it."""

    name: str
    what: str
    unit: str
    counted: bool
    remark: str


class CounterMetric(msgspec.Struct, frozen=True):
    name: str
    unit: str
    formula: str


class CounterGroup(msgspec.Struct, frozen=True):
    """A group of metrics. `names` are its events by their names in formulas; `place` is its file."""

    name: str
    title: str
    place: str
    events: list[str]
    names: dict[str, str]
    metrics: list[CounterMetric]


class CounterList(msgspec.Struct, frozen=True):
    """`defects` are groups of the user that cannot be read."""

    events: list[CounterEvent]
    groups: list[CounterGroup]
    defects: list[str]


class UnavailableEvent(msgspec.Struct, frozen=True):
    event: str
    reason: str


class Collision(msgspec.Struct, frozen=True):
    """`event` finds no counter beside those before it; without any one of `with_` it would.

    `alone`: it cannot stand beside this one even if nothing else is counted.
    """

    event: str
    with_: list[str] = msgspec.field(name="with")
    alone: bool = False


class CheckedPlan(msgspec.Struct, frozen=True):
    """`runs` hold all events that can be counted, in sets that fit together.

    `unavailable` are the others; `unknown` are those of them that are no events of this machine.
    """

    unavailable: list[UnavailableEvent]
    collisions: list[Collision]
    runs: list[list[str]]
    remarks: list[str]
    unknown: list[str] = []


class EventCount(msgspec.Struct, frozen=True):
    """`share` is that of the time in which it was counted; the value is scaled by it."""

    event: str
    value: float | None
    share: float
    remark: str


class DerivedMetric(msgspec.Struct, frozen=True):
    group: str
    name: str
    unit: str
    formula: str
    value: float | None


class RunCounts(msgspec.Struct, frozen=True):
    """Counts of a program with all of its threads and children. `metrics` follow from them."""

    seconds: float
    exit_code: int
    counts: list[EventCount]
    metrics: list[DerivedMetric] = []
    runs: int = 1


def listed_names(text: str) -> list[str]:
    """The names in a list. They are separated by commas; those within a native name belong to it."""
    return [name for part in _LISTED.findall(text) if (name := part.strip())]


def counter_list(folder: str | None) -> CounterList:
    """Raises GromaError (exit code 4)."""
    return _answer(["list"], CounterList, folder)


def checked_plan(names: Sequence[str], folder: str | None) -> CheckedPlan:
    """What came of opening events and groups called `names` together.

    Raises GromaError: exit code 2 where no event is named, or none that is known; 4 for a program that fails.
    """
    _refuse_no(names)
    plan = _answer(["check", *names], CheckedPlan, folder)
    _refuse_unknown(plan)
    return plan


def count_program(
    names: Sequence[str], command: Sequence[str], folder: str | None, *, whole_runs: bool = False
) -> RunCounts:
    """Runs a program and counts it. `whole_runs`: once for each set of events that fits together.

    Signals that end a run are for the program. Counts until its end are given, and no other run begins.

    Raises GromaError (exit code 2) for a command that cannot be started, and as `checked_plan` does;
    KeyboardInterrupt for a signal that came before the program was started.
    """
    _refuse_no(names)
    _refuse_missing(command[0])
    plan = checked_plan(names, folder)
    is_scheduled = whole_runs and bool(plan.runs)
    sets = plan.runs if is_scheduled else [list(names)]
    done = _all_runs(sets, command, folder)
    counts = [count for run in done for count in run.counts]
    counts += [EventCount(one, None, 1.0, _NOT_RUN) for events in sets[len(done) :] for one in events]
    if is_scheduled:
        counts += [EventCount(one.event, None, 1.0, one.reason) for one in plan.unavailable]
    seconds = sum(run.seconds for run in done) / len(done)
    code = next((run.exit_code for run in done if run.exit_code), 0)
    return RunCounts(seconds, code, counts, _metrics(names, seconds, counts, folder), len(done))


def _refuse_no(names: Sequence[str]) -> None:
    if not names:
        raise GromaError("no event is named", "name some: groma counters lists them")


def _refuse_unknown(plan: CheckedPlan) -> None:
    """A name that is misspelt beside others is reported in its place; alone it leaves nothing to do."""
    if plan.unknown and len(plan.unknown) == len(plan.unavailable) and not plan.runs:
        reasons = [f"{one.event} cannot be counted: {one.reason}" for one in plan.unavailable]
        raise GromaError("; ".join(reasons), "check the spelling")


def _refuse_missing(program: str) -> None:
    """Before anything is opened: groma-counters has the output of the program, and no place for words."""
    if shutil.which(program) is None:
        why = "it may not be executed" if known(Path(program).exists) else "there is no such program"
        raise GromaError(f"{program} cannot be started: {why}", "check the command after --")


def _all_runs(sets: Iterable[Sequence[str]], command: Sequence[str], folder: str | None) -> list[RunCounts]:
    """One run for each set, or as many as there are until a signal comes."""
    done: list[RunCounts] = []
    with left_to_the_program() as left, handed_on() as signals:
        for events in sets:
            run = _one_run(events, command, folder, signals)
            done += [run] if run else []
            if run is None or left or signals.came:
                break
    if not done:
        raise KeyboardInterrupt(named([*left, *signals.came, 0][0]))
    return done


def _one_run(
    events: Sequence[str], command: Sequence[str], folder: str | None, signals: HandedOn
) -> RunCounts | None:
    """None if a signal ended groma-counters before it had started the program."""
    program = native_program(PROGRAM, folder)
    with tempfile.TemporaryDirectory(prefix="groma-counters-") as place:
        answer = Path(place) / "counts.json"
        with subprocess.Popen([program, "run", answer, *events, "--", *command]) as counters:
            signals.hand_on_to(counters)  # which hands them on to the program
            returncode = counters.wait()
        if answer.is_file():
            return decoded(answer.read_bytes(), RunCounts, program)
    if -returncode in {*OF_TERMINAL, *signals.came}:
        return None
    raise _not_counted(command[0], returncode)


def _not_counted(what: str, returncode: int) -> GromaError:
    """groma-counters said why, unless a signal ended it."""
    if returncode < 0:
        return GromaError(
            f"{what} was not counted: signal {-returncode} ended {PROGRAM}",
            "free memory, or find out what sent the signal",
            ExitCode.ENVIRONMENT,
        )
    code = ExitCode.USAGE if returncode == ExitCode.USAGE else ExitCode.ENVIRONMENT
    return GromaError(f"{what} was not counted", "see the message above", code)


def _metrics(
    names: Sequence[str], seconds: float, counts: Iterable[EventCount], folder: str | None
) -> list[DerivedMetric]:
    values = [f"{one.event}={one.value!r}" for one in counts if one.value is not None]
    return _answer(["derive", *names, *values, f"time={seconds!r}"], list[DerivedMetric], folder)


def _answer(words: Sequence[str], as_type: type[T], folder: str | None) -> T:
    program = native_program(PROGRAM, folder)
    try:
        done = subprocess.run([program, *words], capture_output=True, timeout=ANSWER_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise GromaError(
            f"{PROGRAM} {words[0]} failed: {error}", "rebuild it with: make setup", ExitCode.ENVIRONMENT
        ) from error
    return decoded(done.stdout, as_type, program)
