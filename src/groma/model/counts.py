"""Numbers of nodes as a user writes them: 64, 64,128,96 or 64:32768."""

from __future__ import annotations

from groma.errors import GromaError

LARGEST = 2**30

_STEP = "give 64, 64,96,128 or 64:32768 (doubling)"


def parse_nodes(text: str) -> list[int]:
    """Single numbers and ranges A:B (A, 2A, 4A … up to B), with commas between, sorted, each once.

    Raises GromaError (exit code 2).
    """
    return sorted({count for part in text.split(",") for count in _part(part.strip(), text)})


def _part(part: str, text: str) -> list[int]:
    first, is_range, last = part.partition(":")
    low = _count(first, text)
    if not is_range:
        return [low]
    high = _count(last, text)
    if high < low:
        raise GromaError(f"--nodes {text}: {high} is less than {low}", _STEP)
    return [low << shift for shift in range((high // low).bit_length())]


def _count(word: str, text: str) -> int:
    if not word.isascii() or not word.isdigit():
        raise GromaError(f"--nodes {text}: {word!r} is not a number of nodes", _STEP)
    count = int(word) if len(word) < 20 else LARGEST + 1
    if not 1 <= count <= LARGEST:
        raise GromaError(f"--nodes {text}: {word} is not between 1 and {LARGEST}", _STEP)
    return count
