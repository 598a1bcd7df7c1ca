"""Time `groma --help` and a bare Python, alternating, and print medians and their spread.

.venv/bin/python bench/startup.py
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import quantiles

ROUNDS = 30
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "groma --help": [str(Path(sys.executable).parent / "groma"), "--help"],
}


def milliseconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return 1e3 * (time.perf_counter() - started)


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, command in COMMANDS.items():
            times[name].append(milliseconds(command))
    for name, values in times.items():
        low, middle, high = quantiles(values, n=4)
        print(f"{name:15} median {middle:5.0f} ms, quartiles {low:.0f} to {high:.0f} ms, {ROUNDS} rounds")


if __name__ == "__main__":
    main()
