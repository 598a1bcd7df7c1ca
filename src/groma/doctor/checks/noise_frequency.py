"""Whether the cores keep their frequency, and which one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.doctor.checks.noise import GROUP
from groma.doctor.finding import CheckContext, Finding, check
from groma.host.host import processors_in
from groma.record.units import format_ids, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator

CPU = "/sys/devices/system/cpu"
FULL = 0.99
"""Part of the highest frequency from which a limit is none."""


@check(GROUP)
def governor(context: CheckContext) -> Iterator[Finding]:
    """Of every processor that may be used: kinds of cores have governors of their own."""
    governors = {one: context.host.read(_policy(one, "scaling_governor")) for one in _usable(context)}
    known = {one: name for one, name in governors.items() if name}
    saving = [one for one, name in known.items() if name != "performance"]
    if not known:
        yield Finding(
            code="governor.unknown",
            severity="info",
            what="the system does not report how it sets the core frequency",
        )
    elif not saving:
        yield Finding(
            code="governor", severity="ok", what="cores keep their frequency when idle (governor performance)"
        )
    else:
        which = "cores" if len(saving) == len(known) else f"processors {format_ids(saving)}"
        names = ", ".join(dict.fromkeys(known[one] for one in saving))
        yield Finding(
            code="governor.saving",
            severity="warn",
            what=f"{which} slow down when idle (governor {names})",
            repair=context.as_root("cpupower frequency-set -g performance"),
        )


@check(GROUP)
def limited(context: CheckContext) -> Iterator[Finding]:
    """Figures are steady then, but not those of the machine."""
    for processor in _usable(context):
        most = context.host.number(_policy(processor, "cpuinfo_max_freq"))
        allowed = context.host.number(_policy(processor, "scaling_max_freq"))
        if most and allowed and allowed < FULL * most:
            yield Finding(
                code="frequency.limited",
                severity="info",
                what=f"the system limits processor {processor} to {format_value(1e3 * allowed, 'Hz')}, "
                f"of {format_value(1e3 * most, 'Hz')} that it can reach",
                repair=context.as_root(f"cpupower frequency-set -u {round(most / 1e3)}MHz"),
            )
            return


@check(GROUP)
def turbo(context: CheckContext) -> Iterator[Finding]:
    if not context.environment.frequency.turbo:
        return
    of_intel = f"{CPU}/intel_pstate/no_turbo"
    switch = ("1", of_intel) if context.host.exists(of_intel) else ("0", f"{CPU}/cpufreq/boost")
    yield Finding(
        code="turbo.on",
        severity="info",
        what="turbo is on: the frequency depends on temperature and on the number of active cores",
        repair=context.write(*switch),
    )


def _usable(context: CheckContext) -> list[int]:
    """Processors that this process may run on; the first where the system tells none."""
    limits = context.environment.limits
    online, allowed = processors_in(limits.online), processors_in(limits.affinity)
    return sorted(online & allowed or online or allowed) or [0]


def _policy(processor: int, name: str) -> str:
    return f"{CPU}/cpu{processor}/cpufreq/{name}"
