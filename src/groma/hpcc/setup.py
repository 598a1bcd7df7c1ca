"""What a run of the suite will be: sizes, plan and the command line of groma-hpcc."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.facts.hpcc import HpccPlan
from groma.host.capture import capture_environment
from groma.hpcc.rates import KnownRates, known_rates
from groma.hpcc.request import Sizing, SuiteRequest, arguments_of, grid_ranks, sizing_of
from groma.launch.benchmarks import benchmarks_of
from groma.launch.mpi_programs import HPCC_PROGRAM
from groma.launch.prepare import (
    SLOWER_AT_MOST,
    LaunchOptions,
    LaunchPlan,
    Tool,
    command_of,
    planned,
    shape_on,
    site_of,
    steps_of,
    timeouts_for,
)
from groma.record.reading import known

if TYPE_CHECKING:
    from groma.host.host import Host
    from groma.launch.shape import Shape

HPCC = Tool(HPCC_PROGRAM, "groma hpcc")

_MESSAGES = "effective_bandwidth"


class Setup(LaunchPlan, frozen=True, kw_only=True):
    """Everything about a run that is known before it.

    `plan` is that of groma-hpcc, made by `rates` as far as they are known.
    """

    plan: HpccPlan
    sizing: Sizing
    rates: KnownRates = KnownRates()


def prepare(host: Host, request: SuiteRequest, options: LaunchOptions) -> Setup:
    """Decide everything; nothing is started but groma-hpcc alone, to plan.

    Raises GromaError with exit code 2 for what cannot be asked for and 4 where MPI or the program is missing.
    """
    site = site_of(host, HPCC, options)
    sizing = sizing_of(request, Path.cwd())
    shape = shape_on(site, request.shape, grid_ranks(request, sizing.input))
    rates = _rates(host, shape, options.earlier)
    arguments = [*arguments_of(request, sizing, shape.threads), *rates.words]
    placement = ["--ranks", str(shape.ranks), "--ranks-on-each", str(shape.per_node)]
    plan = planned(HPCC, site, shape, [*placement, *arguments], HpccPlan)
    _refuse_without_effect(request, plan)
    _refuse_no_messages(plan)
    return Setup(
        selected=site.selected,
        program=site.program,
        shape=shape,
        sizing=sizing,
        rates=rates,
        plan=plan,
        steps=steps_of(plan, {one.name: one.title for one in benchmarks_of(site.program)}),
        command=command_of(host, site, shape, [*arguments, *_outputs(request)]),
        timeouts=timeouts_for(_longest_silence(plan), options.timeout),
    )


def _rates(host: Host, shape: Shape, earlier: Path | None) -> KnownRates:
    if earlier is None or not known(earlier.is_file):
        return KnownRates()
    return known_rates(earlier, shape, capture_environment(host).cpu)


def _refuse_without_effect(request: SuiteRequest, plan: HpccPlan) -> None:
    """Raises GromaError (exit code 2) for an option of a test that does not run."""
    given = {
        "--curves": (_MESSAGES, request.curves),
        "--fft-235": ("fft", request.fft_235),
        "--random-access": ("random_access", request.random_access),
    }
    for option, (test, value) in given.items():
        if value and test not in plan.tests:
            raise GromaError(
                f"{option} has no effect: {test} does not run", f"select {test} with --only, or omit {option}"
            )


def _refuse_no_messages(plan: HpccPlan) -> None:
    """Raises GromaError (exit code 2) for a run that could measure nothing, and so would pass."""
    if plan.ranks == 1 and list(plan.tests) == [_MESSAGES]:
        raise GromaError(
            f"{_MESSAGES} sends messages between ranks, but there is one rank",
            "start more: -n 2",
        )


def _outputs(request: SuiteRequest) -> list[str]:
    path = str(Path(request.summary).absolute())
    return ["--events", "-", "--output", path, *(["--append"] if request.append else [])]


_SLOWEST_FLOPS = 5e8


def _longest_silence(plan: HpccPlan) -> float:
    """Seconds: an HPL matrix says nothing until it is solved."""
    estimates = plan.estimated_seconds.values()
    return SLOWER_AT_MOST * max(estimates) if estimates else _hpl_seconds(plan)


def _hpl_seconds(plan: HpccPlan) -> float:
    """Of the largest matrix on cores as slow as there are none, for a plan without estimates."""
    if "hpl" not in plan.tests:
        return 0.0
    seconds = (2.0 / 3.0 * one.n**3 / (max(one.grid.ranks, 1) * _SLOWEST_FLOPS) for one in plan.hpl)
    return max(seconds, default=0.0)
