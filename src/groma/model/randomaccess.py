"""The model of RandomAccess on a known machine: bounds, what the paper printed and what it measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.errors import GromaError
from groma.interconnect.lattice import Shape
from groma.interconnect.shapes import bisection_links, cubic_shape
from groma.machine.buckets import bucket_of
from groma.machine.description import (
    Algorithm,
    Direct,
    Machine,
    PublishedRow,
    RandomAccess,
    Routed,
    Specialised,
)
from groma.model.equations import (
    core_load,
    cpu_bound,
    crossing_share,
    network_bound,
    routed_hops,
    specialised_bound,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLLOWS = 0.02
"""Relative difference up to which a printed value counts as that of the formula; two digits allow 2 %."""

NETWORK = "network"

LARGEST_SEARCHED = 2**40
"""Nodes at which the search for a crossover ends."""


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """One algorithm on one number of nodes. Rates are in GUP/s, costs in cycles per update.

    `bucket` holds updates, `bucket_from` is "printed", "derived" or "single" (sent one by one).
    `cpu` is what the cores allow, `network` what the bisection allows (None for one node), `bound` the lower
    one and `binds` its name. `follows` says whether the printed value is that of the formula, `ratio` is
    `bound` over the last measured value.
    """

    nodes: int
    torus: Shape
    bucket: int
    bucket_from: str
    receive_cycles: float | None
    loads_cycles: dict[str, float]
    cpu: float
    network: float | None
    bound: float
    binds: str
    printed: float | None = None
    follows: bool | None = None
    measured: float | None = None
    measured_later: float | None = None
    ratio: float | None = None


class AlgorithmBounds(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    title: str
    kind: str
    source: str | None
    rows: list[Bound]


class OwnerBound(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes that are no power of two: measured GUP/s with division and with prediction, beside the bound.

    `division_cycles` is what division costs an update more than prediction.
    """

    nodes: int
    division: float
    prediction: float
    bound: float
    ratio: float
    division_cycles: float


class CrossoverFound(msgspec.Struct, frozen=True, kw_only=True):
    """Smallest power of two of nodes at which the network binds (None: never), and what the paper states."""

    algorithm: str
    nodes: int | None
    stated: str
    agrees: bool
    source: str


class MachineModel(msgspec.Struct, frozen=True, kw_only=True):
    model: str
    machine: str
    title: str
    unit: str
    papers: dict[str, str]
    algorithms: list[AlgorithmBounds]
    owners: list[OwnerBound]
    owners_source: str | None
    crossovers: list[CrossoverFound]


class _Cpu(NamedTuple):
    rate: float
    binds: str
    loads: dict[str, float]
    receive: float | None


def randomaccess_model(machine: Machine, nodes: Sequence[int] | None = None) -> MachineModel:
    """Every algorithm of the machine on the given numbers of nodes, on those of the paper if None.

    Raises GromaError (exit code 2) where the file says nothing about RandomAccess, or no table names sizes.
    """
    given = published_of(machine)
    if nodes is None and not published_nodes(machine):
        raise GromaError(
            f"no table of {machine.name} names sizes of the machine", "give numbers of nodes: --nodes 64:4096"
        )
    return MachineModel(
        model="randomaccess",
        machine=machine.name,
        title=machine.title,
        unit="GUP/s",
        papers=machine.papers,
        algorithms=[_algorithm(machine, one, nodes) for one in given.algorithms],
        owners=_owners(machine, nodes),
        owners_source=given.owners.source if given.owners else None,
        crossovers=_crossovers(machine),
    )


def published_of(machine: Machine) -> RandomAccess:
    """What is known of RandomAccess there. Raises GromaError (exit code 2) where nothing is."""
    if machine.randomaccess is None:
        raise GromaError(
            f"the file of {machine.name} says nothing about RandomAccess",
            "name another machine, or add [randomaccess] to a file of your own",
        )
    return machine.randomaccess


def published_nodes(machine: Machine) -> list[int]:
    """Every number of nodes for which a table of the paper has a row of some algorithm."""
    tables = [one.published for one in published_of(machine).algorithms if one.published]
    return sorted({row.nodes for table in tables for row in table.rows})


def _algorithm(machine: Machine, algorithm: Algorithm, nodes: Sequence[int] | None) -> AlgorithmBounds:
    printed = {row.nodes: row for row in algorithm.published.rows} if algorithm.published else {}
    if nodes is None:
        nodes = sorted(printed) or published_nodes(machine)
    return AlgorithmBounds(
        name=algorithm.name,
        title=algorithm.title,
        kind=algorithm.__struct_config__.tag,  # type: ignore[arg-type]
        source=algorithm.published.source if algorithm.published else None,
        rows=[bound_of(machine, algorithm, count, printed.get(count)) for count in nodes],
    )


def bound_of(machine: Machine, algorithm: Algorithm, nodes: int, printed: PublishedRow | None) -> Bound:
    """One row; the bucket size is the printed one where there is one."""
    shape = cubic_shape(nodes, machine.torus.dimensions.value)
    bucket = bucket_of(published_of(machine), machine.packet, algorithm, shape, printed)
    cpu = _cpu(machine, algorithm, shape, bucket.size)
    network = _network(machine, shape, bucket.size)
    lowest = min(cpu.rate, cpu.rate if network is None else network)
    bound = Bound(
        nodes=nodes,
        torus=shape,
        bucket=bucket.size,
        bucket_from=bucket.origin,
        receive_cycles=cpu.receive,
        loads_cycles=cpu.loads,
        cpu=cpu.rate,
        network=network,
        bound=lowest,
        binds=cpu.binds if lowest == cpu.rate else NETWORK,
    )
    return _beside(bound, printed) if printed else bound


def _beside(bound: Bound, row: PublishedRow) -> Bound:
    measured = row.measured_later or row.measured
    return msgspec.structs.replace(
        bound,
        printed=row.bottleneck,
        follows=None if row.bottleneck is None else abs(bound.cpu / row.bottleneck - 1) <= FOLLOWS,
        measured=row.measured,
        measured_later=row.measured_later,
        ratio=bound.bound / measured if measured else None,
    )


def _cpu(machine: Machine, algorithm: Algorithm, shape: Shape, bucket: int) -> _Cpu:
    """What the cores allow, in GUP/s."""
    giga = machine.processor.frequency.value / 1e9
    match algorithm:
        case Specialised():
            return _specialised(algorithm, giga, shape, bucket)
        case Routed():
            return _routed(algorithm, giga, shape)
        case Direct():
            return _direct(algorithm, giga, shape)


def _specialised(algorithm: Specialised, giga: float, shape: Shape, bucket: int) -> _Cpu:
    send, receive = algorithm.send.value, algorithm.receive.value
    loads = {
        role.name: core_load(role.own.value, send * role.sends, receive * role.receives, bucket)
        for role in algorithm.roles
    }
    per_cycle, slowest = specialised_bound(math.prod(shape), loads)
    return _Cpu(per_cycle * giga, slowest, loads, receive / bucket)


def _routed(algorithm: Routed, giga: float, shape: Shape) -> _Cpu:
    hops, local, per_hop = routed_hops(shape), algorithm.fixed.value, algorithm.per_hop.value
    per_cycle = cpu_bound(math.prod(shape), local, per_hop, hops)
    return _Cpu(per_cycle * giga, "cpu", {"local": local, "routing": hops * per_hop}, None)


def _direct(algorithm: Direct, giga: float, shape: Shape) -> _Cpu:
    processors = math.prod(shape) * algorithm.processors.value
    away = (processors - 1) / processors
    local, send, receive = algorithm.fixed.value, algorithm.send.value, algorithm.receive.value
    per_cycle = cpu_bound(processors, local, send + receive, away)
    loads = {"local": local, "send": away * send, "receive": away * receive}
    return _Cpu(per_cycle * giga, "cpu", loads, receive)


def _network(machine: Machine, shape: Shape, bucket: int) -> float | None:
    """What the bisection of the torus allows, in GUP/s; None where there is one node only."""
    links = bisection_links(shape)
    if not links:
        return None
    message = machine.packet.wire_bytes(bucket * published_of(machine).update.value)
    crossing = crossing_share(max(shape))
    return network_bound(links * machine.torus.link.value, message / bucket, crossing) / 1e9


def _owners(machine: Machine, nodes: Sequence[int] | None) -> list[OwnerBound]:
    """The rows of the table whose nodes are wanted, or lie between the wanted ones where these are many."""
    owners = published_of(machine).owners
    if owners is None:
        return []
    algorithm = published_of(machine).algorithm(owners.algorithm)
    found = []
    for row in owners.rows:
        if nodes is None or min(nodes) <= row.nodes <= max(nodes):
            bound = bound_of(machine, algorithm, row.nodes, None).bound
            cycles = row.nodes * machine.processor.frequency.value / 1e9
            found.append(
                OwnerBound(
                    nodes=row.nodes,
                    division=row.division,
                    prediction=row.prediction,
                    bound=bound,
                    ratio=bound / row.prediction,
                    division_cycles=cycles / row.division - cycles / row.prediction,
                )
            )
    return found


def crossover(machine: Machine, algorithm: Algorithm) -> int | None:
    """Smallest power of two of nodes at which the network binds; None where it never does."""
    nodes = 2
    while nodes <= LARGEST_SEARCHED:
        if bound_of(machine, algorithm, nodes, None).binds == NETWORK:
            return nodes
        nodes *= 2
    return None


def _crossovers(machine: Machine) -> list[CrossoverFound]:
    given = published_of(machine)
    found = []
    for stated in given.crossovers:
        nodes = crossover(machine, given.algorithm(stated.algorithm))
        claim = stated.at or stated.beyond
        if claim is None:
            continue
        exact = stated.at is not None
        agrees = nodes == claim.value if exact else nodes is None or nodes > claim.value
        found.append(
            CrossoverFound(
                algorithm=stated.algorithm,
                nodes=nodes,
                stated=f"{'at' if exact else 'beyond'} {claim.value}",
                agrees=agrees,
                source=claim.source,
            )
        )
    return found
