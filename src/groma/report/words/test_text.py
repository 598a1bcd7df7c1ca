import pytest

from groma.report.words.text import shortened


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
