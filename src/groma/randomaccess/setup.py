"""What a run will be: plan and command line of groma-randomaccess."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from groma.randomaccess.request import Wish, arguments_of, grid_ranks

if TYPE_CHECKING:
    from groma.record.host import Host

RANDOM_ACCESS = Tool("groma-randomaccess", "groma randomaccess run")

_TITLES = {"random_access": "Random updates of memory"}


def prepare(host: Host, wish: Wish, means: Means) -> Prepared:
    """Decide everything; nothing is started but groma-randomaccess alone, to plan.

    Raises GromaError with exit code 2 for what cannot be asked for and 4 where MPI or the program is missing.
    """
    site = site_of(host, RANDOM_ACCESS, means)
    shape = shape_of(ranks_or(wish.asked, grid_ranks(wish), site.chosen), site.room)
    arguments = arguments_of(wish)
    place = ["--ranks", str(shape.ranks), "--nodes", str(shape.nodes)]
    plan = planned(RANDOM_ACCESS, site.program, [*place, *arguments])
    longest = SLOWER_AT_MOST * sum(estimated_seconds(plan).values())
    return Prepared(
        chosen=site.chosen,
        program=site.program,
        shape=shape,
        plan=plan,
        steps=steps_of(plan, _TITLES),
        command=command_of(host, site, shape, [*arguments, "--events", "-"]),
        patience=patience_for(longest, means.silence),
    )
