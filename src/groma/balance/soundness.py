"""Which figures of a run count: none that breaks the rules, no HPL of other ranks. docs/balance.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.hpccoutf.advice import ALLOWED_ERRORS
from groma.hpccoutf.checked import has_failed
from groma.hpccoutf.headlines import DEFINITIONS, headlines_of, ranks_of
from groma.hpccoutf.values import LEAST, MOST, finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.facts.balance import System
    from groma.facts.hpcc import HpccFacts
    from groma.hpccoutf.headlines import Definition, Headline
    from groma.record import Quantity


class UsableFigures(NamedTuple):
    """By the names that balance gives them: `triad_star`. `failed` are those that break the rules."""

    quantities: dict[str, Quantity]
    failed: list[str]


def name_of(definition_id: str) -> str:
    """What balance calls a main value: `triad_star`."""
    return definition_id.replace(" ", "_")


def usable_figures(facts: HpccFacts, wanted: Sequence[Definition] = DEFINITIONS) -> UsableFigures:
    """The main values of a run, without those whose check failed or was not reached."""
    found = {name_of(id_): one for id_, one in headlines_of(facts, wanted).items()}
    failed = [name for name, one in found.items() if _breaks_rules(facts, one)]
    checked = {name: one for name, one in found.items() if name not in failed and _is_checked(facts, one)}
    return UsableFigures({name: one.quantity for name, one in checked.items()}, failed)


def without_impossible(system: System) -> tuple[System, list[str]]:
    """The system without values that no rate and no time has, as readers of outputs of hpcc leave them out.

    Gives with it which these are: `fft is 0`.
    """
    left_out = _impossible(system.quantities) | _impossible(system.accumulated)
    if not left_out:
        return system, []
    possible = msgspec.structs.replace(
        system, quantities=_possible(system.quantities), accumulated=_possible(system.accumulated)
    )
    return possible, [f"{name} is {one.value:g}" for name, one in left_out.items()]


def _impossible(values: Mapping[str, Quantity]) -> dict[str, Quantity]:
    return {name: one for name, one in values.items() if not _is_possible(one)}


def _possible(values: Mapping[str, Quantity]) -> dict[str, Quantity]:
    return {name: one for name, one in values.items() if _is_possible(one)}


def _is_possible(quantity: Quantity) -> bool:
    return LEAST <= quantity.value <= MOST


def _is_checked(facts: HpccFacts, headline: Headline) -> bool:
    """An output of hpcc has no tests: what it sums up has been checked."""
    own = [test for test in facts.tests if test.name == headline.definition.test]
    return headline.figure is None or any(test.done for test in own)


def _breaks_rules(facts: HpccFacts, headline: Headline) -> bool:
    return _failed_check(facts, headline) or _too_many_errors(facts, headline.definition)


def _failed_check(facts: HpccFacts, headline: Headline) -> bool:
    figure = headline.figure
    return figure is not None and any(
        has_failed(test, figure) for test in facts.tests if test.name == headline.definition.test
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
    """Ranks of the grid of HPL, of the largest one in early versions; None where nothing says so."""
    rows, columns = _number(facts, "HPL_nprow"), _number(facts, "HPL_npcol")
    most = _number(facts, "HPLMaxProcs") if "HPL_Tflops" in facts.summary else None
    found = rows * columns if rows and columns else most
    if found:
        return int(found)
    planned = {one.grid.ranks for one in facts.plan.hpl}
    return planned.pop() if len(planned) == 1 else None


def partial_hpl(facts: HpccFacts) -> str:
    """`HPL used 4 of 3072 ranks`; empty where it used all of them, or nothing says so.

    The other tests used all: a ratio to such an HPL compares different processes.
    """
    ranks, used = ranks_of(facts), hpl_ranks_of(facts)
    return f"HPL used {used} of {ranks} ranks" if ranks and used and used < ranks else ""
