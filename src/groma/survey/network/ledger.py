"""What a survey of the network has measured so far: kept in the partial record after every launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.run import launch_advice, launch_of, unread_advice
from groma.record import Advice, NetworkFacts
from groma.record.keeping import finish, forget_partial, keep_partial, partial_path
from groma.record.network import NetworkLaunch
from groma.survey.infer.network.names import DISTANCE
from groma.survey.network.continuity import arguments_of, refuse_other_options
from groma.survey.network.layers import joined, layers_on, name_layers, number_whole
from groma.survey.network.request import PREFIX
from groma.survey.network.setup import NETWORK
from groma.survey.plan import NETWORK_PART as PART
from groma.survey.run import infer_facts
from groma.survey.unfinished import state_of, way_on

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.launch.gather import Gathered
    from groma.launch.prepare import Prepared
    from groma.record.launch import RankPlace
    from groma.survey.network.layers import LayerPairs
    from groma.survey.network.plan import NetworkPlan, PlannedLaunch
    from groma.survey.network.setup import NetworkSetup
    from groma.survey.network.stages import Stage
    from groma.survey.run import SurveyRecord


def begin(record: SurveyRecord, setup: NetworkSetup, *, anew: bool) -> None:
    """Make `record` ready for a survey: `anew` without what an earlier one measured of the network.

    Raises GromaError (exit code 2) where a part of it was measured with other options.
    """
    if anew:
        _drop_network(record)
    refuse_other_options(setup.plan, record.parameters.get(PART, {}).get("done", {}))
    part = record.parameters.setdefault(PART, {})
    part["plan"] = msgspec.to_builtins(setup.plan)
    part["options"] = list(setup.options)
    part["skipped"] = []
    part["launch_lines"] = setup.lines()


def _drop_network(record: SurveyRecord) -> None:
    record.samples = {name: one for name, one in record.samples.items() if not name.startswith(PREFIX)}
    record.facts.network = None
    record.parameters.pop(PART, None)


@dataclass
class Ledger:
    """A record that was begun, and where it goes."""

    plan: NetworkPlan
    record: SurveyRecord
    output: Path
    redact: Callable[[SurveyRecord], SurveyRecord]

    # ---- launches ------------------------------------------------------------------------------------------

    @property
    def launches(self) -> Sequence[NetworkLaunch]:
        """Where the ranks of whom something is kept ran."""
        network = self.record.facts.network
        return network.launches if network else ()

    def layers_for(self, launch: PlannedLaunch) -> list[LayerPairs] | None:
        """The pairs of the layers found until now; None for a launch that needs none."""
        if not launch.of_layers or launch.stage is None:
            return None
        infer_facts(self.record)
        network = self.record.facts.network
        return layers_on(launch.stage, network.layers if network else [])

    def is_done(self, launch: PlannedLaunch) -> bool:
        return bool(self._done.get(launch.name) == arguments_of(launch))

    def open(self) -> None:
        """What is added from now on is of a launch that is not done."""
        self._part["undone"] = {
            name: {"cases": len(one.cases), "rounds": len(one.rounds)}
            for name, one in self.record.samples.items()
        }

    def close(self, launch: PlannedLaunch) -> None:
        """The launch that was opened is done."""
        self._done[launch.name] = arguments_of(launch)
        del self._part["undone"]
        self.flush()

    def add(
        self, launch: PlannedLaunch, setup: Prepared, known: Gathered, layers: Sequence[LayerPairs] | None
    ) -> None:
        """Samples, where the ranks were, what the program told and warned of."""
        self._add_samples(launch, known, layers)
        self._part.setdefault("told", {})[launch.name] = {
            name: outcome.facts for name, outcome in known.outcomes.items()
        }
        self._add_launch(launch, setup, known)
        self.warn(*launch_advice(known, setup), *unread_advice(known, PART, NETWORK))
        for outcome in known.outcomes.values():
            self.warn(*outcome.warnings)
        self.flush()

    def _add_samples(
        self, launch: PlannedLaunch, known: Gathered, layers: Sequence[LayerPairs] | None
    ) -> None:
        for probe, samples in known.samples.items():
            outcome = known.outcomes.get(probe)
            samples.parameters |= design_of(outcome.facts if outcome else {}, launch.stage)
            if layers is not None:
                name_layers(samples, layers)
            if launch.stage is not None:
                number_whole(samples, launch.stage)
            self.record.samples[probe] = joined(self.record.samples.get(probe), samples)

    def _add_launch(self, launch: PlannedLaunch, setup: Prepared, known: Gathered) -> None:
        found = launch_of(known, setup)
        if found is None or not known.samples:
            return
        if launch.stage is not None:
            found.placement = _whole_placement(found.placement, launch.stage)
        network = self.record.facts.network = self.record.facts.network or NetworkFacts()
        probes = [call.probe for call in launch.calls]
        add_launch(network, NetworkLaunch(probes=probes, launch=found, labels=launch.labels))

    def skip(self, launch: PlannedLaunch, why: Advice) -> None:
        """The launch is not started, and will not be."""
        self._part.setdefault("skipped", []).append(launch.name)
        self.warn(why)

    def drop_undone(self) -> None:
        """What a launch that did not end left behind is measured anew."""
        before: dict[str, dict[str, int]] | None = self._part.pop("undone", None)
        if before is None:
            return
        for name in [one for one in self.record.samples if one.startswith(PREFIX)]:
            if name in before:
                self._cut(name, before[name]["cases"], before[name]["rounds"])
            else:
                del self.record.samples[name]
        self._drop_unsampled_launches()

    def _cut(self, name: str, cases: int, rounds: int) -> None:
        samples = self.record.samples[name]
        samples.cases, samples.values = samples.cases[:cases], samples.values[:cases]
        samples.rounds = samples.rounds[:rounds]
        samples.ended, samples.error = "rounds", None

    def _drop_unsampled_launches(self) -> None:
        """Where ranks were of whom nothing is kept says nothing of those to come."""
        network = self.record.facts.network
        if network is not None:
            network.launches = [one for one in network.launches if set(one.probes) & set(self.record.samples)]

    # ---- the record ----------------------------------------------------------------------------------------

    @property
    def _part(self) -> dict[str, Any]:
        part: dict[str, Any] = self.record.parameters[PART]
        return part

    @property
    def _done(self) -> dict[str, Any]:
        done: dict[str, Any] = self._part.setdefault("done", {})
        return done

    @property
    def _is_empty(self) -> bool:
        return not any(name.startswith(PREFIX) for name in self.record.samples)

    def warn(self, *some: Advice) -> None:
        """What the reader of the record has to know, also after a resumption."""
        warnings = self._part.setdefault("warnings", [])
        for advice in map(msgspec.to_builtins, some):
            if advice not in warnings:
                warnings.append(advice)

    def flush(self) -> Path:
        """Samples go with what is declared of the network, so that whoever reads them infers the same."""
        if DISTANCE in self.record.samples:
            self.record.samples[DISTANCE].parameters |= self.plan.declared
        record = self.redact(self.record)
        record.unfinished = state_of(record, partial_path(self.output))
        return keep_partial(self.output, record)

    def kept(self, problem: GromaError, launch: PlannedLaunch) -> GromaError:
        """The problem, with where the part that was measured is; without one the partial record goes."""
        if self._is_empty:
            forget_partial(self.output, self.record)
            return problem
        infer_facts(self.record)
        path = self.flush()
        planned = self.plan.launches
        done = sum(self.is_done(one) for one in planned)
        what = f"{launch.name}: {problem.what}; {done} of {len(planned)} launches are kept in {path}"
        resume = way_on(self.redact(self.record), self.output, path)
        steps = [problem.next_step, "" if "--resume" in problem.next_step else resume]
        return problem.saying(what, "; ".join(filter(None, steps)))

    def finish(self) -> SurveyRecord:
        """The record with its facts, written to `output`. Raises GromaError (exit code 5) for nothing."""
        if self._is_empty:
            raise GromaError("nothing was measured", "see groma doctor", ExitCode.NOTHING_RAN)
        infer_facts(self.record)
        record = self.redact(self.record)
        record.unfinished = None
        finish(self.output, record)
        return record


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
