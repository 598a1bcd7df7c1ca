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
class Surroundings:
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
    around = Surroundings(_command(), Build(version=__version__), {"captured": now})
    return new_record(kind, around, {}, facts)


def _command() -> list[str]:
    return [os.path.basename(sys.argv[0]), *sys.argv[1:]]  # noqa: PTH119 - a name, not a path


def surroundings_of(build: Build, topology: Topology | None = None) -> Surroundings:
    """Those of this process."""
    return Surroundings(
        command=_command(),
        build=build,
        environment=msgspec.to_builtins(capture_environment()),
        topology=topology,
    )


def new_record(kind: Kind[F], around: Surroundings, parameters: dict[str, Any], facts: F) -> Record[F]:
    return Record(
        kind=kind.name,
        created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        command=around.command,
        build=around.build,
        environment=around.environment,
        parameters=parameters,
        samples={},
        facts=facts,
    )
