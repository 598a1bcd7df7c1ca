"""Run the planned launches one after the other; whatever happens, what was measured is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.gather import Gathered, Gatherer
from groma.launch.job import run_job
from groma.launch.placement import refuse_misplaced
from groma.launch.run import (
    LaunchEnd,
    ending_advice,
    launch_advice,
    launch_of,
    problem_of,
    refuse_wrong_start,
    unread_advice,
    with_silent_nodes,
)
from groma.record import Advice, NetworkFacts
from groma.record.io import write_record
from groma.record.network import NetworkLaunch
from groma.survey.infer.network import declared
from groma.survey.network.continuity import arguments_of, refuse_other_machines, refuse_other_options
from groma.survey.network.layers import joined, layers_on, name_layers, number_whole
from groma.survey.network.request import PREFIX
from groma.survey.network.setup import NETWORK
from groma.survey.run import infer_facts, partial_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.launch.native import Interruption
    from groma.launch.prepare import Prepared
    from groma.launch.run import Job
    from groma.record import ProbeSamples
    from groma.record.launch import RankPlace
    from groma.survey.network.layers import LayerPairs
    from groma.survey.network.plan import PlannedLaunch, Step
    from groma.survey.network.setup import NetworkSetup
    from groma.survey.network.stages import Stage
    from groma.survey.run import SurveyRecord

PART = "network"
"""Of the parameters of a record: the plan of the launches, and what is done of it."""


class Listener(Protocol):
    """Told how the survey goes; the command line shows it."""

    def started(self, step: Step, left: float) -> None: ...
    def progressed(self, step: Step, samples: ProbeSamples) -> None: ...
    def finished(self, step: Step, samples: ProbeSamples) -> None: ...


class _Course:
    """Which probe of a launch is on, told to the listener; `after` is the time (s) of all later launches."""

    def __init__(self, launch: PlannedLaunch, after: float, listener: Listener) -> None:
        self.steps = dict(zip((call.probe for call in launch.calls), launch.steps, strict=True))
        self.after, self.listener = after, listener
        self.current: str | None = None
        self.finished: set[str] = set()
        self._start(launch.calls[0].probe)

    def follow(self, known: Gathered) -> None:
        for probe in known.outcomes:
            self._finish(probe, known)
        current = known.current
        if current is not None and current != self.current:
            self._start(current)
        elif current is not None and current in known.samples:
            self.listener.progressed(self.steps[current], known.samples[current])

    def end(self, known: Gathered) -> None:
        """Also what did not come to its end is told."""
        for probe in known.samples:
            self._finish(probe, known)

    def _start(self, probe: str) -> None:
        self.current = probe
        names = list(self.steps)
        left = sum(self.steps[name].budget for name in names[names.index(probe) :])
        self.listener.started(self.steps[probe], left + self.after)

    def _finish(self, probe: str, known: Gathered) -> None:
        if probe not in self.finished and probe in known.samples:
            self.finished.add(probe)
            samples = known.samples[probe]
            samples.elapsed = sum(one.elapsed for one in samples.rounds)
            self.listener.finished(self.steps[probe], samples)


@dataclass
class NetworkSurvey:
    """One run. `output` is the profile to be; nothing is started before its place proved writable.

    `record` may hold what was measured earlier, of the node or, when resumed, of the network.
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
        elsewhere than asked for; 2 where the program refused what was asked; 3 where messages arrived wrong.
        What was measured until then is in the partial record.
        """
        self._drop_undone()
        self._flush()
        left = [launch for launch in self.setup.plan.launches if not self._is_done(launch)]
        for number, launch in enumerate(left):
            try:
                self._run(launch, sum(one.budget for one in left[number + 1 :]), interruption)
            except GromaError as problem:
                raise self._kept(problem, launch) from problem
        return self._finish()

    # ---- one launch ----------------------------------------------------------------------------------------

    def _run(self, launch: PlannedLaunch, after: float, interruption: Interruption) -> None:
        layers = self._layers_for(launch)
        if layers == []:
            self._note_no_layers(launch)
            return
        self._part["undone"] = {name: len(one.cases) for name, one in self.record.samples.items()}
        setup = self.setup.prepared(launch, layers)
        course = _Course(launch, after, self.listener)

        def follow(known: Gathered) -> None:
            refuse_wrong_start(known, setup)
            self._refuse_elsewhere(launch, known)
            course.follow(known)

        gatherer = Gatherer(follow)
        try:
            ended = self.job(setup.command, gatherer.take, interruption, setup.patience)
        finally:
            course.end(gatherer.gathered)
            self._keep(launch, setup, gatherer.gathered, layers)
        for advice in ending_advice(ended):
            self._warn(advice)
        end = LaunchEnd(NETWORK, setup, gatherer.gathered, ended)
        problem = problem_of(end, _retry)
        if problem is not None:
            problem = naming_hosts(problem, gatherer.gathered)
            raise with_silent_nodes(problem, end, self.job, interruption)
        self._done[launch.name] = arguments_of(launch)
        del self._part["undone"]
        self._flush()

    def _refuse_elsewhere(self, launch: PlannedLaunch, known: Gathered) -> None:
        if known.run is not None:
            refuse_misplaced(known.run.placement, launch.shape)
            refuse_other_machines(launch, known.run, self._launches)

    def _layers_for(self, launch: PlannedLaunch) -> list[LayerPairs] | None:
        """None for a launch that needs no layers."""
        if not launch.of_layers or launch.stage is None:
            return None
        self._infer()
        network = self.record.facts.network
        return layers_on(launch.stage, network.layers if network else [])

    def _note_no_layers(self, launch: PlannedLaunch) -> None:
        self._warn(
            Advice(
                code="network.no_layers",
                what=f"{launch.name} was not started: the pairs show no layers there",
                next="see: groma show … network, or measure pairs for longer with --budget",
            )
        )

    def _keep(
        self, launch: PlannedLaunch, setup: Prepared, known: Gathered, layers: list[LayerPairs] | None
    ) -> None:
        """Into the record: samples, where the ranks were, what the program told and warned of."""
        for probe, samples in known.samples.items():
            outcome = known.outcomes.get(probe)
            samples.parameters |= design_of(outcome.facts if outcome else {}, launch.stage)
            self._complete(samples, launch, layers)
            self.record.samples[probe] = joined(self.record.samples.get(probe), samples)
        self._part.setdefault("told", {})[launch.name] = {
            name: outcome.facts for name, outcome in known.outcomes.items()
        }
        self._add_launch(launch, setup, known)
        for advice in [*launch_advice(known, setup), *unread_advice(known, PART, NETWORK)]:
            self._warn(advice)
        for outcome in known.outcomes.values():
            for advice in outcome.warnings:
                self._warn(advice)
        self._flush()

    def _complete(
        self, samples: ProbeSamples, launch: PlannedLaunch, layers: list[LayerPairs] | None
    ) -> None:
        if layers is not None:
            name_layers(samples, layers)
        if launch.stage is not None:
            number_whole(samples, launch.stage)

    def _add_launch(self, launch: PlannedLaunch, setup: Prepared, known: Gathered) -> None:
        found = launch_of(known, setup)
        if found is None or not known.samples:
            return
        if launch.stage is not None:
            found.placement = _whole_placement(found.placement, launch.stage)
        network = self.record.facts.network = self.record.facts.network or NetworkFacts()
        probes = [call.probe for call in launch.calls]
        add_launch(network, NetworkLaunch(probes=probes, launch=found, labels=launch.labels))

    # ---- the record ----------------------------------------------------------------------------------------

    @property
    def _part(self) -> dict[str, Any]:
        part: dict[str, Any] = self.record.parameters[PART]
        return part

    @property
    def _launches(self) -> Sequence[NetworkLaunch]:
        network = self.record.facts.network
        return network.launches if network else ()

    @property
    def _done(self) -> dict[str, Any]:
        done: dict[str, Any] = self._part.setdefault("done", {})
        return done

    def _is_done(self, launch: PlannedLaunch) -> bool:
        return bool(self._done.get(launch.name) == arguments_of(launch))

    def _drop_undone(self) -> None:
        """What a launch that did not end left behind is measured anew."""
        before: dict[str, int] | None = self._part.pop("undone", None)
        if before is None:
            return
        for name in [one for one in self.record.samples if one.startswith(PREFIX)]:
            samples, count = self.record.samples[name], before.get(name, 0)
            samples.cases, samples.values = samples.cases[:count], samples.values[:count]
            samples.ended, samples.error = "rounds", None
            if not count:
                del self.record.samples[name]
        self._drop_unsampled_launches()

    def _drop_unsampled_launches(self) -> None:
        """Where ranks were of whom nothing is kept says nothing of those to come."""
        network = self.record.facts.network
        if network is not None:
            network.launches = [one for one in network.launches if set(one.probes) & set(self.record.samples)]

    def _warn(self, advice: Advice) -> None:
        if advice not in self.beforehand:
            self.beforehand = (*self.beforehand, advice)

    def _infer(self) -> None:
        if declared.PROBE in self.record.samples:
            self.record.samples[declared.PROBE].parameters |= self.setup.plan.declared
        infer_facts(self.record, self.beforehand)

    def _flush(self) -> None:
        write_record(partial_path(self.output), self.redact(self.record))

    def _kept(self, problem: GromaError, launch: PlannedLaunch) -> GromaError:
        """The problem, with where the part that was measured is; without one the partial record goes."""
        path = partial_path(self.output)
        if not any(name.startswith(PREFIX) for name in self.record.samples):
            path.unlink(missing_ok=True)
            return problem
        self._infer()
        self._flush()
        planned = self.setup.plan.launches
        done = sum(self._is_done(one) for one in planned)
        what = f"{launch.name}: {problem.what}; {done} of {len(planned)} launches are kept in {path}"
        resume = "go on with --resume (and the same options)"
        step = f"{problem.next_step}; {resume}" if problem.next_step else resume
        return GromaError(what, step, problem.exit_code)

    def _finish(self) -> SurveyRecord:
        if not any(name.startswith(PREFIX) for name in self.record.samples):
            raise GromaError("nothing was measured", "see groma doctor", ExitCode.NOTHING_RAN)
        self._infer()
        self.record = self.redact(self.record)
        write_record(self.output, self.record)
        partial_path(self.output).unlink(missing_ok=True)
        return self.record


def _retry(_current: str | None) -> str:
    return "--dry-run shows the launch lines: try one in a shell"


def design_of(told: dict[str, Any], stage: Stage | None) -> dict[str, str]:
    """Which of how many pairs were measured, told of the whole machine; nothing for other probes."""
    if "pairs_total" not in told or stage is None:
        return {}
    ranks = stage.shape.nodes * stage.cores
    if stage.shape.ranks == ranks:
        return {"design": told["design"], "pairs_total": str(told["pairs_total"])}
    nodes = max(stage.shape.nodes, 1)
    return {"design": "sampled", "pairs_total": str(nodes * stage.cores * (nodes * stage.cores - 1) // 2)}


def _whole_placement(placement: list[RankPlace], stage: Stage) -> list[RankPlace]:
    return [msgspec.structs.replace(one, rank=stage.whole_rank(one.rank)) for one in placement]


def add_launch(network: NetworkFacts, launch: NetworkLaunch) -> None:
    """Beside those that are there: with the same probes and labels, the ranks of both belong together.

    A rank that both have is where the later one says: it was measured anew.
    """
    for one in network.launches:
        if one.probes == launch.probes and one.labels == launch.labels:
            places = {place.rank: place for place in (*one.launch.placement, *launch.launch.placement)}
            one.launch.placement = [places[rank] for rank in sorted(places)]
            one.launch.nodes = max(one.launch.nodes, launch.launch.nodes)
            one.launch.inter_node = one.launch.inter_node or launch.launch.inter_node
            return
    network.launches.append(launch)


_RANK = re.compile(r"\brank (\d+)")


def naming_hosts(problem: GromaError, known: Gathered) -> GromaError:
    """The problem with the host of each rank that it names."""
    places = known.run.placement if known.run is not None else []
    hosts = {one.rank: one.host for one in places}

    def named(match: re.Match[str]) -> str:
        host = hosts.get(int(match[1]))
        return f"{match[0]} on {host}" if host else match[0]

    return GromaError(_RANK.sub(named, problem.what), problem.next_step, problem.exit_code)


# ---- the record to begin with ------------------------------------------------------------------------------


def begin(record: SurveyRecord, setup: NetworkSetup, *, anew: bool) -> None:
    """Make `record` ready for a survey: `anew` without what an earlier one measured of the network.

    Raises GromaError (exit code 2) where a part of it was measured with other options.
    """
    if anew:
        _without_network(record)
    refuse_other_options(setup.plan, record.parameters.get(PART, {}).get("done", {}))
    part = record.parameters.setdefault(PART, {})
    part["plan"] = msgspec.to_builtins(setup.plan)
    part["launch_lines"] = setup.lines()


def _without_network(record: SurveyRecord) -> None:
    record.samples = {name: one for name, one in record.samples.items() if not name.startswith(PREFIX)}
    record.facts.network = None
    record.parameters.pop(PART, None)
