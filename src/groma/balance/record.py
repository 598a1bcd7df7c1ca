"""The record of a balance. Systems were measured elsewhere: its environment is empty."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from groma.facts.balance import KIND, BalanceFacts
from groma.record import Advice, Build, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.facts.balance import Warned


def record_of(
    facts: BalanceFacts, command: Sequence[str], version: str, parameters: Mapping[str, Any]
) -> Record[BalanceFacts]:
    return Record(
        kind=KIND.name,
        created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        command=list(command),
        build=Build(version=version),
        environment={},
        parameters=dict(parameters),
        samples={},
        facts=facts,
        warnings=[Advice(code=one.code, what=located(one), next=one.next) for one in facts.warnings],
    )


def located(one: Warned) -> str:
    """`hpccoutf.txt, line 12: the summary is cut off`."""
    place = one.source if one.line is None else f"{one.source}, line {one.line}"
    return f"{place}: {one.what}"
