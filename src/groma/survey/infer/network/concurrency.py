"""How the bandwidth of a layer grows with the messages that cross it at once (docs/network/layers.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.network import ConcurrencyPoint
from groma.stats.quantities import median_quantity
from groma.stats.ratios import ratio_quantity
from groma.survey.infer.network.names import CONCURRENCY
from groma.survey.infer.network.sweeps import over_ranks, speeds_of
from groma.survey.infer.selection import by_label, matching

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from groma.record import ProbeSamples
    from groma.record.network import CommunicationLayer
    from groma.survey.infer.registry import Evidence


METHOD = "median over repetitions of all bytes over the mean time of the messages"
SLOWEST_METHOD = "median over repetitions of all bytes over the time of the slowest message"
SCALING_METHOD = "bandwidth of all over that of a single message; interval of Hodges and Lehmann"


def add_concurrency(evidence: Evidence, layer: CommunicationLayer) -> None:
    """Fill the bandwidth of a layer by the number of messages at once."""
    if CONCURRENCY in evidence.samples:
        layer.concurrency = concurrency_of(evidence.samples[CONCURRENCY], layer.name)


def concurrency_of(samples: ProbeSamples, layer: str) -> list[ConcurrencyPoint]:
    """One point for each number of messages of which a repetition is complete."""
    numbers = sorted({int(case["messages"]) for case, _ in matching(samples, layer=layer)})
    together = {number: _together(samples, layer, number) for number in numbers}
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


def _together(samples: ProbeSamples, layer: str, messages: int) -> dict[str, NDArray[np.float64]]:
    """Bandwidth of all messages in each repetition, by statistic."""
    labels = {"layer": layer, "messages": messages}
    size = next(float(case["bytes"]) for case, _ in matching(samples, **labels))
    speeds = speeds_of(size, list(by_label(samples, "pair", **labels).values()))
    return {name: messages * over_ranks(name, speeds) for name in ("harmonic", "slowest")}
