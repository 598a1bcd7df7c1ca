"""What a record keeps of a survey of the network in addition to samples: its plan, and what is done of it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import GromaError
from groma.record import Advice
from groma.survey.network.plan import NetworkPlan
from groma.survey.plan import NETWORK_PART
from groma.survey.probe_names import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.record import Record
    from groma.survey.network.plan import PlannedLaunch

SIZED_BY_TIME = {"seed", "budget", "pairs"}
"""Parameters that change how much is sampled, and not what."""


class LaunchArguments(msgspec.Struct, frozen=True, kw_only=True):
    """What makes a launch the same as an earlier one. Another seed or time makes no difference."""

    ranks: int
    nodes: int
    calls: list[dict[str, str]]


def arguments_of(launch: PlannedLaunch) -> LaunchArguments:
    calls = [
        {"probe": call.probe, **{k: v for k, v in call.parameters.items() if k not in SIZED_BY_TIME}}
        for call in launch.calls
    ]
    return LaunchArguments(ranks=launch.shape.ranks, nodes=launch.shape.nodes, calls=calls)


class SampleCount(msgspec.Struct, frozen=True, kw_only=True):
    cases: int
    rounds: int


class NetworkParameters(msgspec.Struct, kw_only=True, omit_defaults=True):
    """`options` make the plan again, as one types them. `done` are the launches that ended, `skipped` those
    that cannot be started for want of layers. `undone` is set while a launch runs: how much of each probe
    there was before it; `settled` is how many warnings there were. `outcomes` is what the probes of each
    launch reported in addition to samples.
    """

    plan: NetworkPlan
    options: list[str] = []
    launch_lines: dict[str, str] = {}
    done: dict[str, LaunchArguments] = {}
    skipped: list[str] = []
    undone: dict[str, SampleCount] | None = None
    settled: int | None = None
    outcomes: dict[str, dict[str, dict[str, Any]]] = {}
    warnings: list[Advice] = []

    def warn(self, *some: Advice) -> None:
        self.warnings += [one for one in dict.fromkeys(some) if one not in self.warnings]


def network_parameters(record: Record[Any]) -> NetworkParameters | None:
    """None in a record of the node only. Raises GromaError (exit code 2) where they were damaged."""
    part = record.parameters.get(NETWORK_PART)
    if part is None:
        return None
    try:
        return msgspec.convert(part, NetworkParameters)
    except msgspec.ValidationError as error:
        raise GromaError(
            f"the plan of the network survey in the record is invalid ({error})",
            "the file was edited or damaged; restore it or measure again",
        ) from None


def drop_network(record: Record[Any]) -> None:
    """Remove all that a survey measured of the network."""
    record.samples = {name: one for name, one in record.samples.items() if not name.startswith(PREFIX)}
    record.facts.network = None
    record.parameters.pop(NETWORK_PART, None)


def take_network(record: Record[Any], earlier: Record[Any]) -> None:
    """Give `record` all that a survey measured of the network in an earlier profile of the same machine."""
    drop_network(record)
    record.samples |= {name: one for name, one in earlier.samples.items() if name.startswith(PREFIX)}
    record.facts.network = earlier.facts.network
    record.parameters[NETWORK_PART] = earlier.parameters[NETWORK_PART]


def set_parameters(record: Record[Any], part: NetworkParameters) -> None:
    record.parameters[NETWORK_PART] = msgspec.to_builtins(part)


@contextmanager
def changing(record: Record[Any]) -> Iterator[NetworkParameters]:
    """The parameters, to be changed within; the record has to hold some."""
    part = network_parameters(record)
    assert part is not None  # noqa: S101 - the record was begun
    yield part
    set_parameters(record, part)
