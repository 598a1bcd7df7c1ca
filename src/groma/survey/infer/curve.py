"""A latency curve, and the reader of recorded ones.

A curve file holds comment lines that start with `#`, the header `size_bytes,latency_ns`, then one row per
point. The reader repairs what it can without guessing (order, repeated sizes, a few unusable values) and says
so in the curve's warnings; everything else is refused in one line.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.errors import GromaError
from groma.record.counting import counted
from groma.record.record import Advice
from groma.record.units import format_value
from groma.stats.quantiles import LOW_QUANTILE, quantile
from groma.survey.infer.recorded_text import shown, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

FEWEST_POINTS = 8
"""Two plateaus and the step between them cannot be distinguished from noise with fewer sizes."""

_MOST_POINTS = 800
_HEADER = ("size_bytes", "latency_ns")
_PAGES = ("pages", "page_bytes", "page_size", "page")
_PAGE_SIZE = re.compile(r"(\d+)\s*([kmg]?)(?:i?b)?")
_UNITS = {"": 1.0, "k": 2.0**10, "m": 2.0**20, "g": 2.0**30}
_LARGEST_SMALL = 2.0**16
"""Bytes of a page that the system gives by itself; larger ones are huge."""

_USUAL_PAGE = 4096.0

_SIZES = (64.0, 2.0**42)
"""From one line to more memory than any node has."""

_LATENCY_NS = (1e-3, 1e9)

_LEAST_LOAD_NS = 0.45
"""No core follows a pointer in less: two cycles at 4 GHz, four at 6 GHz take longer."""

_FEWEST_RESIDUES = 2
_RESIDUE_RATIO = 12.0  # no second level is that much slower than the first
_SUBTRACTED_PART = 0.3


@dataclass(frozen=True, eq=False)
class Curve:
    """Latency of one dependent load against the bytes chased.

    `size_bytes` ascends strictly, `latency` is in `unit` ("ns" or "s"); both have the same length.
    `samples`, where present, holds the raw samples of each size in the same unit. `baseline` is a guess of
    what the recording tool subtracted from every latency (0 where it did not).
    """

    size_bytes: NDArray[np.float64]
    latency: NDArray[np.float64]
    unit: str = "ns"
    samples: tuple[NDArray[np.float64], ...] | None = None
    warnings: tuple[Advice, ...] = ()
    baseline: float = 0.0

    def __post_init__(self) -> None:
        if len(self.size_bytes) != len(self.latency):
            raise ValueError("a curve needs one latency per size")


def curve_of_samples(
    size_bytes: Sequence[float], samples: Sequence[Sequence[float]], unit: str, q: float = LOW_QUANTILE
) -> Curve:
    """The curve of a probe: the low quantile (or `q`) of each size's samples, without sizes of none."""
    measured = sorted(
        (float(size), np.asarray(values, dtype=np.float64))
        for size, values in zip(size_bytes, samples, strict=True)
        if len(values)
    )
    return Curve(
        size_bytes=np.array([size for size, _ in measured]),
        latency=np.array([quantile(values, q) for _, values in measured]),
        unit=unit,
        samples=tuple(values for _, values in measured),
    )


class _Pages(NamedTuple):
    """Huge, small or an empty name (not known), and their size in bytes or 0."""

    name: str
    size: float = 0.0


_UNKNOWN_PAGES = _Pages("")


class RecordedCurves(NamedTuple):
    """The curves of a file by their pages; `best` is the one that shows caches best.

    `huge` and `small` are None where the file has none of them or does not tell pages. `page` is the size of
    a small page in bytes.
    """

    best: Curve
    huge: Curve | None
    small: Curve | None
    page: float


def read_curve(path: Path | str) -> Curve:
    """The curve in a CSV file (sizes in bytes, latencies in ns), that of huge pages where it has both.

    GromaError (exit code 2) when the file is missing, is no text, has no proper header, holds a row that is
    no pair of numbers, or fewer than eight usable sizes.
    """
    return read_curves(path).best


def read_curves(path: Path | str) -> RecordedCurves:
    """As `read_curve`, all curves: a column `pages` tells `huge` from `small` pages, or their size."""
    path = Path(path)
    readings: dict[_Pages, _CurveReader] = defaultdict(lambda: _CurveReader(path))
    _read_rows(text_of(path, "name a CSV file with a latency curve"), readings)
    curves = _curves(readings)
    chosen = _chosen(curves)
    best = next(curves[chosen[name]] for name in ("huge", "", "small") if name in chosen)
    left_out = sorted((pages for pages in curves if pages not in chosen.values()), key=lambda one: one.size)
    if left_out:
        best = replace(best, warnings=(*best.warnings, _left_out(left_out)))
    huge, small = (curves[chosen[name]] if name in chosen else None for name in ("huge", "small"))
    page = chosen["small"].size if "small" in chosen else 0.0
    return RecordedCurves(best, huge, small, page or _USUAL_PAGE)


def _curves(readings: Mapping[_Pages, _CurveReader]) -> dict[_Pages, Curve]:
    """Those that have enough points; the reason where none has."""
    curves: dict[_Pages, Curve] = {}
    refused: list[GromaError] = []
    for pages, reading in readings.items():
        try:
            curves[pages] = reading.curve()
        except GromaError as error:
            refused.append(error)
    if not curves:
        raise refused[0]
    return curves


def _chosen(curves: Iterable[_Pages]) -> dict[str, _Pages]:
    """Of each kind of pages those farthest from the other kind: their curves differ most."""
    chosen: dict[str, _Pages] = {}
    for pages in sorted(curves, key=lambda one: one.size):
        if pages.name == "huge":
            chosen[pages.name] = pages
        else:
            chosen.setdefault(pages.name, pages)
    return chosen


def _left_out(pages: Sequence[_Pages]) -> Advice:
    listed = " and ".join(
        format_value(one.size, "B") if one.size else f"unknown size ({one.name})" for one in pages
    )
    curves = "a curve" if len(pages) == 1 else "curves"
    return Advice(
        code="curve.pages",
        what=f"{curves} with pages of {listed} {'was' if len(pages) == 1 else 'were'} left out",
        next="write each kind of pages into a file of its own",
    )


@dataclass
class _CurveReader:
    """What has been read so far."""

    path: Path
    latencies: dict[float, list[float]] = field(default_factory=lambda: defaultdict(list))
    zeros: list[float] = field(default_factory=list)
    rows: int = 0
    unusable: int = 0
    sorted: bool = True
    last_size: float = 0.0

    def refuse(self, what: str, next_step: str) -> GromaError:
        return GromaError(f"{self.path}: {what}", next_step)

    def add(self, size: float, latency: float) -> None:
        self.rows += 1
        if _SIZES[0] <= size <= _SIZES[1] and latency == 0.0:
            self.zeros.append(size)
            return
        if not (_SIZES[0] <= size <= _SIZES[1] and _LATENCY_NS[0] <= latency <= _LATENCY_NS[1]):
            self.unusable += 1
            return
        self.sorted &= size >= self.last_size
        self.last_size = size
        self.latencies[size].append(latency)

    def curve(self) -> Curve:
        baseline = self._subtracted_baseline()
        self._refuse_too_little()
        merged = {size: quantile(values, LOW_QUANTILE) for size, values in self.latencies.items()}
        thinned = _thin(sorted(merged.items()))
        return Curve(
            size_bytes=np.array([size for size, _ in thinned]),
            latency=np.array([latency for _, latency in thinned]),
            warnings=tuple(self._warnings(baseline)),
            baseline=baseline,
        )

    def _subtracted_baseline(self) -> float:
        """Settles what a latency of 0 means: unusable, or a tool that subtracts the first level's."""
        least = dict.fromkeys(self.zeros, 0.0) | {size: min(ns) for size, ns in self.latencies.items()}
        baseline = _subtracted(sorted(least.items()))
        if not baseline:
            self.unusable += len(self.zeros)
            return 0.0
        for size in self.zeros:
            self.latencies[size].append(0.0)
        return baseline

    def _refuse_too_little(self) -> None:
        if self.rows == 0:
            raise self.refuse("has no points", f"add rows of {','.join(_HEADER)} below the header")
        if 2 * self.unusable > self.rows:
            raise self.refuse(
                f"{self._unusable_points()} not positive, finite numbers of a sensible size",
                "record the curve again",
            )
        if len(self.latencies) < FEWEST_POINTS:
            raise self.refuse(
                f"has {len(self.latencies)} usable sizes, but at least {FEWEST_POINTS} are needed",
                "record more sizes, from 4 KiB to several times the last cache",
            )

    def _unusable_points(self) -> str:
        return f"{self.unusable} of {self.rows} points {'is' if self.unusable == 1 else 'are'}"

    def _warnings(self, baseline: float) -> Iterable[Advice]:
        if baseline:
            yield Advice(
                code="curve.baseline",
                what="the tool subtracted the first level's latency: the smallest sizes show 0",
                next="read all latencies as additions to that of the first level",
            )
        if self.unusable:
            yield Advice(
                code="curve.unusable",
                what=f"{self._unusable_points()} not positive, finite and of a sensible size and "
                + ("was left out" if self.unusable == 1 else "were left out"),
                next="check how the curve was recorded",
            )
        if not self.sorted:
            yield Advice(
                code="curve.unsorted",
                what="the sizes do not ascend and were sorted",
                next="check that each latency belongs to its size",
            )
        repeated = sum(len(values) > 1 for values in self.latencies.values())
        if repeated:
            yield Advice(
                code="curve.repeated",
                what=f"{counted(repeated, 'size')} {'appears' if repeated == 1 else 'appear'}"
                " more than once; the low quantile of each is used",
                next="nothing to do",
            )


def _subtracted(points: list[tuple[float, float]]) -> float:
    """A guess of what a tool subtracted from all latencies, given ascending sizes; 0 where nothing was.

    Such a tool shows 0, or a residue of noise, at all the smallest sizes and nowhere else. Second levels are
    three to four times slower than first ones, so a part of the latency two octaves beyond those sizes, where
    even loads drawn anew mostly miss, stands for what is missing.
    """
    residues = list(itertools.takewhile(lambda point: point[1] < _LEAST_LOAD_NS, points))
    others = points[len(residues) :]
    if len(residues) < _FEWEST_RESIDUES or any(ns == 0.0 for _, ns in others):
        return 0.0
    beyond = next((ns for size, ns in others if size >= 4.0 * residues[-1][0]), 0.0)
    if beyond <= _RESIDUE_RATIO * max(ns for _, ns in residues):
        return 0.0
    return max(_SUBTRACTED_PART * beyond, _LEAST_LOAD_NS)


def _thin(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Neighbouring sizes of an overlong curve merged by the low quantile; more resolution has no use."""
    if len(points) <= _MOST_POINTS:
        return points
    octaves = math.log2(points[-1][0] / points[0][0])
    bins: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for size, latency in points:
        bins[int(math.log2(size / points[0][0]) / octaves * (_MOST_POINTS - 1))].append((size, latency))
    return [
        (max(size for size, _ in inside), quantile([latency for _, latency in inside], LOW_QUANTILE))
        for inside in bins.values()
    ]


class _Columns(NamedTuple):
    size: int
    latency: int
    pages: int | None


def _read_rows(text: str, readings: dict[_Pages, _CurveReader]) -> None:
    """Feeds every row below the header to the reading of its pages."""
    columns: _Columns | None = None
    reading = readings[_UNKNOWN_PAGES]
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = [cell.strip() for cell in _cells(line, number, reading)]
        if columns is None:
            columns = _columns(cells, number, reading)
            continue
        pages = _pages(cells, columns, number, reading)
        readings[pages].add(*_numbers(cells, columns, number, reading))
    if columns is None:
        raise reading.refuse("is empty", f"start it with the header {','.join(_HEADER)}")
    if len(readings) > 1:
        del readings[_UNKNOWN_PAGES]


def _pages(cells: list[str], columns: _Columns, number: int, reading: _CurveReader) -> _Pages:
    if columns.pages is None:
        return _UNKNOWN_PAGES
    reported = cells[columns.pages].lower() if columns.pages < len(cells) else ""
    if reported in {"huge", "small"}:
        return _Pages(reported)
    size = _PAGE_SIZE.fullmatch(reported)
    if size is None:
        raise reading.refuse(
            f"line {number} has pages {shown(reported)}",
            "write huge, small or the size of a page: 4K, 2M, 2097152",
        )
    bytes_ = float(size[1]) * _UNITS[size[2] or ""]
    return _Pages("small" if bytes_ <= _LARGEST_SMALL else "huge", bytes_)


def _cells(line: str, number: int, reading: _CurveReader) -> list[str]:
    try:
        return next(csv.reader([line]))
    except (csv.Error, StopIteration):
        raise reading.refuse(f"line {number} is not a CSV row", "separate two numbers by a comma") from None


def _columns(cells: list[str], number: int, reading: _CurveReader) -> _Columns:
    """Where size, latency and pages stand; other columns may lie around them."""
    names = [cell.lower() for cell in cells]
    if not all(name in names for name in _HEADER):
        raise reading.refuse(
            f"line {number} should be the header {','.join(_HEADER)} but is {shown(','.join(cells))}",
            "write that header above the first row (sizes in bytes, latencies in ns)",
        )
    pages = next((names.index(name) for name in _PAGES if name in names), None)
    return _Columns(names.index(_HEADER[0]), names.index(_HEADER[1]), pages)


def _numbers(cells: list[str], columns: _Columns, number: int, reading: _CurveReader) -> tuple[float, float]:
    """Size and latency of a row; an empty cell is a missing value, a word is a mistake in the file."""
    try:
        size, latency = (float(cells[column] or "nan") for column in columns[:2])
    except (ValueError, IndexError):
        raise reading.refuse(
            f"line {number} is not a size and a latency: {shown(','.join(cells))}",
            "every row needs two numbers separated by a comma",
        ) from None
    return size, latency
