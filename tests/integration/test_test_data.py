"""The records that tests read are made from the sources that lie here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORDS = ("example-profile.json", "example-network.json", "example-cluster.json")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy with generators that print a word."""
    for tool in ("test_data.py", "made.sh"):
        (tmp_path / "tools").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tools" / tool, tmp_path / "tools")
    (tmp_path / "tests/data").mkdir(parents=True)
    (tmp_path / "src/groma").mkdir(parents=True)
    for name in RECORDS:
        write(generator(tmp_path, name), "print('first')")
    return tmp_path


def generator(tree: Path, record: str) -> Path:
    return tree / "tests/data" / record.replace("-", "_").replace(".json", ".py")


def write(source: Path, text: str, age: float = 60) -> None:
    source.write_text(text)
    written = source.stat().st_mtime - age
    os.utime(source, (written, written))


def make(tree: Path) -> int:
    return subprocess.run(
        [sys.executable, tree / "tools/test_data.py"], capture_output=True, check=False, timeout=60
    ).returncode


def records(tree: Path) -> list[str]:
    return [(tree / "build/test-data" / name).read_text().strip() for name in RECORDS]


def test_records_are_made_where_they_are_missing(tree: Path) -> None:
    assert make(tree) == 0
    assert records(tree) == ["first"] * len(RECORDS)


def test_a_record_that_is_newer_than_every_source_stays(tree: Path) -> None:
    make(tree)
    write(generator(tree, RECORDS[0]), "print('second')", age=30)
    assert make(tree) == 0
    assert records(tree)[0] == "first"


@pytest.mark.parametrize("source", ["tests/data/example_profile.py", "src/groma/new.py"])
def test_records_older_than_a_source_are_made_anew(tree: Path, source: str) -> None:
    make(tree)
    write(generator(tree, RECORDS[0]), "print('second')")
    (tree / source).touch()
    os.utime(tree / source, (2e9, 2e9))
    assert make(tree) == 0
    assert records(tree)[0] == "second"


def test_a_generator_that_fails_leaves_no_old_record(tree: Path) -> None:
    make(tree)
    write(generator(tree, RECORDS[0]), "raise SystemExit(1)", age=-1000)
    assert make(tree) == 4
    assert not (tree / "build/test-data" / RECORDS[0]).exists()


def test_several_processes_make_the_same_records_at_once(tree: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(make, [tree] * 4)) == {0}
    assert records(tree) == ["first"] * len(RECORDS)
    left = {path.name for path in (tree / "build/test-data").iterdir()}
    assert left == {*RECORDS, ".made-by-groma"}
