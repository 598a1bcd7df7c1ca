"""What will be run, decided before anything is started: launcher, shape, sizes, command line, patience."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import ExitCode, GromaError
from groma.hpcc.rates import KnownRates, known_rates
from groma.hpcc.request import Sizing, Wish, arguments_of, grid_ranks, sizing_of
from groma.launch.allocation import allocation_of, room_of
from groma.launch.benchmarks import BenchmarkInfo, benchmarks_of
from groma.launch.command import Chosen, Command, Start, command_line
from groma.launch.detect import choose
from groma.launch.job import Patience, said_by
from groma.launch.mpi_programs import MpiProgram, mpi_programs
from groma.launch.shape import Shape, shape_of
from groma.record.capture import capture_environment

if TYPE_CHECKING:
    from groma.record.host import Host

# What ranks on other nodes need of the variables here; all else is theirs.
_EXPORTED = (
    "LD_LIBRARY_PATH",
    "GLIBC_TUNABLES",
    "OMP_",
    "OPENBLAS_",
    "BLIS_",
    "MKL_",
    "UCX_",
    "FI_",
    "GROMA_",
)

PLANNING_SECONDS = 60.0


class Step(msgspec.Struct, frozen=True):
    """One test of a run. `budget` is its estimated time in seconds."""

    probe: str
    title: str
    budget: float


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a run that is known before it.

    `plan` is that of groma-hpcc, made by `rates` as far as they are known.
    """

    chosen: Chosen
    program: MpiProgram
    shape: Shape
    sizing: Sizing
    rates: KnownRates = KnownRates()
    plan: dict[str, Any]
    steps: tuple[Step, ...]
    command: Command
    patience: Patience

    @property
    def budget(self) -> float:
        """Estimated seconds of all tests."""
        return sum(step.budget for step in self.steps)


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """How it is to be started; None is left to groma.

    `folder` is where native programs are, `silence` how long (s) a run may say nothing, `earlier` a record
    whose rates tell sizes and times, where it is one of such a run.
    """

    folder: str | None = None
    launcher: str | None = None
    hostfile: str | None = None
    silence: float | None = None
    earlier: Path | None = None


def prepare(host: Host, wish: Wish, means: Means) -> Setup:
    """Decide everything; nothing is started but groma-hpcc alone, to plan.

    Raises GromaError with exit code 2 for what cannot be asked for and 4 where MPI or the program is missing.
    """
    programs = mpi_programs(folder=means.folder)
    allocation = allocation_of(host)
    chosen, program = choose(host, allocation, programs, means.launcher, means.hostfile)
    room = room_of(host, allocation)
    sizing = sizing_of(wish, Path.cwd())
    shape = shape_of(_asked(wish, sizing, chosen), room)
    rates = _rates(host, shape, means.earlier)
    arguments = [*arguments_of(wish, sizing, shape.threads), *rates.words]
    plan = _planned(program, shape, arguments)
    steps = _steps(plan, benchmarks_of(program))
    return Setup(
        chosen=chosen,
        program=program,
        shape=shape,
        sizing=sizing,
        rates=rates,
        plan=plan,
        steps=steps,
        command=_command(host, chosen, program, shape, [*arguments, *_outputs(wish)]),
        patience=_patience(plan, means.silence),
    )


def _rates(host: Host, shape: Shape, earlier: Path | None) -> KnownRates:
    if earlier is None or not earlier.is_file():
        return KnownRates()
    return known_rates(earlier, shape, capture_environment(host).cpu)


def _asked(wish: Wish, sizing: Sizing, chosen: Chosen) -> Any:
    """With the ranks of the largest grid where they were not given, and one where nothing starts more."""
    asked = wish.asked
    if asked.ranks is not None or (asked.nodes is not None and asked.per_node is not None):
        return asked
    alone = not chosen.program and not chosen.template
    ranks = 1 if alone else grid_ranks(wish, sizing.input)
    return msgspec.structs.replace(asked, ranks=ranks)


def _outputs(wish: Wish) -> list[str]:
    path = str(Path(wish.summary).absolute())
    return ["--events", "-", "--output", path, *(["--append"] if wish.append else [])]


def _command(host: Host, chosen: Chosen, program: MpiProgram, shape: Shape, arguments: list[str]) -> Command:
    start = Start(
        words=(program.path, "run", *arguments),
        mpi=program.family,
        as_root=host.is_root(),
        exported=tuple(name for name in sorted(host.variables) if name.startswith(_EXPORTED)),
        folder=str(Path.cwd()),
    )
    return command_line(chosen, shape, start)


def _planned(program: MpiProgram, shape: Shape, arguments: list[str]) -> dict[str, Any]:
    """The plan of groma-hpcc. Raises GromaError with what it says."""
    lie = ["--ranks", str(shape.ranks), "--ranks-on-each", str(shape.per_node)]
    words = [program.path, "plan", *lie, *arguments]
    try:
        done = subprocess.run(words, capture_output=True, timeout=PLANNING_SECONDS, check=False)
        if done.returncode == 0:
            return dict(msgspec.json.decode(done.stdout))
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError, TypeError) as error:
        what = f"groma-hpcc plan failed: {error}"
        raise GromaError(what, "build it again with: make setup", ExitCode.ENVIRONMENT) from error
    raise refusal(done.returncode, done.stderr.decode(errors="replace").splitlines())


def refusal(returncode: int, complaints: list[str]) -> GromaError:
    """What groma-hpcc said as it refused, with the exit code that belongs to it."""
    code = ExitCode.USAGE if returncode == ExitCode.USAGE else ExitCode.ENVIRONMENT
    what, step = said_by("groma-hpcc", complaints) or (f"groma-hpcc failed (exit code {returncode})", "")
    return GromaError(what, step or "see groma hpcc --help", code)


def _steps(plan: dict[str, Any], known: list[BenchmarkInfo]) -> tuple[Step, ...]:
    titles = {one.name: one.title for one in known}
    estimates = estimated_seconds(plan)
    return tuple(
        Step(name, titles.get(name, name), estimates.get(name, 0.0)) for name in plan.get("tests", [])
    )


def estimated_seconds(plan: dict[str, Any]) -> dict[str, float]:
    """Seconds of each test as groma-hpcc estimates them."""
    estimates = plan.get("estimated_seconds")
    return {name: float(value) for name, value in estimates.items()} if isinstance(estimates, dict) else {}


def refuse_unwritable(summary: Path) -> None:
    """Raises GromaError (exit code 4) where the summary could not be written when all is measured."""
    is_new = not summary.exists()
    try:
        with summary.open("ab"):
            pass
        if is_new:
            summary.unlink()
    except OSError as error:
        cause = os.strerror(error.errno).lower() if error.errno else str(error)
        raise GromaError(
            f"cannot write {summary}: {cause}", "write to another place with --output", ExitCode.ENVIRONMENT
        ) from error


# Estimates are of the machine as it was for a moment; a run that is so much slower does not work any more.
_SLOWER_AT_MOST = 10.0
_SLOWEST_FLOPS = 5e8
_LEAST_PATIENCE = 300.0


def _patience(plan: dict[str, Any], silence: float | None) -> Patience:
    """A test may be silent for long: an HPL matrix says nothing until it is solved."""
    if silence is not None:
        return Patience(start=min(silence, Patience.start), silence=silence)
    estimates = estimated_seconds(plan).values()
    longest = _SLOWER_AT_MOST * max(estimates) if estimates else _hpl_seconds(plan)
    return Patience(silence=max(_LEAST_PATIENCE, longest))


def _hpl_seconds(plan: dict[str, Any]) -> float:
    """Of the largest matrix on cores as slow as there are none, for a plan without estimates."""
    if "hpl" not in plan.get("tests", []):
        return 0.0
    return max(
        (
            2.0 / 3.0 * one["n"] ** 3 / (one["grid"]["rows"] * one["grid"]["columns"] * _SLOWEST_FLOPS)
            for one in plan.get("hpl", [])
        ),
        default=0.0,
    )
