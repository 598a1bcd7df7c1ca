"""What a user who misspelt a name meant."""

from __future__ import annotations

import difflib
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest_hint(name: str, known: Iterable[str], noun: str) -> str:
    """E.g. "did you mean uniform? workloads: uniform, shift". Names with spaces are quoted."""
    names = list(known)
    near = _with_last_part(name, names) or difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {shlex.quote(near[0])}? " if near else ""
    return f"{hint}{noun}: {', '.join(map(shlex.quote, names)) or 'none'}"


def _with_last_part(name: str, known: Iterable[str]) -> list[str]:
    """The only name that ends with this part: workload.load for load. Empty where several do, or none."""
    found = [one for one in known if one.endswith(f".{name}")]
    return found if len(found) == 1 else []
