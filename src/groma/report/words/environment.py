"""The environment of a measurement in the terms that a reader knows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from groma.record.environment import Environment

if TYPE_CHECKING:
    from groma.record import Record


def environment_of(record: Record[Any]) -> Environment:
    """The record's environment; parts that are missing or of a later shape are left out."""
    known: dict[str, Any] = {"captured": record.created}
    for field in msgspec.structs.fields(Environment):
        with contextlib.suppress(KeyError, msgspec.ValidationError):
            known[field.name] = msgspec.convert(record.environment[field.name], field.type, strict=False)
    return Environment(**known)


def machine_name(environment: Environment, otherwise: str) -> str:
    """What to call a machine in headings: its processor, else its host."""
    return environment.cpu.model or environment.host or otherwise


def program_of(record: Record[Any]) -> str:
    """`groma 0.1.0`; of a run that groma did not make, what did: `hpcc 1.5.0`."""
    version = record.build.version
    return f"groma {version}" if version[:1].isdecimal() else version


def on_processor(record: Record[Any]) -> str:
    """` on Xeon 6148`, empty where the record does not say."""
    name = machine_name(environment_of(record), "")
    return name and f" on {name}"
