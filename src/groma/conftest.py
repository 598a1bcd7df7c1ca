"""Fixtures that several rooms' tests use: surveys of machines that do not exist."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groma.facts.reading import read_record
from groma.record import Record

if TYPE_CHECKING:
    from groma.facts.survey import SurveyFacts

ROOT = Path(__file__).parents[2]
MADE = ROOT / "build" / "test-data"


@pytest.fixture
def example_profile() -> Path:
    """File of a synthetic survey of two packages with four cores each."""
    return MADE / "example-profile.json"


@pytest.fixture
def survey(example_profile: Path) -> Record[SurveyFacts]:
    return read_record(example_profile)


@pytest.fixture
def foreign_record(survey: Record[SurveyFacts]) -> Record[Any]:
    """A record of a kind that nothing here knows."""
    altitude = {"value": 0.5, "unit": "rad", "low": 0.4, "high": 0.6, "confidence": 0.9, "method": "eye"}
    return Record(
        kind="astrolabe",
        created=survey.created,
        command=["astrolabe", "--measure"],
        build=survey.build,
        environment={},
        parameters={"stars": 3},
        samples={},
        facts={"altitude": altitude, "stars": [{"name": "Vega", "seen": True}], "note": None},
    )


@pytest.fixture
def recorded() -> list[bytes]:
    """Lines of groma-hpcc running dgemm and stream on two ranks, three repetitions each."""
    return (ROOT / "tests/data/hpcc/two-tests.jsonl").read_bytes().splitlines(keepends=True)


@pytest.fixture
def networked_survey() -> Record[SurveyFacts]:
    """A synthetic survey of nine nodes on a ring with one cable at half rate."""
    return read_record(MADE / "example-network.json")
