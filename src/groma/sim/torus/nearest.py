"""What a user who misspelt a name meant."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from groma.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest_hint(name: str, known: Iterable[str], noun: str) -> str:
    """E.g. "did you mean uniform? workloads: uniform, shift". Names with spaces are quoted."""
    names = list(known)
    near = _with_last_part(name, names) or nearest(name, names)
    hint = "" if near is None else f"did you mean {shlex.quote(near)}? "
    return f"{hint}{noun}: {', '.join(map(shlex.quote, names)) or 'none'}"


def _with_last_part(name: str, known: Iterable[str]) -> str | None:
    """The only name that ends with this part: workload.load for load. None where several do, or none."""
    found = [one for one in known if one.endswith(f".{name}")]
    return found[0] if len(found) == 1 else None
