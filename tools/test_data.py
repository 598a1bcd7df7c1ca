"""test_data.py: makes the records in build/test-data, which tests of every language read.

    python tools/test_data.py

A record is made where it is missing or older than its generator in tests/data or than groma's own sources.
Several processes may do so at once: each puts a whole file in place.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "test-data"
GENERATORS = {
    "example-profile.json": "example_profile.py",
    "example-network.json": "example_network.py",
    "example-cluster.json": "example_cluster.py",
}


def newest_source() -> float:
    sources = [*(ROOT / "tests/data").glob("*.py"), *(ROOT / "src/groma").rglob("*.py")]
    return max(source.stat().st_mtime for source in sources)


def is_current(record: Path) -> bool:
    return record.is_file() and record.stat().st_mtime > newest_source()


def make(record: Path) -> None:
    """A record whose generator fails is removed: no test shall pass with an old one."""
    generator = ROOT / "tests/data" / GENERATORS[record.name]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    unfinished = record.with_suffix(f".{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            subprocess.run([sys.executable, generator], stdout=file, env=environment, check=True)
        unfinished.replace(record)
    except BaseException:
        unfinished.unlink()
        record.unlink(missing_ok=True)
        raise


def main() -> int:
    outdated = [record for record in map(FOLDER.joinpath, GENERATORS) if not is_current(record)]
    if not outdated:
        return 0
    try:
        subprocess.run([ROOT / "tools/made.sh", "claim", "build/test-data"], check=True)
        for record in outdated:
            make(record)
    except subprocess.CalledProcessError as failed:
        print(f"test data: {failed}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
