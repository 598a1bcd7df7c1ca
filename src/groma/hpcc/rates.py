"""What each rank reaches, from an earlier run: groma-hpcc chooses sizes and estimates times by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import GromaError
from groma.record.io import read_record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from groma.launch.shape import Shape
    from groma.record import Record
    from groma.record.environment import Cpu
    from groma.record.hpcc import HpccFacts


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where the figure behind one rate is: `series` of `test` in `mode`, any series where it is empty.

    Figures of mode "mpi" are those of all ranks together.
    """

    test: str
    mode: str
    series: str = ""


# By the names of groma-hpcc --rates.
SOURCES: dict[str, Source] = {
    "multiply": Source(test="dgemm", mode="star"),
    "solve": Source(test="hpl", mode="mpi"),
    "bandwidth": Source(test="stream", mode="star", series="triad"),
    "transpose": Source(test="ptrans", mode="mpi"),
    "transform": Source(test="fft", mode="star"),
    "shared_transform": Source(test="fft", mode="mpi"),
    "updates": Source(test="random_access", mode="star", series="random_access"),
    "shared_updates": Source(test="random_access", mode="mpi", series="random_access"),
}


class KnownRates(msgspec.Struct, frozen=True, kw_only=True):
    """Rates by name in the units of groma-hpcc --rates, and whose they are."""

    rates: dict[str, float] = {}
    origin: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """As groma-hpcc takes them."""
        given = ",".join(f"{name}={value:.4g}" for name, value in self.rates.items())
        return ("--rates", given) if given else ()


def known_rates(path: Path, shape: Shape, cpu: Cpu) -> KnownRates:
    """Those of the record at `path`, none where it is missing, unreadable, or of another kind of run."""
    try:
        record = read_record(path)
    except (GromaError, OSError):
        return KnownRates()
    if record.kind != "hpcc" or not _is_alike(record, shape, cpu):
        return KnownRates()
    return KnownRates(rates=rates_of(record.facts), origin=f"{path.name} of {record.created[:10]}")


def _is_alike(record: Record[Any], shape: Shape, cpu: Cpu) -> bool:
    """As many ranks of as many threads on processors of the same model, with vectors beyond the caches."""
    launch = record.facts.launch
    if launch is None or _warns(record.facts.plan):
        return False
    same_shape = (launch.ranks, launch.nodes, launch.threads, launch.binding) == (
        shape.ranks,
        shape.nodes,
        shape.threads,
        shape.bind,
    )
    then: Mapping[str, Any] = record.environment.get("cpu") or {}
    same_cpu = cpu.model is not None and (then.get("model"), then.get("threads")) == (cpu.model, cpu.threads)
    return same_shape and same_cpu


def _warns(plan: Mapping[str, Any]) -> bool:
    """Figures of a run that was too small, or in which ranks idled, say little about one that is neither."""
    return bool(plan.get("warnings"))


def rates_of(facts: HpccFacts) -> dict[str, float]:
    """What one rank reached, of every test that came to its end; the best case where there are several."""
    ranks = facts.launch.ranks if facts.launch is not None else 1
    found: dict[str, float] = {}
    for name, source in SOURCES.items():
        values = [
            figure.value.value / (ranks if source.mode == "mpi" else 1)
            for test in facts.tests
            if test.done and test.name == source.test
            for figure in test.figures
            if figure.mode == source.mode and source.series in {"", figure.series}
        ]
        if values and max(values) > 0:
            found[name] = max(values)
    return found
