import math

import pytest

from groma.report.words.text import format_share, shortened


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.95, "95\u00a0%"), (0.3125, "31.3\u00a0%"), (1e308, "unknown"), (math.nan, "unknown")],
)
def test_a_share_is_in_per_cent_whatever_the_record_holds(share: float, shown: str) -> None:
    assert format_share(share) == shown


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("as it is", "as it is"),
        ("groma report a.json b.json", "groma report a.json …"),
        ("n" * 40, "n" * 23 + "…"),
        ("groma " + "n" * 40, "groma " + "n" * 17 + "…"),
    ],
)
def test_long_words_are_cut_and_never_left_out(words: str, shown: str) -> None:
    assert shortened(words, 24) == shown
