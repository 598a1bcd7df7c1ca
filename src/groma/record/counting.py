"""Numbers of things in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 rank`, `2 ranks`, `3,000 launches`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    return f"{noun}{'es' if noun.endswith('ch') else 's'}"
