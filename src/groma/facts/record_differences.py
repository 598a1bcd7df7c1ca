"""How records differ besides their values, to be read before any number is compared. Pure."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from groma.facts.comparison import Difference
from groma.host.machine import Place, machine_differences, software_differences
from groma.record.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from groma.record import Record

_NO_TEST = frozenset(
    {
        *(
            "command",
            "placement",
            "launch",
            "choices",
            "estimated_seconds",
            "estimate",
            "warnings",
        ),
        *("seed", "mpi", "blas", "launcher", "steps", "options", "beforehand", "shape", "summary", "checks"),
        *("memory", "memory_per_rank", "plan"),
        *("method", "objective"),
    }
)
"""Of any kind: what follows from the test, comes from outside or is stated elsewhere."""

_SOFTWARE = ("mpi", "blas", "launcher")

_SOLVED_BY = ("method", "objective")
"""How an answer was found, such as a mapping: another way to the answer of the same problem."""

_NOT_SET = "-"

_LONGEST = 8
"""Longer lists are results, not sizes."""


class _PairDifference(NamedTuple):
    of: Literal["test", "machine", "software"]
    what: str
    then: str
    here: str


class _Described(NamedTuple):
    """What of a record is compared with that of others."""

    is_foreign: bool
    test: dict[str, str]
    printed_sizes: dict[str, str]
    place: Place
    software: dict[str, str]


class _Unlike:
    """A value that differs from every other one."""


def differences(records: Sequence[Record[Any]]) -> list[Difference]:
    """What differs between the first record and any other, the test first: a value of each record."""
    described = [_described(record) for record in records]
    reported = [{}, *(_by_key(_between(described[0], other)) for other in described[1:])]
    kinds = {key: one for found in reported for key, one in found.items()}
    ordered = sorted(kinds, key=lambda key: ("test", "machine", "software").index(key[0]))
    values = _Values(described, reported)
    return [Difference(of=kinds[key].of, what=key[1], values=values.of(key)) for key in ordered]


_Key = tuple[str, str]


def _by_key(found: Iterable[_PairDifference]) -> dict[_Key, _PairDifference]:
    return {(one.of, one.what): one for one in found}


class _Values:
    """The value of each record of what differs between the first and any other.

    A record that was not `reported` has the value of the first, or none that is known. It has one if it
    differs from a record that surely has another.
    """

    def __init__(
        self, described: Sequence[_Described], reported: Sequence[dict[_Key, _PairDifference]]
    ) -> None:
        self._described = described
        self._reported = reported
        self._known: dict[tuple[int, int], dict[_Key, _PairDifference]] = {}

    def of(self, key: _Key) -> list[str]:
        other = next(number for number, found in enumerate(self._reported) if key in found)
        return [self._value(key, number, other) for number in range(len(self._described))]

    def _value(self, key: _Key, number: int, other: int) -> str:
        if key in self._reported[number]:
            return self._reported[number][key].here
        is_known = number == 0 or key in self._known_in(number, other)
        return self._reported[other][key].then if is_known else _NOT_SET

    def _known_in(self, number: int, other: int) -> dict[_Key, _PairDifference]:
        pair = (number, other)
        if pair not in self._known:
            unlike = _unlike(self._described[other])
            self._known[pair] = _by_key(_between(unlike, self._described[number]))
        return self._known[pair]


def _unlike(one: _Described) -> _Described:
    """With other values in its environment, of which some count as equal when they are close together."""
    environment = {name: _with_other_values(value) for name, value in one.place.environment.items()}
    if "redacted" in one.place.environment:
        environment["redacted"] = one.place.environment["redacted"]
    return one._replace(place=one.place._replace(environment=environment))


def _with_other_values(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_other_values(inner) for name, inner in value.items()}
    return _Unlike()


def _described(record: Record[Any]) -> _Described:
    return _Described(
        _is_foreign(record), test_of(record), _printed_sizes(record), _place(record), _software_of(record)
    )


def _between(first: _Described, other: _Described) -> Iterator[_PairDifference]:
    yield from _of_mappings("test", first.test, other.test)
    if first.is_foreign or other.is_foreign:
        yield from _of_mappings("test", first.printed_sizes, other.printed_sizes)
    for one in machine_differences(first.place, other.place):
        yield _PairDifference("machine", one.name, one.then, one.here)
    for one in software_differences(first.place, other.place):
        yield _PairDifference("software", one.name, one.then, one.here)
    yield from _of_mappings("software", first.software, other.software)


def _is_foreign(record: Record[Any]) -> bool:
    """Whether another program measured: there is no plan, only what its file says."""
    return getattr(record.facts, "origin", None) is not None


def _printed_sizes(record: Record[Any]) -> dict[str, str]:
    sizes: dict[str, str] = getattr(record.facts, "printed_sizes", {})
    return sizes


def _place(record: Record[Any]) -> Place:
    declared = getattr(record.facts, "declared", None)
    topology = declared if isinstance(declared, Topology) else None
    if not _is_foreign(record):
        return Place(record.environment, topology, record.build)
    # Of a summary of groma it is the version, as in the record of the run.
    version = record.build.version.removeprefix("groma ")
    return Place(_known(record.environment), topology, msgspec.structs.replace(record.build, version=version))


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what another program did not write down, which would look like "no hypervisor"."""
    pruned = {name: _known(one) if isinstance(one, dict) else one for name, one in values.items()}
    return {name: one for name, one in pruned.items() if one not in (None, {}, [], ())}


def _of_mappings(
    of: Literal["test", "software"], then: Mapping[str, str], here: Mapping[str, str]
) -> Iterator[_PairDifference]:
    """A value that one side lacks is not compared: an older groma, or hpcc itself, did not record it. But in
    a table that both sides have it was not set there.
    """
    for name in dict.fromkeys([*then, *here]):
        both = (then.get(name, _NOT_SET), here.get(name, _NOT_SET))
        if both[0] != both[1] and all(name in side or _has_table_of(name, side) for side in (then, here)):
            yield _PairDifference(of, name, *both)


def _has_table_of(name: str, settings: Mapping[str, str]) -> bool:
    table, point, _ = name.rpartition(".")
    return point != "" and any(other.startswith(table + point) for other in settings)


def test_of(record: Record[Any]) -> dict[str, str]:
    """What was asked and planned: sizes, ranks, threads, depth. Found in facts of any kind, less their
    `NO_TEST`.
    """
    facts = msgspec.to_builtins(record.facts)
    if not isinstance(facts, dict):
        return {}
    sizes = {name: value for name, value in facts.items() if _is_size(record.facts, name, value)}
    others = _NO_TEST.union(getattr(type(record.facts), "NO_TEST", ()))
    settings = [
        setting
        for part in (record.parameters, facts.get("plan"), facts.get("launch"), sizes)
        for name, value in (part.items() if isinstance(part, dict) else ())
        if name not in others
        for setting in _settings(name, value)
    ]
    return {name.replace("_", " "): value for name, value in settings if value}


def _settings(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Of a table each entry by itself, so that only those that differ are reported."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _settings(f"{name}.{key}", entry)
    else:
        yield name, _setting(value)


def _is_size(facts: Any, name: str, value: Any) -> bool:
    """Whether a field at the top of the facts says what was measured rather than what came out."""
    plain = value if isinstance(value, list) else [value]
    is_plain = all(isinstance(one, (str, int, float)) for one in plain)
    return is_plain and name not in getattr(type(facts), "OUTCOMES", ())


def _setting(value: Any) -> str:
    """A plain value, or a few of them; empty for anything else."""
    if isinstance(value, list):
        parts = [_setting(one) for one in value]
        return " ".join(parts) if all(parts) and len(parts) <= _LONGEST else ""
    if isinstance(value, dict):
        return " ".join(_entry(name, one) for name, one in value.items() if one not in ("", None))
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _entry(name: str, value: Any) -> str:
    shown = _setting(value)
    return shown if isinstance(value, dict) else f"{name}={shown}"


def _software_of(record: Record[Any]) -> dict[str, str]:
    launch = getattr(record.facts, "launch", None)
    names = {"mpi": "MPI of the ranks", "blas": "BLAS of the ranks", "launcher": "launcher"}
    of_launch = {names[name]: value for name in _SOFTWARE if (value := getattr(launch, name, ""))}
    of_answer = {name: value for name in _SOLVED_BY if (value := getattr(record.facts, name, ""))}
    return of_launch | of_answer


def command_again(record: Record[Any]) -> str:
    """The command that made a record, as typed in a shell; empty if nobody knows it."""
    return shlex.join(["groma", *record.command[1:]]) if record.command else ""
