"""What the doctor says of frequencies, clocks and stolen time is true of the machine at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.config import Resolved, Settings
from groma.doctor import Finding, examine
from groma.doctor.test_doctor import CPU, quiet

if TYPE_CHECKING:
    from groma.host.host import FakeHost

CLOCKS = "/sys/devices/system/clocksource/clocksource0"


def found(host: FakeHost) -> dict[str, Finding]:
    return {finding.code: finding for finding in examine(host, Resolved(Settings(), {}))}


def with_governors(*governors: str) -> FakeHost:
    host = quiet()
    host.allowed = set(range(len(governors)))
    host.files[f"{CPU}/online"] = f"0-{len(governors) - 1}"
    for processor, governor in enumerate(governors):
        host.files[f"{CPU}/cpu{processor}/cpufreq/scaling_governor"] = governor
    return host


def test_processors_with_another_governor_than_the_first_are_named() -> None:
    """A hybrid machine has a policy for each kind of core, and cpupower may set some of them only."""
    saving = found(with_governors("performance", "powersave", "powersave", "performance"))["governor.saving"]
    assert saving.what == "processors 1-2 slow down when idle (governor powersave)"


def test_equal_governors_need_no_list() -> None:
    saving = found(with_governors("schedutil", "schedutil"))["governor.saving"]
    assert saving.what == "cores slow down when idle (governor schedutil)"


def test_processors_that_may_not_be_used_do_not_matter() -> None:
    host = with_governors("powersave", "performance")
    host.allowed = {1}
    assert found(host)["governor"].severity == "ok"


def test_a_governor_is_known_where_the_first_processor_is_offline() -> None:
    host = with_governors("performance", "performance")
    host.files[f"{CPU}/online"] = "1"
    host.allowed = {1}
    del host.files[f"{CPU}/cpu0/cpufreq/scaling_governor"]
    assert found(host)["governor"].severity == "ok"


def test_a_limit_below_what_the_cores_can_is_reported() -> None:
    host = quiet()
    host.files[f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq"] = "3600000"
    host.files[f"{CPU}/cpu0/cpufreq/scaling_max_freq"] = "3600000"
    assert "frequency.limited" not in found(host)
    host = quiet()
    host.files[f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq"] = "3600000"
    host.files[f"{CPU}/cpu0/cpufreq/scaling_max_freq"] = "1200000"
    limited = found(host)["frequency.limited"]
    assert limited.what == "the system limits processor 0 to 1.20 GHz, of 3.60 GHz that it can reach"
    assert limited.repair == "sudo cpupower frequency-set -u 3600MHz"


def test_turbo_is_switched_where_the_driver_has_its_switch() -> None:
    """That of Intel is there in both modes of the driver; in one of them the driver has another name."""
    host = quiet()
    host.files |= {f"{CPU}/cpu0/cpufreq/scaling_driver": "intel_cpufreq", f"{CPU}/intel_pstate/no_turbo": "0"}
    assert found(host)["turbo.on"].repair == f"echo 1 | sudo tee {CPU}/intel_pstate/no_turbo"


@pytest.mark.parametrize("state", ["on", "4"])
def test_smt_is_on_also_with_some_threads_of_a_core(state: str) -> None:
    """Power processors have eight threads and run with 2 or 4 of them as well."""
    host = quiet()
    host.files[f"{CPU}/smt/control"] = state
    assert found(host)["smt.on"].severity == "info"
    host.files[f"{CPU}/smt/control"] = "1"
    assert "smt.on" not in found(host)


@pytest.mark.parametrize(
    ("available", "repair"),
    [
        ("tsc hpet acpi_pm", f"echo tsc | sudo tee {CLOCKS}/current_clocksource"),
        ("kvm-clock hpet", f"echo kvm-clock | sudo tee {CLOCKS}/current_clocksource"),
        ("hpet acpi_pm", "the kernel has no faster clock: dmesg | grep -i -e tsc -e clocksource shows why"),
    ],
)
def test_only_a_clock_that_the_kernel_has_is_advised(available: str, repair: str) -> None:
    host = quiet()
    host.files |= {f"{CLOCKS}/current_clocksource": "hpet", f"{CLOCKS}/available_clocksource": available}
    assert found(host)["clock.slow"].repair == repair


def test_time_that_was_stolen_long_ago_is_not_said_to_be_stolen_now() -> None:
    host = quiet()
    host.files["/proc/stat"] = "cpu  0 0 0 9000 0 0 0 1000"
    host.states = [{"/proc/stat": "cpu  1 0 0 9099 0 0 0 1000"}]
    stolen = found(host)["steal.high"]
    assert stolen.severity == "warn"
    assert (
        stolen.what == "the hypervisor took 10\u00a0% of the CPU time since boot for other guests, none now"
    )
