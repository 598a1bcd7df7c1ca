"""What the user asks of a run, in the words that groma-randomaccess takes."""

from __future__ import annotations

import msgspec

from groma.launch.shape import Asked


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Texts are as typed ("2^27", "4x", "4x2"); `budget` is in seconds; None is left to groma."""

    asked: Asked = Asked()
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


def arguments_of(wish: Wish) -> list[str]:
    """The arguments of groma-randomaccess for planning as for running."""
    given = (
        ("--algorithm", wish.algorithm),
        ("--grid", wish.grid),
        ("--routers", wish.routers),
        ("--mapping-mode", wish.mapping_mode),
        ("--table", wish.table),
        ("--updates", wish.updates),
        ("--generator", wish.generator),
        ("--owner", wish.owner),
        ("--look-ahead", wish.look_ahead),
        ("--repeat", wish.repeat),
        ("--budget", None if wish.budget is None else f"{wish.budget:g}"),
    )
    return [f"{name}={value}" for name, value in given if value is not None]


def grid_ranks(wish: Wish) -> int | None:
    """Ranks of a grid, so that -n may be left out; None where there is none, or none that can be read.

    Nor where its places are nodes, of which each has several ranks.
    """
    lengths = wish.grid.split("x") if wish.grid and wish.algorithm != "specialise" else []
    if not lengths or not all(length.isdecimal() for length in lengths):
        return None
    ranks = 1
    for length in lengths:
        ranks *= int(length)
    return ranks or None
