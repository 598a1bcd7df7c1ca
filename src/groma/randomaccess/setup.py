"""What a run will be: plan and command line of groma-randomaccess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.launch.allocation import allocation_of, room_of
from groma.launch.detect import choose
from groma.launch.mpi_programs import mpi_programs
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
    programs = mpi_programs(RANDOM_ACCESS.program, folder=means.folder)
    allocation = allocation_of(host)
    chosen, program = choose(host, allocation, programs, means.launcher, means.hostfile)
    shape = shape_of(ranks_or(wish.asked, grid_ranks(wish), chosen), room_of(host, allocation))
    arguments = arguments_of(wish)
    place = ["--ranks", str(shape.ranks), "--nodes", str(shape.nodes)]
    plan = planned(RANDOM_ACCESS, program, [*place, *arguments])
    longest = SLOWER_AT_MOST * sum(estimated_seconds(plan).values())
    return Prepared(
        chosen=chosen,
        program=program,
        shape=shape,
        plan=plan,
        steps=steps_of(plan, _TITLES),
        command=command_of(host, chosen, program, shape, [*arguments, "--events", "-"]),
        patience=patience_for(longest, means.silence),
    )
