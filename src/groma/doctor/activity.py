"""What the machine does at this moment: busy time, stolen time, heavy processes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from groma.host.capture import cpu_times, steal_share

if TYPE_CHECKING:
    import datetime as dt

    from groma.host.host import Host

WINDOW = 0.5
"""Seconds of looking on: fifty ticks of the kernel's clock, so that 2 % of a core can be seen."""

_IDLE, _IOWAIT = 3, 4


@dataclass(frozen=True)
class Process:
    """`cores` is how many cores it kept busy. `is_ours`: a program of this user that did not start us."""

    pid: int
    name: str
    cores: float
    is_ours: bool = False


@dataclass(frozen=True)
class Activity:
    """`busy` in cores, `steal` a share; None where the kernel does not tell."""

    busy: float | None
    steal: float | None
    processes: tuple[Process, ...]


def observe_activity(host: Host, seconds: float = WINDOW) -> Activity:
    """The looks at all processes, which take time of a core, lie outside the window of the busy time."""
    looked, ticks = host.now(), _ticks(host)
    began, times = host.now(), cpu_times(host)
    host.sleep(seconds)
    later, ended = cpu_times(host), host.now()
    later_ticks = _ticks(host)
    passed = tuple(max(0, b - a) for a, b in zip(times, later, strict=False))
    per_core = _ticks_between(looked, ended, seconds, host)
    used = [
        Process(pid, name, (count - ticks[pid, name]) / per_core)
        for (pid, name), count in later_ticks.items()
        if (pid, name) in ticks
    ]
    starters = _starters(host)
    heaviest = tuple(
        replace(one, is_ours=_is_ours(host, one.pid) and one.pid not in starters) for one in _heaviest(used)
    )
    busy = _busy(passed, _ticks_between(began, ended, seconds, host))
    return Activity(busy, steal_share(passed), heaviest)


def _ticks_between(then: dt.datetime, now: dt.datetime, least: float, host: Host) -> float:
    """Ticks of one core. A clock that is set back meanwhile cannot undo the sleep of `least` seconds."""
    return max(least, (now - then).total_seconds()) * host.ticks_per_second()


def _busy(passed: tuple[int, ...], per_core: float) -> float | None:
    if not passed:
        return None
    return sum(ticks for i, ticks in enumerate(passed[:7]) if i not in {_IDLE, _IOWAIT}) / per_core


def _heaviest(processes: list[Process], least: float = 0.1) -> tuple[Process, ...]:
    heavy = (process for process in processes if process.cores >= least)
    return tuple(sorted(heavy, key=lambda process: -process.cores))


_UID = re.compile(r"^Uid:\s+(\d+)", re.MULTILINE)
_PARENT = re.compile(r"^PPid:\s+(\d+)", re.MULTILINE)
_INIT = 1


def _is_ours(host: Host, pid: int) -> bool:
    """Neither of another user, nor the first process, nor one of the kernel, which has no memory."""
    status = host.read(f"/proc/{pid}/status") or ""
    own, its = (_UID.search(text) for text in (host.read("/proc/self/status") or "", status))
    if own is None or its is None or pid == _INIT:
        return False
    return own[1] == its[1] and "VmSize:" in status


def _starters(host: Host) -> set[int]:
    """The processes that started this one, up to the first: the session ends or hangs with any of them."""
    found: set[int] = set()
    pid = host.pid()
    while (parent := _PARENT.search(host.read(f"/proc/{pid}/status") or "")) and int(parent[1]) not in found:
        pid = int(parent[1])
        found.add(pid)
    return found


def _ticks(host: Host) -> dict[tuple[int, str], int]:
    """Ticks of user and system time by process; our own is left out."""
    found = {}
    for name in host.names("/proc"):
        stat = host.read(f"/proc/{name}/stat") if name.isdigit() and int(name) != host.pid() else None
        if stat:
            # The name stands in parentheses and may itself hold spaces and parentheses.
            command, _, rest = stat.partition("(")[2].rpartition(")")
            fields = rest.split()
            if len(fields) > 12 and fields[11].isdigit() and fields[12].isdigit():
                found[int(name), command] = int(fields[11]) + int(fields[12])
    return found
