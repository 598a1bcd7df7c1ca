"""A record of an earlier build says the same as one of today."""

from __future__ import annotations

import msgspec

from groma.record.former_names import with_present_names


def test_a_field_is_read_by_its_former_name() -> None:
    old = b'{"full_at": 3, "spread": {"lowest":1,"lowest_rank" : 2}}'
    assert msgspec.json.decode(with_present_names(old)) == {
        "saturates_at": 3,
        "spread": {"min": 1, "min_rank": 2},
    }


def test_values_and_texts_stay() -> None:
    text = msgspec.json.encode({"what": 'the "most": all', "names": ["least", "most"], "max": "lowest"})
    assert with_present_names(text) == text


def test_a_record_of_today_is_not_copied() -> None:
    content = b'{"saturates_at": 3}'
    assert with_present_names(content) is content
