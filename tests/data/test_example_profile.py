"""The committed example is what its generator makes."""

from __future__ import annotations

import runpy
from pathlib import Path

import msgspec

from groma.record.io import read_record

HERE = Path(__file__).parent


def test_committed_example_is_current() -> None:
    # To renew: python tests/data/example_profile.py > tests/data/example-profile.json
    generator = runpy.run_path(str(HERE / "example_profile.py"))
    made = msgspec.json.encode(generator["example_record"]())
    assert msgspec.json.encode(read_record(HERE / "example-profile.json")) == made
