"""What keeps groma from seeing the whole machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.doctor.finding import CheckContext, Finding, check
from groma.host.cgroup import group_headroom
from groma.host.host import processors_in
from groma.record.units import format_value

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "Limits"

LEAST_MEMORY = 2**30
"""Arrays several times the size of the last-level cache, for every core, need about this much."""


@check(GROUP)
def affinity(context: CheckContext) -> Iterator[Finding]:
    limits = context.environment.limits
    allowed, online = processors_in(limits.affinity), processors_in(limits.online)
    if not allowed or not online:
        return
    if allowed >= online:
        yield Finding(code="affinity", severity="ok", what=f"all {len(online)} processors may be used")
        return
    yield Finding(
        code="affinity.partial",
        severity="warn",
        what=f"only processors {limits.affinity} of {limits.online} may be used: the others are not measured",
        repair=f"taskset -cp {limits.online} $$ (or ask the scheduler for the whole node)",
    )


@check(GROUP)
def processor_quota(context: CheckContext) -> Iterator[Finding]:
    limits = context.environment.limits
    quota, processors = limits.cpu_quota, processors_in(limits.affinity) or processors_in(limits.online)
    if quota is None:
        return
    if processors and quota >= len(processors):
        what = f"a control group grants the CPU time of {quota:g} processors: no fewer than may be used"
        yield Finding(code="cgroup.cpu", severity="ok", what=what)
        return
    yield Finding(
        code="cgroup.cpu",
        severity="warn",
        what=f"a control group limits the CPU time to {quota:g} processors: threads above it are halted",
        repair="systemctl set-property <unit> CPUQuota= (docker: docker update --cpus 0 <container>)",
    )


@check(GROUP)
def memory(context: CheckContext) -> Iterator[Finding]:
    usable, limit, addresses = _usable(context), group_headroom(context.host), _address_space(context)
    if usable is None or (addresses is not None and addresses < usable):
        return
    shown = format_value(usable, "B")
    if usable >= LEAST_MEMORY:
        yield Finding(code="memory", severity="ok", what=f"{shown} of memory can be used")
        return
    by_group = limit is not None and usable == limit
    yield Finding(
        code="cgroup.memory" if by_group else "memory.low",
        severity="warn",
        what=f"only {shown} of memory can be used: large arrays will be too small",
        repair="systemctl set-property <unit> MemoryMax=infinity"
        if by_group
        else "ps aux --sort=-rss | head",
    )


@check(GROUP)
def address_space(context: CheckContext) -> Iterator[Finding]:
    """Libraries alone take some hundred MiB of it."""
    limit, usable = _address_space(context), _usable(context)
    if limit is None or (usable is not None and limit >= usable):
        return
    yield Finding(
        code="ulimit.memory",
        severity="warn",
        what=f"ulimit -v limits each process to {format_value(limit, 'B')} of address space: "
        "probes may fail, or their arrays be too small",
        repair="ulimit -v unlimited (or ask the scheduler for more memory)",
    )


_ADDRESS_SPACE = re.compile(r"^Max address space +(?P<soft>[0-9]+) ", re.MULTILINE)


def _address_space(context: CheckContext) -> int | None:
    """What `ulimit -v` set, in bytes."""
    limit = _ADDRESS_SPACE.search(context.host.read("/proc/self/limits") or "")
    return None if limit is None else int(limit["soft"])


def _usable(context: CheckContext) -> int | None:
    """Memory that the machine and the control groups leave, in bytes."""
    amounts = (context.environment.memory.available_bytes, group_headroom(context.host))
    return min((amount for amount in amounts if amount is not None), default=None)


@check(GROUP)
def hidden_system(context: CheckContext) -> Iterator[Finding]:
    for path, mount in (
        ("/sys/devices/system/cpu", "mount -t sysfs sysfs /sys"),
        ("/proc/stat", "mount -t proc proc /proc"),
    ):
        if not context.host.exists(path):
            yield Finding(
                code="system.hidden",
                severity="warn",
                what=f"{path} cannot be read: the values that the system declares are unknown",
                repair=context.as_root(mount),
            )
