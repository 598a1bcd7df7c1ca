"""Run the planned launches one after the other; whatever happens, what was measured is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.launch.gather import Gathered, Gatherer
from groma.launch.job import run_job
from groma.launch.placement import refuse_misplaced
from groma.launch.run import LaunchEnd, ending_advice, problem_of, refuse_wrong_start, with_silent_nodes
from groma.record import Advice
from groma.record.writing import refuse_unwritable
from groma.survey.network.continuity import refuse_other_machines
from groma.survey.network.course import Course
from groma.survey.network.ledger import Ledger
from groma.survey.network.setup import NETWORK

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.launch.listener import Listener
    from groma.launch.native import Interruption
    from groma.launch.prepare import Prepared
    from groma.launch.run import Job
    from groma.record.network import NetworkLaunch
    from groma.survey.network.plan import PlannedLaunch
    from groma.survey.network.setup import NetworkSetup
    from groma.survey.run import SurveyRecord


@dataclass
class NetworkSurvey:
    """One run. `output` is the profile to be; nothing is started before its place proved writable.

    `record` was begun (groma.survey.network.ledger) and may hold what was measured earlier, of the node or,
    when resumed, of the network.
    """

    setup: NetworkSetup
    record: SurveyRecord
    output: Path
    listener: Listener
    beforehand: tuple[Advice, ...] = ()
    job: Job = run_job
    redact: Callable[[SurveyRecord], SurveyRecord] = field(default=lambda record: record)

    def run(self, interruption: Interruption) -> SurveyRecord:
        """Measure what is missing and return the finished record, written to `output`.

        Raises GromaError: exit code 130 when interrupted; 4 where a launch died, hung, or put its ranks
        elsewhere than asked for or than before; 2 where the program refused what was asked; 3 where messages
        arrived wrong. What was measured until then is in the partial record.
        """
        refuse_unwritable(self.output)
        ledger = Ledger(self.setup.plan, self.record, self.output, self.redact)
        ledger.warn(*self.beforehand)
        ledger.drop_undone()
        ledger.flush()
        left = [launch for launch in self.setup.plan.launches if not ledger.is_done(launch)]
        for number, launch in enumerate(left):
            after = sum(one.budget for one in left[number + 1 :])
            try:
                self._measure(launch, after, ledger, interruption)
            except GromaError as problem:
                raise ledger.kept(problem, launch) from problem
        self.record = ledger.finish()
        return self.record

    def _measure(
        self, launch: PlannedLaunch, after: float, ledger: Ledger, interruption: Interruption
    ) -> None:
        """One launch from its start to its end; `after` is the time (s) of all later ones."""
        layers = ledger.layers_for(launch)
        if layers == []:
            ledger.skip(launch, _no_layers(launch))
            return
        setup = self.setup.prepared(launch, layers)
        ledger.open()
        course = Course(launch, after, self.listener)
        gatherer = Gatherer(_follower(launch, setup, course, ledger.launches))
        try:
            ended = self.job(setup.command, gatherer.take, interruption, setup.patience)
        finally:
            course.end(gatherer.gathered)
            ledger.add(launch, setup, gatherer.gathered, layers)
        ledger.warn(*ending_advice(ended))
        end = LaunchEnd(NETWORK, setup, gatherer.gathered, ended)
        problem = problem_of(end, _retry)
        if problem is not None:
            named = naming_hosts(problem, gatherer.gathered)
            raise with_silent_nodes(named, end, self.job, interruption, self.listener)
        ledger.close(launch)


def _follower(
    launch: PlannedLaunch, setup: Prepared, course: Course, earlier: Sequence[NetworkLaunch]
) -> Callable[[Gathered], None]:
    """What listens to a launch: refuses ranks that are not where they should be, and tells the rest on."""

    def follow(known: Gathered) -> None:
        refuse_wrong_start(known, setup)
        if known.run is not None:
            refuse_misplaced(known.run.placement, setup.shape)
            refuse_other_machines(launch, known.run, earlier)
        course.follow(known)

    return follow


def _no_layers(launch: PlannedLaunch) -> Advice:
    return Advice(
        code="network.no_layers",
        what=f"{launch.name} was not started: the pairs show no layers there",
        next="see: groma show … network, or measure pairs for longer with --budget",
    )


def _retry(_current: str | None) -> str:
    return "--dry-run shows the launch lines: try one in a shell"


_RANK = re.compile(r"\brank (\d+)")


def naming_hosts(problem: GromaError, known: Gathered) -> GromaError:
    """The problem with the host of each rank that it names."""
    places = known.run.placement if known.run is not None else []
    hosts = {one.rank: one.host for one in places}

    def named(match: re.Match[str]) -> str:
        host = hosts.get(int(match[1]))
        return f"{match[0]} on {host}" if host else match[0]

    return GromaError(_RANK.sub(named, problem.what), problem.next_step, problem.exit_code)
