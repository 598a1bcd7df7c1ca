"""Run every check. A check is a function in a module of groma.doctor.checks; nothing else lists it."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import TYPE_CHECKING

import msgspec

from groma.config import Resolved, load_resolved
from groma.doctor import checks
from groma.doctor.activity import observe_activity
from groma.doctor.finding import CHECKS, CheckContext, Finding
from groma.host.capture import capture_environment
from groma.host.host import Host
from groma.record import Advice

if TYPE_CHECKING:
    from collections.abc import Iterable


@functools.cache
def _import_checks() -> None:
    for module in pkgutil.iter_modules(checks.__path__):
        if not module.name.startswith("test_"):
            importlib.import_module(f"{checks.__name__}.{module.name}")


def examine(host: Host | None = None, settings: Resolved | None = None) -> list[Finding]:
    """All findings, good ones too, in the order of the checks. Takes half a second of looking on."""
    host = host or Host()
    _import_checks()
    context = CheckContext(
        host=host,
        environment=capture_environment(host),
        settings=settings or load_resolved(),
        activity=observe_activity(host),
    )
    return [
        msgspec.structs.replace(finding, group=registered.group)
        for registered in CHECKS
        for finding in registered.run(context)
    ]


# Steps of a record, in place of those that serve at the moment of looking only.
_LATER = {"load.process": "stop other work before the next run: groma doctor names it"}


def advice_of(findings: Iterable[Finding]) -> list[Advice]:
    """The findings that make figures suffer, as a record keeps them."""
    return [
        Advice(
            code=f"doctor.{finding.code}",
            what=finding.what,
            next=_LATER.get(finding.code, finding.repair),
        )
        for finding in findings
        if finding.severity == "warn"
    ]
