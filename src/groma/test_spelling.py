"""A misspelt name leads to the one that was meant."""

from __future__ import annotations

import pytest

from groma.spelling import did_you_mean, nearest


@pytest.mark.parametrize("misspelt", ["chache", "cahce", "cach", "Cache"])
def test_a_misspelt_name_leads_to_the_one_that_was_meant(misspelt: str) -> None:
    assert nearest(misspelt, ["clock", "cache"]) == "cache"
    assert did_you_mean(misspelt, {"clock": 1, "cache": 2}) == "did you mean cache? "


@pytest.mark.parametrize("known", [["clock", "cache"], []])
def test_a_name_like_no_other_leads_to_none(known: list[str]) -> None:
    assert nearest("q", known) is None
    assert did_you_mean("q", known) == ""
