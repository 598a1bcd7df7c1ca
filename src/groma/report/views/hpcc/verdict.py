"""Whether the run counts, and its main values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.balance.ratios import balance_of
from groma.balance.soundness import partial_hpl
from groma.facts.hpcc import HpccFacts
from groma.hpccoutf.headlines import headlines_of, ranks_of
from groma.record.counting import counted
from groma.record.units import format_share, format_value
from groma.report.blocks import Banner, lead_and_tiles
from groma.report.views.marks import sampled_tile
from groma.report.views.registry import view
from groma.report.views.run.model import run_of, warning_line
from groma.report.words.environment import on_processor
from groma.report.words.launch import failure_words
from groma.report.words.suite import MODES, name_of_test, validation_of
from groma.report.words.text import joined, unbroken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.hpccoutf.headlines import Headline
    from groma.record import Record
    from groma.report.blocks import Tile
    from groma.report.views.registry import Blocks


@view("verdict", order=0, of=HpccFacts)
def verdict(record: Record[HpccFacts]) -> Blocks:
    return [_banner(record), *lead_and_tiles(_lead(record), _tiles(record.facts))]


# ---- whether it counts -------------------------------------------------------------------------------------


def _banner(record: Record[HpccFacts]) -> Banner:
    facts, run = record.facts, run_of(record)
    checks = run.checks if run else []
    cut = [name_of_test(test.name) for test in facts.tests if not test.done]
    missing = [name_of_test(name) for name in _not_begun(facts)]
    outcome, words = validation_of(facts)
    return Banner(
        outcome=outcome,
        title=f"Validation {words}",
        lines=[
            *(failure_words(test, check) for test, check in checks if not check.passed),
            *warning_line(record),
            *([f"Cut short: {', '.join(cut)}. The measurements so far are shown."] if cut else []),
            *([f"Not started: {', '.join(missing)}."] if missing else []),
        ],
    )


def _not_begun(facts: HpccFacts) -> list[str]:
    """Tests of the plan of which there is nothing."""
    begun = {test.name for test in facts.tests}
    return [name for name in facts.plan.tests if name not in begun]


def _lead(record: Record[HpccFacts]) -> str:
    facts = record.facts
    ranks, launch = ranks_of(facts), facts.launch
    where = f" of {counted(launch.threads, 'thread')} on {counted(launch.nodes, 'machine')}" if launch else ""
    libraries = [launch.mpi.partition(",")[0], " ".join(launch.blas.split()[:2])] if launch else []
    parts = joined(counted(ranks, "rank") + where if ranks else "", *libraries, _order(facts), by="; ")
    suite = f"HPC Challenge suite{on_processor(record)}"
    return f"{joined(suite, parts, by=': ')}."


def _order(facts: HpccFacts) -> str:
    orders = dict.fromkeys(str(case.n) for case in facts.plan.hpl)
    order = ", ".join(orders) or facts.summary.get("HPL_N", "")
    return f"HPL of order {order}" if order else ""


# ---- main values -------------------------------------------------------------------------------------------

# Title, id of the headline, ids of what stands below it.
_TILES = {
    "HPL": ("hpl mpi",),
    "DGEMM": ("dgemm star", "dgemm single"),
    "STREAM triad": ("triad star", "triad single"),
    "PTRANS": ("ptrans mpi",),
    "RandomAccess": ("random_access mpi", "random_access star", "random_access single"),
    "FFT": ("fft mpi", "fft star", "fft single"),
    "Ping-pong latency": ("ping_pong_latency_max", "ping_pong_latency_mean", "ping_pong_latency_min"),
    "Ping-pong bandwidth": ("ping_pong_bandwidth_min", "ping_pong_bandwidth_mean", "ping_pong_bandwidth_max"),
    "Ring latency": ("random_ring_latency", "natural_ring_latency"),
    "Ring bandwidth": ("random_ring_bandwidth", "natural_ring_bandwidth"),
}


def _tiles(facts: HpccFacts) -> list[Tile]:
    found = headlines_of(facts)
    tiles = [_tile(title, ids, found) for title, ids in _TILES.items() if any(one in found for one in ids)]
    for tile in tiles:
        if tile.title == "HPL":
            tile.lines = [*_ranks_of_hpl(facts, tile), *_efficiency(facts)]
    return tiles


def _tile(title: str, ids: tuple[str, ...], found: Mapping[str, Headline]) -> Tile:
    """Headed by the first that was measured: a run of star tests alone has no value over all ranks."""
    head, *rest = (found[one] for one in ids if one in found)
    return sampled_tile(title, head.quantity, [_kind(head), *map(_line, rest)])


def _ranks_of_hpl(facts: HpccFacts, tile: Tile) -> Sequence[str]:
    """`HPL used 4 of 3072 ranks` instead of "all ranks together", where it is so."""
    part = partial_hpl(facts)
    return [part] if part else tile.lines


def _efficiency(facts: HpccFacts) -> list[str]:
    """HPL is at most what all ranks reach in DGEMM."""
    return [
        f"{format_share(1000 / one.quantity.value)} of DGEMM on all ranks"
        for one in balance_of(facts)
        if one.name == "DGEMM" and one.quantity.value > 0
    ]


def _kind(headline: Headline) -> str:
    """What the title leaves out, as "slowest pair" or "random order"; else the mode."""
    name, mode = headline.definition.name, headline.definition.mode
    spread = headline.figure.spread if headline.figure else None
    if mode == "star" and spread:
        return f"each of {spread.ranks} ranks, all at once"
    kind = name.partition(", ")[2]
    if "ring" in name:
        return joined("random order" if name.startswith("Random") else "natural order", kind)
    return kind or MODES.get(mode, mode)


def _line(headline: Headline) -> str:
    return f"{_kind(headline)}: {unbroken(format_value(headline.quantity.value, headline.quantity.unit))}"
