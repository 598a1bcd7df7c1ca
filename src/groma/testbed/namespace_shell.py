"""The shell that owns the namespaces of a bed: the first process of its process namespace.

When it ends, the kernel ends everything in that namespace, and with that the other namespaces vanish. It ends
when its standard input does, which is when whoever started it closes that, and it is killed when the thread
that started it dies, of whatever.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from groma.host.host import Host

_TOOLS = ("unshare", "nsenter", "setpriv", "mount", "hostname", "sleep", "ip", "tc", "env")
_MARK = "groma-bed-said"
_SPACES = ("--net", "--uts", "--mount", "--pid", "--fork", "--kill-child")


class NamespaceMethod(NamedTuple):
    """How namespaces are made and entered: flags of unshare and of nsenter."""

    name: str
    unshare: tuple[str, ...] = ()
    nsenter: tuple[str, ...] = ()


ROOT = NamespaceMethod("root")
USER = NamespaceMethod(
    "a user namespace", ("--user", "--map-root-user"), ("--user", "--preserve-credentials")
)


class NamespaceSupport(NamedTuple):
    """How a bed can be started here: the method, or None with the reason."""

    method: NamespaceMethod | None
    reason: str = ""


def path_with_sbin(path: str | None) -> str:
    """Where ip, tc and the daemons of Slurm are also found as somebody who is not root."""
    return f"{path or os.defpath}:/usr/sbin:/sbin"


# What a bed needs of the kernel, tried once; says nothing where all of it works.
_TRY = """\
PATH=$PATH:/usr/sbin:/sbin
for tool in {tools}; do command -v $tool >/dev/null || {{ echo "$tool is not installed"; exit; }}; done
unshare {flags} sh -c '
mount -t proc proc /proc && mount -t tmpfs bed /dev/shm && unshare --net true &&
ip link add try0 type veth peer name try1 &&
tc qdisc replace dev try0 root tbf rate 1mbit burst 65536 limit 65536' 2>&1 || echo "unshare failed"
"""


def probe(host: Host) -> NamespaceSupport:
    """Whether a bed can be started here, by trying out. Takes some 20 ms."""
    reasons = []
    for method in (ROOT, USER) if host.is_root() else (USER,):
        script = _TRY.format(tools=" ".join(_TOOLS), flags=" ".join([*method.unshare, *_SPACES]))
        said = host.ask(["sh", "-c", script])
        if said is not None and not said.strip():
            return NamespaceSupport(method)
        reasons.append((said or "no answer from sh").strip().splitlines()[0])
    return NamespaceSupport(None, reasons[0])


class NamespaceShell:
    """A shell in its own namespaces. `execute` runs one script after the other. Not thread-safe."""

    def __init__(self, method: NamespaceMethod) -> None:
        self.method = method
        self._shell = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", *method.unshare, *_SPACES, "sh"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | {"PATH": path_with_sbin(os.environ.get("PATH")), "LC_ALL": "C"},
            text=True,
            # Ctrl-C is for the command in the bed; the bed goes when its owner does.
            process_group=0,
        )
        # Its number outside can only be seen before the new process namespace gets a /proc of its own.
        self.pid = int(self._said("{ read pid rest < /proc/self/stat; echo $pid; } 2>&1"))
        self.execute("mount -t proc proc /proc")

    def execute(self, script: str) -> str:
        """What the script said on both outputs, to its first command that fails.

        Raises GromaError (exit code 4) where one fails. The shell, and with it the bed, goes on.
        """
        return self._said(f"(\nset -e\n{script}\n) </dev/null 2>&1")

    def _said(self, command: str) -> str:
        said, code = self._answer(f"{command}; code=$?; echo; echo {_MARK} $code\n")
        if code == 0:
            return said
        last = said.splitlines()[-1] if said else "its shell ended"
        raise GromaError(
            f"the test bed failed: {last}", "run groma doctor, then report the defect", ExitCode.ENVIRONMENT
        )

    def _answer(self, script: str) -> tuple[str, int | None]:
        """What was said until the mark, and the exit code behind it; None where the shell has ended."""
        assert self._shell.stdin is not None  # noqa: S101 - opened with PIPE
        assert self._shell.stdout is not None  # noqa: S101 - opened with PIPE
        said: list[str] = []
        with suppress(OSError):
            self._shell.stdin.write(script)
            self._shell.stdin.flush()
            for line in self._shell.stdout:
                mark, _, code = line.partition(" ")
                if mark == _MARK:
                    return "".join(said).strip(), int(code)
                said.append(line)
        return "".join(said).strip(), None

    def close(self) -> None:
        """End it and all that runs in its namespaces; they are gone when this returns."""
        for stream in (self._shell.stdin, self._shell.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._shell.wait()
