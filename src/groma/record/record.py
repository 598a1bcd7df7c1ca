"""Record: one self-describing JSON document per measuring command."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

SCHEMA = "groma.record/1"

F = TypeVar("F")


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """Something the reader must know about the results: what is wrong and what to do next.

    `code` is stable and greppable, e.g. "memory.unstable" or "cache.disagrees".
    """

    code: str
    what: str
    next: str


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """What ran: version of groma, compiler and flags of the native programs."""

    version: str
    compiler: str | None = None
    flags: str | None = None
    options: dict[str, str] = {}


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """Disturbance during one round of interleaved samples.

    `fixed_work` is the time of a constant amount of arithmetic (s), `wall_over_cpu` the wall time over the
    CPU time of the round, `steal` the CPU time that the hypervisor took meanwhile (s), `discarded` the number
    of samples left out because a thread lost its core.
    """

    elapsed: float
    fixed_work: float
    wall_over_cpu: float
    steal: float
    discarded: int = 0


class ProbeSamples(msgspec.Struct, kw_only=True):
    """Raw samples of one probe.

    `cases[i]` describes what was sampled and its "unit", `values[i]` holds its samples in the order of
    rounds. `ended` is "stable", "rounds", "budget", "interrupted" or "failed"; a survey that is resumed
    measures the last two again.
    """

    probe: str
    cases: list[dict[str, Any]]
    values: list[list[float]]
    rounds: list[Round] = []
    parameters: dict[str, str] = {}
    seed: int = 0
    elapsed: float = 0.0
    ended: str = "rounds"
    error: Advice | None = None

    @property
    def done(self) -> bool:
        return self.ended in {"stable", "rounds", "budget"}


class Unfinished(msgspec.Struct, frozen=True, kw_only=True):
    """How far an interrupted run came: `done` of `planned` steps, and the names of the others.

    `what` is a short summary, `details` says which steps are missing, `next` how to finish the run.
    """

    planned: int
    done: int
    interrupted: list[str] = []
    failed: list[str] = []
    missing: list[str] = []
    what: str
    details: list[str] = []
    next: str


UNKNOWN_TIME = "at an unknown time"
"""Of a run of another program, which does not say when it ran."""


class Record(msgspec.Struct, Generic[F], kw_only=True):
    """The envelope. `created` is UTC in ISO 8601, or UNKNOWN_TIME.

    `environment` is groma.record.environment.Environment. `unfinished` is None if the run completed.
    """

    schema: str = SCHEMA
    kind: str
    created: str
    command: list[str]
    build: Build
    environment: dict[str, Any]
    parameters: dict[str, Any]
    samples: dict[str, ProbeSamples]
    facts: F
    warnings: list[Advice] = []
    unfinished: Unfinished | None = None
