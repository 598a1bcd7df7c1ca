"""The cores a survey may use, as the topology numbers them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.survey import Core
from groma.survey.infer.registry import Evidence, Inferred, infers

if TYPE_CHECKING:
    from groma.record import Topology


@infers("cores", needs=())
def infer_cores(evidence: Evidence) -> Inferred:
    return Inferred(allowed_cores(evidence.topology) if evidence.topology else None)


def allowed_cores(topology: Topology) -> list[Core]:
    """Logical and physical number, package, NUMA node and physical core of each allowed hardware thread."""
    allowed = set(topology.allowed)
    return [
        Core(
            logical=one.logical,
            physical=one.physical,
            package=one.package,
            numa=one.numa,
            core=one.core,
        )
        for one in topology.cores
        if one.logical in allowed
    ]
