"""Writes outputs as hpcc 1.5.0 leaves them, of invented systems: the arguments say how many and where.

`example_hpccoutf.py FOLDER COUNT` writes COUNT files with one run each; a seed makes them the same each time.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

GOLDEN = Path(__file__).parent / "hpcc" / "groma-hpccoutf.txt"


def output(number: int) -> str:
    """One output of some 300 lines. Four systems each are one platform of growing size."""
    rng = random.Random(number)  # noqa: S311 - reproducible, nothing secret
    platform, step = divmod(number, 4)
    speed = random.Random(platform).uniform(2, 60)  # noqa: S311
    ranks = 16 << step
    changes = {
        "CommWorldProcs": ranks,
        **_solved(ranks, speed * rng.uniform(0.85, 0.95)),
        "StarDGEMM_Gflops": speed,
        "StarSTREAM_Copy": rng.uniform(1, 12),
        "StarSTREAM_Triad": rng.uniform(1, 12),
        "PTRANS_GBs": ranks * rng.uniform(0.05, 0.5),
        "MPIFFT_Gflops": ranks * rng.uniform(0.1, 1),
        "MPIRandomAccess_GUPs": ranks * rng.uniform(0.0005, 0.005),
        "MPIRandomAccess_time": "-1",
        "RandomlyOrderedRingBandwidth_GBytes": rng.uniform(0.02, 1) / (step + 1),
        "NaturallyOrderedRingBandwidth_GBytes": rng.uniform(1, 2),
        "RandomlyOrderedRingLatency_usec": rng.uniform(2, 20),
    }
    text = GOLDEN.read_text(encoding="utf-8").replace("Hostname: 'vm'", f"Hostname: 'site{platform}n1'")
    return "\n".join(_changed(line, changes) for line in text.split("\n"))


def _solved(ranks: int, gflops: float) -> dict[str, object]:
    """HPL, whose rate follows from its size and time."""
    order, rate = 10_000, ranks * gflops * 1e9
    side = 1 << (ranks.bit_length() // 2)
    return {
        "HPL_N": order,
        "HPL_Tflops": rate / 1e12,
        "HPL_time": (2 / 3 * order**3 + 3 / 2 * order**2) / rate,
        "HPL_nprow": ranks // side,
        "HPL_npcol": side,
        "STREAM_VectorSize": 16_000_000,
    }


def _changed(line: str, changes: dict[str, object]) -> str:
    key, equals, _ = line.partition("=")
    if not equals or key not in changes:
        return line
    value = changes[key]
    return f"{key}={value:.6g}" if isinstance(value, float) else f"{key}={value}"


def write(folder: Path, count: int) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"system{number:04}.txt" for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(output(number), encoding="utf-8")
    return files


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
