"""Rates of links, and how a token bucket holds them."""

from __future__ import annotations

import re

from groma.errors import GromaError

Rate = int
"""Bits of Ethernet frames in a second."""

_RATE = re.compile(r"(?P<amount>[0-9]{1,15}(?:\.[0-9]{1,15})?)(?P<unit>[kmg]?)bit(?:/s|ps)?", re.IGNORECASE)
_FACTORS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}

SLOWEST, FASTEST = 10**4, 10**11

# Below 64 KiB the bucket cuts the kernel's large segments into frames, which costs processor time; the more
# it holds, the more of a message passes at once. Both bounds were measured on rings of nine.
_LEAST_BURST, _MOST_BURST = 64 * 1024, 256 * 1024
_RATE_OF_128_KIB = 400 * 10**6

# Longer queues delay what is urgent behind bulk data, shorter ones lose packets and stall for a time-out.
_QUEUE_SECONDS = 0.020
_MOST_QUEUED = 4 << 20


def parse_rate(text: str) -> Rate:
    """Bits per second of "400mbit", "1gbit" or "100kbit". Raises GromaError (exit code 2)."""
    match = _RATE.fullmatch(text.strip())
    if not match:
        raise GromaError(f"{text!r} is not a rate", "write for example 400mbit, 1gbit or 100kbit")
    rate = round(float(match["amount"]) * _FACTORS[match["unit"].lower()])
    if not SLOWEST <= rate <= FASTEST:
        raise GromaError(
            f"a link cannot have the rate {text}", f"use {format_rate(SLOWEST)} to {format_rate(FASTEST)}"
        )
    return rate


def format_rate(rate: Rate) -> str:
    """As `parse_rate` reads it."""
    unit = next(unit for unit in ("g", "m", "k", "") if rate % _FACTORS[unit] == 0)
    return f"{rate // _FACTORS[unit]}{unit}bit"


def burst_of(rate: Rate) -> int:
    """Bytes that pass at once after a pause."""
    return min(_MOST_BURST, max(_LEAST_BURST, 128 * 1024 * rate // _RATE_OF_128_KIB))


def queue_of(rate: Rate) -> int:
    """Bytes that wait for the link at most."""
    return min(_MOST_QUEUED, max(burst_of(rate), round(rate / 8 * _QUEUE_SECONDS)))


def discipline(rate: Rate | None) -> str:
    """The queueing discipline of a link of this rate; None is as fast as the machine."""
    if rate is None:
        return "pfifo limit 1000"
    return f"tbf rate {rate}bit burst {burst_of(rate)} limit {queue_of(rate)}"


CUT = "pfifo limit 0"
"""The discipline of a link that loses everything, as a cut cable does: neither end gets a sign."""
