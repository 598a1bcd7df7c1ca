"""What disturbs measurements now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.doctor.finding import CheckContext, Finding, check
from groma.record.units import format_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.doctor.activity import Process

GROUP = "Disturbances"

BUSY_CORES = 0.1
"""Other work that keeps a tenth of a core busy is seen in every quantile."""

STOLEN = 0.005
"""Share of stolen time above which a virtual machine's neighbours are felt."""


@check(GROUP)
def load(context: CheckContext) -> Iterator[Finding]:
    busy = context.activity.busy
    if busy is None:
        return
    if busy < BUSY_CORES:
        yield Finding(code="load", severity="ok", what=f"other work keeps {busy:.2f} cores busy")
        return
    if context.activity.processes:
        yield Finding(
            code="load.process",
            severity="warn",
            what=_kept_busy(context.activity.processes),
            repair=_stopped(context.activity.processes),
        )
    else:
        yield Finding(
            code="load.busy",
            severity="warn",
            what=f"other work keeps {busy:.1f} cores busy",
            repair="use top to find it, and wait until it ends",
        )


MOST_NAMED = 4


def _kept_busy(processes: tuple[Process, ...]) -> str:
    named, others = processes[:MOST_NAMED], processes[MOST_NAMED:]
    first, *more = [
        f"{one.name} (process {one.pid}){' keeps' if number == 0 else ''} {one.cores:.1f}"
        for number, one in enumerate(named)
    ]
    also = [f"{len(others)} more {sum(one.cores for one in others):.1f}"] if others else []
    return ", ".join([f"{first} cores busy", *more, *also])


def _stopped(processes: tuple[Process, ...]) -> str:
    """A command for what this user may stop without harm to others."""
    ours = " ".join(str(one.pid) for one in processes if one.is_ours)
    if not ours:
        return "wait until it ends" if len(processes) == 1 else "wait until they end"
    others = "" if all(one.is_ours for one in processes) else "; wait until the others end"
    return f"kill -STOP {ours} (kill -CONT {ours} afterwards){others}"


@check(GROUP)
def steal(context: CheckContext) -> Iterator[Finding]:
    now, since_boot = context.activity.steal, context.environment.noise.steal
    known = [share for share in (now, since_boot) if share is not None]
    if not known:
        return
    if max(known) < STOLEN:
        yield Finding(code="steal", severity="ok", what="the hypervisor takes no CPU time")
        return
    yield Finding(
        code="steal.high",
        severity="warn",
        what=_stolen(now, since_boot),
        repair="measure when the host is less busy, or request dedicated processors",
    )


def _stolen(now: float | None, since_boot: float | None) -> str:
    if now is not None and now >= STOLEN:
        return f"the hypervisor takes {format_share(now)} of the CPU time for other guests"
    none_now = "" if now is None else ", none now"
    taken = format_share(since_boot or 0.0)
    return f"the hypervisor took {taken} of the CPU time since boot for other guests{none_now}"


@check(GROUP)
def huge_pages(context: CheckContext) -> Iterator[Finding]:
    mode = context.environment.memory.huge_pages
    if mode == "never":
        yield Finding(
            code="huge_pages.off",
            severity="warn",
            what="transparent huge pages are off: latencies of large arrays will include TLB misses",
            repair=context.write("madvise", "/sys/kernel/mm/transparent_hugepage/enabled"),
        )
    elif mode is not None:
        yield Finding(code="huge_pages", severity="ok", what=f"transparent huge pages are available ({mode})")


@check(GROUP)
def numa_balancing(context: CheckContext) -> Iterator[Finding]:
    if context.environment.noise.numa_balancing and len(context.environment.numa) > 1:
        yield Finding(
            code="numa_balancing.on",
            severity="warn",
            what="NUMA balancing is on: the kernel moves pages between NUMA nodes during measurements",
            repair=context.write("0", "/proc/sys/kernel/numa_balancing"),
        )


@check(GROUP)
def smt(context: CheckContext) -> Iterator[Finding]:
    state = context.environment.cpu.smt or ""
    # A number is that of the threads of a core that run, where these are not all.
    if state == "on" or (state.isdecimal() and int(state) > 1):
        yield Finding(
            code="smt.on",
            severity="info",
            what="SMT is on: work on one hardware thread slows its sibling",
            repair=context.write("off", "/sys/devices/system/cpu/smt/control"),
        )


@check(GROUP)
def hypervisor(context: CheckContext) -> Iterator[Finding]:
    name = context.environment.virtualisation.hypervisor
    if name is not None:
        known = "" if name == "unknown" else f" ({name})"
        yield Finding(
            code="virtual",
            severity="info",
            what=f"a virtual machine{known}: declared caches may be wrong, other guests are invisible",
        )


_CLOCKS = "/sys/devices/system/clocksource/clocksource0"
_SLOW_CLOCKS = {"hpet", "acpi_pm", "jiffies"}
"""Read through the kernel or from a device: tens of times slower than a register."""

_FAST_CLOCKS = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase")


@check(GROUP)
def clock_source(context: CheckContext) -> Iterator[Finding]:
    current = context.host.read(f"{_CLOCKS}/current_clocksource")
    if current in _SLOW_CLOCKS:
        yield Finding(
            code="clock.slow",
            severity="warn",
            what=f"the system reads time from {current}, which is slow",
            repair=_faster_clock(context),
        )


def _faster_clock(context: CheckContext) -> str:
    """The kernel refuses clocks that it does not list, such as one that it found unstable."""
    available = (context.host.read(f"{_CLOCKS}/available_clocksource") or _FAST_CLOCKS[0]).split()
    fast = next((name for name in _FAST_CLOCKS if name in available), None)
    if fast is None:
        return "the kernel has no faster clock: dmesg | grep -i -e tsc -e clocksource shows why"
    return context.write(fast, f"{_CLOCKS}/current_clocksource")
