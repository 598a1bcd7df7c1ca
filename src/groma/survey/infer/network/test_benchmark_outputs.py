from pathlib import Path

import pytest

from groma.errors import GromaError
from groma.survey.infer.pair_file import read_pairs
from groma.survey.infer.recorded_pairs import read_latencies

HEADINGS = {
    "mpiGraph": "START mpiGraph v1.5\nMsgSize\t4096\n",
    "the OSU micro-benchmarks": "# OSU MPI Multi Latency Test v5.6.3\n# Size          Latency (us)\n",
    "the Intel MPI Benchmarks": "#------\n# Benchmarking PingPong\n# #processes = 2\n#------\n",
    "NetPIPE": "Now starting the main loop\n  0:       1 bytes 99999 times -->   4.83 Mbps in    1.58 usec\n",
    "Netgauge": "# Info:   (0): Netgauge v2.4.6 MPI enabled (P=2, threadlevel=0) (netgauge -m mpi)\n",
    "perftest": " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]\n",
    "p2pBandwidthLatencyTest": "P2P Connectivity Matrix\n     D\\D     0     1\n     0\t     1     1\n",
}
ROWS = "1 2.26 0.42\n2 2.26 0.85\n4 2.26 1.69\n"


def refused(read: object, path: Path) -> str:
    assert callable(read)
    with pytest.raises(GromaError) as error:
        read(path)
    return error.value.what


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "run.txt"
    path.write_text(text)
    return path


@pytest.mark.parametrize("program", HEADINGS)
def test_outputs_of_network_benchmarks_are_refused_by_name(program: str, tmp_path: Path) -> None:
    path = written(tmp_path, HEADINGS[program] + ROWS)
    assert all(f"an output of {program}" in refused(read, path) for read in (read_latencies, read_pairs))


@pytest.mark.parametrize(
    "rows", [ROWS, "1 1.23\n2 1.25\n", "0 1000 2.23 0.00\n1 1000 2.26 0.42\n2 1000 2.2 0.8\n4 1000 2.2 1.6\n"]
)
def test_values_over_sizes_are_no_matrix_of_cores(rows: str, tmp_path: Path) -> None:
    assert "values over sizes" in refused(read_latencies, written(tmp_path, rows))


def test_pairs_may_say_which_benchmark_measured_them(tmp_path: Path) -> None:
    rows = "a,b,latency_us\na,b,1.5\na,c,2.5\nb,c,2.6\n"
    path = written(tmp_path, f"# OSU MPI Latency Test v5.6.3 between every two nodes\n{rows}")
    assert read_pairs(path).matrix.cores == ["a", "b", "c"]


@pytest.mark.parametrize(
    "rows", ["0 50 60\n50 0 70\n60 70 0\n", "0 2.6 21 20\n1 11 2.7 14\n2 18 15 2.5\n", "1\n2 50\n4 60 70\n"]
)
def test_matrices_are_no_values_over_sizes(rows: str, tmp_path: Path) -> None:
    assert len(read_latencies(written(tmp_path, rows)).cores) >= 2
