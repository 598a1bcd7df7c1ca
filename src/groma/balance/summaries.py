"""A run of groma leaves a record and an hpccoutf.txt: both together are one system. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from groma.hpccoutf.keys import KEYS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.facts.balance import System
    from groma.facts.hpcc import HpccFacts


class ReadSystem(NamedTuple):
    """A system with the facts of its run, None where it is from a table or from an earlier balance."""

    system: System
    facts: HpccFacts | None = None


class Repeated(NamedTuple):
    """The summary of a run, and the record of that run."""

    system: System
    record: System


_SETTINGS = frozenset({"MPI_Wtick", "MPIRandomAccess_TimeBound", "MPIRandomAccess_LCG_TimeBound"})
_OF_TIME = re.compile(r".*/s|s|us")
_MEASURED = frozenset(key.name for key in KEYS if _OF_TIME.fullmatch(key.unit)) - _SETTINGS

_FEWEST = 3
"""So many rates and times do not agree to the last digit by chance."""


def repeated_summaries(found: Sequence[ReadSystem]) -> list[Repeated]:
    """The outputs whose run has a record among the systems: they agree in every rate and time."""
    records = [(one.system, _measured(one.facts)) for one in found if one.facts and one.facts.tests]
    outputs = [(one.system, one.facts) for one in found if one.facts and not one.facts.tests]
    return [
        Repeated(system, record)
        for system, facts in (outputs if records else [])
        for record in _records_of(_measured(facts), records)[:1]
    ]


def _measured(facts: HpccFacts) -> dict[str, str]:
    """Rates and times as they are written; -1 stands for none."""
    return {
        name: facts.summary[name]
        for name in _MEASURED & facts.summary.keys()
        if not facts.summary[name].startswith("-")
    }


def _records_of(
    written: Mapping[str, str], records: Sequence[tuple[System, Mapping[str, str]]]
) -> list[System]:
    return [system for system, recorded in records if _agree(written, recorded)]


def _agree(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    common = one.keys() & other.keys()
    return len(common) >= _FEWEST and all(one[name] == other[name] for name in common)
