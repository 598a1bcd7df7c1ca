import math

import pytest

from groma.report.words.text import format_share


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.95, "95\u00a0%"), (0.3125, "31.3\u00a0%"), (1e308, "unknown"), (math.nan, "unknown")],
)
def test_a_share_is_in_per_cent_whatever_the_record_holds(share: float, shown: str) -> None:
    assert format_share(share) == shown
