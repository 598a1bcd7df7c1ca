"""One launch of a survey of the network: how it starts, and what its samples become in the record."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import GromaError
from groma.facts.network import NetworkFacts, NetworkLaunch
from groma.facts.survey import SurveyFacts
from groma.record import Advice
from groma.run.facts import launch_advice, launch_of, unread_advice
from groma.run.launch import MeasuringLaunch
from groma.run.placement import refuse_misplaced
from groma.survey.infer.network.names import DISTANCE
from groma.survey.network.continuity import refuse_other_machines
from groma.survey.network.layers import joined, layers_on, name_layers, number_whole
from groma.survey.network.parameters import SampleCount, arguments_of, changing, network_parameters
from groma.survey.network.setup import NETWORK
from groma.survey.plan import NETWORK_PART
from groma.survey.run import infer_facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.prepare import LaunchPlan, Step
    from groma.record import ProbeSamples
    from groma.record.launch import RankPlace
    from groma.run.launch_results import LaunchResults
    from groma.survey.network.layers import LayerPairs
    from groma.survey.network.plan import PlannedLaunch
    from groma.survey.network.setup import NetworkSetup
    from groma.survey.network.stages import Stage
    from groma.survey.run import SurveyRecord


class SurveyLaunch(MeasuringLaunch[SurveyFacts]):
    """`layers` are the pairs of the layers found until it begins, None where it needs none; `before` and
    `earlier` are the samples and the launches that the record held then.
    """

    tool = NETWORK

    def __init__(self, setup: NetworkSetup, planned: PlannedLaunch) -> None:
        self.setup, self.planned, self.name = setup, planned, planned.name
        self.layers: list[LayerPairs] | None = None
        self.before: dict[str, ProbeSamples] = {}
        self.earlier: tuple[NetworkLaunch, ...] = ()

    @property
    def steps(self) -> Mapping[str, Step]:
        return dict(zip((call.probe for call in self.planned.calls), self.planned.steps, strict=True))

    @property
    def budget(self) -> float:
        return self.planned.budget

    def is_done(self, record: SurveyRecord) -> bool:
        part = network_parameters(record)
        return part is not None and part.done.get(self.name) == arguments_of(self.planned)

    def begin(self, record: SurveyRecord) -> LaunchPlan | None:
        """Until it ends, what it adds is marked as undone."""
        self.layers = self._layers(record)
        if self.layers == []:
            with changing(record) as part:
                part.skipped.append(self.name)
                part.warn(_no_layers(self.planned))
            return None
        self.before = dict(record.samples)
        self.earlier = tuple(record.facts.network.launches) if record.facts.network else ()
        with changing(record) as part:
            part.settled = len(part.warnings)
            part.undone = {
                name: SampleCount(cases=len(one.cases), rounds=len(one.rounds))
                for name, one in self.before.items()
            }
        return self.setup.launch_plan(self.planned, self.layers)

    def _layers(self, record: SurveyRecord) -> list[LayerPairs] | None:
        if not self.planned.of_layers or self.planned.stage is None:
            return None
        infer_facts(record)
        network = record.facts.network
        return layers_on(self.planned.stage, network.layers if network else [])

    def refuse(self, known: LaunchResults) -> None:
        if known.run is not None:
            refuse_misplaced(known.run.placement, self.planned.shape)
            refuse_other_machines(self.planned, known.run, self.earlier)

    def collect(self, record: SurveyRecord, plan: LaunchPlan, known: LaunchResults) -> None:
        """Samples, where the ranks were, what the program reported and warned of."""
        for probe, samples in known.samples.items():
            record.samples[probe] = joined(self.before.get(probe), self._of_whole(samples, known))
        self._add_launch(record, plan, known)
        with changing(record) as part:
            part.outcomes[self.name] = {name: outcome.facts for name, outcome in known.outcomes.items()}
            part.warn(*launch_advice(known, plan), *unread_advice(known, NETWORK_PART, NETWORK))
            for outcome in known.outcomes.values():
                part.warn(*outcome.warnings)
            declare(record, part.plan.declared)

    def _of_whole(self, samples: ProbeSamples, known: LaunchResults) -> ProbeSamples:
        """With the ranks of the whole machine and the names of layers."""
        outcome = known.outcomes.get(samples.probe)
        design = design_of(outcome.facts if outcome else {}, self.planned.stage)
        cases = [dict(case) for case in samples.cases]
        whole = msgspec.structs.replace(samples, cases=cases, parameters=samples.parameters | design)
        if self.layers is not None:
            name_layers(whole, self.layers)
        if self.planned.stage is not None:
            number_whole(whole, self.planned.stage)
        return whole

    def _add_launch(self, record: SurveyRecord, plan: LaunchPlan, known: LaunchResults) -> None:
        found = launch_of(known, plan)
        if found is None or not known.samples:
            return
        if self.planned.stage is not None:
            found.placement = _whole_placement(found.placement, self.planned.stage)
        network = record.facts.network = record.facts.network or NetworkFacts()
        probes = [call.probe for call in self.planned.calls]
        add_launch(network, NetworkLaunch(probes=probes, launch=found, labels=self.planned.labels))

    def end(self, record: SurveyRecord) -> None:
        with changing(record) as part:
            part.done[self.name] = arguments_of(self.planned)
            part.undone = None

    def explained(self, problem: GromaError, known: LaunchResults) -> GromaError:
        return naming_hosts(problem, known)

    def retry(self, current: str | None) -> str:
        del current
        return "try a launch command of --dry-run in a shell"


def _no_layers(launch: PlannedLaunch) -> Advice:
    return Advice(
        code="network.no_layers",
        what=f"{launch.name} was not started: the pairs show no layers there",
        next="check groma show … network, or measure pairs for longer with --budget",
    )


def declare(record: SurveyRecord, declared: dict[str, str]) -> None:
    """Samples go with what the user knows of the network, so that whoever reads them infers the same."""
    if DISTANCE in record.samples:
        record.samples[DISTANCE].parameters |= declared


def design_of(reported: dict[str, Any], stage: Stage | None) -> dict[str, str]:
    """Which of how many pairs of the whole machine were measured; nothing for other probes."""
    if "pairs_total" not in reported or stage is None:
        return {}
    ranks = stage.shape.nodes * stage.cores
    if stage.shape.ranks == ranks:
        return {"design": reported["design"], "pairs_total": str(reported["pairs_total"])}
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


def naming_hosts(problem: GromaError, known: LaunchResults) -> GromaError:
    """The problem with the host of each rank that it names."""
    places = known.run.placement if known.run is not None else []
    hosts = {one.rank: one.host for one in places}

    def named(match: re.Match[str]) -> str:
        host = hosts.get(int(match[1]))
        return f"{match[0]} on {host}" if host else match[0]

    return GromaError(_RANK.sub(named, problem.what), problem.next_step, problem.exit_code)
