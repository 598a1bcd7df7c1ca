"""Limits of control groups, version 1 and 2: the tightest one from this process's group up to the root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from groma.host.host import as_int

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from groma.host.host import Host

Limit = TypeVar("Limit", int, float)

# Version 1 says "no limit" with the largest number of whole pages.
_NO_LIMIT = 1 << 60


@dataclass(frozen=True)
class CgroupLimits:
    """`cpu_quota` in processors, `memory_bytes` in bytes; None if nothing is limited or readable."""

    version: int | None
    cpu_quota: float | None
    memory_bytes: int | None


@dataclass(frozen=True)
class _Mount:
    """A mounted hierarchy: `root` is the group visible at `point`."""

    kind: str
    root: str
    point: str
    options: frozenset[str]


def cgroup_limits(host: Host) -> CgroupLimits:
    mounts, groups = list(_mounts(host)), _groups(host)
    return CgroupLimits(
        version=_version(mounts),
        cpu_quota=_tightest(host, mounts, groups, "cpu", {"cgroup2": _quota_v2, "cgroup": _quota_v1}),
        memory_bytes=_tightest(host, mounts, groups, "memory", {"cgroup2": _memory_v2, "cgroup": _memory_v1}),
    )


def group_headroom(host: Host) -> int | None:
    """Bytes of memory that the enclosing groups leave: the least of limit less use, None without a limit.

    The cache of files counts as used, but is given back when memory is wanted.
    """
    readers = {"cgroup2": _headroom_v2, "cgroup": _headroom_v1}
    return _tightest(host, list(_mounts(host)), _groups(host), "memory", readers)


def oom_kills(host: Host) -> int | None:
    """Processes of this group that the kernel killed for lack of memory; None where it does not tell.

    With version 1 the group counts its own processes, with version 2 those of the groups below it too.
    """
    mounts, groups = list(_mounts(host)), _groups(host)
    counts = (
        _count(host, f"{next(_folders(mount, group))}/{_OOM_COUNTS[mount.kind]}")
        for mount, group in _groups_of("memory", mounts, groups)
    )
    return max((count for count in counts if count is not None), default=None)


_OOM_COUNTS = {"cgroup2": "memory.events", "cgroup": "memory.oom_control"}


def _count(host: Host, path: str, wanted: str = "oom_kill") -> int | None:
    for line in (host.read(path) or "").splitlines():
        key, _, count = line.partition(" ")
        if key == wanted:
            return as_int(count)
    return None


def _version(mounts: list[_Mount]) -> int | None:
    """1 also where both are mounted: the controllers that limit then still belong to version 1."""
    if any(mount.kind == "cgroup" and mount.options & {"cpu", "memory"} for mount in mounts):
        return 1
    return 2 if any(mount.kind == "cgroup2" for mount in mounts) else None


def _mounts(host: Host) -> Iterator[_Mount]:
    for line in (host.read("/proc/self/mountinfo") or "").splitlines():
        place, _, system = line.partition(" - ")
        fields, kind = place.split(), system.split()
        if len(fields) >= 5 and len(kind) >= 3 and kind[0] in {"cgroup", "cgroup2"}:
            yield _Mount(kind[0], fields[3], fields[4], frozenset(kind[2].split(",")))


def _groups(host: Host) -> dict[str, str]:
    """The group of this process by controller; version 2 has the empty name."""
    found = {}
    for line in (host.read("/proc/self/cgroup") or "").splitlines():
        _, controllers, group = [*line.split(":", 2), "", "", ""][:3]
        for controller in controllers.split(","):
            found[controller] = group
    return found


def _tightest(
    host: Host,
    mounts: list[_Mount],
    groups: dict[str, str],
    controller: str,
    readers: Mapping[str, Callable[[Host, str], Limit | None]],
) -> Limit | None:
    limits: list[Limit] = []
    for mount, group in _groups_of(controller, mounts, groups):
        found = (readers[mount.kind](host, folder) for folder in _folders(mount, group))
        limits.extend(limit for limit in found if limit is not None)
    return min(limits, default=None)


def _groups_of(controller: str, mounts: list[_Mount], groups: dict[str, str]) -> Iterator[tuple[_Mount, str]]:
    """The hierarchies that may have the controller, each with the group of this process."""
    for mount in mounts:
        if mount.kind == "cgroup2" or controller in mount.options:
            yield mount, groups.get(controller if mount.kind == "cgroup" else "", "/")


def _folders(mount: _Mount, group: str) -> Iterator[str]:
    """Folders from the group up to the mount point; a group outside what is mounted is left out."""
    inside = group.removeprefix(mount.root) if mount.root != "/" else group
    parts = [part for part in inside.split("/") if part not in {"", ".."}]
    for count in range(len(parts), -1, -1):
        yield "/".join([mount.point.rstrip("/"), *parts[:count]])


def _quota_v2(host: Host, folder: str) -> float | None:
    quota, _, period = (host.read(f"{folder}/cpu.max") or "").partition(" ")
    return _processors(as_int(quota), as_int(period))


def _quota_v1(host: Host, folder: str) -> float | None:
    return _processors(host.number(f"{folder}/cpu.cfs_quota_us"), host.number(f"{folder}/cpu.cfs_period_us"))


def _processors(quota: int | None, period: int | None) -> float | None:
    return quota / period if quota and period and quota > 0 else None


def _memory_v2(host: Host, folder: str) -> int | None:
    """Beyond memory.high a group is slowed down until it takes less."""
    limits = (host.number(f"{folder}/{name}") for name in ("memory.max", "memory.high"))
    return min((limit for limit in limits if limit is not None), default=None)


def _memory_v1(host: Host, folder: str) -> int | None:
    limit = host.number(f"{folder}/memory.limit_in_bytes")
    return None if limit is None or limit >= _NO_LIMIT else limit


def _headroom_v2(host: Host, folder: str) -> int | None:
    cache = _count(host, f"{folder}/memory.stat", "inactive_file")
    return _left(_memory_v2(host, folder), host.number(f"{folder}/memory.current"), cache)


def _headroom_v1(host: Host, folder: str) -> int | None:
    cache = _count(host, f"{folder}/memory.stat", "total_inactive_file")
    return _left(_memory_v1(host, folder), host.number(f"{folder}/memory.usage_in_bytes"), cache)


def _left(limit: int | None, used: int | None, cache: int | None) -> int | None:
    if limit is None or used is None:
        return limit
    return max(limit - max(used - (cache or 0), 0), 0)
