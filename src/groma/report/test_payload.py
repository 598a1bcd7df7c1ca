"""The page carries what a reader needs of a record, and the viewer's types match it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from groma.record import Build, ProbeSamples, Record, Round
from groma.record.io import read_record
from groma.report.payload import MAX_CASES, encode, page_of, page_schema

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "tests/data/example-profile.json"
SCHEMA_FILE = ROOT / "viewer/model/page.schema.json"


def record_with(samples: dict[str, ProbeSamples], facts: Any = None) -> Record[Any]:
    return Record(
        kind="other",
        created="2025-03-01T00:00:00+00:00",
        command=["groma", "other"],
        build=Build(version="0"),
        environment={},
        parameters={},
        samples=samples,
        facts=facts,
    )


def probe(values: list[list[float]], **changes: Any) -> ProbeSamples:
    return ProbeSamples(
        probe="one", cases=[{"unit": "s", "size": i} for i in range(len(values))], values=values, **changes
    )


def test_samples_are_summarised_case_by_case() -> None:
    page = page_of([("a", record_with({"one": probe([[3.0, 1.0, 2.0], []])}))])
    samples = page.records[0].samples["one"]
    first, second = samples.summary
    assert first is not None
    assert (first.n, first.min, first.p50) == (3, 1.0, 2.0)
    assert second is None
    assert (samples.case_count, samples.sample_count) == (2, 3)


def test_probes_of_many_cases_are_counted_not_listed() -> None:
    page = page_of([("a", record_with({"one": probe([[1.0]] * (MAX_CASES + 1))}))])
    samples = page.records[0].samples["one"]
    assert samples.cases == []
    assert samples.summary == []
    assert samples.case_count == MAX_CASES + 1


def test_disturbance_sums_steal_over_the_rounds() -> None:
    rounds = [Round(elapsed=0.2, fixed_work=2e-5, wall_over_cpu=1.1, steal=0.5)] * 3
    samples = page_of([("a", record_with({"one": probe([[1.0]], rounds=rounds)}))]).records[0].samples["one"]
    assert samples.disturbance is not None
    assert samples.disturbance.steal == 1.5
    assert samples.disturbance.wall_over_cpu.p50 == 1.1


def test_facts_of_any_kind_pass_through() -> None:
    facts = {"anything": [1, {"value": 2.5}]}
    content = json.loads(encode(page_of([("a", record_with({}, facts))])))
    assert content["records"][0]["facts"] == facts


def test_pairs_of_layers_are_packed() -> None:
    pairs = [(0, other) for other in range(1, 40)]
    content = json.loads(encode(page_of([("a", record_with({}, {"pairs": pairs}))])))
    assert content["records"][0]["facts"] == {"pairs": {"$pairs": [[0, 1, 39]]}}


def test_example_profile_needs_less_than_a_tenth_of_the_page_limit() -> None:
    assert len(encode(page_of([("example", read_record(EXAMPLE))]))) < 100_000


def test_schema_of_the_viewer_is_current() -> None:
    # To renew: python -m groma.report.payload > viewer/model/page.schema.json; npm --prefix viewer run types
    assert json.loads(SCHEMA_FILE.read_bytes()) == json.loads(msgspec.json.encode(page_schema()))
