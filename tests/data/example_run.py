"""What synthetic records of runs over ranks share: a machine that there is not, and noise from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from groma.record import Build, ProbeSamples, Round
from groma.record.environment import Cpu, Environment, MemoryState
from groma.record.launch import Launch, RankPlace

if TYPE_CHECKING:
    from collections.abc import Sequence

CREATED = "2025-03-01T09:00:00+00:00"
REPETITIONS = 5
BUILD = Build(version="0.1.0", compiler="GNU 12.2.0", flags="Release -O2", options={"hwloc": "ON"})


@dataclass
class Run:
    """Ranks are dealt out machine by machine; the last rank of each is a slow one."""

    ranks: int = 8
    machines: int = 2
    seed: int = 1
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)  # noqa: S311 - reproducible noise, no secret

    @property
    def per_machine(self) -> int:
        return -(-self.ranks // self.machines)

    def machine_of(self, rank: int) -> int:
        return rank // self.per_machine

    def speed_of(self, rank: int) -> float:
        return 0.93 if (rank + 1) % self.per_machine == 0 else 1.0

    def noisy(self, value: float, spread: float = 0.01) -> float:
        return float(f"{value * (1 + self.rng.gauss(0, spread)):.6g}")

    def several(self, value: float, count: int = REPETITIONS) -> list[float]:
        return [self.noisy(value) for _ in range(count)]


def samples_of(run: Run, probe: str, reported: Sequence[tuple[dict[str, Any], list[float]]]) -> ProbeSamples:
    rounds = [
        Round(elapsed=run.noisy(0.4), fixed_work=2.1e-5, wall_over_cpu=run.noisy(1.01), steal=0.0)
        for _ in range(REPETITIONS)
    ]
    return ProbeSamples(
        probe=probe,
        cases=[case for case, _ in reported],
        values=[values for _, values in reported],
        rounds=rounds,
        seed=run.seed,
        elapsed=sum(one.elapsed for one in rounds),
        ended="stable",
    )


def launch_of(run: Run, program: str, blas: str = "") -> Launch:
    placement = [
        RankPlace(
            rank=rank,
            host=f"node{run.machine_of(rank):02d}",
            boot_id=f"boot-{run.machine_of(rank):02d}",
            cpus=[rank % run.per_machine],
        )
        for rank in range(run.ranks)
    ]
    return Launch(
        launcher="mpirun",
        command=f"mpirun -n {run.ranks} {program}",
        ranks=run.ranks,
        nodes=run.machines,
        threads=1,
        binding="core",
        inter_node=run.machines > 1,
        mpi="Open MPI v4.1.4, package: Debian OpenMPI",
        blas=blas,
        placement=placement,
    )


def environment() -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(
        Environment(
            captured="2025-03-01T09:00:00+00:00",
            host="node00",
            cpu=Cpu(model="Example 8-core", cores=8, threads=8, packages=1),
            memory=MemoryState(total_bytes=32 * 2**30),
        )
    )
    return made
