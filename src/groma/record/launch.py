"""How ranks were started, where they were found, what they validated. No field is ever renamed."""

from __future__ import annotations

import msgspec


class RankPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One rank: its host, the boot id of its kernel, the processors it may run on (the kernel's numbers)."""

    rank: int
    host: str
    boot_id: str = ""
    cpus: list[int] = []

    @property
    def machine(self) -> str:
        """Equal for ranks on one kernel: host names are no proof, containers have several."""
        return self.boot_id or self.host


class Launch(msgspec.Struct, kw_only=True):
    """How the ranks were started and where they were found.

    `nodes` counts kernels by boot id; `inter_node` is whether messages between some ranks left a machine.
    """

    launcher: str
    command: str
    ranks: int
    nodes: int
    threads: int
    binding: str
    inter_node: bool
    mpi: str
    blas: str
    placement: list[RankPlace] = []


class CheckResult(msgspec.Struct, kw_only=True):
    """A validation: passed where `value` is at most `limit`; None stands for a value that is not finite."""

    name: str
    value: float | None
    limit: float
    passed: bool

    def told(self) -> str:
        """E.g. "wrong words is 3, at most 0 is allowed"."""
        value = "not a number" if self.value is None else f"{self.value:g}"
        return f"{self.name} is {value}, at most {self.limit:g} is allowed"
