"""No text steers a terminal, and JSON says the same before and after."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.printable import printable, printable_json

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
ANY_TEXT = st.text(st.characters(exclude_categories=[]))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("L1 32 KiB ± 2 µs ─ 中文 é", "L1 32 KiB ± 2 µs ─ 中文 é"),
        ("\x1b[2J\x1b]0;title\x07", r"\x1b[2J\x1b]0;title\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("gpj.\u202etxt", r"gpj.\u202etxt"),
        ("\u2066x\u2069\u200f\ufeff\u2028", r"\u2066x\u2069\u200f\ufeff\u2028"),
        ("\U000e0041", r"\U000e0041"),
        ("name-\udcff", r"name-\udcff"),
        ("1\u00a0000", "1\u00a0000"),
    ],
)
def test_what_has_no_shape_is_spelled(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(ANY_TEXT)
def test_nothing_unseen_is_left(text: str) -> None:
    assert not UNSEEN & {unicodedata.category(one) for one in printable(text)}


@given(ANY_TEXT.filter(lambda text: not any(unicodedata.category(one) == "Cs" for one in text)))
def test_json_keeps_its_meaning_and_its_lines(text: str) -> None:
    document = json.dumps({"text": text, "more": [1]}, ensure_ascii=False, indent=2)
    shown = printable_json(document)
    assert json.loads(shown) == json.loads(document)
    assert not UNSEEN & {unicodedata.category(one) for one in shown if one != "\n"}
