"""The synthetic profile is a record, the same from the same arguments."""

from __future__ import annotations

import runpy
from pathlib import Path

import msgspec

from groma.facts.reading import decode_record

HERE = Path(__file__).parent


def made() -> bytes:
    return msgspec.json.encode(runpy.run_path(str(HERE / "example_profile.py"))["example_record"]())


def test_the_profile_is_a_record_of_a_survey() -> None:
    assert decode_record(made(), "example").kind == "survey"


def test_the_same_arguments_give_the_same_profile() -> None:
    assert made() == made()
