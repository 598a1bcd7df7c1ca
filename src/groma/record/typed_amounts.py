"""Amounts as users type them: times, sizes and rates of links."""

from __future__ import annotations

import re

from groma.errors import GromaError

_TIME = re.compile(r"(?P<amount>[0-9]{1,15}(\.[0-9]{1,15})?)\s*(?P<unit>s|m|min|h)?$")
_SECONDS = {None: 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}

_SIZE = re.compile(r"(?P<amount>[0-9]{1,15}(\.[0-9]{1,15})?)\s*(?P<unit>[kKMGT]i?)?B?$")
_EXPONENTS = {"K": 1, "M": 2, "G": 3, "T": 4}

_RATE = re.compile(
    r"(?P<amount>[0-9]{1,15}(\.[0-9]{1,15})?)\s*(?P<prefix>[kmgtKMGT]?)(?P<unit>bit(/s|ps)?|b/s|bps|B/s)$"
)


def parse_duration(text: str) -> float:
    """Seconds of "90", "90s", "1.5m" or "2h". Raises GromaError."""
    match = _TIME.match(text.strip())
    if not match:
        raise GromaError(f"{text!r} is not a time", "write for example 30s, 2m or 1h")
    return float(match["amount"]) * _SECONDS[match["unit"]]


def parse_size(text: str) -> int:
    """Bytes of "4096", "32MiB", "2MB" or "1.5GiB"; at least one, and no part of one. Raises GromaError."""
    match = _SIZE.match(text.strip())
    amount = float(match["amount"]) if match else 0.0
    if match and match["unit"] is None and not amount.is_integer():
        raise GromaError(f"{text!r} is not a whole number of bytes", "write for example 1536, 1.5KiB or 4MiB")
    size = round(amount * _factor(match["unit"])) if match else 0
    if size < 1:
        raise GromaError(f"{text!r} is not a size", "write for example 65536, 4MiB or 32MB")
    return size


def parse_bandwidth(text: str) -> float:
    """Bytes per second of "400mbit", "100Gb/s" or "12.5GB/s": b and bit are bits. Raises GromaError."""
    match = _RATE.match(text.strip())
    rate = float(match["amount"]) * _factor(match["prefix"] or None) if match else 0.0
    if not match or not rate:
        raise GromaError(f"{text!r} is not a link rate", "write for example 400mbit, 100Gb/s or 12.5GB/s")
    return rate if "B" in match["unit"] else rate / 8.0


def _factor(unit: str | None) -> int:
    if unit is None:
        return 1
    base = 1024 if unit.endswith("i") else 1000
    return int(base ** _EXPONENTS[unit[0].upper()])
