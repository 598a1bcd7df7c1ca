"""From a request to a mapping with its quality and that of the baselines."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from groma.errors import ExitCode, GromaError
from groma.facts.mapping import MappingFacts
from groma.launch.native import UNREADABLE, native_program
from groma.map.quality import block, cyclic, drawn, quality_of
from groma.map.scotch import mapped_by_scotch
from groma.record.counting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.map.matrix import Matrix
    from groma.map.topologies import FoundMachine

Method = Literal["topology-aware", "block", "cyclic", "random"]
METHODS: tuple[Method, ...] = ("topology-aware", "block", "cyclic", "random")
Objective = Literal["hop-bytes", "congestion"]
Engine = Literal["groma", "scotch"]

PROGRAM = "groma-map"
SECONDS = 3600.0


@dataclass(frozen=True)
class Request:
    """What to map where. `folder` is where native programs are."""

    found: FoundMachine
    matrix: Matrix
    method: Method = "topology-aware"
    objective: Objective = "hop-bytes"
    seed: int = 1
    folder: str | None = None
    engine: Engine = "groma"

    @property
    def ranks(self) -> int:
        return self.matrix.ranks


class _Answer(msgspec.Struct):
    mapping: list[int]
    method: str
    remarks: list[str] = []


def mapped(request: Request) -> MappingFacts:
    """Raises GromaError: exit code 2 where the ranks do not fit, 4 where groma-map is missing or fails."""
    found, matrix = request.found, request.matrix
    refuse_too_many(request.ranks, len(found.allowed))
    baselines = {
        "block": block(found.allowed, request.ranks),
        "cyclic": cyclic(found.machine, found.allowed, request.ranks),
        "random": drawn(found.allowed, request.ranks, request.seed),
    }
    answer = _answer(request, baselines)
    mapping, how = answer.mapping, answer.method
    return MappingFacts(
        mapping=mapping,
        quality=quality_of(found.machine, matrix, mapping),
        baselines={name: quality_of(found.machine, matrix, one) for name, one in baselines.items()},
        machine=found.machine.title,
        places=found.machine.places,
        ranks=request.ranks,
        method=request.method if how == request.method else f"{request.method} ({how})",
        objective=request.objective,
        remarks=[*matrix.remarks, *answer.remarks],
    )


def _answer(request: Request, baselines: Mapping[str, list[int]]) -> _Answer:
    if request.method != "topology-aware":
        return _Answer(baselines[request.method], request.method)
    return _optimised(request) if request.engine == "groma" else _by_scotch(request)


def _by_scotch(request: Request) -> _Answer:
    if request.objective != "hop-bytes":
        raise GromaError("Scotch knows no load of links", "leave out --engine scotch or --objective")
    found = mapped_by_scotch(request.found.machine, request.matrix)
    shared = f"Scotch gave {found.moved} of {request.ranks} ranks no place of their own"
    return _Answer(
        found.mapping, "Scotch", [f"{shared}; they got the nearest free places"] if found.moved else []
    )


def refuse_too_many(ranks: int, places: int) -> None:
    """Raises GromaError (exit code 2)."""
    if ranks > places:
        raise GromaError(
            f"{ranks} ranks do not fit {counted(places, 'place')}",
            "use fewer --ranks, or allow several on each place with --per-place",
        )


def problem_of(request: Request) -> str:
    """The problem in the words of groma-map."""
    found = request.found
    lines = [*found.machine.words(), f"ranks {request.ranks}", f"objective {request.objective}"]
    lines.append(f"seed {request.seed}")
    if len(found.allowed) < found.machine.places:
        lines.append(f"allowed {' '.join(map(str, found.allowed))}")
    lines += [f"traffic {one.source} {one.target} {one.bytes!r}" for one in request.matrix.traffic]
    return "\n".join(lines) + "\n"


def _optimised(request: Request) -> _Answer:
    program = native_program(PROGRAM, request.folder)
    try:
        done = subprocess.run(
            [program], input=problem_of(request).encode(), capture_output=True, timeout=SECONDS, check=False
        )
        if done.returncode == 0:
            return msgspec.json.decode(done.stdout, type=_Answer)
    except (OSError, subprocess.SubprocessError, *UNREADABLE) as error:
        raise GromaError(
            f"{PROGRAM} failed: {error}", "rebuild it with: make setup", ExitCode.ENVIRONMENT
        ) from error
    said = done.stderr.decode(errors="replace").splitlines()
    what = said[0].partition(": ")[2] if said else f"{PROGRAM} failed ({done.returncode})"
    step = said[1].strip() if len(said) > 1 else "rebuild it with: make setup"
    code = ExitCode.USAGE if done.returncode == ExitCode.USAGE else ExitCode.ENVIRONMENT
    raise GromaError(what, step, code)
