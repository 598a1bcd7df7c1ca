"""One launch of ranks as a task of a run: started, followed, and kept test by test."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from groma.run.facts import ending_advice
from groma.run.launch_progress import LaunchProgress
from groma.run.launch_results import EventParser
from groma.run.problems import LaunchEnd, problem_of, refuse_wrong_start, with_silent_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.errors import GromaError
    from groma.launch.prepare import LaunchPlan, Tool
    from groma.record import Record
    from groma.run.job import Job
    from groma.run.launch_results import LaunchResults
    from groma.run.listener import Step
    from groma.run.partial import PartialRecord
    from groma.run.run import Follower

F = TypeVar("F")


class MeasuringLaunch(ABC, Generic[F]):
    """A launch as its capability plans it and reads its results. Defaults are for one alone in its run."""

    tool: Tool
    name = ""

    @property
    @abstractmethod
    def steps(self) -> Mapping[str, Step]:
        """Its tests in their order, by the names that their samples have."""

    @property
    def budget(self) -> float:
        """Seconds from its start to its end."""
        return sum(step.budget for step in self.steps.values())

    def is_done(self, record: Record[F]) -> bool:
        del record
        return False

    @abstractmethod
    def begin(self, record: Record[F]) -> LaunchPlan | None:
        """How it is started; None where it cannot be, for which the record then has a warning."""

    def refuse(self, known: LaunchResults) -> None:
        """Raises GromaError where the ranks are not where they have to be."""

    @abstractmethod
    def collect(self, record: Record[F], plan: LaunchPlan, known: LaunchResults) -> None:
        """Put the results so far into the record; called again as more become known."""

    def end(self, record: Record[F]) -> None:
        """All results are known."""

    def explained(self, problem: GromaError, known: LaunchResults) -> GromaError:
        """The problem in words of the capability."""
        del known
        return problem

    @abstractmethod
    def retry(self, current: str | None) -> str:
        """What to do when it died while that test was on."""


@dataclass(frozen=True)
class LaunchTask(Generic[F]):
    launch: MeasuringLaunch[F]
    job: Job

    @property
    def name(self) -> str:
        return self.launch.name

    @property
    def budget(self) -> float:
        return self.launch.budget

    def is_done(self, record: Record[F]) -> bool:
        return self.launch.is_done(record)

    def measure(self, partial: PartialRecord[F], follower: Follower) -> None:
        plan = self.launch.begin(partial.record)
        if plan is None:
            partial.flush()
            return
        end = self._followed(plan, partial, follower)
        problem = problem_of(end, self.launch.retry)
        if problem is not None:
            explained = self.launch.explained(problem, end.known)
            raise with_silent_nodes(explained, end, self.job, follower.interruption, follower.listener)
        self.launch.end(partial.record)
        partial.flush()

    def _followed(self, plan: LaunchPlan, partial: PartialRecord[F], follower: Follower) -> LaunchEnd:
        """A second Ctrl-C ends it at once, and even then the results so far are kept."""
        launch_follower = _LaunchFollower(self.launch, plan, partial, follower)
        event_parser = EventParser(launch_follower, type(plan.plan))
        try:
            ended = self.job(plan.command, event_parser.take, follower.interruption, plan.timeouts)
        except KeyboardInterrupt:
            event_parser.results.interrupt()
            launch_follower.end(event_parser.results)
            raise
        partial.warn(*ending_advice(ended))
        if ended.ending == "interrupted":
            event_parser.results.interrupt()
        launch_follower.end(event_parser.results)
        return LaunchEnd(self.launch.tool, plan, event_parser.results, ended)


class _LaunchFollower(Generic[F]):
    """Keeps what becomes known of a launch and shows its progress, in this order: what is shown as done is on
    disk.
    """

    def __init__(
        self, launch: MeasuringLaunch[F], plan: LaunchPlan, partial: PartialRecord[F], follower: Follower
    ) -> None:
        self.launch, self.plan, self.partial = launch, plan, partial
        self.progress = LaunchProgress(launch.steps, follower.after, follower.listener)
        self.tests_done = 0

    def __call__(self, known: LaunchResults) -> None:
        refuse_wrong_start(known, self.plan)
        self.launch.refuse(known)
        if len(known.outcomes) > self.tests_done:
            self.tests_done = len(known.outcomes)
            self._keep(known)
        self.progress.follow(known)

    def end(self, known: LaunchResults) -> None:
        self._keep(known)
        self.progress.end(known)

    def _keep(self, known: LaunchResults) -> None:
        self.launch.collect(self.partial.record, self.plan, known)
        self.partial.flush()
