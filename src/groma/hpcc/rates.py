"""What each rank reaches, from an earlier run: groma-hpcc chooses sizes and estimates times by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from groma.errors import GromaError
from groma.facts.hpcc import KIND
from groma.facts.reading import read_record
from groma.hpcc.working_sets import Machine, beyond_caches, machine_of
from groma.record.writing import is_special

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from groma.facts.hpcc import HpccFacts, HpccTest
    from groma.launch.shape import Shape
    from groma.record.environment import Cpu
    from groma.record.launch import Launch


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


# No rank of any machine is slower or faster than that, whatever the unit: what lies outside is damage.
_LEAST, _MOST = 1e3, 1e18


def known_rates(path: Path, shape: Shape, cpu: Cpu) -> KnownRates:
    """Those of the record at `path`, none where it is missing, unreadable, or of another kind of run.

    None of a pipe either: one that the new record goes to would never end.
    """
    if is_special(path):
        return KnownRates()
    try:
        record = read_record(path)
    except (GromaError, OSError):
        return KnownRates()
    if record.kind != KIND.name:
        return KnownRates()
    machine = machine_of(record.environment)
    if not _is_alike(record.facts.launch, machine, shape, cpu):
        return KnownRates()
    rates = rates_of(record.facts, machine.last_level_caches * shape.nodes)
    return KnownRates(rates=rates, origin=f"{path.name} of {record.created[:10]}") if rates else KnownRates()


def _is_alike(launch: Launch | None, machine: Machine, shape: Shape, cpu: Cpu) -> bool:
    """As many ranks of as many threads on processors of the same model."""
    if launch is None or cpu.model is None:
        return False
    same_shape = (launch.ranks, launch.nodes, launch.threads, launch.binding) == (
        shape.ranks,
        shape.nodes,
        shape.threads,
        shape.bind,
    )
    return same_shape and (machine.cpu.model, machine.cpu.threads) == (cpu.model, cpu.threads)


def rates_of(facts: HpccFacts, caches: int) -> dict[str, float]:
    """What one rank reached beyond `caches` (bytes, of all machines); the best case where there are several.

    Only of tests that came to their end and passed their checks.
    """
    ranks = facts.launch.ranks if facts.launch is not None else 1
    counting = beyond_caches(facts.plan, caches)
    sound = [test for test in facts.tests if test.done and all(check.passed for check in test.checks)]
    found = {
        name: _best(sound, source) / (ranks if source.mode == "mpi" else 1)
        for name, source in SOURCES.items()
        if (source.test, source.mode) in counting
    }
    return {name: rate for name, rate in found.items() if _LEAST <= rate <= _MOST}


def _best(tests: Sequence[HpccTest], source: Source) -> float:
    """The greatest figure of a source, 0 where there is none."""
    figures = [figure for test in tests if test.name == source.test for figure in test.figures]
    values = [
        figure.value.value
        for figure in figures
        if figure.mode == source.mode and source.series in {"", figure.series}
    ]
    return max(values, default=0.0)
