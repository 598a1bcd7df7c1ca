"""Whatever the system, the scheduler and the native programs say: a documented exit code and no traceback.

Native programs are shell scripts here that print recorded answers; what they print is damaged by seeds.
"""

from __future__ import annotations

import contextlib
import random
import re
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import msgspec
import pytest

from groma import __version__
from groma.cli.main import run
from groma.errors import ExitCode, GromaError
from groma.facts.reading import decode_record, read_record
from groma.host.capture import capture_environment
from groma.host.cgroup import oom_kills
from groma.host.host import FakeHost
from groma.launch.allocation import allocation_of, hosts_of, room_of, usable_cores
from groma.record import Build, Record
from groma.record.environment import Environment
from groma.record.io import encoded_record
from groma.record.redact import redacted
from mutations import SEEDS, mutated

DOCUMENTED = {code for code in ExitCode if code != ExitCode.INTERNAL}


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of this machine, nothing that takes time; the working folder is empty."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setattr("groma.doctor.examine", list)
    monkeypatch.chdir(tmp_path)


def holds(words: list[str], capsys: pytest.CaptureFixture[str], what: object) -> tuple[ExitCode, str]:
    """The promise of every command; returns its exit code and what it said of it."""
    code = run(words)
    shown = capsys.readouterr()
    assert code in DOCUMENTED, (what, shown.err)
    assert "Traceback" not in shown.err + shown.out, what
    return ExitCode(code), shown.err


# ---- the system and the scheduler --------------------------------------------------------------------------

CPU, NODE = "/sys/devices/system/cpu", "/sys/devices/system/node/node0"

FILES = {
    "/etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=UUID=1 isolcpus=2-3 quiet",
    "/proc/cpuinfo": "processor\t: 0\nmodel name\t: Example\nflags\t: fpu hypervisor\n\nprocessor\t: 1\n",
    "/proc/meminfo": "MemTotal: 1048576 kB\nMemAvailable: 524288 kB\nHugepagesize: 2048 kB\n",
    "/proc/loadavg": "0.50 0.25 0.10 2/95 13490",
    "/proc/stat": "cpu  50 0 20 900 0 0 0 30 0 0\ncpu0 1 2 3 4",
    "/proc/sys/kernel/numa_balancing": "1",
    "/proc/sys/kernel/randomize_va_space": "2",
    "/proc/self/mountinfo": (
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
        "31 23 0:27 / /sys/fs/cgroup/cpu rw,nosuid - cgroup cgroup rw,cpu,cpuacct\n"
        "32 23 0:28 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory\n"
    ),
    "/proc/self/cgroup": "4:cpu,cpuacct:/job\n3:memory:/job\n0::/user.slice/job\n",
    "/sys/fs/cgroup/user.slice/job/cpu.max": "150000 100000",
    "/sys/fs/cgroup/user.slice/job/memory.max": "1073741824",
    "/sys/fs/cgroup/user.slice/job/memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 1\n",
    "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "50000",
    "/sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000",
    "/sys/fs/cgroup/memory/job/memory.limit_in_bytes": "536870912",
    "/sys/fs/cgroup/memory/job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
    "/sys/class/dmi/id/sys_vendor": "QEMU",
    "/sys/devices/system/clocksource/clocksource0/available_clocksource": "kvm-clock tsc",
    f"{CPU}/online": "0-1",
    f"{CPU}/isolated": "1",
    f"{CPU}/nohz_full": "(null)",
    f"{CPU}/smt/control": "on",
    f"{CPU}/cpufreq/boost": "1",
    f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave",
    f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq": "3700000",
    f"{CPU}/cpu0/topology/physical_package_id": "0",
    f"{CPU}/cpu0/topology/core_id": "0",
    f"{CPU}/cpu1/topology/physical_package_id": "0",
    f"{CPU}/cpu1/topology/core_id": "1",
    f"{CPU}/cpu0/cache/index0/level": "1",
    f"{CPU}/cpu0/cache/index0/type": "Data",
    f"{CPU}/cpu0/cache/index0/size": "48K",
    f"{CPU}/cpu0/cache/index0/coherency_line_size": "64",
    f"{CPU}/cpu0/cache/index0/ways_of_associativity": "12",
    f"{CPU}/cpu0/cache/index0/shared_cpu_list": "0-1",
    f"{CPU}/vulnerabilities/meltdown": "Mitigation: PTI",
    f"{NODE}/cpulist": "0-1",
    f"{NODE}/meminfo": "Node 0 MemTotal:  1048576 kB\nNode 0 MemFree: 1 kB",
    f"{NODE}/distance": "10",
    "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "16",
    "/job/hosts": "n1\nn1\nn2 slots=2\nn3:4\n",
}

SCHEDULERS: dict[str, dict[str, str]] = {
    "none": {},
    "slurm": {
        "SLURM_JOB_ID": "77",
        "SLURM_JOB_NUM_NODES": "4",
        "SLURM_JOB_NODELIST": "n[1-4]",
        "SLURM_JOB_PARTITION": "batch",
    },
    "pbs": {"PBS_JOBID": "77.head", "PBS_NODEFILE": "/job/hosts", "PBS_QUEUE": "batch"},
    "flux": {"FLUX_URI": "local:///run/flux", "FLUX_JOB_ID": "f77", "FLUX_NODELIST": "n[1-4]"},
    "lsf": {"LSB_JOBID": "77", "LSB_DJOB_HOSTFILE": "/job/hosts", "LSB_HOSTS": "n1 n1 n2"},
    "sge": {"JOB_ID": "77", "PE_HOSTFILE": "/job/hosts", "QUEUE": "all.q"},
    "test bed": {"GROMA_TESTBED": "/job/hosts"},
}

ANSWERS = {
    "flux": "4",
    "scontrol": "n1\nn2\nn3\nn4",
    "mpirun": "mpirun (Open MPI) 4.1.4",
    "ldconfig": "\tlibopenblas.so.0 (libc6,x86-64) => /lib/libopenblas.so.0\n",
}


def as_text(content: bytes) -> str:
    return content.decode(errors="replace")


def damaged(texts: dict[str, str], seed: int) -> dict[str, str]:
    """One to four of the texts are damaged, or gone."""
    rng = random.Random(seed)  # noqa: S311 - the same seed, the same damage
    changed = dict(texts)
    for name in rng.sample(sorted(texts), min(len(texts), rng.choice((1, 1, 2, 4)))):
        if rng.random() < 0.1:
            del changed[name]
        else:
            changed[name] = as_text(mutated(changed[name].encode(), seed + len(name)))
    return changed


def machine(scheduler: str, seed: int | None) -> FakeHost:
    """A machine in a job, as it is for None; else files, variables or answers of programs are damaged."""
    variables = SCHEDULERS[scheduler]
    if seed is None:
        return FakeHost(files=FILES, variables=variables, answers=ANSWERS)
    return FakeHost(
        files=damaged(FILES, seed),
        variables=damaged(variables, seed + 1) if variables and seed % 2 else variables,
        answers=damaged(ANSWERS, seed + 2) if seed % 3 == 0 else ANSWERS,
    )


def record_of(environment: Environment) -> Record[Any]:
    return Record(
        kind="survey",
        created="2026-01-02T03:04:05+00:00",
        command=["groma", "survey"],
        build=Build(version=__version__),
        environment=msgspec.to_builtins(environment),
        parameters={},
        samples={},
        facts={"node": {}},
    )


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_any_machine_is_captured_as_a_record_that_can_be_read(scheduler: str) -> None:
    for seed in (None, *range(SEEDS.start * 8, SEEDS.stop * 8)):
        environment = capture_environment(machine(scheduler, seed))
        content = encoded_record(record_of(environment))
        kept = msgspec.convert(decode_record(content, "it").environment, Environment)
        assert kept.host == "walnut", seed
        assert redacted(decode_record(content, "it"), ("walnut",)), seed
        if seed is None:
            assert environment.limits.cpu_quota == 0.5
            assert (environment.scheduler is None) == (scheduler in {"none", "test bed"})


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_any_machine_has_room_for_ranks_or_is_refused(scheduler: str) -> None:
    for seed in (None, *range(SEEDS.start * 8, SEEDS.stop * 8)):
        host = machine(scheduler, seed)
        with contextlib.suppress(GromaError):
            allocation = allocation_of(host)
            room = room_of(host, allocation)
            assert room.nodes >= 1, seed
            assert 1 <= room.cores <= room.threads == usable_cores(host), seed
            assert all(hosts_of(host, allocation)), seed
        oom_kills(host)


FOUND = {
    "a quota of more digits than a float has": ("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "9" * 400),
    "a distance of more digits than Python reads": (f"{NODE}/distance", "9" * 5000),
    "a load that is no number": ("/proc/loadavg", "0.5 nan inf 2/95 1"),
}


@pytest.mark.parametrize("case", FOUND)
def test_what_was_found_stays_repaired(case: str) -> None:
    path, content = FOUND[case]
    environment = capture_environment(FakeHost(files=FILES | {path: content}))
    kept = decode_record(encoded_record(record_of(environment)), "it").environment
    assert msgspec.convert(kept, Environment).host == "walnut"


# ---- native programs ---------------------------------------------------------------------------------------

DATA = Path(__file__).parents[1] / "data"

RECORDED = {
    **{path.stem: path for path in (DATA / "native").iterdir()},
    "hpcc-run": DATA / "hpcc" / "two-tests.jsonl",
    "randomaccess-run": DATA / "randomaccess" / "route-2-ranks.jsonl",
    "randomaccess-errors": DATA / "randomaccess" / "errors-2-threads.jsonl",
}
"""What programs answered, by program, first word and, where several are recorded, second word."""

ANSWERING = """\
#!/bin/sh
[ "$INTERRUPT" = "$1 $2" ] && kill -INT "$PPID"
for answer in "$0-$1-$2" "$0-$1"; do [ -f "$answer" ] && exec cat "$answer"; done
echo "not recorded: $*" >&2
exit 2
"""

LAUNCHER = ["--launcher", "env X={n} {cmd}"]
VERBS = {
    "probe": ["survey", "--quick", "--seed", "1"],
    "network": ["survey", "--network", "--quick", "--seed", "1", "--ppn", "2", *LAUNCHER],
    "hpcc": ["hpcc", "-n", "2", "--only", "dgemm,stream", *LAUNCHER],
    "randomaccess": ["randomaccess", "run", "-n", "2", "--algorithm", "route", *LAUNCHER],
}
OF_VERB = {"network": ("network", "probe")}
"""The programs of a verb, where it has others than its own."""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs; `groma-probe-list` in it is what `groma-probe list` answers."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("probe", "network", "hpcc", "randomaccess"):
        (folder / f"groma-{name}").write_text(ANSWERING)
        (folder / f"groma-{name}").chmod(0o755)
    for name, path in RECORDED.items():
        (folder / f"groma-{name}").write_bytes(of_this_version(path.read_bytes()))
    monkeypatch.setenv("GROMA_NATIVE_PATH", str(folder))
    return folder


def of_this_version(answer: bytes) -> bytes:
    return re.sub(rb'"version":"[^"]*"', f'"version":"{__version__}"'.encode(), answer)


@pytest.mark.parametrize("verb", VERBS)
def test_recorded_answers_make_a_record(
    verb: str, programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert holds([*VERBS[verb], "-o", "record.json"], capsys, verb) == (ExitCode.OK, ANY)
    assert read_record(tmp_path / "record.json").samples


@pytest.mark.parametrize("verb", VERBS)
def test_damaged_answers_end_with_a_documented_code(
    verb: str, programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = sorted(name for name in RECORDED if name.startswith(OF_VERB.get(verb, (verb,))))
    for seed in SEEDS:
        for name in names:
            answer = programs / f"groma-{name}"
            whole = answer.read_bytes()
            answer.write_bytes(mutated(whole, seed))
            code, said = holds([*VERBS[verb], "-o", "record.json"], capsys, (name, seed))
            assert code == ExitCode.OK or said.splitlines()[-2].startswith("groma: "), (name, seed, said)
            readable(tmp_path, capsys, (name, seed))
            answer.write_bytes(whole)


def readable(folder: Path, capsys: pytest.CaptureFixture[str], what: object) -> None:
    """Whatever was written, finished or partial, is shown; then it is removed."""
    for path in folder.glob("record*.json"):
        assert holds(["show", path.name], capsys, what) == (ExitCode.OK, ANY)
        assert holds(["show", path.name, "--json"], capsys, what) == (ExitCode.OK, ANY)
        path.unlink()


@pytest.mark.parametrize("scheduler", [name for name, variables in SCHEDULERS.items() if variables])
@pytest.mark.usefixtures("programs")
def test_damaged_variables_of_a_job_end_with_a_documented_code(
    scheduler: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in SEEDS:
        for name, value in damaged(SCHEDULERS[scheduler], seed).items():
            monkeypatch.setenv(name, value.replace("\0", " ")[:10_000])
        for words in (VERBS["hpcc"], ["survey", "--network", "--quick"]):
            holds([*words, "--dry-run"], capsys, (words, seed))


# ---- partial records ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("verb", "last"), [("probe", "run load_latency"), ("network", "run net_curve")])
@pytest.mark.usefixtures("programs")
def test_damaged_partial_records_are_finished_or_refused(
    verb: str, last: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*VERBS[verb], "-o", "record.json"]
    monkeypatch.setenv("INTERRUPT", last)
    assert holds(words, capsys, "interrupted") == (ExitCode.INTERRUPTED, ANY)
    monkeypatch.delenv("INTERRUPT")
    partial = tmp_path / "record.partial.json"
    left = partial.read_bytes()
    for seed in (None, *SEEDS):
        partial.write_bytes(left if seed is None else mutated(left, seed))
        code, said = holds([*words, "--resume"], capsys, seed)
        assert code == ExitCode.OK or said.splitlines()[-2].startswith("groma: "), (seed, said)
        assert seed is not None or code == ExitCode.OK
        for path in tmp_path.glob("record*.json"):
            holds(["show", path.name], capsys, seed)
            path.unlink()
