"""The committed example is a record, and what its generator makes."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import msgspec

from groma.record.io import decode_record

HERE = Path(__file__).parent


def test_committed_example_is_current() -> None:
    # To renew: python tests/data/example_profile.py > tests/data/example-profile.json
    committed = (HERE / "example-profile.json").read_bytes()
    generator = runpy.run_path(str(HERE / "example_profile.py"))
    made = msgspec.json.encode(generator["example_record"]())
    assert json.loads(committed) == json.loads(made)
    assert decode_record(committed, "example").kind == "survey"
