from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.errors import ExitCode, GromaError
from groma.survey.infer.pair_file import RecordedPairs, read_pairs

ROWS = [("0", "1", 30.0), ("0", "2", 80.0), ("1", "2", 82.0)]


def read(folder: Path, content: str) -> RecordedPairs:
    (folder / "pairs.csv").write_text(content)
    return read_pairs(folder / "pairs.csv")


def refusal(folder: Path, content: str) -> GromaError:
    with pytest.raises(GromaError) as caught:
        read(folder, content)
    assert caught.value.exit_code == ExitCode.USAGE
    assert len(str(caught.value).splitlines()) == 1
    return caught.value


def lines(header: str, separator: str = ",", factor: float = 1.0) -> str:
    rows = [separator.join((one, other, f"{time * factor:g}")) for one, other, time in ROWS]
    return "\n".join([header, *rows]) + "\n"


@pytest.mark.parametrize(
    "content",
    [
        lines("a,b,latency_ns"),
        lines("from,to,ns"),
        lines("core_a;core_b;latency", ";"),
        lines("src\tdst\ttime_ns", "\t"),
        lines("rank1 rank2 latency(ns)", " "),
        lines("Core A,Core B,Latency (ns)"),
        lines("a,b,latency_us", factor=1e-3),
        lines("# by hand\r\na,b,latency_ns").replace("\n", "\r\n"),
        "\n".join(f"{a},{b},{time}" for a, b, time in ROWS),
        "run,a,b,latency_ns,note\n" + "\n".join(f"1,{a},{b},{time},x" for a, b, time in ROWS),
    ],
)
def test_columns_are_found_by_their_names(content: str, tmp_path: Path) -> None:
    found = read(tmp_path, content).matrix
    assert found.cores == [0, 1, 2]
    assert found.latency[0, 1] == pytest.approx(30.0)
    assert found.latency[2, 1] == pytest.approx(82.0)


@pytest.mark.parametrize(
    ("header", "in_ns"),
    [
        ("src_host,dst_host,latency_seconds", 1e9),
        ("sender,receiver,time(usec)", 1e3),
        ("from_node,to_node,latency_microseconds", 1e3),
        ("Node A,Node B,Latency (µs)", 1e3),
        ("Node A,Node B,Latency [\u03bcs]", 1e3),
        ("source,target,min_us", 1e3),
        ("gpu_i,gpu_j,lat_ms", 1e6),
        ("a,b,half_rtt_us", 1e3),
        ("a,b,rtt_us", 500.0),
        ("a,b,avg_round_trip_time_ms", 5e5),
    ],
)
def test_units_and_round_trips_are_read_from_the_header(header: str, in_ns: float, tmp_path: Path) -> None:
    """A sign of micro in small letters is a Greek mu, and no header with it was known."""
    found = read(tmp_path, lines(header, factor=1 / in_ns)).matrix
    assert found.latency[0, 1] == pytest.approx(30.0, rel=1e-5)
    assert found.warnings == ()


@pytest.mark.parametrize(
    "header",
    [
        "time_us,event,src,dst,latency_us",
        "max_latency_us,rtt_us,src,dst,latency_us",
        "latency_std_us,latency_avg_us,src,dst,latency_min_us",
        "avg_rtt_seconds,method,src_rank,dst_rank,latency_seconds",
    ],
)
def test_of_several_times_the_latency_counts(header: str, tmp_path: Path) -> None:
    """The time of day in front of it was taken for the latency."""
    body = "".join(f"77000,88000,{one},{other},{time:g}\n" for one, other, time in ROWS)
    found = read(tmp_path, f"{header}\n{body}").matrix
    assert found.latency[0, 1] == pytest.approx(30.0 * (1e9 if "seconds" in header else 1e3))


@pytest.mark.parametrize("header", ["a,b,latency\n", "core_a,core_b,lat\n", ""])
def test_a_file_that_names_no_unit_is_taken_as_nanoseconds_and_says_so(header: str, tmp_path: Path) -> None:
    found = read(tmp_path, header + "".join(f"{one},{other},{time}\n" for one, other, time in ROWS)).matrix
    assert found.latency[0, 1] == 30.0
    (warning,) = found.warnings
    assert (warning.code, "latency_us" in warning.next) == ("pairs.unit", True)


def test_options_of_a_command_name_no_columns(tmp_path: Path) -> None:
    said = str(refusal(tmp_path, "$ ./latency -b cas -i 60 -s 5\nrunning\n"))
    assert "line 1 should be the header a,b,latency_ns" in said


def test_names_are_in_their_natural_order(tmp_path: Path) -> None:
    found = read(tmp_path, "a,b,latency_ns\nnode10,node9,5\nnode2,login,5\n").matrix
    assert found.cores == ["login", "node2", "node9", "node10"]


def test_rows_of_one_pair_are_samples_and_directions_are_averaged(tmp_path: Path) -> None:
    found = read(tmp_path, "a,b,latency_ns\n0,1,30\n0,1,900\n0,1,30\n1,0,32\n").matrix
    assert found.latency[0, 1] == pytest.approx(31.0)


def test_the_smallest_messages_count_and_all_sizes_are_kept(tmp_path: Path) -> None:
    found = read(tmp_path, "a,b,latency_ns,bytes\n0,1,900,65536\n0,1,30,8\n0,2,31,8\n")
    assert found.matrix.latency[0, 1] == 30.0
    assert found.times == {8: {(0, 1): 30.0, (0, 2): 31.0}, 65536: {(0, 1): 900.0}}


def test_rows_without_a_latency_are_counted(tmp_path: Path) -> None:
    found = read(tmp_path, lines("a,b,latency_ns") + "0,3,\n2,2,1\n")
    assert found.matrix.cores == [0, 1, 2]
    assert [w.code for w in found.matrix.warnings] == ["pairs.unusable"]
    assert "1 of 5 rows holds no positive latency" in found.matrix.warnings[0].what


def test_the_size_that_most_pairs_have_gives_the_layers(tmp_path: Path) -> None:
    """The smallest alone may be known for a single pair."""
    rows = "0,1,20,0\n0,1,30,8\n0,2,31,8\n1,2,32,8\n0,1,40,64\n0,2,41,64\n1,2,42,64\n"
    found = read(tmp_path, "a,b,latency_ns,bytes\n" + rows)
    assert found.matrix.latency[1, 2] == 32.0
    (warning,) = found.matrix.warnings
    assert warning.code == "pairs.sizes"
    assert "8 B, which are known for 3 pairs: those of 0 B for 1" in warning.what


def test_pairs_without_a_latency_are_not_called_cores(tmp_path: Path) -> None:
    (warning,) = read(tmp_path, "a,b,latency_ns\nn0,n1,30\nn0,n2,80\n").matrix.warnings
    assert warning.what == "1 of 3 pairs has no latency"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("size,latency\n1,2\n", "should be the header a,b,latency_ns"),
        (",,\n50,,\n60,70,\n", "should be the header"),
        ("a,b,latency_ns\n", "no latency"),
        ("a,b,latency_ns\n0,1,fast\n", "line 2"),
        ("a,b,latency_ns\n0,1\n", "line 2"),
        ("a,b,latency_ns\n0,1,-4\n", "1 of 1 rows"),
        ("a,b,latency_ns\n0,0,1\n1,1,1\n", "2 of 2 rows hold no latency of two ends"),
    ],
)
def test_what_holds_no_pairs_is_refused_in_one_line(content: str, said: str, tmp_path: Path) -> None:
    assert said in str(refusal(tmp_path, content))


def test_too_many_ends_are_refused_before_a_matrix_of_them_is_filled(tmp_path: Path) -> None:
    content = "a,b,latency_us\n" + "".join(f"n{2 * i},n{2 * i + 1},1.5\n" for i in range(2100))
    with patch("groma.survey.infer.pair_file.np.full", side_effect=MemoryError):
        assert "has 4,200 ends: name a file with 2 to 4,096 of them" in str(refusal(tmp_path, content))


words = st.sampled_from(["", "0", "1", "2", "7", "3.5", "-1", "nan", "n1", "n2", "x", "1e309", '"'])


def test_a_curve_over_message_sizes_is_not_taken_for_pairs(tmp_path: Path) -> None:
    """Sizes and repetitions of IMB were two ends, and its bandwidths sizes."""
    heading = "# Benchmarking PingPong\n# #processes = 2\n"
    content = (
        "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
        "            0         1000         1.05         0.00\n"
        "            1         1000         1.09         0.92\n"
        "         1024         1000         1.92       533.10\n"
    )
    assert "an output of the Intel MPI Benchmarks" in str(refusal(tmp_path, heading + content))
    assert "line 2 should be the header a,b,latency_ns" in str(refusal(tmp_path, content))


def test_without_a_header_sizes_of_messages_are_whole(tmp_path: Path) -> None:
    assert set(read(tmp_path, "0 1 30.5 8\n0 2 31.5 8\n1 2 30.1 8\n").times) == {8}


@given(st.lists(st.lists(words, max_size=5).map(",".join), max_size=12), st.booleans())
def test_any_rows_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str], header: bool
) -> None:
    folder = tmp_path_factory.getbasetemp()
    content = ("a,b,latency_ns,bytes\n" if header else "") + "\n".join(rows)
    try:
        found = read(folder, content)
    except GromaError:
        refusal(folder, content)
        return
    known = found.matrix.latency[np.isfinite(found.matrix.latency)]
    assert len(known) >= 2
    assert (known > 0).all()


def test_quantiles_of_many_pairs_are_found_together(tmp_path: Path) -> None:
    """One call for each pair takes a tenth of a millisecond: many seconds for 512 ends."""
    ends = range(24)
    rows = [f"{one},{other},{100 + one + other}" for one in ends for other in ends if one < other]
    with patch("numpy.quantile", side_effect=np.quantile) as called:
        found = read(tmp_path, "a,b,latency_ns\n" + "\n".join(rows) + "\n")
    assert found.times[0][3, 5] == 108.0
    assert called.call_count < len(ends)
