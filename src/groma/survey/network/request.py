"""What the user asks of a survey of the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from groma.errors import GromaError
from groma.spelling import did_you_mean
from groma.survey import plan
from groma.survey.assignments import words_of, words_of_assignments
from groma.survey.probe_names import PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence


class NetworkRequest(msgspec.Struct, frozen=True, kw_only=True):
    """None is left to groma. `budget` is the time for everything (s), starting included; `message` (bytes)
    that of the Distance and Network Access Benchmarks at most. `topology` and `link` (B/s for each direction)
    are what the user knows of the network: they measure nothing, and stand beside what is measured.
    """

    depth: str = "standard"
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    seed: int | None = None
    budget: float | None = None
    nodes: int | None = None
    per_node: int | None = None
    message: int | None = None
    topology: str | None = None
    link: float | None = None
    assignments: tuple[str, ...] = ()


def options_of(request: NetworkRequest) -> tuple[str, ...]:
    """Those of `groma survey --network` that ask for the same, but the seed."""
    shared = plan.SurveyRequest(
        depth=request.depth, only=request.only, skip=request.skip, budget=request.budget
    )
    of_network = {
        "--nodes": request.nodes,
        "--ppn": request.per_node,
        "--message": request.message,
        "--topology": request.topology,
        "--link": None if request.link is None else f"{request.link:.0f}B/s",
    }
    return (
        *plan.options_of(shared),
        *words_of(of_network),
        *words_of_assignments(request.assignments),
    )


def chosen_probes(known: Sequence[str], request: NetworkRequest) -> list[str]:
    """Full names of the probes to run, in the order of `known`. Raises GromaError for a name of none."""
    only = [full_name(name, known) for name in request.only]
    skip = [full_name(name, known) for name in request.skip]
    chosen = [name for name in known if (not only or name in only) and name not in skip]
    if not chosen:
        raise GromaError("no network probe is left to run", "select other probes with --only, or skip fewer")
    return chosen


def full_name(name: str, known: Sequence[str]) -> str:
    """With its prefix. Raises GromaError (exit code 2) where no network probe is called so."""
    full = name if name.startswith(PREFIX) else PREFIX + name
    if full in known:
        return full
    short = [one.removeprefix(PREFIX) for one in known]
    hint = did_you_mean(name, short)
    raise GromaError(f"unknown network probe {name!r}", f"{hint}known probes: {', '.join(short)}")
