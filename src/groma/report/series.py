"""Samples by rank and repetition: what the page draws of a run of many ranks, without its single samples."""

from __future__ import annotations

import functools
import json
import statistics
from typing import TYPE_CHECKING, Any

import msgspec

from groma.report.packing import PAGE_DIGITS, rounded
from groma.stats.quantiles import quantiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.record import ProbeSamples

MEMBERS = (("rank",), ("client", "server"), ("ring",))
"""What tells the members of a series apart: single ranks, pairs of ranks, orders of a ring."""

SUITE_BUFFERS = "reused"
"""The state of message buffers that the suite defines."""

KEPT = 32
"""Probes whose series are kept: more than a record has."""

_OMITTED_LABELS = {"order"}


class PageSeries(msgspec.Struct, kw_only=True):
    """Cases that differ in nothing but their member: a rank, a pair (client, server) or a ring.

    `members[i]` has samples from `low[i]` to `high[i]` with the median `median[i]`; `over` names its numbers.
    `repetitions[j]` tells the members' lowest, mean and highest sample of repetition j; it is empty for
    samples behind figures (`raw` in `labels`), which may be several in a repetition.
    """

    labels: dict[str, Any]
    over: list[str]
    members: list[list[int]]
    low: list[float]
    median: list[float]
    high: list[float]
    repetitions: list[tuple[float, float, float]]


class _Held:
    """The key of a cache: samples that equal only themselves, and are held so that no others get their id."""

    def __init__(self, samples: ProbeSamples) -> None:
        self.samples = samples

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and self.samples is other.samples

    def __hash__(self) -> int:
        return id(self.samples)


def series_of(samples: ProbeSamples) -> Sequence[PageSeries]:
    """All series with a sample; none for probes whose cases name no series.

    Made once: a page asks for them at each figure. Neither they nor `samples` may change afterwards.
    """
    return _series_of(_Held(samples))


@functools.lru_cache(maxsize=KEPT)
def _series_of(held: _Held) -> Sequence[PageSeries]:
    samples = held.samples
    found: dict[str, list[int]] = {}
    # A file that was edited may have more cases than samples.
    for index, (case, values) in enumerate(zip(samples.cases, samples.values, strict=False)):
        if "series" in case and values and _is_shown(case):
            found.setdefault(json.dumps([_over(case), _shared(case)], sort_keys=True), []).append(index)
    return [
        _series([samples.cases[i] for i in one], [samples.values[i] for i in one]) for one in found.values()
    ]


def _is_shown(case: Mapping[str, Any]) -> bool:
    """Not curves, whose points are facts, nor what single ranks or other buffers saw behind figures.

    Those would be most of a page of many ranks, and stay in the record. What ranks with roles saw is shown:
    it is how their loads differ.
    """
    beside = _is_behind_a_figure(case) or case.get("buffers", SUITE_BUFFERS) != SUITE_BUFFERS
    return case.get("purpose") != "curve" and not (case.get("raw") and beside)


def _is_behind_a_figure(case: Mapping[str, Any]) -> bool:
    return "rank" in case and "role" not in case


def _over(case: Mapping[str, Any]) -> tuple[str, ...]:
    return next((names for names in MEMBERS if all(type(case.get(name)) is int for name in names)), ())


def _shared(case: Mapping[str, Any]) -> dict[str, Any]:
    """The labels without the member. Figures of one pair or ring are series of their own: curves name it."""
    member = _over(case) if case.get("raw") else ("rank",)
    return {name: value for name, value in case.items() if name not in {*member, *_OMITTED_LABELS}}


def _series(cases: Sequence[Mapping[str, Any]], values: Sequence[Sequence[float]]) -> PageSeries:
    labels = _shared(cases[0])
    over = [name for name in _over(cases[0]) if name not in labels]
    return PageSeries(
        labels=labels,
        over=over,
        members=[[case[name] for name in over] for case in cases],
        low=[_short(min(of_one)) for of_one in values],
        median=[_short(median) for median in quantiles(values, 0.5).tolist()],
        high=[_short(max(of_one)) for of_one in values],
        repetitions=[] if labels.get("raw") else list(_repetitions(values)),
    )


def _repetitions(values: Sequence[Sequence[float]]) -> Iterator[tuple[float, float, float]]:
    """Over the members, in each repetition that all of them finished."""
    for of_all in zip(*values, strict=False):
        yield _short(min(of_all)), _short(statistics.fmean(of_all)), _short(max(of_all))


def _short(value: float) -> float:
    return rounded(value, PAGE_DIGITS)
