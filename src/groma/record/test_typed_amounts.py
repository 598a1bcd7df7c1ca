"""Amounts are read with their units, or refused with an example."""

import pytest

from groma.errors import ExitCode, GromaError
from groma.record.typed_amounts import parse_bandwidth, parse_size


@pytest.mark.parametrize(
    ("text", "bytes_per_second"),
    [
        ("400mbit", 50e6),
        ("400 Mbit/s", 50e6),
        ("100Gb/s", 12.5e9),
        ("100Gbps", 12.5e9),
        ("12.5GB/s", 12.5e9),
        ("800kbit", 1e5),
        ("8bit/s", 1.0),
    ],
)
def test_rates_of_links_are_bits_or_bytes_by_their_unit(text: str, bytes_per_second: float) -> None:
    assert parse_bandwidth(text) == pytest.approx(bytes_per_second)


@pytest.mark.parametrize("text", ["", "fast", "400", "400MB", "400 M", "-1mbit", "0mbit", "1Gib/s"])
def test_what_is_no_rate_is_a_usage_error(text: str) -> None:
    with pytest.raises(GromaError, match="is not a link rate") as refusal:
        parse_bandwidth(text)
    assert refusal.value.exit_code == ExitCode.USAGE
    assert "400mbit" in refusal.value.next_step


@pytest.mark.parametrize(
    ("text", "size"), [("4096", 4096), ("2.0", 2), ("16 B", 16), ("1.5KiB", 1536), ("64k", 64000)]
)
def test_sizes_are_whole_bytes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["1.5", "0.7B", "2.000001"])
def test_a_part_of_a_byte_is_refused(text: str) -> None:
    with pytest.raises(GromaError, match="is not a whole number of bytes") as refusal:
        parse_size(text)
    assert refusal.value.exit_code == ExitCode.USAGE
