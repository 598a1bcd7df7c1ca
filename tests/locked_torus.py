"""Simulated results of small tori, locked: a change of the engine or of a machine file does not pass unseen.

tests/data/locked-torus.json has them by the words after `groma sim torus run`. `make accept-torus` writes it
anew and prints what changed; a case is added with an empty result.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "build/default/native"
LOCKED = ROOT / "tests/data/locked-torus.json"

_VERB = [sys.executable, "-m", "groma", "sim", "torus", "run"]

Result = dict[str, float]


def locked() -> dict[str, Result]:
    cases: dict[str, Result] = json.loads(LOCKED.read_text())
    return cases


def simulated(words: str, threads: int = 1) -> Result:
    """Whole numbers of cycles, packets and bytes; nothing that the speed of this machine changes."""
    around = {name: value for name, value in os.environ.items() if not name.startswith("GROMA_")}
    done = subprocess.run(
        [*_VERB, *words.split(), "--threads", str(threads), "-q", "--json"],
        cwd=ROOT,
        env=around | {"GROMA_NATIVE_PATH": str(BUILT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"groma sim torus run {words}: {done.stderr}")
    facts: dict[str, Any] = json.loads(done.stdout)
    longest = facts["latency"]["longest"]["value"] if facts["latency"] else 0.0
    return {
        "cycles": round(facts["time"]["value"] * facts["frequency"]),
        "packets": facts["packets"],
        "packet_hops": facts["packet_hops"],
        "bytes": facts["bytes"],
        "stalled_cycles": facts["stalls"]["cycles"],
        "longest_latency": round(longest * facts["frequency"]),
    }


def main() -> None:
    cases = locked()
    for words, accepted in cases.items():
        found = simulated(words)
        for name, value in found.items():
            if accepted.get(name) != value:
                print(f"{words}: {name} {accepted.get(name, 'not there')} -> {value}")
        cases[words] = found
    LOCKED.write_text(json.dumps(cases, indent=2) + "\n")


if __name__ == "__main__":
    main()
