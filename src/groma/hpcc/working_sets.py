"""What each test of a plan works on, and whether that lies beyond the caches of a machine. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.hpccoutf.advice import CACHE_MULTIPLE
from groma.record.environment import Cpu, DeclaredCache
from groma.record.known_environment import known_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.facts.hpcc import HpccPlan, MatrixPlan

_WORD, _POINT = 8, 16


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


def machine_of(environment: Mapping[str, Any]) -> Machine:
    """A part of it is unknown where the environment is damaged there."""
    known = known_environment(environment)
    return Machine(cpu=known.cpu, caches=known.caches)


def working_sets(plan: HpccPlan) -> dict[tuple[str, str], int]:
    """Bytes over all ranks by test and mode, as HPCC defines them; of STREAM those of one vector.

    Of several matrices the smallest counts; none counts where a grid leaves ranks idle.
    """
    ranks = plan.ranks or 0
    return {
        ("hpl", "mpi"): matrix_bytes(_smallest(plan.hpl, ranks)),
        ("ptrans", "mpi"): 2 * matrix_bytes(_smallest(plan.ptrans, ranks)),
        ("dgemm", "star"): 3 * matrix_bytes(plan.dgemm_n or 0) * ranks,
        ("stream", "star"): _WORD * (plan.stream_elements or 0) * ranks,
        ("random_access", "star"): _WORD * (plan.random_access_words or 0) * ranks,
        ("random_access", "mpi"): _WORD * (plan.mpi_random_access_words or 0),
        ("fft", "star"): 2 * _POINT * (plan.fft_points or 0) * ranks,
        ("fft", "mpi"): 4 * _POINT * (plan.mpi_fft_points or 0),
    }


def matrix_bytes(order: int) -> int:
    """Of a square matrix of doubles."""
    return _WORD * order**2


def _smallest(matrices: Sequence[MatrixPlan], ranks: int) -> int:
    """The order of the smallest matrix, 0 where one of them leaves ranks idle."""
    if any(one.grid.ranks != ranks for one in matrices):
        return 0
    return min((one.n for one in matrices), default=0)


def beyond_caches(plan: HpccPlan, caches: int) -> set[tuple[str, str]]:
    """Tests and modes of a plan whose figures are not those of `caches` (bytes, of all machines together)."""
    if caches <= 0:
        return set()
    return {case for case, held in working_sets(plan).items() if held >= CACHE_MULTIPLE * caches}
