"""The times in records, which may be of any zone."""

from __future__ import annotations

import datetime as dt


def moment_of(created: str) -> str:
    """The time in UTC, as text that is in the order of time; as it is where nobody can read it."""
    try:
        when = dt.datetime.fromisoformat(created)
        zoned = when if when.tzinfo else when.replace(tzinfo=dt.UTC)
        return zoned.astimezone(dt.UTC).isoformat(timespec="microseconds")
    except (ValueError, OverflowError):
        return created
