"""Simulated results stay what they were, until `make accept-torus` takes new ones."""

from __future__ import annotations

import pytest

from locked_torus import BUILT, locked, simulated

pytestmark = pytest.mark.skipif(not (BUILT / "groma-torus").is_file(), reason="groma-torus is not built")


@pytest.mark.parametrize("words", locked())
def test_a_simulated_result_is_the_accepted_one(words: str) -> None:
    """They were accepted with one thread: the result is that of any number."""
    assert simulated(words, threads=2) == locked()[words], "to accept the new results: make accept-torus"
