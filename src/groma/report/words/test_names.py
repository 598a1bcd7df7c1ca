from __future__ import annotations

import pytest

from groma.report.words.names import LONGEST, short_name


@pytest.mark.parametrize("name", ["", "MPI_Send", "x" * LONGEST])
def test_a_name_that_fits_stays_as_it_is(name: str) -> None:
    assert short_name(name) == name


def test_a_long_name_keeps_its_begin_and_its_end() -> None:
    short = short_name(f"std::vector<{'int, ' * 1000}>::push_back(int const&)")
    assert len(short) == LONGEST
    assert short.startswith("std::vector<int, ")
    assert short.endswith("::push_back(int const&)")
