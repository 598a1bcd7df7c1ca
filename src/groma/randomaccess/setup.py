"""What a run will be: plan and command line of groma-randomaccess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.randomaccess import RandomAccessPlan
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
from groma.randomaccess.request import RandomAccessRequest, arguments_of, grid_ranks

if TYPE_CHECKING:
    from groma.host.host import Host

RANDOM_ACCESS = Tool("groma-randomaccess", "groma randomaccess run")
BOTTLENECK = Tool("groma-randomaccess", "groma randomaccess bottleneck")

_TITLES = {"random_access": "Random updates of memory"}


class Setup(LaunchPlan, frozen=True, kw_only=True):
    """Everything about a run that is known before it."""

    plan: RandomAccessPlan


def prepare(
    host: Host, request: RandomAccessRequest, options: LaunchOptions, tool: Tool = RANDOM_ACCESS
) -> Setup:
    """Decide everything; nothing is started but groma-randomaccess alone, to plan.

    Raises GromaError with exit code 2 for what cannot be asked for and 4 where MPI or the program is missing.
    """
    site = site_of(host, tool, options)
    shape = shape_on(site, request.shape, grid_ranks(request))
    arguments = arguments_of(request)
    place = ["--ranks", str(shape.ranks), "--nodes", str(shape.nodes)]
    plan = planned(tool, site, shape, [*place, *arguments], RandomAccessPlan)
    longest = SLOWER_AT_MOST * sum(plan.estimated_seconds.values())
    return Setup(
        selected=site.selected,
        program=site.program,
        shape=shape,
        plan=plan,
        steps=steps_of(plan, _TITLES),
        command=command_of(host, site, shape, [*arguments, "--events", "-"]),
        timeouts=timeouts_for(longest, options.timeout),
    )
