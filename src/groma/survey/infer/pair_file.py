"""The reader of latencies of pairs: one row for each pair, with the two ends and the time between them.

`a,b,latency_ns[,bytes,…]` and its like: columns are found by their names, other columns may lie around them.
Ends are cores, ranks or nodes, as numbers or names. Rows of one pair and size are samples of it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groma.record.counting import counted
from groma.record.record import Advice
from groma.stats.quantiles import LOW_QUANTILE, quantiles
from groma.survey.infer.core_to_core import FEWEST_SAMPLES, lowest_regime
from groma.survey.infer.latency_matrix import LatencyMatrix, refusal, refuse_too_many, symmetric_matrix
from groma.survey.infer.matrix_file import cores_named, read_table
from groma.survey.infer.pair_columns import Columns, named_columns
from groma.survey.infer.recorded_text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from groma.survey.infer.tables import Row

    Matrix = NDArray[np.float64]

HEADER = "a,b,latency_ns"
ABSENT = "name a file with a row for each pair"
_LATENCY_NS = (1e-3, 1e12)
_MOST_COLUMNS = 4

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class RecordedPairs:
    """`matrix` holds the latencies of one size, `times` those of every size (ns), by pair.

    It is the size that most pairs have, the smallest of several.
    """

    matrix: LatencyMatrix
    times: dict[int, dict[Pair, float]]


def read_pairs(path: Path | str) -> RecordedPairs:
    """The pairs in a file. GromaError (exit code 2) where it holds none."""
    return pairs_of(read_table(path, ABSENT).rows, Path(path))


def pairs_of(rows: Sequence[Row], path: Path) -> RecordedPairs:
    columns, body = _columns(rows, path)
    samples, unusable = _samples(body, columns, path)
    if 2 * unusable > len(body) or not samples:
        bad = unusable if samples else len(body)
        raise refusal(path, f"{_hold(bad, len(body))} no latency of two ends", "record the pairs again")
    names = list(dict.fromkeys(name for _, one, other in samples for name in (one, other)))
    refuse_too_many(len(names), path, "end")
    names.sort(key=_natural)
    sizes = sorted({size for size, _, _ in samples})
    matrices = {size: _matrix(size, names, samples, path) for size in sizes}
    times = {size: _times(one.latency) for size, one in matrices.items()}
    size = min(sizes, key=lambda one: (-len(times[one]), one))
    matrix = matrices[size]
    warnings = [*matrix.warnings, *_passed_over(size, times)]
    if unusable:
        warnings.append(_unusable(unusable, len(body)))
    if not columns.has_unit:
        warnings.append(_UNIT_ASSUMED)
    return RecordedPairs(LatencyMatrix(matrix.cores, matrix.latency, tuple(warnings)), times)


def _natural(name: str) -> tuple[str, int, str]:
    """Numbers in names order as numbers."""
    match = re.search(r"\d+$", name)
    return (name[: match.start()], int(match.group()[:18]), name) if match else (name, -1, name)


_UNIT_ASSUMED = Advice(
    code="pairs.unit",
    what="the file names no unit of its latencies: they are taken as ns",
    next=f"name the unit in the header: {HEADER}, latency_us, latency_ms or latency_s",
)


def _hold(count: int, rows: int) -> str:
    return f"{count} of {rows} rows {'holds' if count == 1 else 'hold'}"


def _unusable(count: int, rows: int) -> Advice:
    left_out = "was" if count == 1 else "were"
    return Advice(
        code="pairs.unusable",
        what=f"{_hold(count, rows)} no positive latency of two ends and {left_out} left out",
        next="check how the pairs were recorded",
    )


def _passed_over(size: int, times: Mapping[int, Mapping[Pair, float]]) -> Iterator[Advice]:
    """Sizes of smaller messages that fewer pairs have."""
    smaller = [one for one in times if one < size]
    if smaller:
        fewer = " and ".join(f"{one} B for {len(times[one])}" for one in smaller)
        yield Advice(
            code="pairs.sizes",
            what=f"layers come from messages of {size} B, "
            f"which are known for {counted(len(times[size]), 'pair')}: those of {fewer}",
            next="record every pair with the smallest messages",
        )


# ---- columns -----------------------------------------------------------------------------------------------


def _columns(rows: Sequence[Row], path: Path) -> tuple[Columns, Sequence[Row]]:
    """Columns by name; without names in the order of the documented header."""
    if not rows:
        raise refusal(path, "is empty", f"start it with the header {HEADER}")
    named = named_columns(rows[0].cells)
    if named is not None:
        return named, rows[1:]
    first = rows[0]
    if all(map(_is_pair, rows)):
        return Columns(0, 1, 2, 3 if len(first.cells) > 3 else None, 1.0, has_unit=False), rows
    raise refusal(
        path,
        f"line {first.number} should be the header {HEADER} but is {shown(','.join(first.cells))}",
        "write that header above the first row; for a matrix run groma infer core-to-core",
    )


def _is_pair(row: Row) -> bool:
    """Two whole numbers or names, a time, and perhaps a size in whole bytes.

    A row of a matrix has other lengths or fractions there, one of a curve over sizes (IMB) ends with a rate.
    """
    if not len(HEADER.split(",")) <= len(row.cells) <= _MOST_COLUMNS:
        return False
    ends = all(
        cell and (value is None or cell.isdecimal())
        for cell, value in zip(row.cells[:2], row.values, strict=False)
    )
    numbers = row.values[2:]
    return (
        ends
        and all(value is not None and math.isfinite(value) for value in numbers)
        and all(value is not None and value.is_integer() for value in numbers[1:])
    )


# ---- samples -----------------------------------------------------------------------------------------------

Key = tuple[int, str, str]


def _samples(rows: Sequence[Row], columns: Columns, path: Path) -> tuple[dict[Key, list[float]], int]:
    """Times (ns) by size and ends, and how many rows have none."""
    found: dict[Key, list[float]] = defaultdict(list)
    unusable = 0
    for row in rows:
        time, size = _numbers(row, columns, path)
        ends = row.cells[columns.first], row.cells[columns.second]
        if _LATENCY_NS[0] <= time <= _LATENCY_NS[1] and all(ends) and ends[0] != ends[1]:
            found[size, *ends].append(time)
        elif ends[0] != ends[1]:
            unusable += 1
    return found, unusable


def _numbers(row: Row, columns: Columns, path: Path) -> tuple[float, int]:
    """Time (ns, NaN where it is missing) and size."""
    try:
        time = row.values[columns.time]
        size = 0.0 if columns.bytes is None else row.values[columns.bytes]
        row.cells[columns.second]
    except IndexError:
        time = size = None
    if time is None or size is None:
        raise refusal(
            path,
            f"line {row.number} is not two ends and a latency: {shown(','.join(row.cells))}",
            f"every row needs what the header {HEADER} names",
        )
    return time * columns.factor, int(size) if math.isfinite(size) and size < 2**62 else 0


def _matrix(
    size: int, names: Sequence[str], samples: Mapping[Key, Sequence[float]], path: Path
) -> LatencyMatrix:
    index = {name: i for i, name in enumerate(names)}
    of_pairs = {
        (index[one], index[other]): times for (own, one, other), times in samples.items() if own == size
    }
    found = np.full((len(names), len(names)), np.nan)
    found[tuple(np.array(list(of_pairs)).T)] = _times_of(list(of_pairs.values()))
    return symmetric_matrix(cores_named(names), found, path, _LATENCY_NS)


def _times_of(samples: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Of each pair the median of the fastest regime; of few samples the low quantile, since noise adds."""
    found = np.empty(len(samples))
    few = np.array([len(some) < FEWEST_SAMPLES for some in samples], dtype=bool)
    found[few] = quantiles([some for some in samples if len(some) < FEWEST_SAMPLES], LOW_QUANTILE)
    found[~few] = [
        float(np.median(lowest_regime(some)[0])) for some in samples if len(some) >= FEWEST_SAMPLES
    ]
    return found


def _times(latency: Matrix) -> dict[Pair, float]:
    ends = np.argwhere(np.triu(np.isfinite(latency), 1))
    return {(int(one), int(other)): float(latency[one, other]) for one, other in ends}
