"""Names of a program, such as those of C++ functions, where people read them in a table."""

from __future__ import annotations

LONGEST = 100
"""Letters of a name in a table. Records, CSV and exports have all of it."""

_END = 30
_CUT = "…"


def short_name(name: str) -> str:
    """A long name with its begin and its end: where templates are long in the middle, functions differ."""
    if len(name) <= LONGEST:
        return name
    return name[: LONGEST - _END - len(_CUT)] + _CUT + name[-_END:]
