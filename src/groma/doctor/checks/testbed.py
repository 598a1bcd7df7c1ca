"""Whether hosts for trying things out can be made on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.doctor.finding import CheckContext, Finding, check
from groma.testbed.namespace_shell import probe

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "MPI and libraries"


@check(GROUP)
def test_bed(context: CheckContext) -> Iterator[Finding]:
    """Nothing but groma testbed needs it, so a kernel that forbids it is no fault."""
    support = probe(context.host)
    if support.method is None:
        yield Finding(
            code="testbed.missing",
            severity="info",
            what=f"groma testbed is off: {support.reason}",
            repair="see docs/testbed.md, If it does not start",
        )
    else:
        yield Finding(
            code="testbed", severity="ok", what=f"groma testbed can start hosts with {support.method.name}"
        )
