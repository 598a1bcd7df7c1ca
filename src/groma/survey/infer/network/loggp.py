"""Parameters of the LogGP model for a layer (docs/network/layers.md).

The model: Alexandrov, Ionescu, Schauser and Scheiman, "LogGP: incorporating long messages into the LogP
model", 1995. A short message takes o_send + L + o_receive, each further byte G, the next message may follow
after g. Overheads and gap are timed apart as by Culler, Liu, Martin and Yoshikawa, "Assessing fast network
interfaces", 1996.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.facts.network import LogGP
from groma.record import Quantity
from groma.stats.piecewise import linear_segments, straight
from groma.stats.quantiles import LOW_QUANTILE, quantiles
from groma.stats.quantities import median_quantity, quantile_quantity
from groma.stats.resampling import group_interval
from groma.stats.spans import combination
from groma.stats.spread import typical, typical_error
from groma.survey.infer.network.names import LOGGP
from groma.survey.infer.selection import by_label, matching, times_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from groma.facts.network import CommunicationLayer
    from groma.record import ProbeSamples
    from groma.survey.infer.registry import Evidence


OVERHEAD_METHOD = "5th percentile of the time in the call that {does} the shortest message"
MEAN_METHOD = "mean of the overheads of sending and receiving"
LATENCY_METHOD = "half a round trip of the shortest message less both overheads"
GAP_METHOD = "median of the time for each of many short messages in a row, less that of the first"
BYTE_METHOD = "slope of the gap over message size, long messages; bootstrap"
HIDDEN_LATENCY = "the latency is not resolved: the overheads of a single message exceed half of a round trip"
CUT_LATENCY = "the latency is not resolved from 0: its interval is cut at 0"

LEAST_NOISE = 0.03
LEAST_SIZES = 2


def add_parameters(evidence: Evidence, layer: CommunicationLayer) -> None:
    """Fill the LogGP parameters of a layer from its samples."""
    samples = evidence.samples.get(LOGGP)
    if samples is None or not any(case["layer"] == layer.name for case in samples.cases):
        return
    layer.loggp = loggp_of(samples, layer.name)


def loggp_of(samples: ProbeSamples, layer: str) -> LogGP:
    """The parameters that the samples of a layer determine; None for each of the others."""
    send = _shortest(samples, layer, "send_overhead", OVERHEAD_METHOD.format(does="sends"))
    receive = _shortest(samples, layer, "receive_overhead", OVERHEAD_METHOD.format(does="receives"))
    round_trip = _shortest(samples, layer, "round_trip", "5th percentile of a round trip")
    latency, notes = _latency(round_trip, send, receive)
    return LogGP(
        L=latency,
        o=combination((0.5, send), (0.5, receive)).quantity("s", MEAN_METHOD) if send and receive else None,
        g=_shortest(samples, layer, "gap", GAP_METHOD, 0.5),
        G=_gap_per_byte(_gaps(samples, layer)),
        send=send,
        receive=receive,
        notes=notes,
    )


def _shortest(
    samples: ProbeSamples, layer: str, what: str, method: str, q: float = LOW_QUANTILE
) -> Quantity | None:
    """The time of the shortest message, of several pairs the median; None where none was longer than 0."""
    timed = [
        (int(case["bytes"]), quantile_quantity(times, "s", method, q))
        for case, values in matching(samples, layer=layer, what=what)
        if (times := times_in(values))
    ]
    least = min((size for size, _ in timed), default=0)
    of_pairs = [time for size, time in timed if size == least]
    return typical(of_pairs, f"median over pairs of the {method}") if of_pairs else None


def _latency(
    round_trip: Quantity | None, send: Quantity | None, receive: Quantity | None
) -> tuple[Quantity | None, list[str]]:
    """The latency, which is not below 0, with what a reader has to know; None where it is not resolved."""
    if round_trip is None or send is None or receive is None:
        return None, []
    found = combination((0.5, round_trip), (-1.0, send), (-1.0, receive))
    if found.high <= 0:
        return None, [HIDDEN_LATENCY]
    allowed = found._replace(value=max(0.0, found.value), low=max(0.0, found.low))
    return allowed.quantity("s", LATENCY_METHOD), [CUT_LATENCY] if found.low < 0 else []


def _gaps(samples: ProbeSamples, layer: str) -> dict[int, list[float]]:
    """By size, ascending. A gap is a difference of two times, so noise may make it negative."""
    gaps = by_label(samples, "bytes", layer=layer, what="gap")
    usable = {size: times_in(gaps[size]) for size in sorted(gaps)}
    return {size: times for size, times in usable.items() if times}


def _gap_per_byte(groups: Mapping[int, list[float]]) -> Quantity | None:
    """The slope of the last straight segment, that of the protocol for long messages."""
    if len(groups) < LEAST_SIZES:
        return None
    scatter = typical_error([median_quantity(gaps, "s", GAP_METHOD) for gaps in groups.values()])
    last = linear_segments(list(groups), _middle(groups), max(LEAST_NOISE, scatter))[-1]
    long = dict(list(groups.items())[last.first :])
    interval = group_interval(long, _slope)
    value = _slope({size: np.asarray(values) for size, values in long.items()})
    if value <= 0:
        return None
    return Quantity(
        value=value,
        unit="s/B",
        low=min(value, max(0.0, interval.low)),
        high=max(value, interval.high),
        confidence=interval.confidence,
        method=BYTE_METHOD,
    )


def _slope(groups: Mapping[int, NDArray[np.float64]]) -> float:
    return straight(list(groups), _middle(groups)).slope


def _middle(groups: Mapping[int, NDArray[np.float64] | list[float]]) -> NDArray[np.float64]:
    return quantiles(list(groups.values()), 0.5)
