"""From a request to a mapping with its quality and that of the baselines."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from groma.errors import ExitCode, GromaError
from groma.facts.mapping import MappingFacts
from groma.launch.native import UNREADABLE, native_program
from groma.map.digests import machine_digest, traffic_digest
from groma.map.matrix import FROM_0
from groma.map.quality import block, cyclic, drawn, quality_of
from groma.map.scotch import mapped_by_scotch
from groma.record.counting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.facts.mapping import MappingQuality
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


class _Baseline(NamedTuple):
    name: str
    mapping: list[int]
    quality: MappingQuality


class _Answer(msgspec.Struct):
    """`is_optimal` by its hop-bytes where these are the objective, and proven; `least_congestion` where the
    busiest link is.
    """

    mapping: list[int]
    method: str
    is_optimal: bool = False
    least_congestion: float | None = None
    remarks: list[str] = []


def mapped(request: Request) -> MappingFacts:
    """A mapping that is searched for is never worse by its objective than a baseline.

    Raises GromaError: exit code 2 where the ranks do not fit or the objective is not known of the machine,
    4 where groma-map is missing or fails.
    """
    found, matrix = request.found, request.matrix
    _refuse_too_many(matrix, len(found.allowed))
    _refuse_unknown_objective(request)
    baselines = _baselines(request)
    answer = _answer(request, baselines)
    how = answer.method
    return MappingFacts(
        mapping=answer.mapping,
        quality=quality_of(found.machine, matrix, answer.mapping),
        baselines={name: one.quality for name, one in baselines.items()},
        machine=found.machine.title,
        places=found.machine.places,
        ranks=request.ranks,
        method=request.method if how == request.method else f"{request.method} ({how})",
        objective=request.objective,
        is_optimal=answer.is_optimal,
        least_congestion=answer.least_congestion,
        traffic_digest=traffic_digest(matrix),
        machine_digest=machine_digest(found),
        remarks=[*matrix.remarks, *answer.remarks],
    )


def _baselines(request: Request) -> dict[str, _Baseline]:
    found, ranks = request.found, request.ranks
    mappings = {
        "block": block(found.allowed, ranks),
        "cyclic": cyclic(found.machine, found.allowed, ranks),
        "random": drawn(found.allowed, ranks, request.seed),
    }
    return {
        name: _Baseline(name, mapping, quality_of(found.machine, request.matrix, mapping))
        for name, mapping in mappings.items()
    }


def _answer(request: Request, baselines: Mapping[str, _Baseline]) -> _Answer:
    if request.method != "topology-aware":
        return _Answer(baselines[request.method].mapping, request.method)
    best = min(baselines.values(), key=lambda one: _cost(request, one.quality))
    answer = _optimised(request, best) if request.engine == "groma" else _by_scotch(request)
    reached = quality_of(request.found.machine, request.matrix, answer.mapping)
    if _cost(request, reached) <= _cost(request, best.quality):
        return answer
    better = f"{best.name} is better than what was found ({answer.method}), and is taken instead"
    return _Answer(best.mapping, best.name, least_congestion=answer.least_congestion, remarks=[better])


def _cost(request: Request, quality: MappingQuality) -> float:
    """What the objective minimises."""
    if request.objective == "hop-bytes":
        return quality.hop_bytes
    assert quality.max_congestion is not None  # noqa: S101 - refused before
    return quality.max_congestion


def _refuse_unknown_objective(request: Request) -> None:
    machine = request.found.machine
    if request.objective == "congestion" and not machine.has_links:
        raise GromaError(
            f"no links are known of this machine ({machine.title}), only distances",
            "leave out --objective congestion, or give a network without --per-place: "
            "--topology torus:4x4, mesh:4x4 or tree:4x4",
        )


def _by_scotch(request: Request) -> _Answer:
    if request.objective != "hop-bytes":
        raise GromaError("Scotch knows no load of links", "leave out --engine scotch or --objective")
    found = mapped_by_scotch(request.found.machine, request.matrix)
    shared = f"Scotch gave {found.moved} of {request.ranks} ranks no place of their own"
    remarks = [f"{shared}; they got the nearest free places"] if found.moved else []
    return _Answer(found.mapping, "Scotch", remarks=remarks)


def _refuse_too_many(matrix: Matrix, places: int) -> None:
    if matrix.ranks <= places:
        return
    what = f"{matrix.ranks} ranks do not fit {counted(places, 'place')}"
    several = "allow several on each place with --per-place"
    if matrix.without_first:
        raise GromaError(f"{what}, and rank 0 neither sends nor receives", f"{FROM_0}; else {several}")
    raise GromaError(what, f"use fewer --ranks, or {several}")


def problem_of(request: Request, start: Sequence[int] = ()) -> str:
    """The problem in the words of groma-map, which is to begin with `start` beside its own mappings."""
    found = request.found
    lines = [*found.machine.words(), f"ranks {request.ranks}", f"objective {request.objective}"]
    lines.append(f"seed {request.seed}")
    if len(found.allowed) < found.machine.places:
        lines.append(f"allowed {' '.join(map(str, found.allowed))}")
    if start:
        lines.append(f"start {' '.join(map(str, start))}")
    lines += [f"traffic {one.source} {one.target} {one.bytes!r}" for one in request.matrix.traffic]
    return "\n".join(lines) + "\n"


def _optimised(request: Request, start: _Baseline) -> _Answer:
    """By groma-map, whose search begins with `start` as well and calls it so."""
    answer = _answer_of_program(request, problem_of(request, start.mapping))
    if answer.method.startswith(_START):
        answer.method = start.name + answer.method.removeprefix(_START)
    return answer


_START = "start"
"""The method of groma-map where it found nothing better than the mapping that it was given."""


def _answer_of_program(request: Request, problem: str) -> _Answer:
    program = native_program(PROGRAM, request.folder)
    try:
        done = subprocess.run(
            [program], input=problem.encode(), capture_output=True, timeout=SECONDS, check=False
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
