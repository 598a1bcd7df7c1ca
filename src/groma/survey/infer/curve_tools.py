"""Latency curves in what tinymembench, ramlat and lat_mem_rd (of lmbench) print, whatever is around them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groma.record.record import Advice
from groma.survey.infer.curve_points import (
    UNKNOWN_PAGES,
    CurveTable,
    Pages,
    Point,
    Refuse,
    roundest,
)
from groma.survey.infer.tables import number_in

if TYPE_CHECKING:
    from collections.abc import Sequence

# ---- tinymembench ------------------------------------------------------------------------------------------

_TINYMEMBENCH = re.compile(r"block size\s*:\s*single random read(.*)")
_TINYMEMBENCH_ROW = re.compile(r"(\d+)\s*:\s*([0-9.]+)\s*ns\s*/")


def of_tinymembench(text: str, refuse: Refuse) -> CurveTable | None:
    """Its single random reads, in bytes and ns, with small and with huge pages."""
    points: list[Point] = []
    titles: list[Pages] = []
    for line in text.splitlines():
        if title := _TINYMEMBENCH.search(line):
            titles.append(_pages_of_title(title[1]))
        elif titles and (row := _TINYMEMBENCH_ROW.search(line)):
            points.append(Point(titles[-1], float(row[1]), number_in(row[2]) or 0.0))
    _refuse_several("tinymembench", titles, refuse)
    return CurveTable(points, subtracted=True) if points else None


def _pages_of_title(title: str) -> Pages:
    if "MADV_NOHUGEPAGE" in title:
        return Pages("small")
    return Pages("huge") if "MADV_HUGEPAGE" in title else UNKNOWN_PAGES


def _refuse_several(tool: str, curves: Sequence[object], refuse: Refuse) -> None:
    """Curves of the same kind are those of several cores or machines as often as repetitions."""
    several = max((curves.count(one) for one in curves), default=0)
    if several > 1:
        raise refuse(
            f"holds {several} curves that {tool} printed, of several cores or runs", "keep one of them"
        )


# ---- ramlat ------------------------------------------------------------------------------------------------

_RAMLAT = re.compile(r"\s*size:((?:\s+\d+x\w+)+)\s*$")
_RAMLAT_ROW = re.compile(r"\s*(\d+)([kKmMgG]):((?:\s+[0-9.]+)+)\s*$")
_RAMLAT_UNITS = {"k": 2.0**10, "m": 2.0**20, "g": 2.0**30}
_ONE_CHAIN = ("1xPTR", "1x64", "1x32")


def of_ramlat(text: str, refuse: Refuse) -> CurveTable | None:
    """The latencies (ns) of one chain of pointers; others have several loads on the way at once."""
    points: list[Point] = []
    titles: list[list[str]] = []
    for line in text.splitlines():
        if title := _RAMLAT.match(line):
            titles.append(title[1].split())
        elif titles and (row := _RAMLAT_ROW.match(line)):
            chain = next((titles[-1].index(one) for one in _ONE_CHAIN if one in titles[-1]), 0)
            latency = number_in((row[3].split() + [""] * chain)[chain])
            points.append(
                Point(UNKNOWN_PAGES, float(row[1]) * _RAMLAT_UNITS[row[2].lower()], latency or math.nan)
            )
    _refuse_several("ramlat", ["one"] * len(titles), refuse)
    return CurveTable(points, predictable=True) if points else None


# ---- lat_mem_rd of lmbench ---------------------------------------------------------------------------------

_STRIDE = re.compile(r'\s*"stride=(\d+)')
_RANDOM = re.compile(r"\s*random load latency", re.IGNORECASE)
_LEAST_STRIDE = 128
"""Smaller ones may find the next load in the line of the last, or in the neighbour fetched with it."""


@dataclass
class _Walk:
    stride: int
    random: bool
    rows: list[tuple[float, float]] = field(default_factory=list)

    @property
    def worth(self) -> tuple[bool, bool, int]:
        """Of random walks those that visit every line, but no fewer sets of a cache than need be."""
        return self.random, self.stride >= _LEAST_STRIDE, -abs(self.stride - _LEAST_STRIDE)

    def __str__(self) -> str:
        return f"stride {self.stride} B" + (" (random)" if self.random else "")


def of_lat_mem_rd(text: str, refuse: Refuse) -> CurveTable | None:
    """Its sizes are in MiB with five decimals, its latencies in ns; every stride is a curve of its own."""
    walks = [walk for walk in _walks(text) if walk.rows]
    if not walks:
        return None
    best = max(walks, key=lambda walk: walk.worth)
    _refuse_several("lat_mem_rd", [str(walk) for walk in walks], refuse)
    points = [Point(UNKNOWN_PAGES, size, ns) for size, ns in best.rows]
    others = sorted({str(walk) for walk in walks if walk.worth != best.worth})
    return CurveTable(points, remarks=[_other_strides(best, others)] if others else [])


def _walks(text: str) -> list[_Walk]:
    walks: list[_Walk] = []
    is_open = random = False
    for line in text.splitlines():
        random |= _RANDOM.match(line) is not None
        if title := _STRIDE.match(line):
            walks.append(_Walk(int(title[1]), random))
            is_open = True
        elif is_open and line.strip():
            is_open = _add_row(walks[-1].rows, line.split())
    return walks


def _add_row(rows: list[tuple[float, float]], words: Sequence[str]) -> bool:
    """False where the walk has ended: sizes fall again, or other results of lmbench follow."""
    values = [number_in(word) for word in words]
    if len(values) != 2 or values[0] is None:
        return False
    size = roundest(words[0], 2.0**20)
    if rows and size < rows[-1][0]:
        return False
    if values[1] is not None:
        rows.append((size, values[1]))
    return True


def _other_strides(best: _Walk, others: Sequence[str]) -> Advice:
    return Advice(
        code="curve.strides",
        what=f"the curve of {best} is used; others were left out: {', '.join(others)}",
        next="write the curve of another stride into a file of its own to use it",
    )
