"""The page carries all that it says and draws, and its schema describes it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from groma.facts.reading import read_record
from groma.record import Build
from groma.report.payload import encode, page_of, page_schema
from groma.report.views.test_support import figures_in, record_of, simulated

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "build/test-data/example-profile.json"


def content_of(facts: Any) -> str:
    return encode(page_of([("a", record_of("astrolabe", facts))])).decode()


def test_facts_of_any_kind_can_be_copied() -> None:
    facts = {"anything": [1, {"value": 2.5}]}
    (record,) = page_of([("a", record_of("astrolabe", facts))]).records
    (figure,) = (one for one in figures_in(record.sections) if one.id == "facts")
    assert figure.data == facts


def test_pairs_of_layers_are_packed() -> None:
    pairs = [(0, other) for other in range(1, 40)]
    assert '{"pairs":{"$pairs":[[0,1,39]]}}' in content_of({"pairs": pairs})


def test_what_a_figure_and_its_table_share_is_written_once() -> None:
    assert content_of({"note": "told in the table and in what is copied"}).count("told in the table") == 1


def test_an_example_profile_needs_less_than_a_fifth_of_the_page_limit() -> None:
    assert len(encode(page_of([("example", read_record(EXAMPLE))]))) < 200_000


def test_a_page_is_headed_by_kind_and_machine_of_its_record() -> None:
    environment = {"captured": "", "host": "walnut", "cpu": {"model": "Xeon 6148"}}
    page = page_of([("a", record_of("hpcc", {}, environment=environment))])
    assert (page.title, page.kind) == ("HPC Challenge: Xeon 6148", "HPC Challenge")
    assert page.about == "walnut · 2025-03-01 00:00:00 UTC · groma hpcc · groma 0"


def test_the_kind_of_a_page_begins_with_a_capital() -> None:
    assert [page_of([("a", record_of(kind, {}))]).kind for kind in ("survey", "new")] == ["Survey", "New"]


def test_a_page_of_a_run_that_groma_did_not_make_names_the_program_that_made_it() -> None:
    record = record_of("hpcc", {}, command=[], build=Build(version="hpcc 1.5.0"))
    assert page_of([("a", record)]).about == "2025-03-01 00:00:00 UTC · hpcc 1.5.0"


def test_a_command_with_many_files_is_cut_below_the_title() -> None:
    files = [f"nights/{number:03}.json" for number in range(200)]
    page = page_of([("a", record_of("hpcc", {}, command=["groma", "history", *files]))])
    assert "groma history nights/000.json" in page.about
    assert " … · groma" in page.about
    assert len(page.about) < 400


def test_a_page_of_a_simulation_is_headed_by_what_was_simulated() -> None:
    environment = {"host": "walnut", "cpu": {"model": "Xeon 6148"}}
    page = page_of([("a", record_of("torus", simulated("halo"), environment=environment))])
    assert page.title == "Simulated torus: halo on bluegene-p, torus 2x2"


def test_a_survey_is_headed_by_its_machine_alone_and_named_where_that_is_not_known() -> None:
    assert page_of([("a", record_of("survey", {}))]).title == "a"


def test_a_page_of_several_records_is_headed_by_their_number() -> None:
    record = record_of("survey", {})
    page = page_of([("one", record), ("two", record)])
    assert (page.title, page.kind, page.about) == ("2 records compared", "", "one · two")


def test_parts_of_the_environment_that_are_not_understood_leave_the_others() -> None:
    environment = {"cpu": "a word", "host": "walnut"}
    assert page_of([("a", record_of("survey", {}, environment=environment))]).title == "walnut"


def test_the_schema_describes_all_that_it_refers_to() -> None:
    content = json.dumps(page_schema())
    described = page_schema()["$defs"]
    assert set(re.findall(r'"#/\$defs/(\w+)"', content)) <= set(described)
    assert {"Page", "PageSection", "Figure", "Banner", "LineChart", "HeatMap"} <= set(described)


def test_drawings_of_a_single_kind_are_described_too() -> None:
    assert {"RadarChart", "ScatterChart"} <= set(page_schema()["$defs"])


def test_a_page_is_plain_json() -> None:
    assert msgspec.json.decode(encode(page_of([])))["records"] == []
