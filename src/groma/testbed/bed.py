"""A running bed: hosts to run commands on, cables to slow, cut and restore."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groma.errors import ExitCode, GromaError
from groma.host.host import Host
from groma.run.signals import ENDING
from groma.testbed import scripts
from groma.testbed.namespace_shell import (
    NamespaceMethod,
    NamespaceShell,
    NamespaceSupport,
    path_with_sbin,
    probe,
)
from groma.testbed.plan import Plan, shaped
from groma.testbed.rates import CUT, Rate, discipline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

_SIGNALS = [one.name.removeprefix("SIG") for one in ENDING]

_OF_A_JOB = ("SLURM_", "PBS_", "LSB_", "FLUX_", "PMI_", "PMIX_", "OMPI_COMM_", "HYDRA_", "GROMA_TESTBED")

# Signals are for the command alone: this shell stays to tell how it ended, 128 + n after signal n.
_WAITING = f'trap : {" ".join(_SIGNALS)}; "$@"; code=$?; exit $code'


class Bed:
    """Use it as a context; it is gone afterwards, and also when this process dies.

    `holders` are the processes that hold its namespaces, by the name of host or router and as the bed numbers
    processes; `up_seconds` is how long it took to set it up.

    `shared_boot_id` leaves all hosts the boot id of the machine, as containers on one machine have it.
    `method` is the first that works here, if it is not given.
    Raises GromaError (exit code 4) where the kernel does not let a bed be started, with its reason.
    """

    def __init__(
        self, plan: Plan, *, shared_boot_id: bool = False, method: NamespaceMethod | None = None
    ) -> None:
        self.plan = plan
        self.method = method
        self.shared_boot_id = shared_boot_id
        self.up_seconds = 0.0
        self.holders: dict[str, int] = {}
        self._speaking = threading.Lock()

    def __enter__(self) -> Self:
        started = time.monotonic()
        self._shell = NamespaceShell(self.method or require_support(probe(Host())))
        try:
            self._raise()
        except BaseException:
            self.close()
            raise
        self.up_seconds = time.monotonic() - started
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._shell.close()

    def _raise(self) -> None:
        boot_ids = {} if self.shared_boot_id else {name: str(uuid.uuid4()) for name in self.plan.hosts}
        self.execute(scripts.beginning(self.plan, boot_ids))
        self.holders = holders_in(self.execute(scripts.holding(self.plan, boot_ids)))
        refuse_complaints(self.execute(scripts.networking(self.plan, self.holders)))

    def execute(self, script: str) -> str:
        """Let the shell of the bed, which is on none of its hosts, run a script; what it said."""
        with self._speaking:
            return self._shell.execute(script)

    # ---- commands on hosts -----------------------------------------------------------------------------

    def words(self, words: Sequence[str], host: str = "h0") -> list[str]:
        """The command that runs `words` on a host, in this folder; its exit code is theirs."""
        shell, holder, signals = str(self._shell.pid), str(self.holders[host]), ",".join(_SIGNALS)
        return [
            *("env", f"--ignore-signal={signals}"),
            *("nsenter", "-t", shell, *self._shell.method.nsenter, "--mount", "--pid", "--"),
            *("nsenter", "-t", holder, "--net", "--uts", "--mount", "--"),
            *("env", "-C", str(Path.cwd()), f"--default-signal={signals}"),
            *("sh", "-c", _WAITING, "sh", *words),
        ]

    def popen(
        self,
        words: Sequence[str],
        host: str = "h0",
        variables: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> subprocess.Popen[Any]:
        """Start `words` on a host with these variables beside those that are set; in a process group."""
        return subprocess.Popen(
            self.words(words, host),
            env=without_job(os.environ) | {"PATH": path_in_bed()} | dict(variables or {}),
            process_group=0,
            **settings,
        )

    def run(
        self,
        words: Sequence[str],
        host: str = "h0",
        variables: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run `words` on a host to their end and keep what they say."""
        child = self.popen(
            words,
            host,
            variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        with child:
            try:
                out, err = child.communicate(timeout=timeout)
            except BaseException:
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)  # what runs on the host has another parent
                raise
        return subprocess.CompletedProcess(list(words), child.returncode, out, err)

    # ---- cables ----------------------------------------------------------------------------------------

    def slow(self, cable: str, rate: Rate) -> None:
        """Give a cable another rate (bit/s), in both directions."""
        self._reshape(cable, discipline(rate))

    def cut(self, cable: str) -> None:
        """Let a cable lose everything."""
        self._reshape(cable, CUT)

    def restore(self, cable: str) -> None:
        """Give a cable back the rate that it had."""
        self._reshape(cable, discipline(self.plan.cable(cable).rate))

    def _reshape(self, cable: str, what: str) -> None:
        for port in self.plan.cable(cable).ends:
            self.execute(scripts.inside(self.holders[port.space], "tc", [shaped(port, what)]))


def path_in_bed() -> str:
    """Programs of the bed come first: the remote shell, and launchers where those of the machine differ."""
    return f"{scripts.PROGRAMS}:{path_with_sbin(os.environ.get('PATH'))}"


def without_job(variables: Mapping[str, str]) -> dict[str, str]:
    """Without what a scheduler or launcher outside of the bed has set: it knows nothing of its hosts."""
    return {name: value for name, value in variables.items() if not name.startswith(_OF_A_JOB)}


def require_support(support: NamespaceSupport) -> NamespaceMethod:
    """Raises GromaError (exit code 4) with the kernel's reason where there is no way."""
    if support.method is None:
        raise GromaError(
            f"no test bed can be started here: {support.reason}",
            "it needs network and user namespaces, the kernel modules veth and tbf, iproute2 and util-linux",
            ExitCode.ENVIRONMENT,
        )
    return support.method


def holders_in(said: str) -> dict[str, int]:
    """The process of each namespace. Raises GromaError (exit code 4) where one could not be made."""
    pairs = [line.split() for line in said.splitlines() if line.strip()]
    try:
        return {name: int(pid) for name, pid in pairs}
    except ValueError:
        raise _failed(said) from None


def refuse_complaints(said: str) -> None:
    """Raises GromaError (exit code 4) where ip or tc said anything: they are silent where all works."""
    if said.strip():
        raise _failed(said)


def _failed(said: str) -> GromaError:
    return GromaError(
        f"the test bed cannot be set up: {said.strip().splitlines()[0]}",
        "use fewer hosts, or raise the limits in /proc/sys/user",
        ExitCode.ENVIRONMENT,
    )
