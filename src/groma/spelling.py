"""What a user who misspelt a name meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Of difflib's likeness, 0 to 1: a letter too many, too few or wrong in a name of four.
_ALIKE = 0.5


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one; None where no name is alike."""
    from difflib import get_close_matches  # noqa: PLC0415  (only refusals need it)

    return next(iter(get_close_matches(name, list(known), n=1, cutoff=_ALIKE)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question that begins a next step, with a blank behind it; empty where no known name is alike."""
    near = nearest(name, known)
    return "" if near is None else f"did you mean {near}? "
