"""The doctor finds what is missing and what disturbs, and says how to repair it."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING

import pytest

from groma.config import Resolved, Settings, load_resolved
from groma.config.settings import NativeSettings
from groma.doctor import Finding, advice_of, examine
from groma.doctor.activity import observe_activity
from groma.host.host import FakeHost

if TYPE_CHECKING:
    from pathlib import Path

CPU = "/sys/devices/system/cpu"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Resolved:
    """Settings under which no native program is found."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("GROMA_NATIVE_PATH", raising=False)
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    return Resolved(Settings(), {})


def with_probe(tmp_path: Path, build: str) -> Resolved:
    program = tmp_path / "groma-probe"
    program.write_text(f"#!/bin/sh\necho '{build}'\n")
    program.chmod(0o755)
    return Resolved(Settings(native=NativeSettings(path=str(tmp_path))), {})


def quiet() -> FakeHost:
    """A machine with nothing to complain about."""
    return FakeHost(
        files={
            f"{CPU}/online": "0-1",
            f"{CPU}/smt/control": "off",
            f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
            "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
            "/proc/meminfo": "MemTotal: 8000000 kB\nMemAvailable: 7000000 kB\n",
            "/proc/stat": "cpu  0 0 0 1000 0 0 0 0",
        },
        states=[{"/proc/stat": "cpu  1 0 0 1099 0 0 0 0"}],
        allowed={0, 1},
        answers=dict.fromkeys(("c++", "cmake", "make", "node", "npm", "apt-get", "sudo"), ""),
    )


def found(host: FakeHost, settings: Resolved) -> dict[str, Finding]:
    return {finding.code: finding for finding in examine(host, settings)}


def test_what_a_survey_does_not_need_is_missing_without_a_warning(settings: Resolved, tmp_path: Path) -> None:
    del settings  # nothing else is found
    built = with_probe(tmp_path, '{"version": "0.1.0", "options": {}}')
    assert found(quiet(), built)["torus.missing"].severity == "info"


def test_a_folder_of_the_settings_is_not_repaired_by_a_build(settings: Resolved, tmp_path: Path) -> None:
    del settings  # nothing else is found
    named = Resolved(Settings(native=NativeSettings(path=str(tmp_path / "absent"))), {})
    assert "unset the setting" in found(quiet(), named)["probe.missing"].repair


def test_a_quiet_machine_has_no_warning_outside_the_installation(settings: Resolved) -> None:
    findings = examine(quiet(), settings)
    assert [one for one in findings if one.severity == "warn" and one.group != "Installation"] == []


def test_whatever_fails_or_warns_says_how_to_repair_it(settings: Resolved) -> None:
    host = quiet()
    host.files[f"{CPU}/cpu0/cpufreq/scaling_governor"] = "powersave"
    host.allowed, host.free = {0}, 10
    for finding in examine(host, settings):
        assert finding.severity in {"ok", "info"} or finding.repair
        assert finding.group


def test_missing_program_fails_and_names_the_packages(settings: Resolved) -> None:
    host = quiet()
    del host.answers["cmake"]
    missing = found(host, settings)["probe.missing"]
    assert missing.severity == "fail"
    assert missing.repair == "sudo apt-get install g++ cmake make; make setup"


def test_packages_are_named_for_the_manager_that_is_there(settings: Resolved) -> None:
    host = quiet()
    host.answers = {"dnf": "", "sudo": ""}
    assert found(host, settings)["probe.missing"].repair.startswith("sudo dnf install gcc-c++")
    host.answers = {}
    assert "Debian names" in found(host, settings)["probe.missing"].repair


def test_a_built_program_is_found_with_version_and_backend(tmp_path: Path) -> None:
    build = '{"version": "0.0.9", "compiler": "GNU 12", "options": {"hwloc": "0"}}'
    codes = found(quiet(), with_probe(tmp_path, build))
    assert "probe.missing" not in codes
    assert "0.0.9" in codes["probe.version"].what
    assert "libhwloc-dev" in codes["hwloc.missing"].repair


def test_a_missing_second_mapper_is_reported_with_its_package(settings: Resolved) -> None:
    host = quiet()
    assert "apt-get install scotch" in found(host, settings)["scotch.missing"].repair
    host.answers["scotch_gmap"] = ""
    assert found(host, settings)["scotch"].severity == "ok"


def test_a_program_that_fails_is_as_good_as_missing(tmp_path: Path) -> None:
    settings = with_probe(tmp_path, "")
    (tmp_path / "groma-probe").write_text("#!/bin/sh\nexit 1\n")
    assert found(quiet(), settings)["probe.missing"].severity == "fail"


@pytest.mark.parametrize(
    ("path", "content", "code", "repair"),
    [
        (f"{CPU}/cpu0/cpufreq/scaling_governor", "powersave", "governor.saving", "cpupower frequency-set"),
        (
            "/sys/kernel/mm/transparent_hugepage/enabled",
            "always madvise [never]",
            "huge_pages.off",
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
        ),
        (f"{CPU}/smt/control", "on", "smt.on", f"echo off | sudo tee {CPU}/smt/control"),
        (f"{CPU}/cpufreq/boost", "1", "turbo.on", f"echo 0 | sudo tee {CPU}/cpufreq/boost"),
        (
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            "hpet",
            "clock.slow",
            "echo tsc | sudo tee",
        ),
        ("/proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 1000 kB", "memory.low", "ps aux"),
        ("/proc/cpuinfo", "processor: 0\nflags: hypervisor", "virtual", ""),
    ],
)
def test_each_disturbance_is_found_with_its_remedy(
    settings: Resolved, path: str, content: str, code: str, repair: str
) -> None:
    host = quiet()
    assert code not in found(host, settings)
    host = quiet()
    host.files[path] = content
    assert repair in found(host, settings)[code].repair


def test_affinity_smaller_than_the_machine_is_a_warning(settings: Resolved) -> None:
    host = quiet()
    host.allowed = {1}
    partial = found(host, settings)["affinity.partial"]
    assert "processors 1 of 0-1" in partial.what
    assert "taskset -cp 0-1" in partial.repair


def test_cgroup_limits_are_warnings(settings: Resolved) -> None:
    host = quiet()
    host.files |= {
        "/proc/self/mountinfo": "25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
        "/proc/self/cgroup": "0::/job",
        "/sys/fs/cgroup/job/cpu.max": "50000 100000",
        "/sys/fs/cgroup/job/memory.max": str(2**28),
    }
    codes = found(host, settings)
    assert "0.5 processors" in codes["cgroup.cpu"].what
    assert "256 MiB" in codes["cgroup.memory"].what


def test_numa_balancing_matters_only_with_several_nodes(settings: Resolved) -> None:
    host = quiet()
    host.files |= {"/proc/sys/kernel/numa_balancing": "1", "/sys/devices/system/node/node0/cpulist": "0"}
    assert "numa_balancing.on" not in found(host, settings)
    host = quiet()
    host.files |= {
        "/proc/sys/kernel/numa_balancing": "1",
        "/sys/devices/system/node/node0/cpulist": "0",
        "/sys/devices/system/node/node1/cpulist": "1",
    }
    assert "numa_balancing.on" in found(host, settings)


def test_stolen_time_is_a_warning(settings: Resolved) -> None:
    host = quiet()
    host.states = [{"/proc/stat": "cpu  1 0 0 1089 0 0 0 10"}]
    assert found(host, settings)["steal.high"].severity == "warn"


OURS, OF_ROOT = "Name: a\nUid:\t1000 1000 1000 1000\nVmSize: 9 kB", "Uid:\t0 0 0 0\nVmSize: 9 kB"


def busy_with(processes: dict[int, str]) -> FakeHost:
    """Processes by their status; each keeps 0.9 cores busy."""
    host = quiet()
    for files, ticks in ((host.files, 100), (host.states[0], 145)):
        for pid in processes:
            files[f"/proc/{pid}/stat"] = f"{pid} (a (b) c) R 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0"
    host.states[0]["/proc/stat"] = "cpu  46 0 0 1054 0 0 0 0"
    host.files |= {f"/proc/{pid}/status": status for pid, status in processes.items()}
    host.files["/proc/self/status"] = OURS
    return host


def test_heavy_processes_are_named(settings: Resolved) -> None:
    named = found(busy_with({7: OURS}), settings)["load.process"]
    assert named.what == "a (b) c (process 7) keeps 0.9 cores busy"
    assert named.repair.startswith("kill -STOP 7 ")


def test_several_heavy_processes_are_one_warning(settings: Resolved) -> None:
    findings = examine(busy_with(dict.fromkeys(range(11, 17), OURS)), settings)
    (warning,) = [one for one in findings if one.code == "load.process"]
    assert warning.what.startswith("a (b) c (process 11) keeps 0.9 cores busy, a (b) c (process 12) 0.9, ")
    assert warning.what.endswith(", 2 more 1.8")
    assert warning.repair.startswith("kill -STOP 11 12 13 14 15 16 (")


@pytest.mark.parametrize(("pid", "status"), [(1, OURS), (7, OF_ROOT), (7, "Uid:\t1000"), (7, "")])
def test_only_programs_of_this_user_are_to_be_stopped(pid: int, status: str, settings: Resolved) -> None:
    """Not the first process of a container either, nor one of the kernel."""
    host = busy_with({pid: status})
    host.pid = lambda: 99  # type: ignore[method-assign]
    assert found(host, settings)["load.process"].repair == "wait until it ends"


def test_a_program_that_started_groma_is_not_to_be_stopped(settings: Resolved) -> None:
    """A terminal, a multiplexer or the shell of a job: whoever stops it stops the session with it."""
    host = busy_with({7: OURS + "\nPPid:\t6", 6: OURS + "\nPPid:\t1", 8: OURS + "\nPPid:\t6"})
    host.pid = lambda: 9  # type: ignore[method-assign]
    host.files["/proc/9/status"] = OURS + "\nPPid:\t7"
    repair = found(host, settings)["load.process"].repair
    assert repair == "kill -STOP 8 (kill -CONT 8 afterwards); wait until the others end"


def test_a_record_advises_nothing_that_serves_at_this_moment_only(settings: Resolved) -> None:
    (advice,) = [
        one for one in advice_of(examine(busy_with({7: OURS}), settings)) if one.code == "doctor.load.process"
    ]
    assert "7" in advice.what
    assert advice.next == "stop other work before the next run: groma doctor names it"


def test_load_without_a_visible_process_is_still_a_warning(settings: Resolved) -> None:
    host = quiet()
    host.states = [{"/proc/stat": "cpu  90 0 0 1010 0 0 0 0"}]
    assert "1.8 cores" in found(host, settings)["load.busy"].what


def test_our_own_process_is_no_disturbance() -> None:
    host = quiet()
    host.files["/proc/1/stat"] = "1 (groma) R 1 1 1 0 -1 0 0 0 0 0 0 0 0 0"
    host.states = [{"/proc/1/stat": "1 (groma) R 1 1 1 0 -1 0 0 0 0 0 50 0 0 0"}]
    assert observe_activity(host).processes == ()


class LoadedByItsReader(FakeHost):
    """Whoever reads of a process keeps one core busy meanwhile: 0.2 s for each."""

    busy = 0

    def read(self, path: str) -> str | None:
        if path != "/proc/stat":
            self.moment += dt.timedelta(seconds=0.2)
            self.busy += 20
            return super().read(path)
        idle = round(self.moment.timestamp() * 100) - self.busy
        return f"cpu  {self.busy} 0 0 {idle} 0 0 0 0"


def with_process(host: FakeHost, *, ticks_later: int) -> FakeHost:
    host.files["/proc/7/stat"] = "7 (make) R 1 1 1 0 -1 0 0 0 0 0 0 0 0 0"
    host.states = [{"/proc/7/stat": f"7 (make) R 1 1 1 0 -1 0 0 0 0 0 {ticks_later} 0 0 0"}]
    return host


def test_the_work_of_looking_on_is_not_taken_for_that_of_others() -> None:
    assert observe_activity(with_process(LoadedByItsReader(), ticks_later=0)).busy == 0


def test_a_process_is_held_against_the_time_between_the_looks_at_it() -> None:
    """0.5 s of sleep, and 0.2 s for the first look."""
    host = with_process(LoadedByItsReader(), ticks_later=70)
    assert [one.cores for one in observe_activity(host).processes] == [pytest.approx(1.0)]


class Oversleeping(FakeHost):
    """A busy machine lets a program sleep twice as long as it wanted."""

    def sleep(self, seconds: float) -> None:
        super().sleep(2 * seconds)


def test_busy_time_is_held_against_the_time_that_passed() -> None:
    host = Oversleeping(
        files={"/proc/stat": "cpu  0 0 0 0 0 0 0 0"}, states=[{"/proc/stat": "cpu  150 0 0 50 0 0 0 0"}]
    )
    assert observe_activity(host, 0.5).busy == pytest.approx(1.5)


class ClockSetBack(FakeHost):
    """Somebody sets the clock while groma looks on."""

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds - 3600)


def test_a_clock_that_was_set_back_changes_no_share() -> None:
    host = ClockSetBack(
        files={"/proc/stat": "cpu  0 0 0 0 0 0 0 0"}, states=[{"/proc/stat": "cpu  50 0 0 50 0 0 0 0"}]
    )
    assert observe_activity(host, 0.5).busy == pytest.approx(1.0)


def test_missing_mpi_and_libraries_are_reported_with_packages(settings: Resolved) -> None:
    codes = found(quiet(), settings)
    for code, package in (
        ("mpi.missing", "libopenmpi-dev"),
        ("hpcc.missing", "libopenblas-dev"),
        ("blas.missing", "libopenblas-dev"),
        ("fft.missing", "libfftw3-dev"),
    ):
        assert codes[code].severity == "info"
        assert "sudo apt-get install " in codes[code].repair
        assert package in codes[code].repair


def test_what_is_there_is_not_to_be_installed_for_the_suite(settings: Resolved) -> None:
    host = quiet()
    host.answers["mpiexec"] = "HYDRA build details:\n    Version:      4.0.2"
    codes = found(host, settings)
    assert "mpi" in codes
    assert codes["hpcc.missing"].repair == "sudo apt-get install libopenblas-dev libfftw3-dev; make setup"


def test_blas_comes_with_set_up_where_nobody_may_install_packages(settings: Resolved) -> None:
    host = quiet()
    del host.answers["sudo"]
    codes = found(host, settings)
    assert codes["blas.missing"].repair == "make setup (without root, it installs Python packages)"
    assert codes["mpi.missing"].repair == codes["blas.missing"].repair
    assert codes["fft.missing"].repair == (
        "ask an administrator for apt-get install libfftw3-dev; make setup"
    )


def test_users_who_may_have_root_are_told_what_needs_none(settings: Resolved) -> None:
    repair = found(quiet(), settings)["blas.missing"].repair
    assert repair.startswith("sudo apt-get install libopenblas-dev; make setup")
    assert "without root" in repair


def test_modules_of_a_cluster_are_named_before_packages(settings: Resolved) -> None:
    host = quiet()
    host.variables = {"MODULEPATH": "/opt/modules"}
    assert "module avail" in found(host, settings)["fft.missing"].repair


def test_blas_of_a_loaded_module_is_found(settings: Resolved) -> None:
    host = quiet()
    host.files["/opt/openblas/lib/libopenblas.so.0"] = ""
    host.variables = {"LD_LIBRARY_PATH": "/opt/openblas/lib"}
    assert "blas.missing" not in found(host, settings)


def test_kernels_of_blas_that_are_fixed_by_a_variable_are_reported(settings: Resolved) -> None:
    host = quiet()
    assert "blas.kernels" not in found(host, settings)
    host.variables = {"OPENBLAS_CORETYPE": "Haswell"}
    assert found(host, settings)["blas.kernels"].repair == "unset OPENBLAS_CORETYPE"


def test_builds_of_the_suite_are_named_with_their_mpi_and_blas(tmp_path: Path, settings: Resolved) -> None:
    program = tmp_path / "groma-hpcc"
    reported = '{"build": {"version": "0.1.0"}, "mpi": "MPICH Version: 4.0.2", "blas": "OpenBLAS 0.3.21 X"}'
    program.write_text(f"#!/bin/sh\necho '{reported}'\n")
    program.chmod(0o755)
    here = Resolved(Settings(native=NativeSettings(path=str(tmp_path))), {})
    host = quiet()
    host.answers["mpiexec"] = "HYDRA build details:\n    Version:      4.0.2"
    codes = found(host, here)
    assert "MPICH Version: 4.0.2, OpenBLAS 0.3.21" in codes["hpcc"].what
    assert "MPICH (Hydra) 4.0.2 (mpiexec)" in codes["launcher"].what
    host = quiet()
    host.answers["mpiexec"] = "mpiexec (Open MPI) 4.1.4"
    assert "built for mpich" in found(host, here)["launcher.missing"].what


def test_read_only_and_full_places_are_warnings(settings: Resolved) -> None:
    host = quiet()
    host.free = None
    assert "-o" in found(host, settings)["output.read_only"].repair
    host = quiet()
    host.free = 1000
    assert found(host, settings)["output.full"].severity == "warn"


def test_a_hidden_system_is_a_warning_and_no_exception(settings: Resolved) -> None:
    codes = [finding.code for finding in examine(FakeHost(), settings)]
    assert codes.count("system.hidden") == 2


def test_advice_keeps_only_what_makes_figures_suffer(settings: Resolved) -> None:
    host = quiet()
    host.allowed = {1}
    advice = {one.code: one for one in advice_of(examine(host, settings))}
    assert advice["doctor.affinity.partial"].next
    assert "doctor.memory" not in advice
    assert "doctor.probe.missing" not in advice


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")  # noqa: PTH110
def test_this_machine_can_be_examined() -> None:
    assert {finding.group for finding in examine(settings=load_resolved())} >= {
        "Installation",
        "Disturbances",
    }


GROUP = {
    "/proc/self/mountinfo": "25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
    "/proc/self/cgroup": "0::/job",
}


@pytest.mark.parametrize("quota", ["200000 100000", "1600000 100000"])
def test_a_quota_that_is_no_less_than_the_processors_halts_nothing(quota: str, settings: Resolved) -> None:
    host = quiet()
    host.files |= GROUP | {"/sys/fs/cgroup/job/cpu.max": quota}
    assert found(host, settings)["cgroup.cpu"].severity == "ok"


def test_a_limit_on_the_address_space_is_named(settings: Resolved) -> None:
    host, row = quiet(), "Max address space         {:<20} {:<20} bytes     \n"
    host.files["/proc/self/limits"] = "Limit  Soft  Hard  Units\n" + row.format("unlimited", "unlimited")
    assert "ulimit.memory" not in found(host, settings)
    host.files["/proc/self/limits"] = row.format(204800000, "unlimited")
    limited = found(host, settings)["ulimit.memory"]
    assert limited.severity == "warn"
    assert "195 MiB" in limited.what
    assert limited.repair.startswith("ulimit -v unlimited")
    assert "memory" not in found(host, settings)
    host.files["/proc/self/limits"] = row.format(8_000_000_000_000, "unlimited")
    assert "ulimit.memory" not in found(host, settings)


def test_memory_that_a_group_has_used_up_cannot_be_used(settings: Resolved) -> None:
    """The cache of files in it is given back."""
    host = quiet()
    host.files |= GROUP | {
        "/sys/fs/cgroup/job/memory.max": str(4 << 30),
        "/sys/fs/cgroup/job/memory.current": str(4 << 30),
        "/sys/fs/cgroup/job/memory.stat": f"anon 5\ninactive_file {1 << 28}\n",
    }
    low = found(host, settings)["cgroup.memory"]
    assert low.what.startswith("only 256 MiB of memory can be used")
