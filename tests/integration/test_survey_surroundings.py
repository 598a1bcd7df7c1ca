"""The node survey in hard surroundings, as a user meets them: real programs, tiny budgets."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

TINY = ("--quick", "--budget", "2s", "--only", "clock,load_latency,core_to_core")
QUICK_OF_TWO = ("--quick", "--budget", "4s", "--only", "clock,load_latency")
OF_TWO = ("--depth", "standard", "--budget", "8s", "--only", "clock,load_latency")
"""Takes several seconds on any machine: at quick depth a fast one is done before it can be interrupted."""
LONG_OF_TWO = ("--depth", "standard", "--budget", "100s", "--only", "clock,load_latency")
"""Is not done before it is interrupted where other work leaves it a tenth of a core."""

SEVERAL_ROUNDS = ("--quick", "--budget", "10s", "--only", "clock,load_latency,core_to_core")
"""A round takes 3 s where the last cache is large."""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to hide or limit something")


def groma(*arguments: str, cwd: Path, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, sys.executable, "-m", "groma", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def survey(
    cwd: Path, *options: str, plan: tuple[str, ...] = TINY, before: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    return groma("survey", *plan, *options, cwd=cwd, before=before)


def profile(folder: Path, name: str = "groma-profile.json") -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / name).read_text())
    return document


def one_line_and_next_step(stderr: str) -> bool:
    lines = [line for line in stderr.splitlines() if line.startswith(("groma: ", "  -> "))]
    return len(lines) == 2 and lines[0].startswith("groma: ") and lines[1].startswith("  -> ")


def facts_with_caches(folder: Path, before: tuple[str, ...]) -> Any:
    """Of a survey that finds caches by their latencies, which one may not while much else runs beside it."""
    for _ in range(3):
        done = survey(folder, plan=SEVERAL_ROUNDS, before=before)
        assert done.returncode == 0, done.stderr
        facts = profile(folder)["facts"]
        if facts["node"]["caches"]:
            return facts
    pytest.fail("three surveys found no cache")


def test_one_core_is_enough(tmp_path: Path) -> None:
    cpu = str(min(os.sched_getaffinity(0)))
    facts = facts_with_caches(tmp_path, before=("taskset", "-c", cpu))
    assert len(facts["declared"]["allowed"]) == 1
    assert facts["node"]["core_to_core"] is None


def test_no_huge_pages_still_gives_a_curve(tmp_path: Path) -> None:
    no_thp = "import ctypes,os,sys; ctypes.CDLL(None).prctl(41,1,0,0,0); os.execv(sys.argv[1],sys.argv[1:])"
    facts_with_caches(tmp_path, before=(sys.executable, "-c", no_thp))


@needs_root
def test_a_hidden_sys_leaves_measured_caches_and_no_declared_ones(tmp_path: Path) -> None:
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("mount namespaces are not allowed here")
    # hwloc would ask the processor itself (CPUID); the point here is a machine that tells nothing
    mute = ("env", "HWLOC_COMPONENTS=-x86")
    hide = (*mute, "unshare", "-m", "sh", "-c", 'mount -t tmpfs none /sys && exec "$@"', "sh")
    facts = facts_with_caches(tmp_path, before=hide)
    assert facts["declared"]["caches"] == []
    assert facts["node"]["caches"][0]["size"]["os_value"] is None


LIMITS = (64 << 20, 128 << 20, 256 << 20)
MEMORY_LIMITS = (("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"))


OF_MEMORY = ("--quick", "--budget", "8s", "--only", "load_latency,cache_sharing,memory_bandwidth,tlb_reach")


@pytest.fixture
def limited_group(limit_bytes: int) -> Iterator[Path]:
    """A control group of version 2 or 1 whose processes may take so many bytes of memory."""
    for parent, limit in MEMORY_LIMITS:
        if not Path(parent, "cgroup.procs").exists():
            continue
        group = Path(parent, f"groma-test-{os.getpid()}")
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if (group / limit).exists():
                (group / limit).write_text(str(limit_bytes))
                yield group
                return
        finally:
            group.rmdir()
    pytest.skip("no memory control group can be made here")


@needs_root
@pytest.mark.parametrize("limit_bytes", LIMITS)
def test_a_memory_limit_of_the_cgroup_is_kept(tmp_path: Path, limited_group: Path, limit_bytes: int) -> None:
    """No probe is killed, what can be measured is, and nothing of a cache is called memory."""
    enter = ("sh", "-c", f'echo $$ > {limited_group}/cgroup.procs && exec "$@"', "sh")
    done = groma("survey", *OF_MEMORY, cwd=tmp_path, before=enter)
    assert done.returncode == 0, done.stderr
    found = profile(tmp_path)
    sizes = [case["size_bytes"] for case in found["samples"]["load_latency"]["cases"]]
    assert max(sizes) < limit_bytes
    assert found["facts"]["node"]["caches"]
    errors = {one["error"]["code"] for one in found["samples"].values() if one["error"]}
    assert errors <= {"probe.no_memory"}
    declared = max((one["size_bytes"] for one in found["facts"]["declared"]["caches"]), default=0)
    memory = found["facts"]["node"]["memory"]
    assert memory is None or memory["latency"] is None or max(sizes) >= 2 * declared


def test_an_address_space_that_is_limited_is_measured_as_far_as_it_goes(tmp_path: Path) -> None:
    limit = ("sh", "-c", 'ulimit -v 400000 && exec "$@"', "sh")
    done = groma("survey", *OF_MEMORY, cwd=tmp_path, before=limit)
    assert done.returncode == 0, done.stderr
    errors = {one["error"]["code"] for one in profile(tmp_path)["samples"].values() if one["error"]}
    assert errors <= {"probe.no_memory"}


def test_a_folder_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    started = time.monotonic()
    done = survey(tmp_path, "-o", "/proc/groma-profile.json")
    assert done.returncode == 4
    assert one_line_and_next_step(done.stderr)
    assert "samples" not in done.stderr
    assert time.monotonic() - started < 60


def test_a_full_disk_leaves_one_line_and_no_broken_file(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root for a small file system")
    small = tmp_path / "small"
    small.mkdir()
    script = (
        f'mount -t tmpfs -o size=64k none {small} && cd {small} && "$@"; code=$?; ls -A {small}; exit $code'
    )
    done = survey(tmp_path, before=("unshare", "-m", "sh", "-c", script, "sh"))
    assert done.returncode == 4, done.stderr
    assert one_line_and_next_step(done.stderr)
    assert done.stdout.split() == []
    assert "[1/" not in done.stderr  # nothing had been measured


def test_a_survey_whose_readers_went_away_goes_on_to_its_end(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "groma", "survey", *TINY],
        cwd=tmp_path,
        stdout=write,
        stderr=write,
        timeout=120,
        check=False,
    )
    os.close(write)
    assert done.returncode == 0
    assert set(profile(tmp_path)["samples"]) == set(TINY[-1].split(","))


@contextmanager
def after_the_first_probe(folder: Path, plan: tuple[str, ...]) -> Iterator[subprocess.Popen[str]]:
    """A survey whose clock is done and whose latencies run; within, until it ends."""
    with subprocess.Popen(
        [sys.executable, "-m", "groma", "survey", *plan],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as started:
        assert started.stderr is not None
        for line in started.stderr:
            if line.startswith("[1/2]"):
                break
        yield started


def until_busy(parent: subprocess.Popen[str], seconds: float) -> None:
    """Wait until a child of this process has used so much CPU time, in all its threads."""
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    ticks = seconds * os.sysconf("SC_CLK_TCK")
    while parent.poll() is None:
        for child in children.read_text().split():
            with suppress(OSError):
                after_name = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                if int(after_name[11]) + int(after_name[12]) >= ticks:  # utime, stime
                    return
        time.sleep(0.05)
    pytest.fail(f"ended before a child of it had used {seconds} s")


def kept_of(started: subprocess.Popen[str], folder: Path) -> dict[str, Any]:
    """The partial profile of a survey that a signal ends."""
    assert started.stderr is not None
    complaint = started.stderr.read()
    assert started.wait() == 130
    assert one_line_and_next_step(complaint)
    return profile(folder, "groma-profile.partial.json")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_survey_keeps_the_samples_of_the_probe_that_ran(
    tmp_path: Path, number: signal.Signals
) -> None:
    with after_the_first_probe(tmp_path, LONG_OF_TWO) as started:
        until_busy(started, 1.5)  # seconds of its own, whatever else runs: into its first rounds
        started.send_signal(number)
        latencies = kept_of(started, tmp_path)["samples"]["load_latency"]
    assert latencies["ended"] == "interrupted"
    assert any(latencies["values"])


def test_an_interrupted_survey_is_finished_by_resume(tmp_path: Path) -> None:
    with after_the_first_probe(tmp_path, OF_TWO) as started:
        started.send_signal(signal.SIGINT)
        interrupted = kept_of(started, tmp_path)
    resumed = groma("survey", *OF_TWO, "--resume", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert profile(tmp_path)["samples"]["clock"] == interrupted["samples"]["clock"]
    assert not (tmp_path / "groma-profile.partial.json").exists()


def killed_after_the_first_probe(folder: Path) -> None:
    with after_the_first_probe(folder, QUICK_OF_TWO) as started:
        started.kill()


def test_a_killed_survey_shows_what_it_has_and_names_the_command_that_finishes_it(tmp_path: Path) -> None:
    killed_after_the_first_probe(tmp_path)
    shown = groma("show", "groma-profile.partial.json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "unfinished: 1 of 2 probes done; not measured: load_latency" in shown.stdout
    assert "core frequency" in shown.stdout
    found = re.search(r"with: groma (survey --resume .*)", shown.stdout)
    assert found is not None
    finished = groma(*shlex.split(found[1]), cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert set(profile(tmp_path)["samples"]) == {"clock", "load_latency"}
    assert "unfinished" not in groma("show", "groma-profile.json", cwd=tmp_path).stdout


def test_a_killed_survey_of_another_kernel_is_not_gone_on_with(tmp_path: Path) -> None:
    killed_after_the_first_probe(tmp_path)
    partial = profile(tmp_path, "groma-profile.partial.json")
    partial["environment"]["kernel"] = "1.2.13"
    (tmp_path / "groma-profile.partial.json").write_text(json.dumps(partial))
    refused = groma("survey", *QUICK_OF_TWO, "--resume", cwd=tmp_path)
    assert refused.returncode == 2
    assert f"kernel 1.2.13, here {os.uname().release}" in refused.stderr
    assert one_line_and_next_step(refused.stderr)
    assert not (tmp_path / "groma-profile.json").exists()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--only", "no_such_probe"), 2),
        (("--budget", "soon"), 2),
        (("--depth", "deepest"), 2),
        (("--resume", "-o", "never-started.json"), 2),
        (("--no-such-option",), 2),
    ],
)
def test_wrong_options_are_one_line_with_the_next_step(
    tmp_path: Path, options: tuple[str, ...], code: int
) -> None:
    done = groma("survey", *options, cwd=tmp_path)
    assert done.returncode == code
    assert one_line_and_next_step(done.stderr), done.stderr
    assert done.stdout == ""


def test_a_dry_run_measures_and_writes_nothing(tmp_path: Path) -> None:
    done = groma("survey", "--dry-run", cwd=tmp_path)
    assert done.returncode == 0
    assert "load_latency" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def redacted(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """What a redacted survey wrote to the standard output, and its profile."""
    folder = tmp_path_factory.mktemp("redacted")
    done = survey(folder, "--json", "--redact")
    assert done.returncode == 0, done.stderr
    return done.stdout, profile(folder)


def test_json_on_stdout_is_the_record_that_was_written(redacted: tuple[str, dict[str, Any]]) -> None:
    printed, written = redacted
    assert json.loads(printed) == written


def test_a_redacted_profile_names_no_host(redacted: tuple[str, dict[str, Any]]) -> None:
    _, written = redacted
    assert os.uname().nodename not in json.dumps(written["environment"]["host"])
