"""A finding of the doctor, and the registry of the checks that make findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from groma.config import Resolved
    from groma.doctor.activity import Activity
    from groma.host.host import Host
    from groma.record.environment import Environment

Severity = Literal["ok", "info", "warn", "fail"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """`fail` means that something needed is missing, `warn` that figures will suffer.

    `repair` is a command, or where no command can do it, the step to take. `code` is stable and greppable.
    """

    code: str
    severity: Severity
    what: str
    repair: str = ""
    group: str = ""


@dataclass(frozen=True)
class CheckContext:
    """What checks may look at; anything else they read through `host`."""

    host: Host
    environment: Environment
    settings: Resolved
    activity: Activity

    def as_root(self, command: str) -> str:
        """The command with sudo in front of the part that needs it, unless we are root."""
        return command if self.host.is_root() else f"sudo {command}"

    def write(self, value: str, path: str) -> str:
        """The command that writes into a file of the kernel."""
        return f"echo {value} | {self.as_root('tee')} {path}"

    def install(self, apt: str, dnf: str) -> str:
        """The command that installs packages with the package manager of this machine."""
        if self.host.find("apt-get"):
            return self.as_root(f"apt-get install {apt}")
        if self.host.find("dnf"):
            return self.as_root(f"dnf install {dnf}")
        return f"install {apt} (Debian names) or {dnf} (Fedora names)"


Check = Callable[[CheckContext], Iterator[Finding]]


class RegisteredCheck(msgspec.Struct, frozen=True):
    group: str
    run: Check


CHECKS: list[RegisteredCheck] = []


def check(group: str) -> Callable[[Check], Check]:
    """Register the decorated function; `group` is the heading its findings stand under."""

    def register(function: Check) -> Check:
        CHECKS.append(RegisteredCheck(group, function))
        return function

    return register
