"""What the user asks of a run, in the words that groma-randomaccess takes."""

from __future__ import annotations

import msgspec

from groma.launch.shape import RequestedShape


class RandomAccessRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Texts are as typed ("2^27", "4x", "4x2"); `budget` is in seconds; None is left to groma."""

    shape: RequestedShape = RequestedShape()
    algorithm: str | None = None
    grid: str | None = None
    routers: int | None = None
    mapping_mode: int | None = None
    table: str | None = None
    updates: str | None = None
    generator: str | None = None
    owner: str | None = None
    look_ahead: int | None = None
    repeat: int | None = None
    budget: float | None = None
    experiment: str | None = None
    seed: int | None = None


def arguments_of(request: RandomAccessRequest) -> list[str]:
    """The arguments of groma-randomaccess for planning as for running."""
    given = (
        ("--algorithm", request.algorithm),
        ("--grid", request.grid),
        ("--routers", request.routers),
        ("--mapping-mode", request.mapping_mode),
        ("--table", request.table),
        ("--updates", request.updates),
        ("--generator", request.generator),
        ("--owner", request.owner),
        ("--look-ahead", request.look_ahead),
        ("--repeat", request.repeat),
        ("--budget", None if request.budget is None else f"{request.budget:g}"),
        ("--experiment", request.experiment),
        ("--seed", request.seed),
    )
    return [f"{name}={value}" for name, value in given if value is not None]


def grid_ranks(request: RandomAccessRequest) -> int | None:
    """Ranks of a grid, so that -n may be left out; None where there is none, or none that can be read.

    Nor where its places are nodes, of which each has several ranks.
    """
    lengths = request.grid.split("x") if request.grid and request.algorithm != "specialise" else []
    if not lengths or not all(length.isdecimal() for length in lengths):
        return None
    ranks = 1
    for length in lengths:
        ranks *= int(length)
    return ranks or None
