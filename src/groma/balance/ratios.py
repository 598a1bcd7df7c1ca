"""Balance after Rabenseifner, "Balance of HPC Systems Based on HPCC Benchmark Results", sections 4 and 5.

What the whole system does of each test, over what it does of HPL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.hpccoutf.headlines import headlines_of, ranks_of
from groma.stats.quotient import one_sample, quotient_of, scaled

if TYPE_CHECKING:
    from groma.facts.hpcc import HpccFacts
    from groma.record import Quantity


class Balance(NamedTuple):
    """What all ranks do of a test for 1,000 flop of HPL. `what` is counted."""

    name: str
    what: str
    quantity: Quantity


class _Ratio(NamedTuple):
    """`of` is the id of a headline; one that is `per_rank` counts as often as there are ranks."""

    name: str
    of: str
    what: str
    unit: str
    per_rank: bool = False


_RATIOS = (
    _Ratio("DGEMM", "dgemm star", "flop of DGEMM", "flop/kflop", per_rank=True),
    _Ratio("FFT", "fft mpi", "flop of the FFT over all ranks", "flop/kflop"),
    _Ratio("PTRANS", "ptrans mpi", "bytes that change places", "B/kflop"),
    _Ratio("STREAM copy", "copy star", "bytes of memory, copied", "B/kflop", per_rank=True),
    _Ratio("STREAM triad", "triad star", "bytes of memory, triad", "B/kflop", per_rank=True),
    _Ratio(
        "Natural ring",
        "natural_ring_bandwidth",
        "bytes of messages between neighbours",
        "B/kflop",
        per_rank=True,
    ),
    _Ratio(
        "Random ring",
        "random_ring_bandwidth",
        "bytes of messages in random order",
        "B/kflop",
        per_rank=True,
    ),
    _Ratio("RandomAccess", "random_access mpi", "updates over all ranks", "update/kflop"),
)


def balance_of(facts: HpccFacts) -> list[Balance]:
    """The ratios that the facts have; none without HPL or where the number of ranks is not known."""
    ranks, found = ranks_of(facts), headlines_of(facts)
    if not ranks or "hpl mpi" not in found:
        return []
    hpl = found["hpl mpi"].quantity
    ratios = []
    for one in _RATIOS:
        part = found[one.of].quantity if one.of in found else None
        quantity = part and quotient_of(
            scaled(part, 1000 * (ranks if one.per_rank else 1), part.unit), hpl, one.unit
        )
        if quantity:
            ratios.append(Balance(one.name, one.what, quantity))
    return ratios


def reciprocal_latency(facts: HpccFacts) -> Quantity | None:
    """One over the latency of random rings: more is better, as in the other ratios."""
    latency = headlines_of(facts).get("random_ring_latency")
    return quotient_of(_one_over(latency.quantity), latency.quantity, "1/s") if latency else None


def _one_over(other: Quantity) -> Quantity:
    """A dimensionless 1 of the confidence of `other`."""
    return msgspec.structs.replace(
        one_sample(1.0, "", ""), confidence=other.confidence, samples=other.samples
    )
