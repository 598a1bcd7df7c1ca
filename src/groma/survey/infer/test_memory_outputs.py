"""What tools of memory print is refused by name where it holds no curve and no latencies between cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.errors import GromaError
from groma.survey.infer.curve import read_curve
from groma.survey.infer.matrix_file import read_matrix

if TYPE_CHECKING:
    from pathlib import Path

BANDWIDTHS = """\
Intel(R) Memory Latency Checker - v3.5
Measuring Memory Bandwidths between nodes within system
Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
Using Read-only traffic type
                Numa node
Numa node            0       1
       0        90935.7 34457.4
       1        34387.1 90870.6
"""
TRANSFERS = """\
Intel(R) Memory Latency Checker - v3.10
Measuring cache-to-cache transfer latency (in ns)...
Local Socket L2->L2 HIT  latency\t49.9
Local Socket L2->L2 HITM latency\t50.2
Remote Socket L2->L2 HITM latency (data address homed in writer socket)
\t\t\tReader Numa Node
Writer Numa Node     0\t     1\t
            0\t     -\t 116.1\t
            1\t 117.1\t     -\t
"""
LOADED = """\
Measuring Loaded Latencies for the system
Inject\tLatency\tBandwidth
Delay\t(ns)\tMB/sec
==========================
 00000\t130.31\t 135655.9
 00002\t130.34\t 135653.8
"""
MULTICHASE = "nr_threads = 1\nstride = 256\ntlb_locality = 262144\nchase = simple\n85.367\n86.205\n"
MULTILOAD = "Samples\t, Byte/thd\t, ChaseThds\t, ChaseNS\n6\t, 134217728\t, 1\t, 134.213\n"
DISTANCES = "node distances:\nnode   0   1 \n  0:  10  21 \n  1:  21  10 \n"
BETWEEN_GPUS = """\
memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)
           0         1         2
 0       N/A    276.07    276.36
 1    276.19       N/A    276.29
 2    276.33    276.19       N/A
"""
NAMES = {
    BANDWIDTHS: "Memory Latency Checker",
    TRANSFERS: "Memory Latency Checker",
    LOADED: "Memory Latency Checker",
    MULTICHASE: "multichase",
    MULTILOAD: "multiload",
    DISTANCES: "numactl",
}


@pytest.mark.parametrize(("text", "name"), NAMES.items())
def test_no_curve_and_no_matrix_is_made_of_it(tmp_path: Path, text: str, name: str) -> None:
    file = tmp_path / "output.txt"
    file.write_text(text)
    with pytest.raises(GromaError, match=f"{name}.*no latencies over sizes"):
        read_curve(file)
    with pytest.raises(GromaError, match=f"{name}.*no latencies between cores"):
        read_matrix(file)


@pytest.mark.parametrize(
    "text", [BETWEEN_GPUS, "Bandwidth (GB/s)\n,0,1,2\n0,0,12,13\n1,12,0,14\n2,13,14,0\n"]
)
def test_bandwidths_are_no_latencies(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bandwidths.txt"
    file.write_text(text)
    with pytest.raises(GromaError, match="bandwidths, not latencies"):
        read_matrix(file)


@pytest.mark.parametrize(
    "title",
    [
        "# latency [ns] on a machine with 200 GB/s",
        "Bandwidth aside: latencies",
        "# min of 300 round trips, MB/s",
    ],
)
def test_a_file_that_speaks_of_latencies_too_is_read(tmp_path: Path, title: str) -> None:
    file = tmp_path / "matrix.csv"
    file.write_text(f"{title}\n,0,1,2\n0,0,12,13\n1,12,0,14\n2,13,14,0\n")
    assert read_matrix(file).cores == [0, 1, 2]


def test_a_table_that_a_person_made_with_the_checker_is_read(tmp_path: Path) -> None:
    rows = "".join(f"{4 << i},{1 + (i > 3) * 4 + (i > 6) * 80}\n" for i in range(12))
    file = tmp_path / "curve.csv"
    file.write_text(f"# with the Intel(R) Memory Latency Checker - v3.11\nsize_kib,latency_ns\n{rows}")
    assert len(read_curve(file).size_bytes) == 12
