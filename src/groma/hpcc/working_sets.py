"""What each test of a plan works on, and whether that lies beyond the caches of a machine. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from groma.record.environment import Cpu, DeclaredCache

if TYPE_CHECKING:
    from collections.abc import Mapping

CACHE_MULTIPLE = 4
"""STREAM's own rule: each vector, over all ranks, is at least so many times the last-level caches. The other
tests, whose sizes follow from the same memory, are held to it with all that they work on."""

_WORD, _POINT = 8, 16

_Count = Annotated[int, msgspec.Meta(ge=0)]


class Grid(msgspec.Struct, frozen=True):
    rows: _Count
    columns: _Count


class Matrix(msgspec.Struct, frozen=True):
    n: _Count
    grid: Grid


class Sizes(msgspec.Struct, frozen=True):
    """The part of a plan that says how large everything is; 0 where it does not say."""

    ranks: _Count = 0
    hpl: tuple[Matrix, ...] = ()
    ptrans: tuple[Matrix, ...] = ()
    dgemm_n: _Count = 0
    stream_elements: _Count = 0
    random_access_words: _Count = 0
    mpi_random_access_words: _Count = 0
    fft_points: _Count = 0
    mpi_fft_points: _Count = 0


class Machine(msgspec.Struct, frozen=True):
    """The part of a record's environment that says what a machine is."""

    cpu: Cpu = Cpu()
    caches: tuple[DeclaredCache, ...] = ()

    @property
    def last_level_caches(self) -> int:
        """Bytes of all of them together, 0 where the system does not declare them."""
        holding = [one for one in self.caches if one.kind != "instruction" and one.size_bytes]
        level = max((one.level for one in holding), default=0)
        return sum((one.size_bytes or 0) * one.instances for one in holding if one.level == level)


def sizes_of(plan: Mapping[str, Any]) -> Sizes:
    """None of them where the plan is damaged."""
    try:
        return msgspec.convert(plan, Sizes)
    except msgspec.ValidationError:
        return Sizes()


def machine_of(environment: Mapping[str, Any]) -> Machine:
    """An unknown one where the environment is damaged."""
    try:
        return msgspec.convert(environment, Machine)
    except msgspec.ValidationError:
        return Machine()


def working_sets(sizes: Sizes) -> dict[tuple[str, str], int]:
    """Bytes over all ranks by test and mode, as HPCC defines them; of STREAM those of one vector.

    Of several matrices the smallest counts; none counts where a grid leaves ranks idle.
    """
    ranks = sizes.ranks
    return {
        ("hpl", "mpi"): _WORD * _smallest(sizes.hpl, ranks) ** 2,
        ("ptrans", "mpi"): 2 * _WORD * _smallest(sizes.ptrans, ranks) ** 2,
        ("dgemm", "star"): 3 * _WORD * sizes.dgemm_n**2 * ranks,
        ("stream", "star"): _WORD * sizes.stream_elements * ranks,
        ("random_access", "star"): _WORD * sizes.random_access_words * ranks,
        ("random_access", "mpi"): _WORD * sizes.mpi_random_access_words,
        ("fft", "star"): 2 * _POINT * sizes.fft_points * ranks,
        ("fft", "mpi"): 4 * _POINT * sizes.mpi_fft_points,
    }


def _smallest(matrices: tuple[Matrix, ...], ranks: int) -> int:
    """The order of the smallest matrix, 0 where one of them leaves ranks idle."""
    if any(one.grid.rows * one.grid.columns != ranks for one in matrices):
        return 0
    return min((one.n for one in matrices), default=0)


def beyond_caches(plan: Mapping[str, Any], caches: int) -> set[tuple[str, str]]:
    """Tests and modes of a plan whose figures are not those of `caches` (bytes, of all machines together)."""
    if caches <= 0:
        return set()
    sets = working_sets(sizes_of(plan))
    return {case for case, held in sets.items() if held >= CACHE_MULTIPLE * caches}
