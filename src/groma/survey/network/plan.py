"""Every launch of a survey of the network, decided before the first one is started. Pure."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import GromaError
from groma.launch.prepare import Step
from groma.launch.shape import RequestedShape, Room, Shape, shape_of
from groma.record.units import format_share
from groma.survey.assignments import Assigned, assigned_in, refuse_two_budgets
from groma.survey.infer.network.names import ACCESS, DISTANCE, PAIRS
from groma.survey.network.cost import CostModel, pairs_within
from groma.survey.network.request import NetworkRequest, chosen_probes, full_name, options_of
from groma.survey.network.stages import Stage, one_on_each, stages_of
from groma.survey.network.user_topology import notes_of, parameters_of
from groma.survey.probe_names import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.launch.native import ProbeInfo

BETWEEN_NODES = ("one_per_node", "processes_per_node")
"""The ranks of probes that need several nodes (groma.launch.native.ProbeInfo)."""

MISSED_SHARE = 0.01
"""The share of all pairs for which the risk of missing them is given."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One probe in a launch; `budget` (s) is the time for its samples."""

    probe: str
    title: str
    parameters: dict[str, str]
    budget: float

    def words(self) -> list[str]:
        return [self.probe, *(f"{key}={value}" for key, value in self.parameters.items())]


class PlannedLaunch(msgspec.Struct, frozen=True, kw_only=True):
    """One job. `starting` is the time (s) that it takes to begin and to end.

    `labels` tell its cases from those of other launches of the same probe. `stage` numbers its ranks, None
    where they stand for nodes. One that is `of_layers` runs on pairs of layers that are found before.
    """

    name: str
    title: str
    shape: Shape
    calls: tuple[Call, ...]
    starting: float
    labels: dict[str, Any] = {}
    stage: Stage | None = None
    of_layers: bool = False
    why: str = ""

    @property
    def steps(self) -> tuple[Step, ...]:
        """One for each call."""
        single = len(self.calls) == 1
        return tuple(
            Step(
                self.name if single else call.probe.removeprefix(PREFIX),
                self.title if single else call.title,
                call.budget + (0.0 if number else self.starting),
            )
            for number, call in enumerate(self.calls)
        )

    @property
    def budget(self) -> float:
        """Seconds from its start to its end."""
        return self.starting + sum(call.budget for call in self.calls)


class NetworkPlan(msgspec.Struct, frozen=True, kw_only=True):
    """`notes` say what is left out, and why. `declared` is what the user knows of the network, as parameters
    that the samples of the Distance Benchmark get. `options` make this plan again, as one types them.
    """

    depth: str
    room: Room
    launches: tuple[PlannedLaunch, ...]
    notes: tuple[str, ...] = ()
    declared: dict[str, str] = {}
    options: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(step for launch in self.launches for step in launch.steps)

    @property
    def budget(self) -> float:
        return sum(launch.budget for launch in self.launches)


def plan_network(
    catalogue: Sequence[ProbeInfo], request: NetworkRequest, room: Room, costs: CostModel | None = None
) -> NetworkPlan:
    """The launches in order. Raises GromaError (exit code 2) for what cannot be asked for or not be done."""
    room = msgspec.structs.replace(
        room, nodes=request.nodes or room.nodes, cores=request.per_node or room.cores
    )
    ranks = {probe.name: probe.ranks for probe in catalogue}
    names = _with_pairs(chosen_probes(list(ranks), request), ranks)
    possible = [name for name in names if room.nodes > 1 or ranks[name] not in BETWEEN_NODES]
    if room.nodes * room.cores < 2 or not possible:
        raise _nothing_to_measure(names, room)
    declared = parameters_of(request, possible, room)
    assigned = _assigned(catalogue, request, possible)
    planner = _Planner(catalogue, request, room, costs or CostModel(), assigned)
    launches = tuple(planner.launches(possible))
    return NetworkPlan(
        depth=request.depth,
        room=room,
        launches=_within(launches, request.budget, assigned),
        notes=(*_left_out(names, possible), *notes_of(request, room)),
        declared=declared,
        options=options_of(request),
    )


def _assigned(catalogue: Sequence[ProbeInfo], request: NetworkRequest, chosen: Sequence[str]) -> Assigned:
    known = [probe.name for probe in catalogue]
    found = assigned_in(request.assignments, catalogue, chosen, lambda name: full_name(name, known))
    refuse_two_budgets(found, request.budget)
    return found


def _with_pairs(names: list[str], ranks: Mapping[str, str]) -> list[str]:
    """Layers are found from pairs, so whoever wants one has to measure the other."""
    needed = any(ranks[name] == "layers" for name in names)
    return [PAIRS, *names] if needed and PAIRS not in names else names


def _nothing_to_measure(names: Sequence[str], room: Room) -> GromaError:
    if room.nodes * room.cores < 2:
        return GromaError(
            "one core on one machine has no other core to send to", "use several nodes: --nodes"
        )
    return GromaError(
        f"{', '.join(names)}: this needs several nodes, but there is one",
        "run it inside a job of the scheduler, or use --hostfile or --nodes",
    )


def _left_out(names: Sequence[str], possible: Sequence[str]) -> Iterator[str]:
    missing = [name for name in names if name not in possible]
    if missing:
        yield f"only one machine: layers inside it are measured, {', '.join(missing)} are left out"


class _Planner:
    def __init__(
        self,
        catalogue: Sequence[ProbeInfo],
        request: NetworkRequest,
        room: Room,
        costs: CostModel,
        assigned: Assigned,
    ) -> None:
        self.probes = {probe.name: probe for probe in catalogue}
        self.request, self.room, self.costs, self.assigned = request, room, costs, assigned

    def launches(self, names: Sequence[str]) -> Iterator[PlannedLaunch]:
        if PAIRS in names:
            yield from (self._on_stage(stage, [PAIRS]) for stage in stages_of(self.room))
        of_layers = self._on(names, "layers")
        if of_layers:
            yield from (self._on_stage(stage, of_layers) for stage in stages_of(self.room))
        between = self._on(names, "one_per_node")
        if between:
            yield self._one_on_each(between)
        for name in self._on(names, "processes_per_node"):
            yield from self._with_more_processes(name)

    def _on(self, names: Sequence[str], ranks: str) -> list[str]:
        return [name for name in names if self.probes[name].ranks == ranks]

    def _on_stage(self, stage: Stage, names: Sequence[str]) -> PlannedLaunch:
        of_layers = names[0] != PAIRS
        kind = "layers" if of_layers else "pairs"
        where = "" if stage.name == "all" else f", {stage.name}"
        return self._launch(
            f"{kind}{where and '.' + stage.name}",
            f"{'Communication layers' if of_layers else 'Latency between pairs'}{where}",
            stage.shape,
            names,
            stage=stage,
            of_layers=of_layers,
            why="" if of_layers else design_of(stage, self._most_pairs()),
        )

    def _one_on_each(self, names: Sequence[str]) -> PlannedLaunch:
        title = " and ".join(self.probes[name].title.lower() for name in names)
        name = names[0].removeprefix(PREFIX) if len(names) == 1 else "nodes"
        return self._launch(name, title.capitalize(), one_on_each(self.room, self.room.nodes), names)

    def _with_more_processes(self, probe: str) -> Iterator[PlannedLaunch]:
        for count in processes_per_node(self.room.cores):
            nodes = access_nodes(self.room, count)
            shape = shape_of(RequestedShape(nodes=nodes, per_node=count, bind="none"), self.room)
            yield self._launch(
                f"{probe.removeprefix(PREFIX)}.{count}",
                f"{self.probes[probe].title}, {count} on each node",
                shape,
                [probe],
                labels={"per_node": count},
                why=""
                if nodes * count == 2 * self.room.cores
                else "fewer nodes than keep the total constant",
                parameters={"pin": "0"} if shape.sharing > 1 else {},
            )

    def _launch(
        self,
        name: str,
        title: str,
        shape: Shape,
        names: Sequence[str],
        parameters: Mapping[str, str] = MappingProxyType({}),
        **more: Any,
    ) -> PlannedLaunch:
        calls = tuple(self._call(one, parameters) for one in names)
        return PlannedLaunch(
            name=name, title=title, shape=shape, calls=calls, starting=self.costs.starting(shape), **more
        )

    def _call(self, name: str, given: Mapping[str, str]) -> Call:
        probe = self.probes[name]
        parameters = {"depth": self.request.depth, **given}
        if self.request.seed is not None:
            parameters["seed"] = str(self.request.seed)
        if self.request.message is not None and name in {DISTANCE, ACCESS}:
            parameters["bytes"] = str(self.request.message)
        if name == PAIRS:
            parameters["pairs"] = str(self._most_pairs())
        own = self.assigned.get(name, {})
        return Call(probe=name, title=probe.title, parameters=parameters | own, budget=self._budget(name))

    def _budget(self, name: str) -> float:
        values = self.probes[name].defaults(self.request.depth) | self.assigned.get(name, {})
        return float(values["budget"])

    def _most_pairs(self) -> int:
        own = self.assigned.get(PAIRS, {})
        return int(own["pairs"]) if "pairs" in own else pairs_within(self._budget(PAIRS))


def design_of(stage: Stage, most: int) -> str:
    """How many pairs are measured on this stage, where there is time for `most`."""
    total = stage.shape.ranks * (stage.shape.ranks - 1) // 2
    count = min(total, most)
    if count == total:
        return f"all {total} pairs" if total > 1 else "the only pair"
    risk = (1.0 - MISSED_SHARE) ** count
    return (
        f"{count} of {total} pairs, drawn by design; a layer with {format_share(MISSED_SHARE)} of them "
        f"is missed with a risk of {risk:.2g}"
    )


def processes_per_node(cores: int) -> list[int]:
    """The numbers of processes on a node that are tried: all of few, else powers of two and all cores."""
    if cores <= 4:
        return list(range(1, cores + 1))
    powers = [1 << exponent for exponent in range(cores.bit_length()) if 1 << exponent < cores]
    return [*powers, cores]


def access_nodes(room: Room, count: int) -> int:
    """Nodes for `count` processes on each: 2 · cores processes in all, as far as there are nodes."""
    return max(2, min(room.nodes, 2 * room.cores // count))


# ---- budget ------------------------------------------------------------------------------------------------

LEAST_SHARE = 0.05
"""Of the usual time of its samples, below which a launch measures nothing worth having."""


def _within(
    launches: tuple[PlannedLaunch, ...], budget: float | None, assigned: Assigned
) -> tuple[PlannedLaunch, ...]:
    """All of them with less time for samples, so that they fit in `budget` (s) with starting."""
    if budget is None:
        return launches
    starting = sum(launch.starting for launch in launches)
    measuring = sum(launch.budget for launch in launches) - starting
    share = (budget - starting) / measuring
    if share < LEAST_SHARE:
        least = starting + LEAST_SHARE * measuring
        raise GromaError(
            f"{len(launches)} launches do not fit in {budget:g} s: their start alone takes {starting:.0f} s",
            f"use at least {least:.0f} s, or select some with --only",
        )
    return tuple(_scaled(launch, share, assigned) for launch in launches)


def _scaled(launch: PlannedLaunch, share: float, assigned: Assigned) -> PlannedLaunch:
    calls = tuple(
        _scaled_call(call, call.budget * share, assigned.get(call.probe, {})) for call in launch.calls
    )
    scaled = msgspec.structs.replace(launch, calls=calls)
    if launch.stage is None or launch.of_layers:
        return scaled
    return msgspec.structs.replace(scaled, why=design_of(launch.stage, int(calls[0].parameters["pairs"])))


def _scaled_call(call: Call, budget: float, own: dict[str, str]) -> Call:
    parameters = call.parameters | {"budget": f"{budget:.3f}"}
    if call.probe == PAIRS:
        parameters["pairs"] = str(pairs_within(budget))
    return msgspec.structs.replace(call, parameters=parameters | own, budget=budget)


def plan_model(plan: NetworkPlan, lines: Mapping[str, str]) -> dict[str, Any]:
    """For programs: the plan with the launch lines by name."""
    return {
        "depth": plan.depth,
        "nodes": plan.room.nodes,
        "cores_per_node": plan.room.cores,
        "estimated_seconds": plan.budget,
        "notes": list(plan.notes),
        "declared": plan.declared,
        "launches": [
            msgspec.to_builtins(launch)
            | {"estimated_seconds": launch.budget, "command": lines.get(launch.name, "")}
            for launch in plan.launches
        ],
    }
