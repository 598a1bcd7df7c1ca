"""Nodes and runs of RandomAccess that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.facts.network import NetworkFacts
from groma.record import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.facts.survey import SurveyFacts
    from groma.record import Record

    MakeRun = Callable[..., Record[Any]]


def quantity(value: float, unit: str, spread: float = 0.02) -> Quantity:
    return Quantity(
        value=value,
        unit=unit,
        low=value * (1 - spread),
        high=value * (1 + spread),
        confidence=0.95,
        method="made up",
    )


def plain(value: float, unit: str) -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(quantity(value, unit))
    return made


@pytest.fixture
def make_run(survey: Record[SurveyFacts]) -> MakeRun:
    """A record of a run on the host of the example profile; named facts replace or add, None removes."""

    def make(**changed: Any) -> Record[Any]:
        facts: dict[str, Any] = {
            "gups": plain(0.3, "GUP/s"),
            "errors": 0,
            "look_ahead": 1024,
            "algorithm": "shared",
            "mapping_mode": 1,
            "table_words": 1 << 30,
            "updates": 1 << 32,
            "ranks": 8,
        }
        kept = {name: value for name, value in (facts | changed).items() if value is not None}
        return msgspec.structs.replace(survey, kind="randomaccess", facts=kept, samples={})

    return make


@pytest.fixture
def networked(survey: Record[SurveyFacts]) -> Record[SurveyFacts]:
    """The example profile with a network of 2 µs, 10 GB/s from a node and 0.5 µs of overhead."""
    layers = [
        {"name": "within", "latency": plain(5e-7, "s")},
        {
            "name": "between",
            "latency": plain(2e-6, "s"),
            "curve": [{"bytes": 8, "time": plain(2e-6, "s")}, {"bytes": 1 << 20, "time": plain(2e-4, "s")}],
            "loggp": {"o": plain(5e-7, "s"), "G": plain(2e-10, "s/B")},
            "concurrency": [{"messages": 4, "bandwidth": plain(10e9, "B/s")}],
        },
    ]
    survey.facts.network = msgspec.convert({"layers": layers}, NetworkFacts)
    return survey
