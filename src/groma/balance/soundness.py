"""Which figures of a run count: none that breaks the rules, no HPL of other ranks. docs/balance.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.hpccoutf.advice import ALLOWED_ERRORS
from groma.hpccoutf.headlines import DEFINITIONS, headlines_of, ranks_of
from groma.hpccoutf.values import finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.hpcc import HpccFacts
    from groma.hpccoutf.headlines import Definition, Headline
    from groma.record import Quantity


class UsableFigures(NamedTuple):
    """By the names that balance gives them: `triad_star`. `failed` are those that break the rules."""

    quantities: dict[str, Quantity]
    failed: list[str]


def usable_figures(facts: HpccFacts, wanted: Sequence[Definition] = DEFINITIONS) -> UsableFigures:
    """The main values of a run, without those of a check that failed."""
    found = {name.replace(" ", "_"): one for name, one in headlines_of(facts, wanted).items()}
    failed = [name for name, one in found.items() if _breaks_rules(facts, one)]
    quantities = {name: one.quantity for name, one in found.items() if name not in failed}
    return UsableFigures(quantities, failed)


def _breaks_rules(facts: HpccFacts, headline: Headline) -> bool:
    return _failed_check(facts, headline) or _too_many_errors(facts, headline.definition)


def _failed_check(facts: HpccFacts, headline: Headline) -> bool:
    figure = headline.figure
    return figure is not None and any(
        not check.passed and check.name.endswith(figure.series)
        for test in facts.tests
        if test.name == headline.definition.test
        for check in test.checks
    )


def _too_many_errors(facts: HpccFacts, definition: Definition) -> bool:
    """The rules of RandomAccess allow one wrong word in a hundred."""
    if definition.test != "random_access" or definition.mode != "mpi":
        return False
    test = definition.key.removesuffix("_GUPs")
    errors, words = _number(facts, f"{test}_Errors"), _number(facts, f"{test}_N")
    return bool(words and errors and errors > ALLOWED_ERRORS * words)


def _number(facts: HpccFacts, key: str) -> float | None:
    return finite(facts.summary.get(key, ""))


def hpl_ranks_of(facts: HpccFacts) -> int | None:
    """Ranks of the grid of HPL; None where nothing says so."""
    rows, columns = _number(facts, "HPL_nprow"), _number(facts, "HPL_npcol")
    if rows and columns:
        return int(rows * columns)
    planned = {one.grid.ranks for one in facts.plan.hpl}
    return planned.pop() if len(planned) == 1 else None


def partial_hpl(facts: HpccFacts) -> str:
    """`HPL used 4 of 3072 ranks`; empty where it used all of them, or nothing says so.

    The other tests used all: a ratio to such an HPL compares different processes.
    """
    ranks, used = ranks_of(facts), hpl_ranks_of(facts)
    return f"HPL used {used} of {ranks} ranks" if ranks and used and used < ranks else ""
