"""How programs read their words and their standard input."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode
from groma.launch.native import native_program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def ended(
    program: str, words: Sequence[str], standard_input: int | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(native_program(program)), *words],
        stdin=standard_input,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("word", ["page-faults=abc", "page-faults=", "page-faults=3x", "time=soon"])
def test_a_count_that_is_no_number_is_refused(word: str) -> None:
    done = ended("groma-counters", ["derive", "software", "page-faults=3", "time=2", word])
    assert done.returncode == ExitCode.USAGE
    assert word in done.stderr


def test_a_native_name_among_the_groups_is_no_count() -> None:
    words = ["derive", "software", "cpu/event=0x3c,umask=1/", "page-faults=3", "time=2"]
    assert json.loads(ended("groma-counters", words).stdout)[0]["value"] == 1.5


def test_a_filter_takes_any_number_of_rules(tmp_path: Path) -> None:
    rules = [f"--types={number}" for number in range(100)]
    done = ended("groma-trace-store", ["filter", str(tmp_path / "none.prv"), str(tmp_path / "made"), *rules])
    assert "unknown words" not in done.stderr
    assert "none.prv" in done.stderr


@pytest.mark.parametrize("program", ["groma-map", "groma-torus"])
def test_an_input_that_cannot_be_read_is_not_taken_for_an_empty_one(program: str, tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        done = ended(program, [], folder)
    finally:
        os.close(folder)
    assert done.returncode == ExitCode.ENVIRONMENT
    assert "standard input cannot be read: Is a directory" in done.stderr
