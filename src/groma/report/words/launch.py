"""How ranks were started, where they were, what they checked: on the terminal and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from groma.record.counting import counted
from groma.record.units import format_number, format_value
from groma.run.placement import machines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.record.launch import CheckResult, Launch, Plan, RankPlace


_BINDINGS = {"core": "bound to cores", "none": "unbound", "oversubscribed": "unbound, more than cores"}
_APART = "verified: no two ranks share a processor"


def bound_words(launch: Launch) -> str:
    """How the ranks were bound: as was asked for, unless their masks say that it was not done."""
    found = binding_words(launch)
    if launch.binding == "core" and launch.placement and found != _APART:
        return found
    return _BINDINGS.get(launch.binding, launch.binding)


def binding_words(launch: Launch) -> str:
    """What the masks of the ranks say about how they were bound."""
    if not launch.placement:
        return "not reported"
    if any(len(one.cpus) < launch.threads for one in launch.placement):
        return "some ranks have fewer processors than threads"
    if all(_are_apart(ranks) for ranks in machines(launch.placement).values()):
        return _APART
    return "some ranks share processors: they are not bound"


def _are_apart(ranks: Sequence[RankPlace]) -> bool:
    processors = [cpu for one in ranks for cpu in one.cpus]
    return len(set(processors)) == len(processors)


def machines_words(launch: Launch) -> str:
    crossing = "some messages cross a network" if launch.inter_node else "no message crosses a network"
    return f"{counted(launch.nodes, 'machine')}: {crossing}"


def launch_entries(launch: Launch) -> list[tuple[str, str]]:
    """One line each; what the record does not tell is empty."""
    return [
        ("ranks", str(launch.ranks)),
        ("threads of each rank", str(launch.threads)),
        ("machines", machines_words(launch)),
        ("placement", binding_words(launch)),
        ("MPI", launch.mpi),
        ("BLAS", launch.blas),
        ("launcher", launch.launcher),
        ("launch line", launch.command),
    ]


def label_words(labels: Mapping[str, Any]) -> str:
    """What tells a figure from others of its series: `n 1500, grid 1x2`."""
    return ", ".join(_label(name, value) for name, value in labels.items() if name != "raw")


def _label(name: str, value: Any) -> str:
    if name.endswith("bytes") and isinstance(value, (int, float)):
        return format_value(value, "B")
    return f"{name.replace('_', ' ')} {value}"


class Validation(NamedTuple):
    """What the checks of a run say: whether it counts, and what follows the word "validation"."""

    outcome: Literal["good", "warn", "bad"]
    words: str


def checked_words(check: CheckResult) -> str:
    return "not a number" if check.value is None else format_number(check.value, 4)


def failure_words(test: str, check: CheckResult) -> str:
    """E.g. `HPL: residual is 43, at most 16 is allowed.`, with its full stop."""
    allowed = f"at most {format_number(check.limit)} is allowed"
    return f"{test}: {check.name} is {checked_words(check)}, {allowed}."


def choice_rows(plan: Plan) -> list[list[str]]:
    """Why sizes are as they are: what, value, why."""
    return [[one.what, one.value, one.why] for one in plan.choices]
