"""Known machines as TOML files, in which each number has its unit and its source.

The unit is a part of the type: a file with another unit is refused, never converted.
"""

from __future__ import annotations

import difflib
import math
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

import groma
from groma.errors import GromaError
from groma.record.reading import read_toml

Positive = Annotated[float, msgspec.Meta(gt=0, lt=1e30)]
Count = Annotated[int, msgspec.Meta(ge=1, lt=2**40)]


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A misspelt key is refused, not ignored."""


class _Sourced(_Strict, frozen=True):
    """`source` names the paper and the place, or how the number was derived."""

    source: Annotated[str, msgspec.Meta(min_length=1)]


class Sourced(_Sourced, frozen=True):
    """A number of a paper."""

    value: Positive


class Hertz(Sourced, frozen=True):
    unit: Literal["Hz"]


class Cycles(Sourced, frozen=True):
    unit: Literal["cycles"]


class Bytes(Sourced, frozen=True):
    unit: Literal["B"]


class BytesPerSecond(Sourced, frozen=True):
    unit: Literal["B/s"]


class Counted(_Sourced, frozen=True):
    """A whole number of things; the unit names them."""

    value: Count
    unit: Literal["cores", "dimensions", "updates", "nodes"]


class FixedBuckets(_Sourced, frozen=True):
    """Buckets that do not depend on the shape of the torus; -3 is the node itself in three dimensions."""

    value: int
    unit: Literal["buckets"]


class Processor(_Strict, frozen=True):
    """A node: `cores` of one `frequency`; `memory_latency` is that of a load from memory."""

    frequency: Hertz
    cores: Counted
    memory_latency: Cycles | None = None


class Torus(_Strict, frozen=True):
    """`link` is what one link carries in one direction, headers included."""

    dimensions: Counted
    link: BytesPerSecond


class Packet(_Strict, frozen=True):
    """A multiple of `step`, `largest` at most, `header` included; `on_wire` comes on top of it."""

    step: Bytes
    largest: Bytes
    header: Bytes
    on_wire: Bytes

    def wire_bytes(self, payload: float) -> float:
        """Bytes that a message of `payload` bytes takes on a link, in as many packets as it needs."""
        room = self.largest.value - self.header.value
        full, rest = divmod(payload, room)
        steps = math.ceil((rest + self.header.value) / self.step.value)
        last = steps * self.step.value + self.on_wire.value if rest else 0.0
        return full * (self.largest.value + self.on_wire.value) + last


class PublishedRow(_Strict, frozen=True):
    """One row of a paper's table, in GUP/s; `bucket` in updates. None stands where the table is empty."""

    nodes: Count
    bucket: Count | None = None
    bottleneck: Positive | None = None
    measured: Positive | None = None
    measured_later: Positive | None = None


class Published(_Strict, frozen=True):
    source: str
    rows: list[PublishedRow]


class Role(_Strict, frozen=True):
    """What a core does for each update: receives it, sends it on, and its own work besides."""

    name: str
    sends: bool
    receives: bool
    own: Cycles


class Specialised(_Strict, frozen=True, tag_field="kind", tag="specialised"):
    """Equations 6 and 7: every core of a node has a role; `send` and `receive` are costs of a packet."""

    name: str
    title: str
    roles: Annotated[list[Role], msgspec.Meta(min_length=1)]
    send: Cycles
    receive: Cycles
    fixed_buckets: FixedBuckets
    published: Published | None = None


class Routed(_Strict, frozen=True, tag_field="kind", tag="routed"):
    """Equation 1 on one core of each node: `fixed` for each update and `per_hop` for each hop of its way."""

    name: str
    title: str
    fixed: Cycles
    per_hop: Cycles
    fixed_buckets: FixedBuckets
    published: Published | None = None


class Direct(_Strict, frozen=True, tag_field="kind", tag="direct"):
    """Equation 1 without buckets: `processors` of each node send every update by itself."""

    name: str
    title: str
    processors: Counted
    fixed: Cycles
    send: Cycles
    receive: Cycles
    published: Published | None = None


Algorithm = Specialised | Routed | Direct


class Crossover(_Strict, frozen=True):
    """From which nodes on the network binds, as a paper states it: `at` this number, or `beyond` it."""

    algorithm: str
    at: Counted | None = None
    beyond: Counted | None = None


class OwnerRow(_Strict, frozen=True):
    """Measured GUP/s with the owner of a word found by division, and by prediction and correction."""

    nodes: Count
    division: Positive
    prediction: Positive


class Owners(_Strict, frozen=True):
    algorithm: str
    source: str
    rows: list[OwnerRow]


class RandomAccess(_Strict, frozen=True):
    """`look_ahead` updates may wait on a node; `update` is what one takes in a message."""

    look_ahead: Counted
    update: Bytes
    algorithms: list[Algorithm]
    crossovers: list[Crossover] = []
    owners: Owners | None = None

    def algorithm(self, name: str) -> Algorithm:
        """The algorithm of that name; KeyError where there is none."""
        return {one.name: one for one in self.algorithms}[name]


class Machine(_Strict, frozen=True):
    """A machine as papers describe it. `papers` are the full titles of what the sources name."""

    name: str
    title: str
    papers: dict[str, str]
    processor: Processor
    torus: Torus
    packet: Packet
    randomaccess: RandomAccess

    def __post_init__(self) -> None:
        known = {one.name for one in self.randomaccess.algorithms}
        named = [one.algorithm for one in self.randomaccess.crossovers]
        named += [self.randomaccess.owners.algorithm] if self.randomaccess.owners else []
        for name in named:
            if name not in known:
                raise ValueError(f"unknown algorithm {name!r}")


def machines_folder() -> Path:
    """The files that come with groma: inside the installed package, or at the root of its source tree."""
    package = Path(groma.__file__).parent
    inside = package / "machines"
    return inside if inside.is_dir() else package.parents[1] / "machines"


def known_machines(folder: Path | None = None) -> list[str]:
    return sorted(file.stem for file in (folder or machines_folder()).glob("*.toml"))


def find_machine(name: str) -> Machine:
    """The machine that comes with groma under that name, or that of a file: NAME.toml, or a path.

    Raises GromaError (exit code 2) for an unknown name or a file that does not hold a machine.
    """
    if name.endswith(".toml") or "/" in name:
        return read_machine(Path(name))
    if name not in known_machines():
        raise _unknown(name)
    return read_machine(machines_folder() / f"{name}.toml")


def _unknown(name: str) -> GromaError:
    known = known_machines()
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}? " if near else ""
    return GromaError(
        f"unknown machine {name!r}", f"{hint}known machines: {', '.join(known)}; or give FILE.toml"
    )


def read_machine(path: Path) -> Machine:
    """The machine in a file. Raises GromaError (exit code 2) that names the file and the place in it."""
    document = read_toml(path, "check the path, or name a known machine")
    return machine_of(document, str(path))


def machine_of(document: dict[str, Any], name: str) -> Machine:
    """The machine in a parsed TOML document; `name` is how the messages call it. Raises GromaError."""
    try:
        return msgspec.convert(document, Machine)
    except msgspec.ValidationError as error:
        where = machines_folder() / "bluegene-p.toml"
        raise GromaError(f"{name} is not a machine file: {error}", f"an example is {where}") from None
