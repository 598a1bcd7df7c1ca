"""What is known before anything is measured, and the record that begins with it."""

from __future__ import annotations

import datetime as dt
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from groma import __version__
from groma.host.capture import capture_environment
from groma.host.machine import Place
from groma.record import Build, Record

if TYPE_CHECKING:
    from groma.facts.kinds import Kind
    from groma.record import Topology

F = TypeVar("F")


@dataclass(frozen=True)
class Provenance:
    command: list[str]
    build: Build
    environment: dict[str, Any]
    topology: Topology | None = None

    @property
    def place(self) -> Place:
        return Place(self.environment, self.topology, self.build)


def analysis_record(kind: Kind[F], facts: F) -> Record[F]:
    """A record of facts that were found in other records.

    Nothing was measured here, so it has no environment but the time; the facts name those of the records.
    """
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    provenance = Provenance(_command(), Build(version=__version__), {"captured": now})
    return new_record(kind, provenance, {}, facts)


def _command() -> list[str]:
    return [os.path.basename(sys.argv[0]), *sys.argv[1:]]  # noqa: PTH119 - a name, not a path


def provenance_of(build: Build, topology: Topology | None = None) -> Provenance:
    """Those of this process."""
    return Provenance(
        command=_command(),
        build=build,
        environment=msgspec.to_builtins(capture_environment()),
        topology=topology,
    )


def new_record(kind: Kind[F], provenance: Provenance, parameters: dict[str, Any], facts: F) -> Record[F]:
    return Record(
        kind=kind.name,
        created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        command=provenance.command,
        build=provenance.build,
        environment=provenance.environment,
        parameters=parameters,
        samples={},
        facts=facts,
    )
