"""What a run of RandomAccess tells the model. Read leniently: the record may hold more, or not all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from groma.errors import GromaError
from groma.record import Quantity

if TYPE_CHECKING:
    from groma.record import Record

KIND = "randomaccess"

_PER_SECOND = {"update/s": 1.0, "updates/s": 1.0, "1/s": 1.0, "UP/s": 1.0, "GUP/s": 1e9, "GUPS": 1e9}

T = TypeVar("T")


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """A measured run: `rate` in update/s over all `ranks` on `nodes` machines, `table` in words of 8 bytes.

    `loads` are seconds of work per update of each role. `messages` and `bytes` are what was sent,
    both per run or both per update: only their ratio is used, for the size of a bucket. `errors` are wrong
    words.
    """

    rate: Quantity
    ranks: int
    table: int
    nodes: int = 1
    updates: int | None = None
    errors: int | None = None
    algorithm: str | None = None
    mapping_mode: int | None = None
    look_ahead_max: int | None = None
    loads: dict[str, Quantity] = {}
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
    if record.kind != KIND:
        raise GromaError(
            f"{name} is a record of kind {record.kind}, not {KIND}",
            "measure one with: groma randomaccess run --json > randomaccess.json",
        )
    facts = _Facts(msgspec.to_builtins(record.facts), name)
    exchange = facts.part("exchange")
    return Calibration(
        rate=facts.rate("gups"),
        ranks=facts.needed("ranks", int),
        table=facts.needed("table_words", int),
        nodes=facts.part("launch").optional("nodes", int) or facts.optional("nodes", int) or 1,
        updates=facts.optional("updates", int),
        errors=facts.optional("errors", int),
        algorithm=facts.optional("algorithm", str),
        mapping_mode=facts.optional("mapping_mode", int),
        look_ahead_max=facts.optional("look_ahead_max", int),
        loads=facts.loads(),
        messages=exchange.optional("messages", float),
        bytes=exchange.optional("bytes", float),
        host=msgspec.to_builtins(record.environment).get("host"),
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
            return None if value is None else msgspec.convert(value, kind, strict=False)
        except msgspec.ValidationError:
            raise self.refusal(f"has {name} = {value!r}") from None

    def rate(self, name: str) -> Quantity:
        found = self.needed(name, Quantity)
        scale = _PER_SECOND.get(found.unit)
        if scale is None:
            raise self.refusal(f"has {name} in {found.unit!r}")
        if min(found.low, found.value) <= 0:
            raise self.refusal(f"has {name} = {found.value:g}")
        ends = {"value": found.value * scale, "low": found.low * scale, "high": found.high * scale}
        return msgspec.structs.replace(found, unit="update/s", samples=None, **ends)

    def loads(self) -> dict[str, Quantity]:
        """Each role with its seconds per update; other forms of loads are left aside."""
        loads = self.values.get("loads")
        if not isinstance(loads, Mapping):
            return {}
        found = {str(role): _seconds(value) for role, value in loads.items()}
        return {role: value for role, value in found.items() if value is not None}

    def refusal(self, what: str) -> GromaError:
        return GromaError(
            f"{self.name} {what}", "give a finished record of: groma randomaccess run --json > FILE"
        )


def _seconds(value: Any) -> Quantity | None:
    """A positive time, of a quantity in seconds or a plain number of them."""
    try:
        if isinstance(value, Mapping):
            found = msgspec.convert(value, Quantity)
            return found if found.unit.startswith("s") and found.low > 0 else None
        plain = msgspec.convert(value, float)
    except msgspec.ValidationError:
        return None
    exact = Quantity(value=plain, unit="s", low=plain, high=plain, confidence=1.0, method="loads of the run")
    return exact if plain > 0 else None
