"""Which surveys may become one profile: two at least, of one machine, each given once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.facts.survey import SurveyFacts
from groma.host.machine import Place, machine_differences, names_a_machine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from groma.host.machine import Difference
    from groma.record import Record

    Named = tuple[str, Record[Any]]

CONDITIONS = {
    "kernel",
    "boot parameters",
    "microcode",
    "frequency governor",
    "turbo",
    "transparent huge pages",
    "allowed processors",
    "CPU quota",
    "memory limit",
}
"""What may change on one machine from day to day: it is reported, and does not make it another one."""

_CLUSTER = "SLURM_CLUSTER_NAME"


def refuse_unlike(named: Sequence[Named]) -> None:
    """Raises GromaError (exit code 2) that names the file and what is wrong with it."""
    if len(named) < 2:
        raise GromaError("only one survey to merge", "name two or more: groma survey --merge A.json B.json")
    for name, record in named:
        _refuse_alone(name, record)
    first, *others = named
    for number, other in enumerate(others, start=1):
        _refuse_twice(other, named[:number])
        _refuse_another_machine(first, other)


def _refuse_alone(name: str, record: Record[Any]) -> None:
    if not isinstance(record.facts, SurveyFacts):
        raise GromaError(
            f"{name} is a record of kind {record.kind}, not a profile", "name profiles of groma survey"
        )
    if record.facts.merged is not None:
        raise GromaError(f"{name} is merged already", "name the surveys from which it was merged")
    if not names_a_machine(record.environment):
        raise GromaError(f"{name} does not record the machine on which it was measured", "leave it out")


def _refuse_twice(other: Named, before: Sequence[Named]) -> None:
    for name, record in before:
        if record.created == other[1].created and record.samples == other[1].samples:
            raise GromaError(f"{other[0]} and {name} are the same survey", "name each survey once")


def _refuse_another_machine(first: Named, other: Named) -> None:
    found = [one for one in _differences(first[1], other[1]) if one.name not in CONDITIONS]
    if found:
        reported = "; ".join(f"{one.name} {one.then} and {one.here}" for one in found)
        raise GromaError(
            f"{first[0]} and {other[0]} are of different machines: {reported}",
            "merge surveys of one machine; to compare two: groma compare",
        )


def conditions(records: Sequence[Record[SurveyFacts]]) -> str:
    """What changed on the machine since the first survey, "" where nothing did."""
    first, *others = records
    found = {one.name: one for other in others for one in _differences(first, other)}
    return "; ".join(f"{one.name} {one.then}, later {one.here}" for one in found.values())


def _differences(one: Record[SurveyFacts], other: Record[SurveyFacts]) -> list[Difference]:
    found = machine_differences(_place(one), _place(other))
    return [each for each in found if each.name != "host" or not _same_cluster(one, other)]


def _place(record: Record[SurveyFacts]) -> Place:
    return Place(record.environment, record.facts.declared, record.build)


def _same_cluster(one: Record[SurveyFacts], other: Record[SurveyFacts]) -> bool:
    """Each day a scheduler gives a network survey other nodes of the same machine."""
    if one.facts.network is None or other.facts.network is None:
        return False
    clusters = [(record.environment.get("variables") or {}).get(_CLUSTER) for record in (one, other)]
    hosts = [str(record.environment.get("host") or "").rstrip("0123456789") for record in (one, other)]
    return clusters[0] == clusters[1] if any(clusters) else bool(hosts[0]) and hosts[0] == hosts[1]
