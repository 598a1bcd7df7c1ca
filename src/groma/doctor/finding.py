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

    def may_become_root(self) -> bool:
        return self.host.is_root() or self.host.find("sudo") is not None

    def install(self, apt: str, dnf: str) -> str:
        """What installs packages on this machine: its modules, or its package manager."""
        command = self._install_command(apt, dnf)
        has_modules = any(self.host.variables.get(name) for name in _MODULES)
        if has_modules and not self.host.is_root():
            return f"load the modules of your site for them (module avail), or {command}"
        return command

    def _install_command(self, apt: str, dnf: str) -> str:
        for manager, packages in (("apt-get", apt), ("dnf", dnf)):
            if self.host.find(manager):
                command = f"{manager} install {packages}"
                if self.may_become_root():
                    return self.as_root(command)
                return f"ask an administrator for {command}"
        return f"install {apt} (Debian names) or {dnf} (Fedora names)"


# Set by Environment Modules and by Lmod.
_MODULES = ("MODULEPATH", "LMOD_CMD")


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
