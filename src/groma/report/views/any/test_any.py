"""What the page shows of every record."""

from __future__ import annotations

import msgspec
import pytest

from groma.record import Build, Unfinished
from groma.report.blocks import Banner
from groma.report.quantities import quantities_in
from groma.report.views.any.tree import leaves_of
from groma.report.views.registry import sections_of
from groma.report.views.test_support import blocks_in, compared, measured, record_of, rows_in

STATE = Unfinished(
    planned=3,
    done=1,
    interrupted=["clock"],
    missing=["tlb_reach"],
    what="unfinished: 1 of 3 probes done",
    details=["interrupted: clock", "not measured: tlb_reach"],
    next="finish it on walnut with: groma survey --resume",
)


@pytest.mark.parametrize("kind", ["survey", "hpcc", "randomaccess", "astrolabe"])
def test_a_run_that_was_cut_short_says_so_first_and_how_to_finish_it(kind: str) -> None:
    (first, *_) = sections_of(record_of(kind, {}, unfinished=STATE))
    assert first.id == "verdict"
    assert first.blocks[0] == Banner(outcome="warn", title=STATE.what, lines=[*STATE.details, STATE.next])


def test_a_comparison_says_which_of_its_records_are_unfinished() -> None:
    sections = compared(record_of("survey", {}), record_of("survey", {}, unfinished=STATE))
    titles = [block.title for block in blocks_in(sections) if isinstance(block, Banner)]
    assert titles == [f"two: {STATE.what}"]


def test_records_of_any_kind_are_compared() -> None:
    kind = "astrolabe"
    facts = [{"angle": measured(value, "s")} for value in (1.0, 3.0)]
    sections = compared(
        record_of(kind, facts[0], parameters={"stars": 3}), record_of(kind, facts[1], parameters={"stars": 4})
    )
    assert rows_in(sections, f"{kind}-quantities")[0][0] == "angle"
    assert rows_in(sections, f"{kind}-differences") == [["stars", "3", "4"]]


def test_what_is_of_many_records_is_not_compared_once_more() -> None:
    record = record_of("history", {"angle": measured(1.0, "s")})
    assert compared(record, record) == []


def test_a_record_of_a_run_that_came_to_its_end_has_no_such_banner() -> None:
    blocks = blocks_in(sections_of(record_of("survey", {})))
    assert not any(isinstance(block, Banner) for block in blocks)


def test_quantities_are_found_with_their_paths() -> None:
    one = measured(1, "s")
    facts = {"node": {"caches": [{"size": one}, {"size": one, "line": None}]}}
    assert [path for path, _ in quantities_in(facts)] == ["node.caches[0].size", "node.caches[1].size"]


def test_a_quantity_that_leaves_fields_out_is_completed() -> None:
    bare = {"value": 1, "unit": "s", "low": 1, "high": 1, "confidence": 1, "method": "m"}
    ((_, quantity),) = quantities_in([bare, {"value": 1}])
    assert (quantity.value, quantity.samples, quantity.os_value) == (1, None, None)


def test_a_tree_has_a_row_per_entry_and_keeps_plain_lists_on_one_row() -> None:
    leaves = list(leaves_of({"a": {"b": [1, 2]}, "c": [{"d": True}], "e": None, "q": measured(1, "s")}))
    assert [path for path, _ in leaves] == ["a.b", "c[0].d", "e", "q"]
    assert leaves[0].value == "1, 2"


def test_the_environment_names_the_program_and_has_no_empty_rows() -> None:
    foreign = record_of("hpcc", {}, command=[], build=Build(version="hpcc 1.5.0"))
    own = record_of("hpcc", {}, build=Build(version="0.1.0", options={"hwloc": ""}))
    rows = [dict(rows_in(sections_of(one), "environment")) for one in (foreign, own)]
    assert [one["program"] for one in rows] == ["hpcc 1.5.0", "groma 0.1.0"]
    assert all(value for one in rows for value in one.values())
    assert "command" not in rows[0]


class UnknownFacts(msgspec.Struct):
    pairs: int


def test_facts_without_a_view_are_a_tree_whether_they_are_typed_or_plain() -> None:
    trees = [rows_in(sections_of(record_of("new", one)), "facts") for one in ({"pairs": 3}, UnknownFacts(3))]
    assert trees == [[["pairs", 3]]] * 2


def test_the_environment_gives_the_time_as_the_head_of_the_page_does() -> None:
    record = record_of("astrolabe", {}, created="2025-03-01T09:30:00+00:00")
    record = msgspec.structs.replace(record, environment={"captured": "2025-03-01T09:29:58+00:00"})
    rows = dict(rows_in(sections_of(record), "environment"))
    assert [rows["measured"], rows["captured"]] == ["2025-03-01 09:30:00 UTC", "2025-03-01 09:29:58 UTC"]


def test_numbers_of_the_environment_have_their_unit() -> None:
    environment = {"memory": {"total_bytes": 2**30}, "frequency": {"max": 3e9}, "command": "left out"}
    shown = sections_of(record_of("astrolabe", {}, environment=environment))
    rows = dict(rows_in(shown, "environment"))
    assert rows["memory · total bytes"] == "1 GiB"
    assert rows["frequency · max"] == "3 GHz"
    assert "left out" not in rows.values()
