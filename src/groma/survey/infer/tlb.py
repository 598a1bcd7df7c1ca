"""Reach and miss cost of the TLBs: where one line per page is slower than as many lines packed densely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from groma.facts.survey import Tlb
from groma.record import Advice, Quantity
from groma.stats.resampling import answer_shares, certainty, low_decile
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.selection import by_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from groma.record import ProbeSamples, Topology

    Array = NDArray[np.float64]

SMALL_PAGE = 4096
LINE = 64
HUGE_PAGE = 2 * 1024 * 1024

_NOTICEABLE = (0.4, 0.8)
"""Rises over a first-level hit (4 to 5 cycles) from which the step of each level counts. A miss of the first
TLB costs 4 cycles or more, a walk 10 or more; and where lines begin to miss the first cache a first-level TLB
miss hides less behind them, which is a rise of one or two cycles without a step."""

_SETTLED = 2.5
"""A step is judged at this multiple of the pages at which it begins."""

_FLAT, _FLAT_OVER = 0.85, 4.0 / 3.0
"""A step cut off by the range has settled if that share of it was climbed at the range over this number."""

_UNSETTLED = 0.3
"""Most confidence in a reach whose step goes on."""

_LOW, _MIDDLE, _HIGH = 0.1, 0.5, 0.6
"""Climbed shares of a step that bound the reach. Pages spread evenly over the sets of a TLB miss all at once
beyond its reach. Spread at random, half of them miss when as many pages are used as there are entries, and
the first ones much earlier."""

_CLEAR = 6.0
"""Scatters that a step must be high. Points of pure noise lie about one standard deviation above their lower
envelope, and that rises by up to four of them; steps of a busy machine are tens of scatters high."""

_FEWEST_COUNTS = 8

_REACH = (
    "largest number of pages before half of the step from hits to misses, relative to densely packed lines"
)
_LOWER_BOUND = "; a lower bound: the step goes on at the largest number of pages"
_COST = "height of the step, densely packed lines subtracted"


@dataclass(frozen=True)
class Step:
    """Numbers of lines around a TLB's reach, and what a miss adds (s): at the step's end and its range.

    One that has not `settled` goes on at the largest number, which is then `high`: entries may be more.
    """

    pages: int
    low: int
    high: int
    cost: float
    least_cost: float
    most_cost: float
    settled: bool


@dataclass(frozen=True)
class Pages:
    """The pages that the lines of a chain are in: `apart` is the label of its cases, `size` that of a page.

    The lines are `apart` and a line of the cache from each other, so several of them are in a larger page.
    """

    apart: int
    size: int

    def bytes_of(self, lines: int) -> int:
        """All pages that so many lines lie in."""
        if self.size <= self.apart:
            return lines * self.size
        return -(-lines * (self.apart + LINE) // self.size) * self.size


@dataclass(frozen=True)
class Excess:
    """What spreading over pages costs: `time` (s) per load over the number of pages, never falling.

    `scatter` (s) is by how much a usual point lay above that before it was made so.
    """

    pages: tuple[int, ...]
    time: Array
    hit: float
    scatter: float = 0.0


@infers("tlb", needs=("tlb_reach",))
def infer_tlb(evidence: Evidence) -> Inferred:
    samples = evidence.samples["tlb_reach"]
    base = _base_pages(samples, evidence.topology)
    small = reaches(samples, "small", base)
    split = reaches(samples, "huge", base)
    if is_split(small, split):
        huge = [msgspec.structs.replace(one, advised_page=HUGE_PAGE) for one in split]
        return Inferred([*small, *huge], (_SPLIT_ADVICE,))
    return Inferred([*small, *reaches(samples, "huge", Pages(HUGE_PAGE, HUGE_PAGE))])


def _base_pages(samples: ProbeSamples, topology: Topology | None) -> Pages:
    """Pages of the system: 16 or 64 KiB on some, whatever distance of lines the probe was built with."""
    apart = min((case["page_bytes"] for case in samples.cases if case.get("pages") == "small"), default=0)
    apart = int(apart) or SMALL_PAGE
    return Pages(apart, max(apart, topology.page_bytes if topology is not None else 0))


_SPLIT_ADVICE = Advice(
    code="tlb.huge_pages_split",
    what="huge pages have no larger reach than small ones: the kernel or the hypervisor splits them",
    next="enable transparent huge pages (groma doctor shows how); in a guest, only the host can provide them",
)


def is_split(small: list[Tlb], huge: list[Tlb]) -> bool:
    """Whether memory advised to have huge pages is translated in small ones: a first step at a like reach."""
    if not (small and huge):
        return False
    return huge[0].reach.value <= 2 * small[0].reach.high


def reaches(samples: ProbeSamples, asked: str, pages: Pages) -> list[Tlb]:
    """The TLBs that a layout of lines shows, at most two; empty where it shows no step or was not sampled."""
    spread = by_label(samples, "lines", layout="spread", pages=asked, page_bytes=pages.apart)
    dense = by_label(samples, "lines", layout="dense")
    groups = {("spread", n): spread[n] for n in spread if n in dense}
    groups |= {("dense", n): dense[n] for n in dense if n in spread}
    if len(groups) < 2 * _FEWEST_COUNTS:
        return []
    found = steps(_excess({key: np.asarray(values) for key, values in groups.items()}))
    fewest = min(len(values) for values in groups.values())
    shares = answer_shares(groups, lambda drawn: tuple(s.pages for s in steps(_excess(drawn))), rounds=60)
    return [
        Tlb(
            level=i + 1,
            page=pages.size,
            reach=_reach(step, pages, _confidence(shares, i, step, fewest)),
            miss_cost=_cost(step),
        )
        for i, step in enumerate(found)
    ]


def _excess(groups: Mapping[tuple[str, int], Array]) -> Excess:
    """More lines are never faster, so a point that noise has lifted comes down to the next ones: in either
    layout before they are subtracted, or one slow dense chain would hide a step.
    """
    pages = tuple(sorted(n for layout, n in groups if layout == "spread"))
    spread, dense = (
        _rising(np.array([low_decile(groups[layout, n]) for n in pages])) for layout in ("spread", "dense")
    )
    rising = _rising(spread - dense)
    rising[-1] = rising[-2]  # no larger number confirms a rise of the last one alone
    measured = [low_decile(groups["spread", n]) - low_decile(groups["dense", n]) for n in pages]
    return Excess(pages, rising, float(dense[0]), float(np.median(np.abs(np.array(measured) - rising))))


def _rising(values: Array) -> Array:
    return np.minimum.accumulate(values[::-1])[::-1]


def steps(excess: Excess) -> list[Step]:
    """At most two steps, ascending."""
    found: list[Step] = []
    base, after = float(excess.time[0]), 0
    for noticeable in _NOTICEABLE:
        above = np.flatnonzero(excess.time[after:] > base + noticeable * excess.hit) + after
        if len(above) == 0 or above[0] == 0:
            break
        onset = int(above[0])
        end = _settled_after(excess.pages, onset)
        if excess.time[end] - base < _CLEAR * excess.scatter:
            break
        found.append(_step(excess, base, onset, end))
        base, after = float(excess.time[end]), end
    return found


def _settled_after(pages: tuple[int, ...], onset: int) -> int:
    """Index of the last number of pages up to the multiple of the onset at which a step has settled."""
    return max(i for i, n in enumerate(pages) if n <= max(_SETTLED * pages[onset - 1], pages[onset]))


def _step(excess: Excess, base: float, onset: int, end: int) -> Step:
    climbed = (excess.time - base) / (excess.time[end] - base)
    costs = excess.time[(onset + end) // 2 : end + 1] - base
    settled = _has_settled(excess.pages, onset, climbed)

    def last_below(share: float) -> int:
        return int(np.flatnonzero(climbed > share)[0]) - 1

    return Step(
        pages=excess.pages[last_below(_MIDDLE)],
        low=excess.pages[min(last_below(_LOW), onset - 1)],
        high=excess.pages[last_below(_HIGH) + 1] if settled else excess.pages[-1],
        cost=float(excess.time[end] - base),
        least_cost=float(costs.min()),
        most_cost=float(costs.max()),
        settled=settled,
    )


def _has_settled(pages: tuple[int, ...], onset: int, climbed: Array) -> bool:
    """Whether a step is seen up to its end: the range holds it whole, or a good part of it is level."""
    if pages[-1] >= _SETTLED * pages[onset - 1]:
        return True
    before = max(i for i, n in enumerate(pages) if n <= max(pages[-1] / _FLAT_OVER, pages[0]))
    return bool(climbed[before] >= _FLAT)


def _confidence(shares: Mapping[tuple[int, ...], float], index: int, step: Step, samples: int) -> float:
    """Share of resamples that have this level and put it inside the bracket; low where the step goes on."""
    inside = sum(
        share
        for pages, share in shares.items()
        if len(pages) > index and step.low <= pages[index] <= step.high
    )
    return min(certainty(inside, samples), 1.0 if step.settled else _UNSETTLED)


def _reach(step: Step, pages: Pages, confidence: float) -> Quantity:
    value, low, high = (float(pages.bytes_of(lines)) for lines in (step.pages, step.low, step.high))
    return Quantity(
        value=value,
        unit="B",
        low=low,
        high=high,
        confidence=confidence,
        method=_REACH + ("" if step.settled else _LOWER_BOUND),
    )


def _cost(step: Step) -> Quantity:
    return Quantity(
        value=step.cost, unit="s", low=step.least_cost, high=step.most_cost, confidence=0.9, method=_COST
    )
