"""What a run of RandomAccess tells the model. Read leniently: the record may hold more, or not all of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from groma.errors import GromaError
from groma.facts.randomaccess import KIND
from groma.record import Quantity
from groma.record.known_environment import known_environment
from groma.stats.spans import quotient

if TYPE_CHECKING:
    from groma.record import Record

_PER_SECOND = {"update/s": 1.0, "updates/s": 1.0, "1/s": 1.0, "UP/s": 1.0, "GUP/s": 1e9, "GUPS": 1e9}

T = TypeVar("T")


class RoleLoad(msgspec.Struct, frozen=True, kw_only=True):
    """What the `ranks` of a role did: `work` (s) on each update of the run, `busy` the share of its time.

    `rate` is what the role alone would allow if it never waited, in update/s: a line of equation 7.
    """

    role: str
    ranks: int | None
    work: Quantity
    busy: Quantity
    rate: Quantity


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """A measured run: `rate` in update/s over all `cores` on `nodes` machines, `table` in words of 8 bytes.

    `cores` are ranks times their threads. `look_ahead` updates could wait on each core, or on each node in
    the mapping modes that count them there. `errors` are wrong words, `messages` and `bytes` those of
    an update. `success` is False if a check of the run failed.
    """

    rate: Quantity
    cores: int
    table: int
    nodes: int = 1
    errors: int | None = None
    success: bool | None = None
    algorithm: str | None = None
    mapping_mode: int | None = None
    look_ahead: int | None = None
    loads: list[RoleLoad] = []
    messages: float | None = None
    bytes: float | None = None
    host: str | None = None

    @property
    def bucket(self) -> float | None:
        """Updates in a message, mean over the run."""
        return self.bytes / self.messages / 8 if self.bytes and self.messages else None


def calibration_of(record: Record[Any], name: str) -> Calibration:
    """The run in a record of kind randomaccess; `name` is how the messages call it.

    Raises GromaError (exit code 2) that says what is missing or cannot be read.
    """
    if record.kind != KIND.name:
        raise GromaError(
            f"{name} is a record of kind {record.kind}, not {KIND.name}",
            "measure one: groma randomaccess run",
        )
    facts = _Facts(msgspec.to_builtins(record.facts), name)
    launch, exchange = facts.part("launch"), facts.part("exchange")
    rate = facts.rate("gups")
    return Calibration(
        rate=rate,
        cores=facts.needed("ranks", int) * (launch.optional("threads", int) or 1),
        table=facts.needed("table_words", int),
        nodes=launch.optional("nodes", int) or facts.optional("nodes", int) or 1,
        errors=facts.optional("errors", int),
        success=facts.optional("success", bool),
        algorithm=facts.optional("algorithm", str),
        mapping_mode=facts.optional("mapping_mode", int),
        look_ahead=facts.optional("look_ahead", int),
        loads=facts.loads(rate),
        messages=exchange.optional("messages", float),
        bytes=exchange.optional("bytes", float),
        host=known_environment(record.environment).host,
    )


class _Facts:
    """Facts as plain values, taken out by name. What is not an object holds nothing."""

    def __init__(self, values: Any, name: str) -> None:
        self.values: Mapping[str, Any] = values if isinstance(values, Mapping) else {}
        self.name = name

    def part(self, name: str) -> _Facts:
        return _Facts(self.values.get(name), self.name)

    def needed(self, name: str, kind: type[T]) -> T:
        found = self.optional(name, kind)
        if not found:
            raise self.refusal(f"has no {name}")
        return found

    def optional(self, name: str, kind: type[T]) -> T | None:
        value = self.values.get(name)
        if isinstance(value, Mapping) and kind in {int, float}:
            value = value.get("value")
        try:
            found = None if value is None else msgspec.convert(value, kind, strict=False)
        except msgspec.ValidationError:
            raise self.refusal(f"has {name} = {value!r}") from None
        if isinstance(found, (int, float)) and not 0 <= found < math.inf:
            raise self.refusal(f"has {name} = {value!r}")
        return found

    def rate(self, name: str) -> Quantity:
        found = self.needed(name, Quantity)
        scale = _PER_SECOND.get(found.unit)
        if scale is None:
            raise self.refusal(f"has {name} in {found.unit!r}")
        if min(found.low, found.value) <= 0:
            raise self.refusal(f"has {name} = {found.value:g}")
        ends = {"value": found.value * scale, "low": found.low * scale, "high": found.high * scale}
        return msgspec.structs.replace(found, unit="update/s", samples=None, **ends)

    def loads(self, rate: Quantity) -> list[RoleLoad]:
        """Roles whose work in a repetition is recorded, with the duration of one; others are left out."""
        duration, loads = _seconds(self.values.get("seconds")), self.values.get("loads")
        if duration is None or not isinstance(loads, Sequence):
            return []
        found = (_Facts(load, self.name).load(rate, duration) for load in loads)
        return [load for load in found if load is not None]

    def load(self, rate: Quantity, duration: Quantity) -> RoleLoad | None:
        role, worked = self.optional("role", str), _seconds(self.values.get("worked"))
        if role is None or worked is None:
            return None
        busy = quotient(worked, duration)
        return RoleLoad(
            role=role,
            ranks=self.optional("ranks", int),
            work=quotient(busy, rate).quantity("s", "share of work over the rate"),
            busy=busy.quantity("ratio", "work over the time of a repetition"),
            rate=quotient(rate, busy).quantity("update/s", "rate over the share of work"),
        )

    def refusal(self, what: str) -> GromaError:
        return GromaError(f"{self.name} {what}", "use the record of a complete run: groma randomaccess run")


def _seconds(value: Any) -> Quantity | None:
    """A positive time; None for anything else."""
    try:
        found = msgspec.convert(value, Quantity)
    except msgspec.ValidationError:
        return None
    return found if found.unit == "s" and found.low > 0 else None
