from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from groma.errors import GromaError
from groma.facts.opening import records_of
from groma.history.history import TrendFilter, history_of
from groma.history.index import Index
from groma.history.machines import shape_of
from groma.history.store import add_to_store
from groma.hpccoutf.test_runs import HEADER, SIXTEEN, run_text, summary
from groma.record.io import encoded_record, write_record
from suite_records import stream, suite_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.history import HistoryFacts
    from groma.record import Record


def night(folder: Path, day: int, rate: float = 1e10, **environment: object) -> Path:
    path = folder / f"night-{day:02}.json"
    samples = stream({"triad": [rate * (1 + 0.001 * step) for step in range(-5, 5)]})
    write_record(path, suite_record(samples, created=f"2026-01-{day:02}T02:00:00+00:00", **environment))
    return path


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Ten nights; from the seventh on another kernel and a slower memory."""
    folder = tmp_path / "records"
    folder.mkdir()
    for day in range(1, 11):
        night(folder, day, 1e10 if day < 7 else 0.9e10, kernel="6.1" if day < 7 else "6.2")
    return folder


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    found = Index(tmp_path / "data" / "history.sqlite")
    yield found
    found.close()


def reported(index: Index, *places: Path) -> HistoryFacts:
    return history_of(index, list(places), TrendFilter())


def values(facts: HistoryFacts) -> list[float]:
    return [round(point.value.value / 1e10, 2) for trend in facts.trends for point in trend.points]


def test_a_change_is_reported_with_what_else_changed(index: Index, records: Path) -> None:
    (trend,) = reported(index, records).trends
    (change,) = trend.changes
    assert (change.at, change.verdict, change.differences) == (6, "worse", ["kernel: 6.1 to 6.2"])
    assert (trend.machine, trend.shape, trend.name) == ("node17", "2 ranks", "hpcc.stream.triad.star")


def test_new_changed_moved_and_deleted_files_are_noticed(index: Index, records: Path, tmp_path: Path) -> None:
    assert len(values(reported(index, records))) == 10
    night(records, 11, 0.8e10)
    night(records, 1, 1.2e10)
    (records / "night-02.json").unlink()
    (records / "sub").mkdir()
    (records / "night-03.json").rename(records / "sub" / "moved.json")
    assert values(reported(index, records)) == [1.2, 1.0, 1.0, 1.0, 1.0, 0.9, 0.9, 0.9, 0.9, 0.8]


def test_runs_are_in_the_order_of_time_whatever_their_zone(index: Index, tmp_path: Path) -> None:
    """As text, 03:30 of Moscow follows 02:00 of Greenwich. Of one time, the order is that of the files."""
    times = [
        ("d", "2026-01-01T03:30:00+03:00"),
        ("c", "2026-01-01T02:00:00Z"),
        ("e", "2026-01-01T02:00:00.5+00:00"),
        ("b", "2026-01-01T02:00:00+00:00"),
        ("a", "2025-12-31T23:00:00-05:00"),
        ("f", "0001-01-01T00:00:00+05:00"),
    ]
    for name, created in times:
        write_record(tmp_path / f"{name}.json", suite_record(stream({"triad": [1e10] * 5}), created=created))
    (trend,) = reported(index, tmp_path).trends
    assert "".join(Path(point.file).stem for point in trend.points) == "fdbcea"
    assert {point.created for point in trend.points} == {created for _, created in times}


def test_who_waits_is_told_how_many_files_are_read(
    index: Index, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groma.history.index.READ_AT_ONCE", 4)
    told: list[tuple[int, int]] = []
    for _ in range(2):
        index.update([records], lambda *read: told.append(read))
    assert told == [(4, 10), (8, 10), (10, 10)]  # the second time, nothing has changed


def test_an_interrupted_reading_of_many_files_goes_on_where_it_was(
    tmp_path: Path, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it never holds the records of all files."""
    read: list[Path] = []

    def until_the_last(content: bytes, path: Path) -> list[Record[Any]]:
        if path.name == "night-10.json" and path not in read:
            read.append(path)
            raise KeyboardInterrupt
        read.append(path)
        return records_of(content, path)

    monkeypatch.setattr("groma.history.index.records_of", until_the_last)
    monkeypatch.setattr("groma.history.index.READ_AT_ONCE", 4)
    for _ in range(2):
        index = Index(tmp_path / "history.sqlite")
        with contextlib.suppress(KeyboardInterrupt):
            index.update([records])
        index.close()
    assert [path.name for path in read[10:]] == ["night-09.json", "night-10.json"]


@pytest.mark.parametrize("inside", [True, False])
def test_records_may_be_named_one_by_one_or_by_their_folder(
    index: Index, records: Path, tmp_path: Path, *, inside: bool
) -> None:
    """A place that another one begins with holds nothing of it."""
    shutil.copytree(records, tmp_path / "records-of-others")
    reported(index, tmp_path)
    places = sorted(records.glob("*.json")) if inside else [records]
    assert len(values(reported(index, *places))) == 10


def test_the_index_is_the_same_when_it_is_made_again(index: Index, records: Path, tmp_path: Path) -> None:
    night(records, 4, 1.1e10)
    again = Index(tmp_path / "other.sqlite")
    assert reported(index, records) == reported(again, records) == reported(index, records)
    again.close()


def test_a_file_that_did_not_change_is_not_read_again(
    index: Index, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported(index, records)
    monkeypatch.setattr("groma.history.index.read_bytes", lambda path: pytest.fail(f"reads {path}"))
    assert len(values(reported(index, records))) == 10


def test_a_copy_counts_once(index: Index, records: Path) -> None:
    shutil.copytree(records, records / "backup")
    facts = reported(index, records)
    assert len(values(facts)) == 10
    assert (facts.files, facts.records) == (20, 10)


def output_of(*runs: dict[str, str]) -> str:
    """An output of hpcc to which each run was appended, a day after the one before."""
    return "".join(
        run_text(SIXTEEN | values).replace("15535", f"{15535 + number}") for number, values in enumerate(runs)
    )


def test_an_output_of_hpcc_that_was_kept_is_read(index: Index, tmp_path: Path) -> None:
    output, store = tmp_path / "hpccoutf.txt", tmp_path / "store"
    output.write_text(output_of({}, {"HPL_Tflops": "0.11"}), encoding="utf-8")
    add_to_store(output, store)
    (store / "notes.txt").write_text("HPC Challenge Benchmark", encoding="utf-8")
    facts = reported(index, store)
    assert (facts.files, facts.records, facts.unread) == (1, 2, [])


def test_an_appended_file_counts_each_run_once(index: Index, tmp_path: Path) -> None:
    runs: list[dict[str, str]] = [{"HPL_Tflops": f"0.1{number}"} for number in range(4)]
    (tmp_path / "monday.txt").write_text(output_of(*runs[:3]), encoding="utf-8")
    (tmp_path / "tuesday.txt").write_text(output_of(*runs), encoding="utf-8")
    facts = reported(index, tmp_path / "monday.txt", tmp_path / "tuesday.txt")
    trend = next(one for one in facts.trends if one.name == "hpcc.hpl.mpi")
    assert [point.value.value / 1e12 for point in trend.points] == pytest.approx([0.10, 0.11, 0.12, 0.13])
    assert (facts.files, facts.records) == (2, 4)


def test_imported_runs_of_other_shapes_are_other_trends(index: Index, tmp_path: Path) -> None:
    shapes = [
        {"CommWorldProcs": "16"},
        {"CommWorldProcs": "4"},
        {"CommWorldProcs": "4", "STREAM_Threads": "4"},
    ]
    output = tmp_path / "hpccoutf.txt"
    output.write_text(output_of(*shapes, *shapes), encoding="utf-8")
    facts = reported(index, output)
    found = [(one.shape, len(one.points)) for one in facts.trends if one.name == "hpcc.hpl.mpi"]
    assert found == [("16 ranks", 2), ("4 ranks", 2), ("4 ranks of 4 threads", 2)]


def test_a_run_with_wrong_results_is_in_no_trend(index: Index, tmp_path: Path) -> None:
    output = tmp_path / "hpccoutf.txt"
    fast = {"Success": "0", "HPL_Tflops": "9"}
    output.write_text(output_of({}, {"HPL_Tflops": "0.11"}, fast), encoding="utf-8")
    facts = reported(index, output)
    trend = next(one for one in facts.trends if one.name == "hpcc.hpl.mpi")
    assert [point.value.value / 1e12 for point in trend.points] == pytest.approx([0.120409, 0.11])
    (left_out,) = facts.unread
    assert left_out.why == f"{output}: 1 of 3 runs failed its validation and is in no trend"


def test_a_value_that_was_not_determined_is_in_no_trend(index: Index, tmp_path: Path) -> None:
    for day in range(1, 8):
        path = night(tmp_path, day)
        if day == 7:
            path.write_bytes(_undetermined(path.read_bytes(), 9e10))
    (trend,) = reported(index, tmp_path).trends
    assert (len(trend.points), trend.latest) == (6, "usual")


def _undetermined(content: bytes, value: float) -> bytes:
    """The record with that value, but without confidence in any of its figures."""
    record = msgspec.json.decode(content)
    for figure in (one for test in record["facts"]["tests"] for one in test["figures"]):
        figure["value"] |= {"value": value, "low": value, "high": value, "confidence": 0.0}
    return msgspec.json.encode(record)


def test_files_that_cannot_be_read_are_reported_and_the_rest_counts(index: Index, records: Path) -> None:
    content = (records / "night-01.json").read_bytes()
    (records / "cut.json").write_bytes(content[:400])
    (records / "newer.json").write_bytes(content.replace(b"groma.record/1", b"groma.record/7"))
    (records / "empty.json").write_bytes(b"")
    (records / "binary.json").write_bytes(b"\0\1\2")
    (records / "other.json").write_text('{"name": "package"}', encoding="utf-8")
    (records / "running.partial.json").write_bytes(content)
    facts = reported(index, records)
    assert len(values(facts)) == 10
    assert [Path(one.file).name for one in facts.unread] == [
        "binary.json",
        "cut.json",
        "empty.json",
        "newer.json",
    ]
    assert "groma.record/7" in facts.unread[-1].why


def test_places_do_not_forget_each_other(index: Index, records: Path, tmp_path: Path) -> None:
    other = tmp_path / "records-of-others"
    other.mkdir()
    night(other, 20, 2e10)
    assert len(values(reported(index, records))) == 10
    assert values(reported(index, other)) == [2.0]
    assert len(values(reported(index, records, other))) == 11


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 2000])
def test_a_damaged_index_is_made_again(tmp_path: Path, records: Path, damage: bytes) -> None:
    path = tmp_path / "history.sqlite"
    path.write_bytes(damage)
    index = Index(path)
    assert len(values(reported(index, records))) == 10
    index.close()


def test_an_index_of_another_version_is_made_again(tmp_path: Path, records: Path) -> None:
    path = tmp_path / "history.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE files (name)")
    database.execute("PRAGMA user_version = 99")
    database.close()
    index = Index(path)
    assert len(values(reported(index, records))) == 10
    index.close()


def test_several_processes_may_update_it_at_once(tmp_path: Path, records: Path) -> None:
    def one(_number: int) -> list[float]:
        index = Index(tmp_path / "shared.sqlite")
        try:
            return values(reported(index, records))
        finally:
            index.close()

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(one, range(12)))
    assert all(len(each) == 10 for each in found)


def test_what_is_chosen_is_shown(index: Index, records: Path) -> None:
    assert history_of(index, [records], TrendFilter(names=["hpcc.stream"])).trends
    assert not history_of(index, [records], TrendFilter(names=["hpcc.fft"])).trends
    assert not history_of(index, [records], TrendFilter(machines=["login*"])).trends
    assert not history_of(index, [records], TrendFilter(kinds=["survey"])).trends


def test_a_place_that_is_not_there_is_refused(index: Index, tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="no such file or folder"):
        reported(index, tmp_path / "absent")


@pytest.mark.parametrize("hosts", [("n03", "n11", "n04"), ("n03.example.org", "n11.example.org", "n04")])
def test_a_job_over_many_hosts_is_one_machine(hosts: tuple[str, ...], index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    folder.mkdir()
    for day, host in enumerate(hosts, start=1):
        record = suite_record(stream({"triad": [1e10, 1.01e10]}), host=host, created=f"2026-01-0{day}")
        record.facts.launch.nodes = 4  # type: ignore[union-attr]
        (folder / f"{day}.json").write_bytes(encoded_record(record))
    (trend,) = reported(index, folder).trends
    assert (trend.machine, trend.shape, len(trend.points)) == ("n*", "2 ranks on 4 nodes", 3)


def undated(path: Path, *rates: float) -> Path:
    """An output of hpcc without a time, with a run for each rate of STREAM (GB/s)."""
    texts = (f"Begin of Summary section.\nStarSTREAM_Triad={one}\nEnd of Summary section.\n" for one in rates)
    path.write_text("".join(texts), encoding="utf-8")
    return path


def test_a_run_without_a_time_is_not_taken_for_the_latest(index: Index, tmp_path: Path) -> None:
    dated = tmp_path / "dated.txt"
    text = "Current time (1700000000) is Tue Nov 14 22:13:20 2023\n"
    undated(dated, 10.0)
    dated.write_text(text + dated.read_text(encoding="utf-8"), encoding="utf-8")
    facts = reported(index, dated, undated(tmp_path / "old.txt", 5.0))
    (trend,) = facts.trends
    assert [Path(point.file).name for point in trend.points] == ["dated.txt"]
    (left,) = facts.unread
    assert left.file.endswith("old.txt")
    assert "does not say when it ran" in left.why


def test_files_without_a_time_have_no_order(index: Index, tmp_path: Path) -> None:
    files = [undated(tmp_path / f"{number}.txt", 10.0 + number) for number in range(6)]
    facts = reported(index, *files)
    assert facts.trends == []
    assert facts.records == len(facts.unread) == 6


def test_runs_without_a_time_have_the_order_of_their_file(index: Index, tmp_path: Path) -> None:
    facts = reported(index, undated(tmp_path / "runs.txt", 10.0, 11.0, 12.0))
    assert values(facts) == [1.0, 1.1, 1.2]
    assert facts.unread == []


def test_a_verdict_does_not_depend_on_what_is_shown(index: Index, tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    for day in range(1, 15):
        rates: list[float] = (1e10 * random.normal(1.0, 0.02, 30)).tolist()
        rates[0] *= 0.93 if day == 14 else 1.0
        samples = stream({f"k{number:02}": [rate, rate * 1.001] for number, rate in enumerate(rates)})
        record = suite_record(samples, created=f"2026-01-{day:02}T02:00:00+00:00")
        write_record(tmp_path / f"{day}.json", record)
    name = "hpcc.stream.k00.star"
    (alone,) = history_of(index, [tmp_path], TrendFilter(names=[name])).trends
    (among,) = [one for one in history_of(index, [tmp_path], TrendFilter()).trends if one.name == name]
    assert alone == among
    assert among.latest == "usual"


def test_a_change_between_runs_without_a_time_is_explained_by_those_runs(
    index: Index, tmp_path: Path
) -> None:
    runs = [
        HEADER.replace("Current time", "Time").replace("1.5.0", "1.4.3" if number < 8 else "1.5.0")
        + summary(SIXTEEN | {"HPL_Tflops": f"{(1.0 if number < 8 else 0.7) + 0.0005 * (7 * number % 16):g}"})
        for number in range(16)
    ]
    (tmp_path / "hpccoutf.txt").write_text("".join(runs), encoding="utf-8")
    facts = reported(index, tmp_path / "hpccoutf.txt")
    trend = next(one for one in facts.trends if one.name == "hpcc.hpl.mpi")
    assert [(one.at, one.differences) for one in trend.changes] == [(8, ["groma: hpcc 1.4.3 to hpcc 1.5.0"])]


def test_a_record_of_a_file_that_changed_since_explains_nothing(index: Index, records: Path) -> None:
    index.update([records])
    (one, *_) = index.entries([records])
    assert index.record_of(one, {}) is not None
    assert index.record_of(one._replace(number=7), {}) is None
    (records / "night-02.json").rename(records / "night-01.json")
    assert index.record_of(one, {}) is None


def test_a_defect_of_one_file_is_not_the_end_of_the_others(
    index: Index, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is found in it first: the name of its quantities, or of its machine."""

    def shape(record: Record[Any]) -> str:
        if "-03T" in record.created:
            raise OverflowError("int too large to convert to float")
        return shape_of(record)

    monkeypatch.setattr("groma.history.index.shape_of", shape)
    facts = reported(index, records)
    assert len(values(facts)) == 9
    (unread,) = facts.unread
    assert unread.why == f"{records / 'night-03.json'} is damaged: int too large to convert to float"


def piped(content: bytes) -> tuple[int, Thread]:
    """The end of a pipe to read from."""
    end, start = os.pipe()

    def write() -> None:
        with os.fdopen(start, "wb") as pipe:
            pipe.write(content)

    writer = Thread(target=write)
    writer.start()
    return end, writer


def test_a_pipe_is_read_once_and_every_time(index: Index, tmp_path: Path) -> None:
    for rate in ("1.0", "0.5"):
        runs: list[dict[str, str]] = [
            {"HPL_Tflops": f"{float(rate) * (1 if number < 8 else 0.7) + 0.001 * (number % 3):g}"}
            for number in range(16)
        ]
        text = output_of(*runs)
        end, writer = piped(text.replace("1.5.0", "1.4.3", 8).encode())
        facts = reported(index, Path(f"/dev/fd/{end}"))
        writer.join()
        os.close(end)
        trend = next(one for one in facts.trends if one.name == "hpcc.hpl.mpi")
        assert (facts.files, facts.records, facts.unread) == (1, 16, [])
        assert trend.points[0].value.value == pytest.approx(float(rate) * 1e12)
        assert trend.changes[0].differences == ["groma: hpcc 1.4.3 to hpcc 1.5.0"]


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(index: Index, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    facts = reported(index, tmp_path / "pipe")
    (unread,) = facts.unread
    assert "is empty" in unread.why
