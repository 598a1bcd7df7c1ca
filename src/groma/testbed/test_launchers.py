"""The launcher that is asked for is the one that plain mpirun starts; Slurm knows every host."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.host.host import FakeHost, Host
from groma.testbed import scripts, slurm
from groma.testbed.launchers import launch_environment, refuse_unknown
from groma.testbed.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VERSIONS = {
    "mpirun": "mpirun (Open MPI) 4.1.4",
    "mpiexec.hydra": "HYDRA build details:\n  Version: 4.0.2",
}


class Machine(FakeHost):
    def ask(self, arguments: Sequence[str], timeout: float = 5.0, *, or_stderr: bool = False) -> str | None:  # noqa: ARG002
        return self.answers.get(str(arguments[0]).rpartition("/")[2])


def script(mpi: str | None, *programs: str) -> str:
    bed: Any = None
    host = Machine(answers={name: VERSIONS[name] for name in programs})
    return launch_environment(mpi, host, bed).script


def test_mpirun_is_that_of_the_mpi_asked_for() -> None:
    both = ("mpirun", "mpiexec.hydra")
    assert "exec /usr/bin/mpirun " in script("openmpi", *both)
    assert "exec /usr/bin/mpiexec.hydra " in script("mpich", *both)
    assert "exec /usr/bin/mpirun " in script(None, *both)
    assert "exec /usr/bin/mpiexec.hydra " in script(None, "mpiexec.hydra")


@pytest.mark.parametrize("folder", ["my mpi", "o'brien"])
def test_a_launcher_may_lie_in_any_folder(folder: str, tmp_path: Path) -> None:
    inside = tmp_path / folder
    inside.mkdir()
    mpirun = inside / "mpirun"
    mpirun.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 4.1.4'\n")
    mpirun.chmod(0o755)
    bed: Any = None
    made = launch_environment("openmpi", Host(variables={"PATH": str(inside)}), bed).script
    assert f"exec {shlex.quote(str(mpirun))} " in made


def test_a_bed_in_a_bed_passes_the_launchers_of_the_outer_one_over(tmp_path: Path) -> None:
    """They would be at the path of its own, and start themselves for ever."""
    inside = tmp_path / "usr"
    inside.mkdir()
    mpirun = inside / "mpirun"
    mpirun.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 4.1.4'\n")
    mpirun.chmod(0o755)
    host = Host(variables={"PATH": f"{scripts.PROGRAMS}:{inside}"})
    bed: Any = None
    assert f"exec {mpirun} " in launch_environment("openmpi", host, bed).script


@pytest.mark.parametrize(
    ("mpi", "programs", "what"),
    [
        ("mpich", ("mpirun",), "mpich is not installed"),
        (None, (), "no MPI is installed"),
        ("openmpi", (), "no MPI is installed"),
    ],
)
def test_an_mpi_that_is_not_there_is_reported(mpi: str | None, programs: tuple[str, ...], what: str) -> None:
    with pytest.raises(GromaError, match=what) as refused:
        script(mpi, *programs)
    assert refused.value.exit_code == ExitCode.ENVIRONMENT


def test_an_unknown_mpi_is_refused() -> None:
    with pytest.raises(GromaError, match="unknown MPI 'lam'") as refused:
        refuse_unknown("lam")
    assert refused.value.exit_code == ExitCode.USAGE


def test_slurm_has_a_daemon_on_every_host() -> None:
    plan = Plan((3, 3))
    assert "NodeName=h[0-8] CPUs=2 " in slurm.configuration(plan, 2)
    started = slurm.starting(plan, {name: 100 + n for n, name in enumerate(plan.hosts)}, 2)
    assert all(f"nsenter -t {100 + n} -n -u -m slurmd " in started for n in plan.nodes)
    assert started.count("slurmctld -D") == 1


def test_hosts_of_slurm_exchange_data_by_a_tree() -> None:
    plan = Plan((2,))
    started = slurm.starting(plan, {name: 100 + n for n, name in enumerate(plan.hosts)}, 2)
    assert "PMIxCollFence=tree" in started


def test_slurm_without_root_is_reported() -> None:
    assert slurm.unusable(is_root=False)


@pytest.mark.parametrize(
    ("programs", "is_root", "advice"),
    [(slurm.PROGRAMS, False, "run it as root"), ((), True, "slurmctld"), ((), False, "slurmctld")],
)
def test_the_advice_for_slurm_is_what_is_missing(
    programs: tuple[str, ...],
    is_root: bool,
    advice: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda name, **_: name if name in programs else None)
    with pytest.raises(GromaError) as refused:
        slurm.refuse_unusable(is_root=is_root)
    assert advice in refused.value.next_step
    assert ("apt-get" in refused.value.next_step) is not bool(programs)
