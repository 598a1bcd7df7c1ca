"""Matrices in what known tools print are read, whatever stands around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.survey.infer.matrix_file import read_matrix

if TYPE_CHECKING:
    from pathlib import Path

PINGPONG = """\
avg latency to communicate a modified line from one core to another
times are in ns

          3       4       7
 2:    30.9    96.0    95.5
 3:            95.9    95.6
 4:                    30.1

"""

CHECKER = """\
Intel(R) Memory Latency Checker - v3.11
Measuring idle latencies for random access (in ns)...
                Numa node
Numa node            0       1
       0         253.1   429.6
       1         392.7   287.3

Measuring Peak Injection Memory Bandwidths for the system
Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
ALL Reads        :      199381.1
3:1 Reads-Writes :      218009.3
"""


def test_pingpong_has_no_column_of_the_first_core_and_no_row_of_the_last(tmp_path: Path) -> None:
    file = tmp_path / "pingpong.txt"
    file.write_text(PINGPONG)
    matrix = read_matrix(file)
    assert matrix.cores == [2, 3, 4, 7]
    assert matrix.latency[0].tolist()[1:] == [30.9, 96.0, 95.5]
    assert matrix.latency[3].tolist()[:3] == [95.5, 95.6, 30.1]


@pytest.mark.parametrize(
    "text",
    [
        CHECKER,
        CHECKER.replace("            0       1", "\t     0\t     1\t"),
        CHECKER.replace("\n", "\r\n"),
        CHECKER.replace("Numa node\nNuma", "Numa node   Numa node\nNuma"),
    ],
)
def test_idle_latencies_of_the_memory_latency_checker_are_those_of_numa_nodes(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "mlc.txt"
    file.write_bytes(text.encode())
    matrix = read_matrix(file)
    assert matrix.cores == [0, 1]
    assert matrix.latency[0, 1] == pytest.approx(411.15)
    assert [warning.code for warning in matrix.warnings][-1] == "matrix.numa"


def test_a_matrix_of_cores_has_no_remark_on_numa_nodes(tmp_path: Path) -> None:
    file = tmp_path / "pingpong.txt"
    file.write_text(PINGPONG)
    assert read_matrix(file).warnings == ()
