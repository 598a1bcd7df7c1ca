"""What a survey will run, with which parameters and for how long: decided before anything is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from groma.errors import GromaError
from groma.spelling import did_you_mean
from groma.survey.assignments import assigned_in, refuse_two_budgets, words_of, words_of_assignments
from groma.survey.probe_names import is_network_probe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.launch.native import ProbeInfo

DEPTHS = ("quick", "standard", "thorough")

NETWORK_PART = "network"
"""Of the parameters of a record: the plan of a survey of the network, and what is done of it."""


class Step(msgspec.Struct, frozen=True):
    """One probe with its parameters; `budget` in seconds bounds its run."""

    probe: str
    title: str
    parameters: dict[str, str]
    budget: float


class Plan(msgspec.Struct, frozen=True):
    """`options` are those that make this plan again, as one types them."""

    depth: str
    steps: tuple[Step, ...]
    options: tuple[str, ...] = ()

    @property
    def budget(self) -> float:
        return sum(step.budget for step in self.steps)


class SurveyRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for. `budget` (s) scales all probes' budgets so that their sum fits; `over` chooses
    the places of the probes that have such a parameter. `assignments`, probe.parameter=value, have the last
    word.
    """

    depth: str = "standard"
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    seed: int | None = None
    budget: float | None = None
    over: str = "auto"
    assignments: tuple[str, ...] = ()


_MOST_SLOWDOWN = 4.0


def slowdown(processors: int, quota: float | None) -> float:
    """How much longer work on all `processors` takes under a quota (in processors), at least 1 and at most 4.

    Under a tighter quota the probes do with fewer samples: a survey must end.
    """
    return min(max(processors / quota, 1.0), _MOST_SLOWDOWN) if quota else 1.0


def plan_survey(catalogue: Sequence[ProbeInfo], request: SurveyRequest, slowdown: float = 1.0) -> Plan:
    """The steps of a survey in order; unless the user set a budget, those of the probes grow by `slowdown`.

    Raises GromaError for names that no probe has and for an empty plan.
    """
    chosen = _chosen(catalogue, request)
    assigned = assigned_in(request.assignments, catalogue, [probe.name for probe in chosen])
    refuse_two_budgets(assigned, request.budget)
    defaults = [probe.defaults(request.depth) for probe in chosen]
    scale = slowdown if request.budget is None else _scale(defaults, request.budget)
    steps = tuple(
        _assigned(_step(probe, values, scale, request), assigned.get(probe.name, {}))
        for probe, values in zip(chosen, defaults, strict=True)
    )
    return Plan(request.depth, steps, options_of(request))


def _chosen(catalogue: Sequence[ProbeInfo], request: SurveyRequest) -> list[ProbeInfo]:
    _refuse_unknown((*request.only, *request.skip), [probe.name for probe in catalogue])
    chosen = [
        p for p in catalogue if (not request.only or p.name in request.only) and p.name not in request.skip
    ]
    if not chosen:
        raise GromaError("no probe is left to run", "select other probes with --only, or skip fewer")
    return chosen


def plan_notes(catalogue: Sequence[ProbeInfo], request: SurveyRequest) -> tuple[str, ...]:
    """What the user must know of the plan: a probe ends after a round, however short its budget is."""
    quick = sum(float(probe.defaults("quick")["budget"]) for probe in _chosen(catalogue, request))
    if request.budget is None or request.budget >= quick:
        return ()
    short = f"a budget of {request.budget:g} s is less than the {quick:g} s of a quick survey"
    return (f"{short}: it may take longer, because every probe completes its first round",)


def options_of(request: SurveyRequest) -> tuple[str, ...]:
    """All but the seed: another one orders the samples and changes nothing of what is sampled."""
    given = {
        "--depth": request.depth,
        "--only": ",".join(request.only),
        "--skip": ",".join(request.skip),
        "--budget": "" if request.budget is None else f"{request.budget:.10g}s",
        "--over": "" if request.over == "auto" else request.over,
    }
    return (*words_of(given), *words_of_assignments(request.assignments))


def _scale(defaults: Sequence[Mapping[str, str]], budget: float) -> float:
    if budget <= 0:
        raise GromaError(f"a budget of {budget:g} s is too short to measure", "use a time such as 30s")
    return budget / sum(float(values["budget"]) for values in defaults)


def _step(probe: ProbeInfo, defaults: Mapping[str, str], scale: float, request: SurveyRequest) -> Step:
    budget = float(defaults["budget"]) * scale
    parameters = {"depth": request.depth}
    if scale != 1.0:
        parameters["budget"] = f"{budget:.3f}"
    if request.over != "auto" and "over" in defaults:
        parameters["over"] = request.over
    if request.seed is not None:
        parameters["seed"] = str(request.seed)
    return Step(probe.name, probe.title, parameters, budget)


def _assigned(step: Step, own: dict[str, str]) -> Step:
    """The step with what the user set of it."""
    return msgspec.structs.replace(
        step, parameters=step.parameters | own, budget=float(own.get("budget", step.budget))
    )


def _refuse_unknown(names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise _of_another_command(name) or _unknown(name, known)


def _of_another_command(name: str) -> GromaError | None:
    from groma.launch.benchmarks import TESTS  # noqa: PLC0415

    if name in TESTS:
        return GromaError(f"{name} is a test of the suite, not a probe", f"run groma hpcc --only {name}")
    if is_network_probe(name):
        return GromaError(f"{name} is a network probe, and this surveys the node", "add --network")
    return None


def _unknown(name: str, known: Sequence[str]) -> GromaError:
    return GromaError(f"unknown probe {name!r}", f"{did_you_mean(name, known)}to list all: groma list")
