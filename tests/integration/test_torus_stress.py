"""The first cases of the stress, in a second or two."""

from __future__ import annotations

from itertools import islice

import pytest

from torus_stress import PROGRAM, cases, complaint_of

pytestmark = pytest.mark.skipif(not PROGRAM.is_file(), reason="groma-torus is not built")


def test_no_torus_gets_stuck_at_full_load() -> None:
    for number, case in enumerate(islice(cases(seed=1), 99)):
        assert complaint_of(case, compare=number % 20 == 0) == "", case
