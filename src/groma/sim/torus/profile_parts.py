"""The parts of a profile that a simulated machine needs.

A profile of another version, or one that lacks a part, is read as long as these parts are sound: what the
simulator does not use cannot spoil it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import GromaError
from groma.facts.network import CommunicationLayer, NetworkFacts
from groma.facts.reading import read_parts
from groma.facts.survey import SurveyFacts
from groma.profile.between_nodes import is_within_node
from groma.record import Quantity

if TYPE_CHECKING:
    from pathlib import Path


class AccessPart(msgspec.Struct, kw_only=True):
    """Of the Network Access Benchmark; entry i - 1 belongs to i processes on a node."""

    ratio: list[Quantity | None] = []
    bandwidth: list[Quantity | None] = []


class DistancePart(msgspec.Struct, kw_only=True):
    """Of the Distance Benchmark: `reference` is the bandwidth of a node at distance 1."""

    reference: Quantity | None = None


class NetworkPart(msgspec.Struct, kw_only=True):
    layers: list[CommunicationLayer] = []
    access: AccessPart | None = None
    distance: DistancePart | None = None

    def as_facts(self) -> NetworkFacts:
        return NetworkFacts(layers=self.layers)

    @property
    def within_nodes(self) -> list[str]:
        """Names of the layers that no link carries."""
        return [layer.name for layer in self.layers if is_within_node(layer)]


class ClockPart(msgspec.Struct, kw_only=True):
    core_frequency: Quantity | None = None


class MemoryPart(msgspec.Struct, kw_only=True):
    latency: Quantity | None = None


class NodePart(msgspec.Struct, kw_only=True):
    cores: list[Any] = []
    clock: ClockPart | None = None
    memory: MemoryPart | None = None


class ProfileParts(msgspec.Struct, kw_only=True):
    node: NodePart = msgspec.field(default_factory=NodePart)
    network: NetworkPart | None = None


def parts_of_profile(path: Path) -> ProfileParts:
    """Raises GromaError (exit code 2) for a file that is no profile, or is damaged in one of these parts."""
    parts = read_parts(path, of=SurveyFacts, parts=ProfileParts)
    if parts is None:
        raise GromaError(f"{path} is not a profile", "make a profile: groma survey")
    return parts
