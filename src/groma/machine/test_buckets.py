"""Buckets by the rule of the paper, and those that it printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.machine.buckets import bucket_count, bucket_of, bucket_size
from groma.machine.description import PublishedRow
from groma.machine.files import find_machine


@pytest.mark.parametrize(("shape", "buckets"), [((4, 4, 4), 33), ((16, 16, 16), 69), ((32, 32, 32), 117)])
def test_buckets_are_those_of_section_4_3_1(shape: tuple[int, ...], buckets: int) -> None:
    assert bucket_count(shape, 21) == buckets


@pytest.mark.parametrize(("buckets", "size"), [(33, 30), (37, 27), (117, 8), (2000, 1)])
def test_a_bucket_is_its_share_a_packet_at_most_and_an_update_at_least(buckets: int, size: int) -> None:
    assert bucket_size(1024, buckets, 30) == size


@given(st.integers(1, 4096), st.integers(1, 4096))
def test_buckets_never_hold_more_than_the_look_ahead(look_ahead: int, buckets: int) -> None:
    assert bucket_size(look_ahead, buckets, 1 << 20) * buckets <= max(look_ahead, buckets)


@pytest.mark.parametrize(
    ("algorithm", "printed", "size", "origin"),
    [
        ("multi-core", 9, 9, "printed"),
        ("multi-core", None, 8, "derived"),
        ("single-core", None, 11, "derived"),
        ("direct, co-processor mode", 9, 1, "single"),
    ],
)
def test_a_printed_bucket_stands_before_the_rule(
    algorithm: str, printed: int | None, size: int, origin: str
) -> None:
    machine = find_machine("bluegene-p")
    assert machine.randomaccess is not None
    row = PublishedRow(nodes=32768, bucket=printed)
    named = machine.randomaccess.algorithm(algorithm)
    assert bucket_of(machine.randomaccess, machine.packet, named, (32, 32, 32), row) == (size, origin)
