"""groma import, cut and filter as their users type them."""

from __future__ import annotations

import gzip
import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from groma.cli import cut, export, filter, import_, stat  # noqa: A004
from groma.errors import ExitCode, GromaError
from groma.launch.trace_store import trace_in
from groma.trace import editing
from groma.trace.sums import TraceSums

if TYPE_CHECKING:
    from pathlib import Path

    import click

CLEAN = """#Paraver (01/01/2026 at 00:00):1000_ns:1(2):1:2(1:1,1:1),1
c:1:1:2:1:2
1:1:1:1:1:0:600:1
1:2:1:2:1:0:300:1
2:2:1:2:1:300:50000001:2
1:2:1:2:1:300:800:3
3:1:1:1:1:600:600:2:1:2:1:300:800:1000:7
2:1:1:1:1:600:50000001:1
1:1:1:1:1:600:700:4
2:1:1:1:1:700:50000001:0
1:1:1:1:1:700:1000:1
2:2:1:2:1:800:50000001:0
1:2:1:2:1:800:1000:1
"""
# The same records: another order, the ends of lines of Windows, a wrong length, an old record, a comment.
DIRTY = "\r\n".join(
    [
        CLEAN.splitlines()[0].replace(":1000_ns", ":5_ns"),
        CLEAN.splitlines()[1],
        "# a comment",
        *reversed(CLEAN.splitlines()[2:]),
        "4:1:1:1",
        "",
    ]
)


def run(verb: click.Command, *words: object) -> Any:
    """The answer as JSON. Raises what the verb raises."""
    done = CliRunner().invoke(
        verb, [*map(str, words), "--json"], catch_exceptions=False, standalone_mode=False
    )
    if done.exception is not None:
        raise done.exception
    return json.loads(done.stdout)


def tables(trace: Path) -> Any:
    """What stat says, without what depends on the file."""
    return {
        name: table
        for name, table in run(stat.command, trace)["facts"].items()
        if name not in {"records", "trace", "created"}
    }


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    path = tmp_path / "clean.prv"
    path.write_text(CLEAN)
    return path


def test_a_trace_and_its_store_have_the_same_tables(clean: Path) -> None:
    made = run(import_.command, clean)
    assert made["target"] == str(clean.with_suffix(".groma"))
    assert made["records"]["states"] == 6
    assert tables(clean.with_suffix(".groma")) == tables(clean)


def test_a_clean_trace_comes_back_as_it_was(clean: Path, tmp_path: Path) -> None:
    run(import_.command, clean)
    run(import_.command, clean.with_suffix(".groma"), "-o", tmp_path / "back.prv")
    assert (tmp_path / "back.prv").read_text() == CLEAN


def test_cpus_comments_and_signs_come_back_as_they_were(tmp_path: Path) -> None:
    head, groups, *records = CLEAN.splitlines()
    text = "\n".join(
        [head, groups, "# how it came about", *records[:4], "1:2:1:1:1:600:600:4", "2:0:1:2:1:700:7:-5", ""]
    )
    (tmp_path / "a.prv").write_text(text.replace(":1000_ns", ":800_ns"))
    run(import_.command, tmp_path / "a.prv")
    run(import_.command, tmp_path / "a.groma", "-o", tmp_path / "back.prv")
    assert (tmp_path / "back.prv").read_text() == (tmp_path / "a.prv").read_text()


def test_a_dirty_trace_is_repaired_and_all_of_it_reported(clean: Path, tmp_path: Path) -> None:
    dirty = tmp_path / "dirty.prv.gz"
    dirty.write_bytes(gzip.compress(DIRTY.encode()))
    written = run(import_.command, dirty, "-o", tmp_path / "repaired.prv")
    reported = {one["code"] for one in written["warnings"]}
    assert {"unsorted", "wrong_duration", "old_record"} <= reported
    repaired = (tmp_path / "repaired.prv").read_text().splitlines()
    assert repaired[0] == CLEAN.splitlines()[0]
    assert sorted(repaired) == sorted([*CLEAN.splitlines(), "# a comment"])
    assert tables(tmp_path / "repaired.prv") == tables(clean)
    run(import_.command, dirty)
    assert tables(tmp_path / "dirty.groma") == tables(clean)


def test_a_trace_without_records_is_one(tmp_path: Path) -> None:
    (tmp_path / "head.prv").write_text(CLEAN.splitlines()[0] + "\n")
    made = run(import_.command, tmp_path / "head.prv")
    assert made["records"]["states"] == 0
    assert run(stat.command, tmp_path / "head.groma")["facts"]["calls"] == []


def test_a_cut_has_times_from_its_begin_and_whole_states(clean: Path, tmp_path: Path) -> None:
    made = run(cut.command, clean, "--from", "40%", "--to", "650ns", "-o", tmp_path / "part.prv")
    assert made["cut_messages"] == 1
    part = (tmp_path / "part.prv").read_text().splitlines()
    assert ":250_ns:" in part[0]
    assert re.fullmatch(r'#20[0-9]{12}:CUTTER:ORIGINAL:"clean.prv":400:400:650', part[2])
    assert part[3:] == [
        "1:1:1:1:1:0:200:1",
        "1:2:1:2:1:0:250:3",
        "2:2:1:2:1:0:50000001:2",
        "2:1:1:1:1:200:50000001:1",
        "1:1:1:1:1:200:250:4",
        "2:1:1:1:1:250:50000001:0",
        "2:2:1:2:1:250:50000001:0",
    ]


def test_a_cut_ends_with_the_trace_and_keeps_notes_of_earlier_ones(clean: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.prv", tmp_path / "second.prv"
    run(cut.command, clean, "--to", "100s", "-o", first)
    run(cut.command, first, "--from", "100ns", "--to", "1h", "-o", second)
    for made, ends in ((first, 1000), (second, 900)):
        assert f":{ends}_ns:" in made.read_text()
        assert run(stat.command, made)["warnings"] == []
    notes = [line.partition(":")[2] for line in second.read_text().splitlines() if "CUTTER" in line]
    assert notes == ['CUTTER:ORIGINAL:"clean.prv":0:0:1000', 'CUTTER:ORIGINAL:"first.prv":100:100:1000']


def test_a_cut_can_keep_its_times(clean: Path) -> None:
    run(cut.command, clean, "--from", "400ns", "--keep-times")
    part = clean.with_name("clean-cut.prv").read_text().splitlines()
    assert ":1000_ns:" in part[0]
    assert next(one for one in part if one.startswith("1:")).split(":")[5:7] == ["400", "600"]


def test_a_share_of_a_trace_counts_from_its_first_record(
    clean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = TraceSums(created="", begin=400, duration=900, threads=[], states=[], calls=[])
    monkeypatch.setattr(editing, "sums_of", lambda *_: later)
    run(cut.command, clean, "--from", "10%", "--to", "50%")
    assert ":450:450:650" in clean.with_name("clean-cut.prv").read_text()


_TIMES = {"1": (5, 6), "2": (5,)}
"""Where those of a record are."""


def later(clean: Path, begin: int) -> Path:
    """The trace without its message, from this time on."""
    head, groups, *records = CLEAN.splitlines()
    lines = [head.replace(":1000_ns", f":{begin + 1000}_ns"), groups]
    for fields in (line.split(":") for line in records if line[0] in _TIMES):
        for place in _TIMES[fields[0]]:
            fields[place] = str(begin + int(fields[place]))
        lines.append(":".join(fields))
    clean.write_text("\n".join([*lines, ""]))
    return clean


def test_a_cut_without_a_begin_begins_with_the_trace(clean: Path) -> None:
    part = clean.with_name("clean-cut.prv")
    run(cut.command, later(clean, 10_000), "--to", "10.5us")
    assert ":10000:10000:10500" in part.read_text()
    assert ":500_ns:" in part.read_text()
    by_default = part.read_text()
    run(cut.command, clean, "--from", "0%", "--to", "10.5us")
    assert part.read_text().splitlines()[3:] == by_default.splitlines()[3:]


@pytest.mark.parametrize("text", ["1700000000000000101ns", "1700000000.000000101s"])
def test_a_cut_takes_all_digits_of_a_time(clean: Path, text: str) -> None:
    run(cut.command, later(clean, 1_700_000_000_000_000_000), "--from", text)
    begin = 1_700_000_000_000_000_101
    assert f":{begin}:{begin}:1700000000000001000" in clean.with_name("clean-cut.prv").read_text()


@pytest.mark.parametrize(
    ("words", "step"),
    [
        (["--from", "10%", "--to", "5%"], "name a later end with --to"),
        (["--from", "500ns", "--to", "500ns"], "name a later end with --to"),
        (["--from", "2us"], "the trace ends at 1 us"),
        (["--from", "100%", "--to", "99999999999999999999h"], "the trace ends at 1 us"),
    ],
)
def test_a_cut_that_is_none_says_what_to_do(clean: Path, words: list[str], step: str) -> None:
    with pytest.raises(GromaError, match="nothing lies between") as refused:
        run(cut.command, clean, *words)
    assert refused.value.next_step == step


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "x"], "not a time"),
        (["--from", "2us"], "nothing lies between"),
        (["--from", "500ns", "--to", "500ns"], "nothing lies between"),
        (["--from", "100%", "--to", "110%"], "nothing lies between"),
        (["-o", "part.txt"], "not the name of a trace"),
    ],
)
def test_a_cut_that_is_none_is_refused(clean: Path, words: list[str], said: str) -> None:
    with pytest.raises(GromaError, match=said) as refused:
        run(cut.command, clean, *words)
    assert refused.value.exit_code == ExitCode.USAGE


def test_nothing_replaces_the_trace_that_is_read(clean: Path) -> None:
    with pytest.raises(GromaError, match="replace the trace"):
        run(import_.command, clean, "-o", clean)


@pytest.mark.parametrize("words", [[cut.command, "--to", "500ns"], [filter.command, "--ranks", "0"]])
@pytest.mark.parametrize("name", ["clean.prv", "clean.groma"])
def test_a_part_of_a_trace_does_not_pass_for_the_trace(clean: Path, words: list[Any], name: str) -> None:
    run(import_.command, clean)
    before = {path.name: path.read_bytes() for path in clean.parent.iterdir()}
    for source in (clean, clean.with_suffix(".groma"), clean.parent):
        with pytest.raises(GromaError, match="would replace the trace") as refused:
            run(words[0], source, *words[1:], "-o", clean.with_name(name))
        assert refused.value.exit_code == ExitCode.USAGE
    assert {path.name: path.read_bytes() for path in clean.parent.iterdir()} == before


def test_a_filter_keeps_what_all_rules_keep(clean: Path, tmp_path: Path) -> None:
    target = tmp_path / "f.prv"
    made = run(filter.command, clean, "--ranks", "1", "--burst", "250ns", "--no", "messages", "-o", target)
    assert (made["kept"], made["dropped"]) == (4, 7)
    kept = target.read_text().splitlines()[2:]
    assert kept == [
        "1:2:1:2:1:0:300:1",
        "2:2:1:2:1:300:50000001:2",
        "1:2:1:2:1:300:800:3",
        "2:2:1:2:1:800:50000001:0",
    ]


@pytest.mark.parametrize("name", ["f.prv", "f.groma"])
def test_a_filtered_trace_ends_with_what_is_kept(clean: Path, tmp_path: Path, name: str) -> None:
    clean.write_text(CLEAN.replace(":1000_ns", ":5_ns"))
    made = run(filter.command, clean, "--ranks", "0", "--no", "states", "-o", tmp_path / name)
    assert made["warnings"][0]["code"] == "wrong_duration"
    whole = run(import_.command, tmp_path / name, "-o", tmp_path / "whole.prv")
    assert "wrong_duration" not in [one["code"] for one in whole["warnings"]]
    assert ":700_ns:" in (tmp_path / "whole.prv").read_text()


def test_a_filter_that_keeps_nothing_keeps_the_header(clean: Path, tmp_path: Path) -> None:
    run(
        filter.command,
        clean,
        "--message",
        "1GB",
        "--no",
        "states",
        "--no",
        "events",
        "-o",
        tmp_path / "f.prv",
    )
    assert ":1000_ns:" in (tmp_path / "f.prv").read_text()


def test_a_filter_that_keeps_nothing_says_so(clean: Path) -> None:
    made = run(filter.command, clean, "--ranks", "5")
    assert made["kept"] == 0
    assert [one["code"] for one in made["warnings"] if one["code"] != "no_names"] == ["nothing_kept"]
    made = run(filter.command, clean, "--ranks", "1")
    assert [one["code"] for one in made["warnings"] if one["code"] != "no_names"] == []


@pytest.mark.parametrize("option", ["--states", "--types", "--without-types", "--ranks"])
@pytest.mark.parametrize("text", ["", "a", "5-1", "1,,2", "1 2", "-1", "18446744073709551616", "²"])
def test_a_filter_says_in_words_of_its_user_what_is_no_list(clean: Path, option: str, text: str) -> None:
    with pytest.raises(GromaError) as refused:
        run(filter.command, clean, option, text)
    assert refused.value.what == f"{option}={text} is not a list of numbers"
    assert refused.value.next_step == "write for example 1,8-13"
    assert refused.value.exit_code == ExitCode.USAGE


def test_a_list_may_have_spaces(clean: Path, tmp_path: Path) -> None:
    spaced, dense = (
        run(filter.command, clean, "--states", text, "-o", tmp_path / "f.prv")
        for text in (" 1, 3 - 4", "1,3-4")
    )
    assert spaced == dense


def test_a_filter_refuses_what_is_no_list(clean: Path) -> None:
    with pytest.raises(GromaError, match="types=5-1"):
        run(filter.command, clean, "--types", "5-1")


def test_a_damaged_store_is_refused(clean: Path) -> None:
    run(import_.command, clean)
    store = clean.with_suffix(".groma")
    store.write_bytes(store.read_bytes()[:-9])
    with pytest.raises(GromaError, match="damaged"):
        run(stat.command, store)


def test_of_a_folder_the_store_is_taken_unless_the_text_is_newer(clean: Path) -> None:
    run(import_.command, clean)
    assert trace_in(clean.parent) == clean.with_suffix(".groma")
    os.utime(clean.with_suffix(".groma"), (1, 1))
    assert trace_in(clean.parent) == clean
    (clean.parent / "other.prv").write_text(CLEAN)
    with pytest.raises(GromaError, match="2 traces"):
        trace_in(clean.parent)
    (clean.parent / "trace.prv").write_text(CLEAN)
    assert trace_in(clean.parent).name == "trace.prv"


@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
def test_perfetto_gets_slices_that_nest_and_messages_with_both_ends(
    clean: Path, tmp_path: Path, name: str
) -> None:
    run(export.command, clean, "--perfetto", tmp_path / name)
    content = (tmp_path / name).read_bytes()
    events = json.loads(gzip.decompress(content) if name.endswith(".gz") else content)["traceEvents"]
    slices = {
        process: [(one["ph"], one["ts"]) for one in events if one["ph"] in "BE" and one["pid"] == process]
        for process in (1, 2)
    }
    assert slices == {1: [("B", 0.6), ("E", 0.7)], 2: [("B", 0.3), ("E", 0.8)]}
    assert {one["name"] for one in events if one["ph"] == "B"} == {"MPI_Send", "MPI_Recv"}, "without a .pcf"
    [start] = [one for one in events if one["ph"] == "s"]
    [finish] = [one for one in events if one["ph"] == "f"]
    assert (start["pid"], start["ts"], start["args"]["bytes"]) == (1, 0.6, 1000)
    assert (finish["pid"], finish["ts"], finish["id"]) == (2, 0.799, start["id"])
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no format"),
        (["--hwloc", "a", "--perfetto", "b"], "several formats"),
        (["--perfetto", "/no/x"], "written"),
    ],
)
def test_an_export_without_one_format_is_refused(clean: Path, words: list[str], said: str) -> None:
    with pytest.raises(GromaError, match=said):
        run(export.command, clean, *words)


def test_what_is_no_trace_is_not_exported(tmp_path: Path) -> None:
    (tmp_path / "x.prv").write_text("no trace\n")
    with pytest.raises(GromaError, match="not a Paraver header"):
        run(export.command, tmp_path / "x.prv", "--perfetto", tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize("verb", [cut.command, filter.command, import_.command])
def test_a_trace_that_cannot_be_read_leaves_what_it_would_have_replaced(
    tmp_path: Path, verb: click.Command
) -> None:
    bad, kept = tmp_path / "bad.prv", tmp_path / "kept.prv"
    bad.write_text("hello\n")
    for ending in (".prv", ".pcf", ".row"):
        kept.with_suffix(ending).write_text("old")
    with pytest.raises(GromaError, match="Paraver"):
        run(verb, bad, *(["--to", "1s"] if verb is cut.command else []), "-o", kept)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "bad.prv": "hello\n",
        **{f"kept{ending}": "old" for ending in (".prv", ".pcf", ".row")},
    }


def test_a_burst_that_is_a_share_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.prv").write_text(CLEAN)
    with pytest.raises(GromaError, match="'10%' is a share"):
        run(filter.command, tmp_path / "t.prv", "--burst", "10%")
