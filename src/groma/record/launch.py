"""How ranks were started, where they ran, and what they validated. Fields are never renamed."""

from __future__ import annotations

import msgspec


class RankPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One rank: its host, the boot id of its kernel, the processors it may run on (numbered by the
    kernel).
    """

    rank: int
    host: str
    boot_id: str = ""
    cpus: list[int] = []

    @property
    def machine(self) -> str:
        """Equal for ranks on one kernel. Host names are no proof: containers have names of their own."""
        return self.boot_id or self.host


class Launch(msgspec.Struct, kw_only=True):
    """How the ranks were started and where they ran.

    `nodes` counts kernels by boot id. `inter_node` is True if messages between some ranks left a machine.
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


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What a program chose, and why."""

    what: str = ""
    value: str = ""
    why: str = ""


class Plan(msgspec.Struct, kw_only=True):
    """What a native program plans to do on its ranks: the part that all these programs report.

    `budget` and `estimated_seconds` (by test) are in s, `memory_per_rank` is in bytes. What the program does
    not report is None or empty.
    """

    tests: list[str] = []
    repetitions: int | None = None
    budget: float | None = None
    memory_per_rank: int | None = None
    estimated_seconds: dict[str, float] = {}
    choices: list[Choice] = []
    warnings: list[str] = []


class CheckResult(msgspec.Struct, kw_only=True):
    """A validation. It passed if `value` is at most `limit`; None stands for a value that is not finite."""

    name: str
    value: float | None
    limit: float
    passed: bool

    def in_words(self) -> str:
        """E.g. "wrong words is 3, at most 0 is allowed"."""
        value = "not a number" if self.value is None else f"{self.value:g}"
        return f"{self.name} is {value}, at most {self.limit:g} is allowed"
