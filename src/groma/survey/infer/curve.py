"""A latency curve, and the reader of recorded ones.

`curve_table` finds the points in a file. The reader repairs what it can without guessing (order, repeated
sizes, a few unusable values) and says so in the curve's warnings; everything else is refused in one line.
"""

from __future__ import annotations

import itertools
import math
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
from groma.survey.infer.curve_table import HEADER, table_of
from groma.survey.infer.recorded_text import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Sized

    from numpy.typing import NDArray

    from groma.survey.infer.curve_points import CurveTable, Pages, Refuse

FEWEST_POINTS = 8
"""Two plateaus and the step between them cannot be distinguished from noise with fewer sizes."""

_MOST_POINTS = 800
_USUAL_PAGE = 4096.0

_SIZES = (64.0, 2.0**42)
"""From one line to more memory than any node has."""

_LATENCY = (1e-3, 1e9)  # ns or cycles

_LEAST_LOAD = {"ns": 0.45, "cycles": 1.0}
"""No core follows a pointer in less: two cycles at 4 GHz, four at 6 GHz take longer."""

_FEWEST_RESIDUES = 2
_RESIDUE_RATIO = 12.0  # no second level is that much slower than the first
_KNOWN_RATIO = 3.0  # the same where the tool is known to subtract: nothing else needs to be ruled out
_RESIDUE_SPREAD = 2.5
_SUBTRACTED_PART = 0.3


@dataclass(frozen=True, eq=False)
class Curve:
    """Latency of one dependent load against the bytes chased.

    `size_bytes` ascends strictly, `latency` is in `unit` ("ns", "s" or "cycles"); both have the same length.
    `samples`, where present, holds the raw samples of each size in the same unit. `baseline` is a guess of
    what the recording tool subtracted from every latency (0 where it did not). `predictable` says that some
    prefetchers follow the order in which the tool visits memory, which hides caches. `draws` is the usual
    number of samples behind a latency.
    """

    size_bytes: NDArray[np.float64]
    latency: NDArray[np.float64]
    unit: str = "ns"
    samples: tuple[NDArray[np.float64], ...] | None = None
    warnings: tuple[Advice, ...] = ()
    baseline: float = 0.0
    predictable: bool = False
    draws: int = 1

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
        draws=_usual_count([values for _, values in measured]),
    )


def _usual_count(samples: Iterable[Sized]) -> int:
    """The median, the lower one of two; 1 of none."""
    counts = sorted(len(values) for values in samples)
    return counts[(len(counts) - 1) // 2] if counts else 1


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
    """The curve in a file of any tool, that of huge pages where it has both.

    GromaError (exit code 2) when the file is missing, is no text, leaves open what its columns hold, has a
    row that is no pair of numbers, or fewer than eight usable sizes.
    """
    return read_curves(path).best


def read_curves(path: Path | str) -> RecordedCurves:
    """As `read_curve`, all curves: a column `pages` tells `huge` from `small` pages, or their size."""
    path = Path(path)

    def refuse(what: str, next_step: str) -> GromaError:
        return GromaError(f"{path}: {what}", next_step)

    table = table_of(text_of(path, "name a CSV file with a latency curve"), refuse)
    readings: dict[Pages, _CurveReader] = defaultdict(lambda: _CurveReader(refuse, table))
    for point in table.points:
        readings[point.pages].add(point.size, point.latency)
    if not readings:
        raise refuse("has no points", f"add rows of {HEADER} below the header")
    curves = _curves(readings)
    chosen = _chosen(curves)
    best = next(curves[chosen[name]] for name in ("huge", "", "small") if name in chosen)
    left_out = sorted((pages for pages in curves if pages not in chosen.values()), key=lambda one: one.size)
    if left_out:
        best = replace(best, warnings=(*best.warnings, _left_out(left_out)))
    huge, small = (curves[chosen[name]] if name in chosen else None for name in ("huge", "small"))
    page = chosen["small"].size if "small" in chosen else 0.0
    return RecordedCurves(best, huge, small, page or _USUAL_PAGE)


def _curves(readings: Mapping[Pages, _CurveReader]) -> dict[Pages, Curve]:
    """Those that have enough points; the reason where none has."""
    curves: dict[Pages, Curve] = {}
    refused: list[GromaError] = []
    for pages, reading in readings.items():
        try:
            curves[pages] = reading.curve()
        except GromaError as error:
            refused.append(error)
    if not curves:
        raise refused[0]
    return curves


def _chosen(curves: Iterable[Pages]) -> dict[str, Pages]:
    """Of each kind of pages those farthest from the other kind: their curves differ most."""
    chosen: dict[str, Pages] = {}
    for pages in sorted(curves, key=lambda one: one.size):
        if pages.name == "huge":
            chosen[pages.name] = pages
        else:
            chosen.setdefault(pages.name, pages)
    return chosen


def _left_out(pages: Sequence[Pages]) -> Advice:
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

    refuse: Refuse
    table: CurveTable
    latencies: dict[float, list[float]] = field(default_factory=lambda: defaultdict(list))
    zeros: list[float] = field(default_factory=list)
    rows: int = 0
    unusable: int = 0
    sorted: bool = True
    last_size: float = 0.0

    def add(self, size: float, latency: float) -> None:
        self.rows += 1
        if _SIZES[0] <= size <= _SIZES[1] and latency == 0.0:
            self.zeros.append(size)
            return
        if not (_SIZES[0] <= size <= _SIZES[1] and _LATENCY[0] <= latency <= _LATENCY[1]):
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
            unit=self.table.unit,
            warnings=tuple(self._warnings(baseline)),
            baseline=baseline,
            predictable=self.table.predictable,
            draws=_usual_count(self.latencies.values()),
        )

    def _subtracted_baseline(self) -> float:
        """Settles what a latency of 0 means: unusable, or a tool that subtracts the first level's."""
        least = dict.fromkeys(self.zeros, 0.0) | {size: min(ns) for size, ns in self.latencies.items()}
        points, residue, ratio = sorted(least.items()), _LEAST_LOAD[self.table.unit], _RESIDUE_RATIO
        if self.table.subtracted and points:
            residue, ratio = max(residue, _RESIDUE_SPREAD * points[0][1]), _KNOWN_RATIO
        baseline = _subtracted(points, residue, ratio)
        if not baseline:
            self.unusable += len(self.zeros)
            return 0.0
        for size in self.zeros:
            self.latencies[size].append(0.0)
        return baseline

    def _refuse_too_little(self) -> None:
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
        yield from self.table.remarks
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


def _subtracted(points: list[tuple[float, float]], residue: float, ratio: float) -> float:
    """A guess of what a tool subtracted from all latencies, given ascending sizes; 0 where nothing was.

    Such a tool shows 0, or a residue of noise, at all the smallest sizes and nowhere else. `ratio` times the
    residue is what a second level reaches at least. Second levels are
    three to four times slower than first ones, so a part of the latency two octaves beyond those sizes, where
    even loads drawn anew mostly miss, stands for what is missing.
    """
    residues = list(itertools.takewhile(lambda point: point[1] < residue, points))
    others = points[len(residues) :]
    if len(residues) < _FEWEST_RESIDUES or any(ns == 0.0 for _, ns in others):
        return 0.0
    beyond = next((ns for size, ns in others if size >= 4.0 * residues[-1][0]), 0.0)
    if beyond <= ratio * max(ns for _, ns in residues):
        return 0.0
    return max(_SUBTRACTED_PART * beyond, residue)


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
