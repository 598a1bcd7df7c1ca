"""What is written of a trace does not replace the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.launch.trace_store import trace_in
from groma.record.reading import is_missing
from groma.record.writing import is_same_place

if TYPE_CHECKING:
    from pathlib import Path

_ENDINGS = (".prv.gz", ".prv", ".groma", ".pcf", ".row")


def refuse_replacing(trace: Path, target: Path) -> None:
    """Raises GromaError (exit code 2) where a target is the trace, its store or a file of its names."""
    if is_missing(trace):
        return
    source = trace_in(trace)
    ending = next((one for one in _ENDINGS if source.name.endswith(one)), "")
    names = {source.name, *(source.name.removesuffix(ending) + one for one in _ENDINGS if ending)}
    if any(is_same_place(source.with_name(name), target) for name in names):
        raise GromaError(f"{target} would replace the trace that is read", "name another file")
