"""Matrices of facts hold what they say."""

from __future__ import annotations

import msgspec
import pytest

from groma.facts.matrices import SparseMatrix

PARTS = ("row", "column", "value", "low", "high", "confidence", "samples")


@pytest.mark.parametrize("part", PARTS)
def test_a_sparse_matrix_with_parts_of_different_lengths_is_damaged(part: str) -> None:
    whole = {"unit": "s", "method": "test", **{name: [0, 1] for name in PARTS}}
    msgspec.convert(whole, SparseMatrix)
    with pytest.raises(msgspec.ValidationError, match="numbers for"):
        msgspec.convert({**whole, part: [0]}, SparseMatrix)
