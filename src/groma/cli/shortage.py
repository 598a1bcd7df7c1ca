"""Limits of the system (ulimit) that keep groma from working: a fault of the surroundings, not of groma."""

from __future__ import annotations

import resource

from groma.errors import ExitCode, GromaError


def shortage_behind(error: Exception) -> GromaError | None:
    """What lacks where `error` tells of too little memory or too few threads; None where it does not."""
    if isinstance(error, MemoryError):
        return _shortage("memory for this")
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return _shortage("further thread")
    if isinstance(error, ImportError) and _limit() is not None:
        return _shortage("memory for the libraries of groma")
    return None


def _shortage(what: str) -> GromaError:
    limit = _limit()
    known = "" if limit is None else f": ulimit -v allows {limit >> 10} KiB"
    cure = "raise the limits on memory and on threads (ulimit -v, ulimit -u), or free memory"
    return GromaError(f"the system gives this process no {what}{known}", cure, ExitCode.ENVIRONMENT)


def _limit() -> int | None:
    """Of the address space (bytes), None without one."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit
