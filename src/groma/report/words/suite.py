"""What the tests and figures of the suite are called, on the terminal and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from groma.facts.hpcc import HpccFacts
from groma.hpccoutf.headlines import ranks_of
from groma.record.counting import counted
from groma.record.units import format_value
from groma.report.quantities import Found, quantities_of
from groma.report.words.environment import environment_of, machine_name
from groma.report.words.launch import Validation, label_words, launch_entries
from groma.report.words.text import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from groma.facts.hpcc import Figure, HpccPlan
    from groma.record import Record

T = TypeVar("T")

# ---- names -------------------------------------------------------------------------------------------------

_NAMES = {
    "hpl": "HPL",
    "dgemm": "DGEMM",
    "ptrans": "PTRANS",
    "stream": "STREAM",
    "random_access": "RandomAccess",
    "fft": "FFT",
    "effective_bandwidth": "Messages",
}

MODES = {"mpi": "all ranks together", "star": "each rank, all at once", "single": "one rank alone"}


def name_of_test(name: str) -> str:
    return _NAMES.get(name, name)


def in_suite_order(items: Sequence[T], name_of: Callable[[T], str]) -> list[T]:
    """In the order of the suite, whatever the order in which they ran; unknown ones last."""
    places = {name: place for place, name in enumerate(_NAMES)}
    return sorted(items, key=lambda item: places.get(name_of(item), len(places)))


def series_name(test: str, series: str) -> str:
    """A series after its test: `DGEMM`, `STREAM triad`, `HPL WR11C2R4 n=1500`."""
    own = "" if series == test else series.removeprefix(f"{test} ").removeprefix(f"{test}_").replace("_", " ")
    return joined(name_of_test(test), own, by=" ")


def figure_name(figure: Figure) -> str:
    """`triad`, `natural ring bandwidth, buffers rotating`."""
    return joined(figure.series.replace("_", " "), label_words(figure.labels))


@quantities_of.register(HpccFacts)
def quantities_of_suite(facts: HpccFacts) -> Iterator[Found]:
    """Every quantity after its test, series and mode; several of one name are a list."""
    by_name: dict[str, list[Figure]] = {}
    for test in facts.tests:
        for figure in test.figures:
            by_name.setdefault(f"{series_name(test.name, figure.series)}, {figure.mode}", []).append(figure)
    for name, figures in by_name.items():
        for number, figure in enumerate(figures):
            yield from _quantities_of_figure(f"{name}[{number}]" if len(figures) > 1 else name, figure)


def _quantities_of_figure(path: str, figure: Figure) -> Iterator[Found]:
    yield Found(path, figure.value)
    if figure.spread:
        yield Found(f"{path}, slowest rank", figure.spread.min)
        yield Found(f"{path}, fastest rank", figure.spread.max)


# ---- validation --------------------------------------------------------------------------------------------


def validation_of(facts: HpccFacts) -> Validation:
    checks = [check for test in facts.tests for check in test.checks]
    counts, failed = counted(len(checks), "check"), sum(not check.passed for check in checks)
    if facts.origin or (facts.success is not None and not checks):
        return _VALIDATION_OF_A_FILE[facts.success]
    if failed or facts.success is False:
        return Validation("bad", f"failed: {failed} of {counts}")
    if facts.success is None:
        return Validation("warn", f"open: not every test was completed; {counts} passed")
    return Validation("good", f"passed: all {counts} of {counted(len(facts.tests), 'test')}")


_VALIDATION_OF_A_FILE = {
    None: Validation("warn", "open: the file has no result"),
    True: Validation("good", "passed, according to the file"),
    False: Validation("bad", "failed, according to the file"),
}


# ---- the plan ----------------------------------------------------------------------------------------------


class Size(NamedTuple):
    """A size of a plan. Bytes grow with it by `element`, with its square by `square`."""

    name: str
    what: str
    of: Callable[[HpccPlan], int | None]
    element: int = 0
    square: int = 0

    def bytes_of(self, number: int) -> int:
        return number * self.element + number**2 * self.square


_SIZES = (
    Size("DGEMM", "order of each rank's three matrices", lambda plan: plan.dgemm_n, square=3 * 8),
    Size(
        "STREAM", "elements of each of a rank's three vectors", lambda plan: plan.stream_elements, element=8
    ),
    Size("RandomAccess", "words of each rank's table", lambda plan: plan.random_access_words, element=8),
    Size(
        "RandomAccess, all ranks",
        "words of the table",
        lambda plan: plan.mpi_random_access_words,
        element=8,
    ),
    Size("FFT", "points of each rank", lambda plan: plan.fft_points, element=16),
    Size("FFT, all ranks", "points", lambda plan: plan.mpi_fft_points, element=16),
)


def sizes_of(plan: HpccPlan) -> list[tuple[Size, int]]:
    """Those that the plan gives, with their numbers."""
    return [(one, number) for one in _SIZES if (number := one.of(plan)) is not None]


def suite_entries(record: Record[HpccFacts]) -> list[tuple[str, str]]:
    """The sizes and the launch, one line each; only what the record tells."""
    facts = record.facts
    ranks = ranks_of(facts)
    entries = [
        ("machine", machine_name(environment_of(record), "")),
        ("validation", validation_of(facts).words),
        *(launch_entries(facts.launch) if facts.launch else [("ranks", str(ranks or ""))]),
        *(_matrices(facts.plan) or _summary_matrices(facts.summary)),
        *_sizes(facts.plan),
        *_effort(facts.plan),
    ]
    return [(name, value) for name, value in entries if value]


def _matrices(plan: HpccPlan) -> list[tuple[str, str]]:
    return [
        (
            joined(name, one.variant, by=" "),
            matrix_words(one.n, one.nb, one.grid.rows, one.grid.columns),
        )
        for name, matrices in (("HPL", plan.hpl), ("PTRANS", plan.ptrans))
        for one in matrices
    ]


def matrix_words(order: int, block: int, rows: int, columns: int) -> str:
    return f"N {order}, NB {block}, grid {rows} x {columns}, {format_value(8 * order**2, 'B')} in all"


def _summary_matrices(summary: Mapping[str, str]) -> list[tuple[str, str]]:
    """Old outputs tell the sizes of the best case only."""
    keys = {
        "HPL": ("HPL_N", "HPL_NB", "HPL_nprow", "HPL_npcol"),
        "PTRANS": ("PTRANS_n", "PTRANS_nb", "PTRANS_nprow", "PTRANS_npcol"),
    }
    return [
        (name, matrix_words(*(int(summary[key]) for key in own)))
        for name, own in keys.items()
        if all(summary.get(key, "").isdecimal() for key in own)
    ]


def _sizes(plan: HpccPlan) -> list[tuple[str, str]]:
    return [
        (one.name, f"{number} {one.what}, {format_value(one.bytes_of(number), 'B')}")
        for one, number in sizes_of(plan)
    ]


def _effort(plan: HpccPlan) -> list[tuple[str, str]]:
    return [
        ("repetitions", "" if plan.repetitions is None else f"at least {plan.repetitions}"),
        ("budget", format_value(plan.budget, "s") if plan.budget else ""),
        ("seed", "" if plan.seed is None else str(plan.seed)),
    ]
