"""Facts about a process mapping. Fields may be added and are never renamed."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from groma.facts.kinds import Kind
from groma.facts.placed import Gain, Verification
from groma.record.naming import Better


class MappingQuality(msgspec.Struct, kw_only=True):
    """A mapping in numbers; all follow from the matrix and the machine, none is measured.

    `hop_bytes` sums bytes times distance over all pairs, `dilation` divides that by the bytes.
    `max_congestion` is the bytes that the busiest link carries, over its capacity in links of a node; None
    where no links are known. `modularity` is Newman's for the groups of places. None without traffic.
    """

    hop_bytes: float
    dilation: float | None = None
    max_congestion: float | None = None
    bytes_by_layer: dict[str, float] = {}
    modularity: float | None = None


class MappedRank(msgspec.Struct, frozen=True, kw_only=True):
    """Where a rank is to run: host, and logical ids of hardware threads; none: any of the host. The host is
    empty for a node without a name.
    """

    host: str
    cores: list[int] = []


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Why a core was selected for a rank: its weight at that time, and the rules that changed it, each with
    the rank whose selection did so.
    """

    rank: int
    weight: float
    reasons: list[str] = []


class MappingFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `mapping`.

    `mapping` has the place of each rank, `coordinates` those of its place on a torus or mesh. `targets` says
    where these places are, if that is known. `launch_command` starts ranks with the `launch_file`.
    `selections` explain a mapping by weights, rank by rank. `checked_file` is a launch file that was there
    already: `checked_mapping` has the places of its ranks, `baselines` its quality under its name.
    `is_optimal` where it is proven that no mapping of these ranks has fewer hop-bytes, and where that was the
    objective. `least_congestion` where the busiest link was: no mapping of these ranks has a lower
    `max_congestion`, so one that is as low is the best. `traffic_digest` and `machine_digest` tell what ranks
    send, and the distances of the places that they may use, from those of another record; empty where nothing
    is known of what ranks send.
    """

    OUTCOMES: ClassVar[tuple[str, ...]] = (
        "mapping",
        "checked_mapping",
        "checked_file",
        "launch_file",
        "launch_command",
        "coordinates",
        "is_optimal",
        "remarks",
    )
    DETAILS: ClassVar[tuple[str, ...]] = ("baselines",)
    BETTER: ClassVar[dict[str, Better]] = {
        "hop_bytes": "lower",
        "dilation": "lower",
        "max_congestion": "lower",
        "modularity": "higher",
    }

    mapping: list[int]
    quality: MappingQuality
    baselines: dict[str, MappingQuality] = {}
    machine: str = ""
    places: int = 0
    ranks: int = 0
    method: str = ""
    objective: str = ""
    is_optimal: bool = False
    least_congestion: float | None = None
    traffic: str = ""
    traffic_digest: str = ""
    machine_digest: str = ""
    coordinates: list[list[int]] = []
    targets: list[MappedRank] = []
    selections: list[Selection] = []
    launch_file: str | None = None
    launch_command: str | None = None
    launcher: str | None = None
    checked_file: str | None = None
    checked_mapping: list[int] = []
    verification: Verification | None = None
    gain: Gain | None = None
    remarks: list[str] = []


KIND = Kind(
    name="mapping",
    title="Process mapping",
    what="mapping of ranks to places",
    facts=MappingFacts,
    schema="mapping",
    sections="groma.report.kinds.mapping:SECTIONS",
    reopened="groma.map.gain_inference:reopened",
    more_quantities="groma.map.named_qualities:named_qualities",
    more_samples=("--launches",),
)
