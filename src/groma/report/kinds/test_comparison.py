"""What a comparison advises where it leaves a quantity open."""

from __future__ import annotations

from typing import Literal

import pytest

from groma.facts.comparison import Changed, ComparedQuantity, ComparedRecord, ComparisonFacts
from groma.record import Build, Quantity, Record
from groma.report.kinds.comparison import SECTIONS
from groma.report.renderers import plain
from groma.report.terminal import document_of


def shown(kind: str, counted: Literal["sample", "run"] = "sample") -> str:
    """The section of open quantities, of two records of a kind."""
    value = Quantity(value=1.0, unit="s", low=0.5, high=2.0, confidence=0.95, method="made")
    changed = Changed(verdict="inconclusive", value=value, ratio=value, why="too wide", counted=counted)
    records = [
        ComparedRecord(name=name, file=f"{name}.json", created="2026-01-01") for name in ("old", "new")
    ]
    facts = ComparisonFacts(
        of=kind,
        records=records,
        quantities=[
            ComparedQuantity(name="a.latency", unit="s", better="lower", first=value, others=[changed])
        ],
    )
    record = Record(
        kind="comparison",
        created="2026-01-01T00:00:00Z",
        command=["groma"],
        build=Build(version="0.1.0"),
        environment={},
        parameters={},
        samples={},
        facts=facts,
    )
    assert "open" in SECTIONS
    return plain(document_of(record, ["open"]))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("survey", "(--thorough)"),
        ("hpcc", "(--repeat, --budget)"),
        ("randomaccess", "(--repeat, --budget)"),
        ("mapping", "(--launches)"),
    ],
)
def test_the_advice_names_the_options_of_the_kind_of_record(kind: str, options: str) -> None:
    assert f"open: take more samples {options}, or on an idle machine" in shown(kind)


@pytest.mark.parametrize("kind", ["trace", "astrolabe"])
def test_no_option_is_named_where_none_takes_more_samples(kind: str) -> None:
    assert "open: take more samples, or on an idle machine" in shown(kind)


def test_pooled_runs_need_more_runs() -> None:
    assert "open: take more runs, or on an idle machine" in shown("hpcc", "run")
