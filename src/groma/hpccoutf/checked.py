"""Which figures of a test a failed check takes with it. Pure; the names of checks are those of groma-hpcc."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.facts.hpcc import Figure, HpccTest

_LCG = "_lcg"
_PTRANS_CASE = re.compile(r"n=(\d+) nb=(\d+) grid=(\d+)x(\d+)$")


def has_failed(test: HpccTest, figure: Figure) -> bool:
    """Whether a check of the test failed that says something of this figure."""
    return any(not check.passed and _is_about(check.name, test, figure) for check in test.checks)


def _is_about(check: str, test: HpccTest, figure: Figure) -> bool:
    """A check that names no case is about all figures of its test."""
    match test.name:
        case "hpl":
            named = [one.series for one in test.figures if one.series and check.endswith(one.series)]
            return not named or figure.series in named
        case "ptrans":
            return _is_of_case(check, figure)
        case "fft":
            return check.startswith("MPI ") == (figure.mode == "mpi")
        case "random_access":
            return _is_of_generator(check, figure)
        case _:
            return True


def _is_of_case(check: str, figure: Figure) -> bool:
    named = _PTRANS_CASE.search(check)
    case = [str(figure.labels.get(label)) for label in ("n", "nb", "rows", "columns")]
    return named is None or [*named.groups()] == case


def _is_of_generator(check: str, figure: Figure) -> bool:
    """The look-ahead is one of both, that of all ranks and that of each rank."""
    words = check.lower()
    same = (_LCG in words) == figure.series.endswith(_LCG)
    return same and ("pending" in words or words.startswith("mpi") == (figure.mode == "mpi"))
