"""The main values of a run of the suite: of a whole run, a part of one, or an old output without samples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from groma.hpccoutf.checked import has_failed
from groma.hpccoutf.keys import BY_NAME
from groma.hpccoutf.values import count_of, finite
from groma.stats.quotient import one_sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.facts.hpcc import Figure, HpccFacts
    from groma.record import Quantity


class Definition(NamedTuple):
    """`series` is None where it is named after the case, as in HPL; `key` is that of hpccoutf.txt."""

    name: str
    test: str
    series: str | None
    mode: str
    key: str

    @property
    def of_messages(self) -> bool:
        return self.test == "effective_bandwidth"

    @property
    def id(self) -> str:
        name = self.series or self.test
        return name if self.of_messages else f"{name} {self.mode}"

    @property
    def words(self) -> tuple[str, str, str]:
        """Of its name in a comparison."""
        return self.test, self.series or self.test, self.mode

    @property
    def full_name(self) -> str:
        """With the mode where several have that name."""
        return self.name if self.of_messages else f"{self.name} ({self.mode})"


def _message(name: str, series: str, key: str) -> Definition:
    return Definition(name, "effective_bandwidth", series, "mpi", key)


DEFINITIONS = (
    Definition("HPL", "hpl", None, "mpi", "HPL_Tflops"),
    Definition("DGEMM", "dgemm", "dgemm", "star", "StarDGEMM_Gflops"),
    Definition("DGEMM", "dgemm", "dgemm", "single", "SingleDGEMM_Gflops"),
    Definition("PTRANS", "ptrans", "ptrans", "mpi", "PTRANS_GBs"),
    Definition("STREAM triad", "stream", "triad", "star", "StarSTREAM_Triad"),
    Definition("STREAM triad", "stream", "triad", "single", "SingleSTREAM_Triad"),
    Definition("STREAM copy", "stream", "copy", "star", "StarSTREAM_Copy"),
    Definition("STREAM copy", "stream", "copy", "single", "SingleSTREAM_Copy"),
    Definition("RandomAccess", "random_access", "random_access", "mpi", "MPIRandomAccess_GUPs"),
    Definition("RandomAccess", "random_access", "random_access", "star", "StarRandomAccess_GUPs"),
    Definition("RandomAccess", "random_access", "random_access", "single", "SingleRandomAccess_GUPs"),
    Definition("FFT", "fft", "fft", "mpi", "MPIFFT_Gflops"),
    Definition("FFT", "fft", "fft", "star", "StarFFT_Gflops"),
    Definition("FFT", "fft", "fft", "single", "SingleFFT_Gflops"),
    _message("Ping-pong latency, slowest pair", "ping_pong_latency_max", "MaxPingPongLatency_usec"),
    _message("Ping-pong latency, mean of pairs", "ping_pong_latency_mean", "AvgPingPongLatency_usec"),
    _message("Ping-pong latency, fastest pair", "ping_pong_latency_min", "MinPingPongLatency_usec"),
    _message("Natural ring latency", "natural_ring_latency", "NaturallyOrderedRingLatency_usec"),
    _message("Random ring latency", "random_ring_latency", "RandomlyOrderedRingLatency_usec"),
    _message("Ping-pong bandwidth, slowest pair", "ping_pong_bandwidth_min", "MinPingPongBandwidth_GBytes"),
    _message("Ping-pong bandwidth, mean of pairs", "ping_pong_bandwidth_mean", "AvgPingPongBandwidth_GBytes"),
    _message("Ping-pong bandwidth, fastest pair", "ping_pong_bandwidth_max", "MaxPingPongBandwidth_GBytes"),
    _message(
        "Natural ring bandwidth, per rank", "natural_ring_bandwidth", "NaturallyOrderedRingBandwidth_GBytes"
    ),
    _message(
        "Random ring bandwidth, per rank", "random_ring_bandwidth", "RandomlyOrderedRingBandwidth_GBytes"
    ),
)
"""In the order of the suite."""


FURTHER = (
    Definition("STREAM scale", "stream", "scale", "star", "StarSTREAM_Scale"),
    Definition("STREAM scale", "stream", "scale", "single", "SingleSTREAM_Scale"),
    Definition("STREAM add", "stream", "add", "star", "StarSTREAM_Add"),
    Definition("STREAM add", "stream", "add", "single", "SingleSTREAM_Add"),
    Definition("RandomAccess LCG", "random_access", "random_access_lcg", "mpi", "MPIRandomAccess_LCG_GUPs"),
    Definition("RandomAccess LCG", "random_access", "random_access_lcg", "star", "StarRandomAccess_LCG_GUPs"),
    Definition(
        "RandomAccess LCG", "random_access", "random_access_lcg", "single", "SingleRandomAccess_LCG_GUPs"
    ),
)
"""What the suite measures in addition to its main values."""


class Headline(NamedTuple):
    """A main value; `figure` is None where it was read from a summary."""

    definition: Definition
    quantity: Quantity
    figure: Figure | None


def headlines_of(facts: HpccFacts, wanted: Sequence[Definition] = DEFINITIONS) -> dict[str, Headline]:
    """The main values that the facts have, by id, in the order of the suite."""
    return {one.definition.id: one for definition in wanted for one in _headline(facts, definition)}


def named_headlines(facts: HpccFacts) -> Iterator[tuple[tuple[str, ...], Quantity]]:
    """All that the suite measures with the words of their names, wherever it was read."""
    for one in headlines_of(facts, (*DEFINITIONS, *FURTHER)).values():
        yield one.definition.words, one.quantity


def _headline(facts: HpccFacts, definition: Definition) -> Iterator[Headline]:
    figure = _best_figure(facts, definition)
    quantity = figure.value if figure else _summarised(facts, definition)
    if quantity is not None:
        yield Headline(definition, quantity, figure)


def _best_figure(facts: HpccFacts, definition: Definition) -> Figure | None:
    """The best case that passed its check, as the suite takes it; of none that passed the best of all."""
    found = [
        (test, figure)
        for test in facts.tests
        if test.name == definition.test
        for figure in test.figures
        if _is_meant(figure, definition)
    ]
    sound = [figure for test, figure in found if not has_failed(test, figure)]
    return max(sound or [figure for _, figure in found], key=lambda figure: figure.value.value, default=None)


def _is_meant(figure: Figure, definition: Definition) -> bool:
    """Figures of other buffers, of phases or of single sizes are beside the definition."""
    is_named = definition.series is None or figure.series == definition.series
    return (
        is_named
        and figure.mode == definition.mode
        and figure.value.unit == base_unit_of(definition)
        and "buffers" not in figure.labels
    )


_PREFIXES = {"T": 1e12, "G": 1e9, "u": 1e-6}


def base_unit_of(definition: Definition) -> str:
    """The unit of a main value, without a prefix."""
    unit, _ = _in_file(definition)
    return unit


def _in_file(definition: Definition) -> tuple[str, float]:
    """The unit without its prefix, and how many of it the unit of the file is."""
    unit = BY_NAME[definition.key].unit
    return unit[1:], _PREFIXES[unit[0]]


def _summarised(facts: HpccFacts, definition: Definition) -> Quantity | None:
    """-1 and what is no number stand for nothing in hpccoutf.txt."""
    value = finite(facts.summary.get(definition.key, ""))
    if value is None or value <= 0:
        return None
    unit, factor = _in_file(definition)
    if not math.isfinite(value * factor):
        return None
    return one_sample(value * factor, unit, f"{definition.key} of hpccoutf.txt")


def ranks_of(facts: HpccFacts) -> int | None:
    """How many ranks took part, None where nothing says so."""
    if facts.launch:
        return facts.launch.ranks
    return count_of(facts.summary.get("CommWorldProcs", "")) or None


_MOST_THREADS = 1 << 20
"""What is more was never set."""


def threads_of(facts: HpccFacts) -> int | None:
    """Threads of each rank; None where nothing says so. Threads of a BLAS are in no output of hpcc."""
    if facts.launch:
        return facts.launch.threads
    summary = facts.summary
    reported = summary.get("STREAM_Threads", "")
    if summary.get("M_OPENMP", "0") != "0":
        reported = summary.get("omp_get_max_threads", "") or summary.get("omp_get_num_threads", "")
    threads = count_of(reported) or _MOST_THREADS
    return threads if threads < _MOST_THREADS else None
