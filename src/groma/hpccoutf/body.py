"""What the tests themselves print before the summary: all that a run leaves that was killed. Pure.

Only sections that ended count, and in them only lines of which the meaning is known: the results of a section
that breaks off may not be its last. A check that failed takes the values of its test with it, in HPL and
PTRANS those of its case, also those of a summary, and so do two lines that contradict each other.
docs/hpcc/formats.md lists the lines.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from groma.hpccoutf.keys import BY_NAME
from groma.hpccoutf.values import count_of, finite, finite_of_any_locale
from groma.record.counting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Line(NamedTuple):
    number: int
    text: str


class ParsedValue(NamedTuple):
    """A value in the notation of the summary, and the line that it was read from."""

    key: str
    text: str
    line: int


class Failure(NamedTuple):
    """A check of a section that failed, and the line that reports it.

    Where a section has several cases, the one that failed is known by its `sizes`, by key of the summary, and
    by the `rates` of its repetitions, in units of the summary's key.
    """

    section: str
    what: str
    line: int
    rates: tuple[str, ...] = ()
    sizes: tuple[tuple[str, str], ...] = ()


class _Rule(NamedTuple):
    """Each group of `pattern` is the number of one of `keys`, in units 10^`power` times those of the key."""

    pattern: re.Pattern[str]
    keys: tuple[str, ...]
    power: int = 0


def _rule(pattern: str, *keys: str, power: int = 0) -> _Rule:
    """`#` stands for a number that does not go on as anything else, blanks for any blanks."""
    number = r"([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)(?![0-9A-Za-z*]|[.,][0-9])"
    escaped = re.escape(pattern).replace("\\#", number).replace("\\ ", r"\s+")
    return _Rule(re.compile(escaped), keys, power)


def _everywhere(test: str) -> list[_Rule]:
    """RandomAccess on all ranks; `test` with its suffix."""
    return [
        _rule("Running on # processors", "CommWorldProcs"),
        _rule("Total Main table size = 2^# = # words", "", f"{test}_N"),
        _rule("Number of updates EXECUTED = #", f"{test}_ExeUpdates"),
        _rule("Number of updates EXECUTED = # (for a TIME BOUND of #", "", f"{test}_TimeBound"),
        _rule("Real time used = #", f"{test}_time"),
        _rule("Verification: Real time used = #", f"{test}_CheckTime"),
        _rule("# Billion(10^9) Updates per second [GUP/s]", f"{test}_GUPs"),
        _rule("Found # errors in", f"{test}_Errors"),
    ]


def _is_rate(key: str) -> bool:
    return BY_NAME[key].unit.endswith(("/s", "us"))


_KERNELS = ("Copy", "Scale", "Add", "Triad")

_RULES: dict[str, list[_Rule]] = {
    "MPIRandomAccess": _everywhere("MPIRandomAccess"),
    "MPIRandomAccess_LCG": _everywhere("MPIRandomAccess_LCG"),
    **{
        f"{mode}RandomAccess{kind}": [
            _rule("Main table size = 2^# = # words", "", f"RandomAccess{kind}_N"),
            _rule(f"{line} GUP/s #", f"{mode}RandomAccess{kind}_GUPs"),
        ]
        for mode, line in (("Star", "Average"), ("Single", "Single"))
        for kind in ("", "_LCG")
    },
    "StarDGEMM": [_rule("Average Gflop/s #", "StarDGEMM_Gflops")],
    "SingleDGEMM": [_rule("Single DGEMM Gflop/s #", "SingleDGEMM_Gflops")],
    "StarSTREAM": [
        _rule("Array size = #,", "STREAM_VectorSize"),
        *(_rule(f"Average {kernel} GB/s #", f"StarSTREAM_{kernel}") for kernel in _KERNELS),
    ],
    "SingleSTREAM": [
        _rule(f"Single STREAM {kernel} GB/s #", f"SingleSTREAM_{kernel}") for kernel in _KERNELS
    ],
    "MPIFFT": [
        _rule("Number of nodes: #", "MPIFFT_Procs"),
        _rule("Vector size: #", "MPIFFT_N"),
        _rule("max(|x-x0|): #", "MPIFFT_maxErr"),
        _rule("Gflop/s: #", "MPIFFT_Gflops"),
    ],
    "StarFFT": [_rule("Vector size: #", "FFT_N"), _rule("Average Gflop/s #", "StarFFT_Gflops")],
    "SingleFFT": [_rule("Single FFT Gflop/s #", "SingleFFT_Gflops")],
    "LatencyBandwidth": [
        _rule("Max Ping Pong Latency: # msecs", "MaxPingPongLatency_usec", power=3),
        _rule("Randomly Ordered Ring Latency: # msecs", "RandomlyOrderedRingLatency_usec", power=3),
        _rule("Min Ping Pong Bandwidth: # MB/s", "MinPingPongBandwidth_GBytes", power=-3),
        _rule("Naturally Ordered Ring Bandwidth: # MB/s", "NaturallyOrderedRingBandwidth_GBytes", power=-3),
        _rule("Randomly Ordered Ring Bandwidth: # MB/s", "RandomlyOrderedRingBandwidth_GBytes", power=-3),
        _rule("On naturally ordered ring: latency= # msec,", "NaturallyOrderedRingLatency_usec", power=3),
        _rule("The ring communication was done in both directions on # processes", "CommWorldProcs"),
    ],
}

FIGURES_OF = {
    "HPL": ("HPL_Tflops",),
    "PTRANS": ("PTRANS_GBs",),
    **{
        section: tuple(key for rule in rules for key in rule.keys if key and _is_rate(key))
        for section, rules in _RULES.items()
    },
}
"""What a failed check of a section takes with it."""

_DETAILED = "Detailed benchmark results:"
"""Before it, the same lines tell of single lengths and of trials."""

_OF_PAIRS = [
    _rule(
        "Latency min / avg / max: # / # / # msecs",
        "MinPingPongLatency_usec",
        "AvgPingPongLatency_usec",
        "",
        power=3,
    ),
    _rule(
        "Bandwidth min / avg / max: # / # / # MByte/s",
        "",
        "AvgPingPongBandwidth_GBytes",
        "MaxPingPongBandwidth_GBytes",
        power=-3,
    ),
]

RESIDUAL_LIMIT = 16.0
"""The threshold of hpccinf.txt as everybody has it, for HPL, PTRANS and DGEMM."""

_RESIDUAL = re.compile(r"Scaled residual:\s*(\S+)")
_ERRORS = re.compile(r"Node\(s\) with error\s+([0-9]+)")
_VERDICT = re.compile(r"\bFAILED\b|\(failed\)", re.IGNORECASE)
_FINISHED = re.compile(r"[0-9]+ tests? completed and failed", re.IGNORECASE)


def values_of_section(name: str, lines: Sequence[Line], limit: float = RESIDUAL_LIMIT) -> list[ParsedValue]:
    """What the lines of a section that ended say, each key once; nothing of a test that failed.

    `limit`: scaled residuals from here on are failures.
    """
    if name == "HPL":
        return distinct(_of_hpl(lines))
    is_of_cases = name == "PTRANS"
    if any(_failure(one.text, limit) for one in lines if not (is_of_cases and _is_failed_case(one))):
        return []
    if is_of_cases:
        return distinct(_of_ptrans(lines))
    found = [*_by_rules(lines, _RULES.get(name, []))]
    if name == "LatencyBandwidth":
        starts = [place for place, one in enumerate(lines) if one.text.startswith(_DETAILED)]
        found += _by_rules(lines[starts[-1] :] if starts else [], _OF_PAIRS)
    return distinct(found)


def failures_of_section(name: str, lines: Sequence[Line], limit: float = RESIDUAL_LIMIT) -> list[Failure]:
    """The checks of a section that failed."""
    if name == "HPL":
        return [*_failures_of_hpl(lines)]
    found = [Failure(name, what, one.number) for one in lines if (what := _failure(one.text, limit))]
    return [_of_its_case(one, lines) for one in found] if name == "PTRANS" else found


def _failure(text: str, limit: float) -> str:
    """What failed by this line, empty if nothing did; `0 tests completed and failed` says that none did."""
    if errors := _ERRORS.match(text):
        nodes = count_of(errors[1])
        return text if nodes is None else f"{counted(nodes, 'node')} with errors" if nodes else ""
    if residual := _RESIDUAL.match(text):
        number = finite_of_any_locale(residual[1])
        is_good = number is not None and number < limit
        return "" if is_good else f"scaled residual {residual[1]}, the limit is {limit:g}"
    return text if _VERDICT.search(text) and not _FINISHED.search(text) else ""


def _by_rules(lines: Iterable[Line], rules: Sequence[_Rule]) -> Iterator[ParsedValue]:
    for one in lines:
        for rule in rules:
            found = rule.pattern.match(one.text)
            if found is not None:
                yield from _parsed_values(rule, found.groups(), one.number)


def _parsed_values(rule: _Rule, numbers: Sequence[str], line: int) -> Iterator[ParsedValue]:
    for key, number in zip(rule.keys, numbers, strict=True):
        if key:
            yield ParsedValue(key, _scaled(number, rule.power), line)


def _scaled(number: str, power: int) -> str:
    """Digit by digit: a factor would add digits that nobody printed. What is no number stays as it is."""
    return f"{Decimal(number).scaleb(power):f}" if power and finite(number) is not None else number


def distinct(found: Iterable[ParsedValue]) -> list[ParsedValue]:
    """Of a key with several values none counts."""
    first: dict[str, ParsedValue] = {}
    open_: set[str] = set()
    for one in found:
        if first.setdefault(one.key, one).text != one.text:
            open_.add(one.key)
    return [one for one in first.values() if one.key not in open_]


# ---- tables ------------------------------------------------------------------------------------------------

_CASE_OF_PTRANS = r"\s+([0-9]+)\s+([0-9]+)\s+([0-9]+)\s+([0-9]+)\s+([0-9]+)\s+([0-9]+)"
_PTRANS = re.compile(rf"WALL{_CASE_OF_PTRANS}\s+([0-9.]+)\s+PASSED\s+([0-9.]+)\s")
_REPETITION_OF_PTRANS = re.compile(rf"(?:WALL|CPU){_CASE_OF_PTRANS}\s+\S+\s+(PASSED|FAILED)\s+(\S+)\s")
"""Each repetition has a line with its wall time, and one with its CPU time where the system tells it."""

_SIZES_OF_PTRANS = {1: "PTRANS_n", 3: "PTRANS_nb", 4: "PTRANS_nprow", 5: "PTRANS_npcol"}
"""The numbers of a case that the summary has, by their places in a line."""


_LIST_OF_PTRANS = re.compile(r"(M|N|MB|NB|P|Q):((?:\s+[0-9]+)+)$")


def _of_ptrans(lines: Sequence[Line]) -> list[ParsedValue]:
    """The best of all sizes and grids of which no repetition failed, of each the least of its repetitions, as
    the suite takes it.
    """
    failed = {row.groups()[:6] for one in lines if (row := _failed_repetition(one.text))}
    walls = [one for one in lines if one.text.startswith("WALL")]
    each = _repetitions_of_each(walls, _listed_cases(lines))
    cases: dict[tuple[int, tuple[str, ...]], list[tuple[Decimal, int, str]]] = {}
    for place, one in enumerate(walls):
        if _is_failed_case(one):
            continue
        row = _PTRANS.match(one.text)
        if row is None or finite(row[8]) is None:
            return []
        cases.setdefault((place // each, row.groups()[:6]), []).append((Decimal(row[8]), one.number, row[8]))
    least = {case: min(rows) for case, rows in cases.items() if case[1] not in failed}
    if not least:
        return []
    best = max(least, key=lambda case: least[case][0])
    _, line, rate = least[best]
    return [
        ParsedValue("PTRANS_GBs", rate, line),
        *(ParsedValue(key, text, line) for key, text in _sizes_of_ptrans(best[1])),
    ]


def _listed_cases(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """The cases that the section lists before its rows, in the order in which the suite runs them."""
    lists = {row[1]: row[2].split() for one in lines if (row := _LIST_OF_PTRANS.match(one.text))}
    matrices, blocks, grids = (
        [*zip(lists.get(rows, ()), lists.get(columns, ()), strict=False)]
        for rows, columns in (("M", "N"), ("MB", "NB"), ("P", "Q"))
    )
    return [(*matrix, *block, *grid) for grid in grids for matrix in matrices for block in blocks]


def _repetitions_of_each(walls: Sequence[Line], listed: Sequence[tuple[str, ...]]) -> int:
    """Rows of each listed case. All rows where they are not those of the list: a case that is there twice is
    then taken for one.
    """
    each = len(walls) // len(listed) if listed else 0
    rows = [row.groups() for one in walls if (row := re.match(f"WALL{_CASE_OF_PTRANS}", one.text))]
    is_as_listed = each > 0 and rows == [case for case in listed for _ in range(each)]
    return each if is_as_listed else len(walls) or 1


def _sizes_of_ptrans(case: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((key, case[place]) for place, key in _SIZES_OF_PTRANS.items())


def _failed_repetition(text: str) -> re.Match[str] | None:
    row = _REPETITION_OF_PTRANS.match(text)
    return row if row is not None and row[7] == "FAILED" else None


def _is_failed_case(line: Line) -> bool:
    """It takes no other case with it."""
    return _failed_repetition(line.text) is not None


def _of_its_case(failure: Failure, lines: Sequence[Line]) -> Failure:
    """With the case that failed, unless the line names none or its rate is no number."""
    failed = _failed_repetition(failure.what)
    if failed is None or finite(failed[8]) is None:
        return failure
    case = failed.groups()[:6]
    rows = [row for one in lines if (row := _REPETITION_OF_PTRANS.match(one.text))]
    rates = tuple(row[8] for row in rows if row.groups()[:6] == case)
    return failure._replace(rates=rates, sizes=_sizes_of_ptrans(case))


_HPL = re.compile(
    r"W[RC][0-9]\w+\s+([0-9]+)\s+([0-9]+)\s+([0-9]+)\s+([0-9]+)\s+(\S+)\s+([0-9.]+e[+-][0-9]+)$"
)


class _HplCase(NamedTuple):
    line: Line
    words: tuple[str, ...]
    residuals: list[Line]

    @property
    def rate(self) -> str:
        return _scaled(self.words[5], -3)

    @property
    def has_rate(self) -> bool:
        return finite(self.rate) is not None


def _hpl_cases(lines: Sequence[Line]) -> Iterator[_HplCase]:
    """Each with the residuals below it, up to the next one."""
    for place, one in enumerate(lines):
        if row := _HPL.match(one.text):
            yield _HplCase(one, row.groups(), [*_residuals(lines[place + 1 :])])


def _residuals(after: Iterable[Line]) -> Iterator[Line]:
    for one in after:
        if _HPL.match(one.text) or one.text.startswith("Finished"):
            return
        if one.text.startswith("||"):
            yield one


def _has_passed(residual: Line) -> bool:
    return residual.text.endswith("PASSED")


def _of_hpl(lines: Sequence[Line]) -> list[ParsedValue]:
    """The fastest case whose residuals are there and all passed. Of a rate that is no number nobody knows."""
    passed = [case for case in _hpl_cases(lines) if case.residuals and all(map(_has_passed, case.residuals))]
    if not passed or not all(case.has_rate for case in passed):
        return []
    best = max(passed, key=lambda case: Decimal(case.rate))
    keys = ("HPL_N", "HPL_NB", "HPL_nprow", "HPL_npcol", "HPL_time", "HPL_Tflops")
    words = (*best.words[:5], best.rate)
    return [ParsedValue(key, text, best.line.number) for key, text in zip(keys, words, strict=True)]


def _failures_of_hpl(lines: Sequence[Line]) -> Iterator[Failure]:
    for case in _hpl_cases(lines):
        for residual in case.residuals:
            if residual.text.endswith("FAILED"):
                rates = (case.rate,) if case.has_rate else ()
                yield Failure("HPL", residual.text, residual.number, rates)
