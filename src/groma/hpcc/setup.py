"""What a run of the suite will be: sizes, plan and the command line of groma-hpcc."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from groma.hpcc.rates import KnownRates, known_rates
from groma.hpcc.request import Sizing, Wish, arguments_of, grid_ranks, sizing_of
from groma.launch.benchmarks import benchmarks_of
from groma.launch.mpi_programs import HPCC_PROGRAM
from groma.launch.prepare import (
    SLOWER_AT_MOST,
    Means,
    Prepared,
    Tool,
    command_of,
    estimated_seconds,
    patience_for,
    planned,
    ranks_or,
    site_of,
    steps_of,
)
from groma.launch.shape import shape_of
from groma.record.capture import capture_environment

if TYPE_CHECKING:
    from groma.launch.shape import Shape
    from groma.record.host import Host

HPCC = Tool(HPCC_PROGRAM, "groma hpcc")


class Setup(Prepared, frozen=True, kw_only=True):
    """Everything about a run that is known before it.

    `plan` is that of groma-hpcc, made by `rates` as far as they are known.
    """

    sizing: Sizing
    rates: KnownRates = KnownRates()


def prepare(host: Host, wish: Wish, means: Means) -> Setup:
    """Decide everything; nothing is started but groma-hpcc alone, to plan.

    Raises GromaError with exit code 2 for what cannot be asked for and 4 where MPI or the program is missing.
    """
    site = site_of(host, HPCC, means)
    sizing = sizing_of(wish, Path.cwd())
    shape = shape_of(ranks_or(wish.asked, grid_ranks(wish, sizing.input), site.chosen), site.room)
    rates = _rates(host, shape, means.earlier)
    arguments = [*arguments_of(wish, sizing, shape.threads), *rates.words]
    lie = ["--ranks", str(shape.ranks), "--ranks-on-each", str(shape.per_node)]
    plan = planned(HPCC, site.program, [*lie, *arguments])
    return Setup(
        chosen=site.chosen,
        program=site.program,
        shape=shape,
        sizing=sizing,
        rates=rates,
        plan=plan,
        steps=steps_of(plan, {one.name: one.title for one in benchmarks_of(site.program)}),
        command=command_of(host, site, shape, [*arguments, *_outputs(wish)]),
        patience=patience_for(_longest_silence(plan), means.silence),
    )


def _rates(host: Host, shape: Shape, earlier: Path | None) -> KnownRates:
    if earlier is None or not earlier.is_file():
        return KnownRates()
    return known_rates(earlier, shape, capture_environment(host).cpu)


def _outputs(wish: Wish) -> list[str]:
    path = str(Path(wish.summary).absolute())
    return ["--events", "-", "--output", path, *(["--append"] if wish.append else [])]


_SLOWEST_FLOPS = 5e8


def _longest_silence(plan: dict[str, Any]) -> float:
    """Seconds: an HPL matrix says nothing until it is solved."""
    estimates = estimated_seconds(plan).values()
    return SLOWER_AT_MOST * max(estimates) if estimates else _hpl_seconds(plan)


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
