"""groma stat as its users type it."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from groma.cli.frame import read_records
from groma.cli.stat import command
from groma.errors import ExitCode, GromaError
from groma.report.renderers import plain
from groma.report.terminal import document_of

if TYPE_CHECKING:
    from pathlib import Path

TRACE = """#Paraver (01/01/2026 at 00:00):1000_ns:1(2):1:2(1:1,1:1),1
c:1:1:2:1:2
1:1:1:1:1:0:600:1
1:2:1:2:1:0:300:1
2:2:1:2:1:300:50000001:2:42000050:3000
1:2:1:2:1:300:800:3
3:1:1:1:1:600:600:2:1:2:1:300:800:1000:7
2:1:1:1:1:600:42000050:6000:50000001:1
1:1:1:1:1:600:700:4
2:1:1:1:1:700:50000001:0:42000050:100
1:1:1:1:1:700:1000:1
2:2:1:2:1:800:50000001:0:42000050:500
1:2:1:2:1:800:1000:1
"""


def run(*words: str) -> str:
    """Standard output. Raises what the verb raises."""
    done = CliRunner().invoke(command, list(words), catch_exceptions=False, standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return str(done.stdout)


def answer(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "--json"))["facts"]
    return found


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "t.prv"
    path.write_text(TRACE)
    return path


def test_a_trace_becomes_tables(trace: Path) -> None:
    found = answer(str(trace))
    assert found["efficiencies"]["parallel"] == pytest.approx(0.7)
    calls = {one["label"]: one for one in found["calls"]}
    assert calls["MPI_Recv"]["bandwidth"] == pytest.approx(1000 / 500e-9)
    assert calls["MPI_Send"]["seconds"] == pytest.approx(100e-9)
    assert found["pairs"] == [{"sender": "0", "receiver": "1", "count": 1, "bytes": 1000}]
    assert found["sizes"] == [{"min": 512, "max": 1023, "count": 1, "bytes": 1000}]
    assert found["counters"] == [
        {"counter": "42000050", "place": "", "total": 9600, "outside_mpi": 9000},
    ]


def test_a_compressed_trace_with_other_line_ends_says_the_same(trace: Path, tmp_path: Path) -> None:
    packed = tmp_path / "other.prv.gz"
    packed.write_bytes(gzip.compress(TRACE.replace("\n", "\r\n").encode()))
    one, other = answer(str(trace)), answer(str(packed))
    for facts in (one, other):
        del facts["records"], facts["trace"]
    assert one == other


def test_the_folder_of_a_trace_stands_for_it(trace: Path) -> None:
    assert run(str(trace.parent)) == run(str(trace))


def test_names_come_from_the_pcf(trace: Path) -> None:
    trace.with_suffix(".pcf").write_text("EVENT_TYPE\n9 50000001 MPI\nVALUES\n2 receive\n")
    assert "receive" in run(str(trace))


def test_names_that_are_no_utf8_are_taken_as_latin_1(trace: Path) -> None:
    names = "EVENT_TYPE\n9 50000001 MPI\nVALUES\n2 R\u00e9ception\n"
    trace.with_suffix(".pcf").write_bytes(names.encode("latin-1"))
    assert "R\u00e9ception" in run(str(trace))
    warnings = json.loads(run(str(trace), "--json"))["warnings"]
    assert "trace.not_utf8" in {one["code"] for one in warnings}


def test_a_function_goes_on_after_the_one_that_it_called(tmp_path: Path) -> None:
    path = tmp_path / "n.prv"
    path.write_text(
        "#Paraver (01/01/2026 at 00:00):100_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:50:1\n2:1:1:1:1:0:60000019:1\n"
        "2:1:1:1:1:10:60000019:2\n2:1:1:1:1:11:60000019:0\n2:1:1:1:1:50:50000002:8\n1:1:1:1:1:50:60:13\n"
        "2:1:1:1:1:60:50000002:0\n1:1:1:1:1:60:100:1\n2:1:1:1:1:100:60000019:0\n"
    )
    path.with_suffix(".pcf").write_text("EVENT_TYPE\n0 60000019 Function\nVALUES\n1 main\n2 f\n")
    regions = {one["label"]: one for one in answer(str(path))["regions"]}
    assert regions["main"]["seconds"] == pytest.approx(99e-9)
    assert regions["f"]["seconds"] == pytest.approx(1e-9)


def test_a_table_is_printed_as_csv(trace: Path) -> None:
    assert run(str(trace), "--csv", "sizes") == "min,max,count,bytes\n512,1023,1,1000\n"


def test_an_empty_table_has_its_header(tmp_path: Path) -> None:
    path = tmp_path / "idle.prv"
    path.write_text("#Paraver (x):9_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:9:1\n")
    assert run(str(path), "--csv", "pairs") == "sender,receiver,count,bytes\n"
    assert run(str(path), "--csv", "ranks").startswith("name,useful,in_mpi,calls,")


def test_a_table_and_a_record_are_not_printed_together(trace: Path) -> None:
    with pytest.raises(GromaError, match="--csv prints a table, and --json"):
        run(str(trace), "--csv", "sizes", "--json")


def test_a_redacted_record_names_no_node_of_the_trace(trace: Path) -> None:
    trace.with_suffix(".row").write_text("LEVEL NODE SIZE 1\nn0091\n")
    trace.with_suffix(".pcf").write_text("EVENT_TYPE\n9 50000001 MPI\nVALUES\n2 recv on n0091\n")
    assert "recv on n0091" in run(str(trace))
    assert "recv on host-1" in run(str(trace), "--redact")


def test_long_tables_are_cut_unless_all_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "wide.prv"
    tasks = ",".join(["1:1"] * 40)
    lines = [f"1:{task}:1:{task}:1:0:10:1" for task in range(1, 41)]
    path.write_text("\n".join([f"#Paraver (x):10_ns:1(40):1:40({tasks})", *lines]) + "\n")
    assert "24 more ranks: --all" in run(str(path))
    assert "more ranks" not in run(str(path), "--all")
    run(str(path), "-o", str(tmp_path / "wide.json"))
    ((record,),) = read_records([tmp_path / "wide.json"])
    assert "24 more ranks: --json" in plain(document_of(record)), "groma show has no --all"


def with_functions(path: Path, names: list[str]) -> str:
    """A trace with a function of each name, the first one longest, and a counter in each."""
    values = "".join(f"{number} {name}\n" for number, name in enumerate(names, start=1))
    path.with_suffix(".pcf").write_text(f"EVENT_TYPE\n9 60000019 User function\nVALUES\n0 End\n{values}")
    lines, time = [], 0
    for number in range(1, len(names) + 1):
        lines.append(f"2:1:1:1:1:{time}:60000019:{number}:42000050:1")
        time += 2000 - number
        lines.append(f"2:1:1:1:1:{time}:60000019:0:42000050:{number}")
    path.write_text("\n".join(["#Paraver (x):999999_ns:1(1):1:1(1:1)", *lines]) + "\n")
    return str(path)


def test_tables_of_many_functions_are_cut_to_the_longest(tmp_path: Path) -> None:
    path = with_functions(tmp_path / "f.prv", [f"f{number}" for number in range(1, 101)])
    shown = run(path).partition("Time in regions")[2]
    assert "68 more regions: --all" in shown
    assert "68 more rows: --all" in shown.partition("Counters")[2]
    for table in shown.split("Counters"):
        assert " f32 " in table
        assert " f33 " not in table
    assert " f100 " in run(path, "--all").partition("Counters")[2]
    assert len(answer(path)["regions"]) == 100


def test_a_name_that_is_longer_than_a_line_is_shortened_where_people_read_it(tmp_path: Path) -> None:
    name = f"begin<{'x' * 5000}>::end"
    path = with_functions(tmp_path / "f.prv", [name])
    shown = run(path)
    assert max(map(len, shown.splitlines())) < 250
    assert "begin<xxx" in shown
    assert "…" in shown
    assert "xxx>::end" in shown
    assert name in run(path, "--csv", "regions")
    assert answer(path)["regions"][0]["label"] == name


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the file is empty"),
        ("1:1:1:1:1:0:5:1\n", "line 1 is not a Paraver header"),
        ("#Paraver (x):10_ns:1(1):1:0()\n", "it names no threads"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_line(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "no.prv"
    path.write_text(text)
    with pytest.raises(GromaError) as refused:
        run(str(path))
    assert what in refused.value.what
    assert "\n" not in refused.value.what
    assert refused.value.exit_code == ExitCode.USAGE


def test_a_folder_without_a_trace_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="holds no trace"):
        run(str(tmp_path))
    with pytest.raises(GromaError, match="no such file"):
        run(str(tmp_path / "none.prv"))


def test_a_folder_whose_logs_were_not_merged_is_answered_with_the_merge(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "0.log").write_bytes(b"gromalog".ljust(64, b"\0"))
    with pytest.raises(GromaError, match="has logs that were not merged") as refused:
        run(str(tmp_path))
    assert refused.value.next_step.endswith(f"groma merge {tmp_path}")


def test_the_record_of_a_trace_is_what_report_and_show_read(trace: Path, tmp_path: Path) -> None:
    made = tmp_path / "record.json"
    shown = run(str(trace), "-o", str(made))
    ((record,),) = read_records([made])
    assert record.kind == "trace"
    assert record.facts.efficiencies.parallel == pytest.approx(0.7)
    assert plain(document_of(record, ["calls"])).strip() in shown
    printed = json.loads(run(str(trace), "--json"))
    assert printed["facts"] == json.loads(made.read_bytes())["facts"]


def test_the_command_that_is_offered_can_be_pasted(trace: Path, tmp_path: Path) -> None:
    made = tmp_path / "my run.json"
    done = CliRunner().invoke(command, [str(trace), "-o", str(made)], standalone_mode=False)
    assert done.stderr.splitlines()[-1] == f"record: {made}   (groma report '{made}' makes a page)"


def test_a_record_does_not_replace_the_trace_that_it_is_of(trace: Path) -> None:
    with pytest.raises(GromaError, match="would replace the trace"):
        run(str(trace), "-o", str(trace))
    assert trace.read_text() == TRACE
