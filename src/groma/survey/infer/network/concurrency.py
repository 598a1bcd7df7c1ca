"""How the bandwidth of a layer grows with the messages that cross it at once (docs/network/layers.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.network import ConcurrencyPoint
from groma.stats.quantities import median_quantity
from groma.stats.ratios import ratio_quantity
from groma.survey.infer.network.names import CONCURRENCY
from groma.survey.infer.network.sweeps import over_ranks, speeds_of
from groma.survey.infer.selection import by_label, split

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from groma.facts.network import CommunicationLayer
    from groma.record import ProbeSamples
    from groma.survey.infer.registry import Evidence
    from groma.survey.infer.selection import Cases


METHOD = "median over repetitions of all bytes over the mean time of the messages"
SLOWEST_METHOD = "median over repetitions of all bytes over the time of the slowest message"
SCALING_METHOD = "bandwidth of all messages over that of a single one; interval of Hodges and Lehmann"


def add_concurrency(evidence: Evidence, layer: CommunicationLayer) -> None:
    """Fill the bandwidth of a layer by the number of messages at once."""
    if CONCURRENCY in evidence.samples:
        layer.concurrency = concurrency_of(evidence.samples[CONCURRENCY], layer.name)


def concurrency_of(samples: ProbeSamples, layer: str) -> list[ConcurrencyPoint]:
    """One point for each number of messages of which a repetition is complete."""
    parts = {
        int(number): part
        for (own, number), part in split(samples, "layer", "messages").items()
        if own == layer
    }
    together = {number: _together(parts[number], number) for number in sorted(parts)}
    known = {number: one for number, one in together.items() if len(one["harmonic"])}
    alone = known.get(1)
    return [
        ConcurrencyPoint(
            messages=number,
            bandwidth=median_quantity(one["harmonic"], "B/s", METHOD),
            slowest=median_quantity(one["slowest"], "B/s", SLOWEST_METHOD),
            scaling=ratio_quantity(one["harmonic"], alone["harmonic"], SCALING_METHOD) if alone else None,
        )
        for number, one in known.items()
    ]


def _together(samples: Cases, messages: int) -> dict[str, NDArray[np.float64]]:
    """Bandwidth of all messages in each repetition, by statistic."""
    size = float(samples.cases[0]["bytes"])
    speeds = speeds_of(size, list(by_label(samples, "pair").values()))
    return {name: messages * over_ranks(name, speeds) for name in ("harmonic", "slowest")}
