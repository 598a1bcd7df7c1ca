"""Balance after Rabenseifner, "Balance of HPC Systems Based on HPCC Benchmark Results", sections 4 and 5.

What the whole system does of each test, over what it does of HPL. Formulas: docs/balance.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.balance.soundness import partial_hpl, usable_figures
from groma.hpccoutf.headlines import ranks_of
from groma.stats.quotient import one_sample, quotient_of, ratio_of, scaled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.facts.hpcc import HpccFacts
    from groma.record import Quantity

Quantities = dict[str, "Quantity"]


class Ratio(NamedTuple):
    """What the whole system does of `of` for 1,000 flop of HPL; `what` is counted.

    A quantity that is `per_rank` counts as often as there are ranks.
    """

    name: str
    title: str
    of: str
    what: str
    unit: str
    per_rank: bool = False


RATIOS = (
    Ratio("dgemm", "DGEMM", "dgemm_star", "flop of DGEMM", "flop/kflop", per_rank=True),
    Ratio("fft", "FFT", "fft_mpi", "flop of the FFT over all ranks", "flop/kflop"),
    Ratio("ptrans", "PTRANS", "ptrans_mpi", "bytes that change places", "B/kflop"),
    Ratio("stream_copy", "STREAM copy", "copy_star", "bytes of memory, copied", "B/kflop", per_rank=True),
    Ratio("stream_triad", "STREAM triad", "triad_star", "bytes of memory, triad", "B/kflop", per_rank=True),
    Ratio(
        "natural_ring",
        "Natural ring",
        "natural_ring_bandwidth",
        "bytes of messages between neighbours",
        "B/kflop",
        per_rank=True,
    ),
    Ratio(
        "random_ring",
        "Random ring",
        "random_ring_bandwidth",
        "bytes of messages in random order",
        "B/kflop",
        per_rank=True,
    ),
    Ratio("random_access", "RandomAccess", "random_access_mpi", "updates over all ranks", "update/kflop"),
)
"""In the order of the columns of the paper's figures 4 to 6."""

HPL = "hpl"
LATENCY = "reciprocal_ring_latency"

TITLES = {HPL: "HPL", **{one.name: one.title for one in RATIOS}, LATENCY: "1 / ring latency"}
"""Of what is accumulated, and of the columns of figures 4 to 6."""


class MessageRatio(NamedTuple):
    """A ratio of two ways to send; the third band of figure 1 and section 3."""

    name: str
    title: str
    above: str
    below: str


MESSAGE_RATIOS = (
    MessageRatio(
        "natural_to_ping_pong",
        "natural ring / ping-pong",
        "natural_ring_bandwidth",
        "ping_pong_bandwidth_min",
    ),
    MessageRatio(
        "random_to_ping_pong", "random ring / ping-pong", "random_ring_bandwidth", "ping_pong_bandwidth_min"
    ),
    MessageRatio(
        "random_to_natural", "random ring / natural ring", "random_ring_bandwidth", "natural_ring_bandwidth"
    ),
    MessageRatio(
        "latency_ping_pong_to_random",
        "latency, ping-pong / random ring",
        "ping_pong_latency_max",
        "random_ring_latency",
    ),
)


# ---- of one system -----------------------------------------------------------------------------------------


def accumulated_of(
    quantities: Mapping[str, Quantity], ranks: int | None, *, whole_hpl: bool = True
) -> Quantities:
    """What all ranks do together; what each rank does counts only where their number is known.

    An HPL that is not `whole_hpl` is not that of all ranks.
    """
    found = {HPL: quantities["hpl_mpi"]} if whole_hpl and "hpl_mpi" in quantities else {}
    for one in RATIOS:
        quantity = quantities.get(one.of)
        if quantity and one.per_rank:
            quantity = scaled(quantity, ranks, quantity.unit) if ranks else None
        if quantity:
            found[one.name] = quantity
    return found


def over_hpl(accumulated: Mapping[str, Quantity]) -> Quantities:
    """The ratios that a system has; none without HPL."""
    hpl = accumulated.get(HPL)
    if hpl is None:
        return {}
    every = ((one, accumulated.get(one.name)) for one in RATIOS)
    found = ((one.name, per_kflop(quantity, hpl, one.unit)) for one, quantity in every if quantity)
    return {name: ratio for name, ratio in found if ratio}


def per_kflop(quantity: Quantity, hpl: Quantity, unit: str) -> Quantity | None:
    return quotient_of(scaled(quantity, 1000, quantity.unit), hpl, unit)


def message_ratios(quantities: Mapping[str, Quantity]) -> Quantities:
    found = (
        (one.name, ratio_of(quantities[one.above], quantities[one.below]))
        for one in MESSAGE_RATIOS
        if one.above in quantities and one.below in quantities
    )
    return {name: ratio for name, ratio in found if ratio}


def reciprocal(latency: Quantity) -> Quantity | None:
    """One over a latency: more is better, as in the other ratios."""
    one = msgspec.structs.replace(
        one_sample(1.0, "", ""), confidence=latency.confidence, samples=latency.samples
    )
    return quotient_of(one, latency, "1/s")


# ---- of a record -------------------------------------------------------------------------------------------


class Balance(NamedTuple):
    """A ratio of one run. `what` is counted."""

    name: str
    what: str
    quantity: Quantity


def balance_of(facts: HpccFacts) -> list[Balance]:
    """The ratios that the facts have; none without an HPL of all ranks, of which the number is known."""
    ranks, found = ranks_of(facts), usable_figures(facts).quantities
    whole = accumulated_of(found, ranks, whole_hpl=not partial_hpl(facts))
    ratios = over_hpl(whole) if ranks else {}
    return [Balance(one.title, one.what, ratios[one.name]) for one in RATIOS if one.name in ratios]
