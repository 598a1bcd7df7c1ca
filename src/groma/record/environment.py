"""Environment: the surroundings of a measurement, as far as an ordinary user may read them.

A part that could not be read is None or empty; nothing is guessed. `capture_environment` is in
groma.host.capture, `redacted` in groma.record.redact.
"""

from __future__ import annotations

from typing import Literal

import msgspec

MemoryKind = Literal["HBM", "CXL", "GPU", "persistent", "slower"]
"""`slower` is all that is known of memory that firmware declares slower than the memory with processors."""


class Cpu(msgspec.Struct, frozen=True, kw_only=True):
    """`threads` are hardware threads that are online; `smt` is the kernel's word (on, off, notsupported…)."""

    vendor: str | None = None
    model: str | None = None
    family: str | None = None
    model_number: str | None = None
    stepping: str | None = None
    microcode: str | None = None
    packages: int | None = None
    cores: int | None = None
    threads: int | None = None
    smt: str | None = None


class Frequency(msgspec.Struct, frozen=True, kw_only=True):
    """Of the first processor, in Hz. `turbo` is None if no driver reports it."""

    governor: str | None = None
    driver: str | None = None
    turbo: bool | None = None
    min: float | None = None
    max: float | None = None


class DeclaredCache(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of cache as the system declares it; `instances` counts those of the same shape."""

    level: int
    kind: str
    size_bytes: int | None = None
    line_bytes: int | None = None
    ways: int | None = None
    instances: int = 1
    shared_by: int = 1


class DeclaredNuma(msgspec.Struct, frozen=True, kw_only=True):
    """`node` and the processors are the kernel's numbers; `distances` are its SLIT row. `kind` is that of
    memory without processors, None where the kernel does not tell.
    """

    node: int
    processors: str | None = None
    memory_bytes: int | None = None
    kind: MemoryKind | None = None
    distances: tuple[int, ...] = ()


class MemoryState(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes. `huge_pages` is the mode of transparent huge pages, `reserved_huge_pages` maps size to count."""

    total_bytes: int | None = None
    available_bytes: int | None = None
    page_bytes: int | None = None
    huge_page_bytes: int | None = None
    huge_pages: str | None = None
    huge_pages_defrag: str | None = None
    reserved_huge_pages: dict[str, int] = {}


class Virtualisation(msgspec.Struct, frozen=True, kw_only=True):
    """`hypervisor` and `container` by name, "unknown" if the name cannot be found."""

    hypervisor: str | None = None
    container: str | None = None


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What this process may use. Processor lists are the kernel's numbers (0-3,8).

    `cpu_quota` is in processors, `memory_bytes` the tightest limit of all enclosing control groups.
    """

    affinity: str | None = None
    online: str | None = None
    isolated: str | None = None
    nohz_full: str | None = None
    cgroup_version: int | None = None
    cpu_quota: float | None = None
    memory_bytes: int | None = None


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """`load` over 1, 5 and 15 minutes; `steal` is the share of CPU time that the hypervisor took since
    boot.
    """

    load: tuple[float, float, float] | None = None
    steal: float | None = None
    numa_balancing: bool | None = None
    aslr: int | None = None
    mitigations: dict[str, str] = {}


class Software(msgspec.Struct, frozen=True, kw_only=True):
    """Versions. `mpi`, `blas` and `fft` are those found on this machine, with vendor and version."""

    python: str | None = None
    c_library: str | None = None
    mpi: tuple[str, ...] = ()
    blas: tuple[str, ...] = ()
    fft: tuple[str, ...] = ()


class Scheduler(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    job: str | None = None
    nodes: str | None = None
    queue: str | None = None


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """`captured` is UTC in ISO 8601 with its offset, UNKNOWN_TIME of another program's run, and absent where
    nothing was captured. `redacted`: host and user names were removed.
    """

    captured: str = ""
    host: str | None = None
    kernel: str | None = None
    architecture: str | None = None
    distribution: str | None = None
    boot_parameters: str | None = None
    cpu: Cpu = Cpu()
    frequency: Frequency = Frequency()
    caches: tuple[DeclaredCache, ...] = ()
    numa: tuple[DeclaredNuma, ...] = ()
    memory: MemoryState = MemoryState()
    virtualisation: Virtualisation = Virtualisation()
    limits: Limits = Limits()
    noise: Noise = Noise()
    software: Software = Software()
    scheduler: Scheduler | None = None
    variables: dict[str, str] = {}
    command: tuple[str, ...] = ()
    redacted: bool = False
