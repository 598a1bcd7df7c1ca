"""Outputs of network benchmarks that hold no latency of each pair of ends: what they are, what is missing.

Their tables over sizes of messages would otherwise pass for a matrix of latencies between cores, if they have
as many rows as columns.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from groma.survey.infer.tables import Row


_MEASURE_PAIRS = "measure every pair alone and write one row for each: a,b,latency_us,bytes"


class Output(NamedTuple):
    """What a benchmark prints: `mark` is in it, `holds` says what that is; `advice` is what to do instead."""

    name: str
    mark: re.Pattern[str]
    holds: str
    advice: str = _MEASURE_PAIRS


_OF_ONE_PAIR = "values over sizes of messages between two ranks, not the latency of each pair"
_OF_ANY_PAIRS = "values over sizes of messages, of two ranks or of all together, not the latency of each pair"
_OUTPUTS = (
    Output(
        "mpiGraph",
        re.compile(r"^\s*START mpiGraph\b", re.MULTILINE),
        "bandwidths while all nodes send at once, not the latency of each pair",
        "read the structure and the slow parts of the network with: groma show FILE",
    ),
    Output(
        "the OSU micro-benchmarks",
        re.compile(r"^\s*#\s*OSU\b.*\b(?:Test|Latency|Bandwidth)", re.MULTILINE),
        _OF_ANY_PAIRS,
    ),
    Output(
        "the Intel MPI Benchmarks",
        re.compile(r"^\s*#.*(?:Intel(?:\(R\))? MPI Benchmarks?|Benchmarking \w+)", re.MULTILINE),
        _OF_ANY_PAIRS,
    ),
    Output(
        "NetPIPE", re.compile(r"^\s*\d+:\s+\d+ (?:bytes|B)\s+\d+ times\s+-->", re.MULTILINE), _OF_ONE_PAIR
    ),
    Output(
        "Netgauge",
        re.compile(r"^\s*#\s*(?:Info:.*\bNetgauge v|size n PRTT\()", re.MULTILINE),
        _OF_ONE_PAIR,
    ),
    Output(
        "perftest (ib_send_lat and its like)",
        re.compile(r"^\s*#bytes\s+#iterations\b", re.MULTILINE),
        _OF_ONE_PAIR,
    ),
    Output(
        "p2pBandwidthLatencyTest",
        re.compile(r"^\s*P2P Conn(?:ectivity)? Matrix", re.MULTILINE),
        "several matrices between GPUs, of bandwidths as well, with latencies in us",
        "keep one matrix of latencies in a file of its own, in ns",
    ),
)
_MOST_COLUMNS = 6
_FEWEST_SIZES, _FEWEST_AFTER_ZERO = 2, 3
"""Rows 0, 1, 2 may be those of three cores."""


def refuse_benchmark_output(text: str, path: Path) -> None:
    """Raises GromaError (exit code 2) for an output that has no latencies of pairs."""
    for one in _OUTPUTS:
        if one.mark.search(text):
            advice = one.advice.replace("FILE", str(path))
            raise GromaError(f"{path} is an output of {one.name}: {one.holds}", advice)


def refuse_values_over_sizes(rows: Sequence[Row], path: Path) -> None:
    """Raises GromaError (exit code 2) for a table whose heading is lost: its first column doubles from row to
    row, as sizes of messages do, perhaps after 0, and every cell beside it has a value.
    """
    cells = [[0.0 if value is None else value for value in row.values] for row in rows]
    if len(set(map(len, cells))) != 1 or not 1 < len(cells[0]) <= _MOST_COLUMNS:
        return
    sized = cells[1:] if cells[0][0] == 0.0 else cells
    if len(sized) < (_FEWEST_SIZES if sized is cells else _FEWEST_AFTER_ZERO):
        return
    sizes = [row[0] for row in sized]
    doubles = sizes[0] > 0 and all(later == 2 * size for size, later in pairwise(sizes))
    if doubles and all(value > 0 for row in sized for value in row):
        first = f"{sizes[0]:g}, {sizes[1]:g} …"
        what = f"{path} holds values over sizes ({first}), not the latency of each pair"
        raise GromaError(what, _MEASURE_PAIRS)
