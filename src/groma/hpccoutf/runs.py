"""Read hpccoutf.txt as it is found: dozens of runs appended, killed runs, job logs and wiki marks around.

Pure: text in, runs out, no file is touched. Whatever cannot be read is reported, never guessed. Rules and
their reasons: docs/hpcc/formats.md.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from groma.hpccoutf.advice import Anomaly, anomalies_of
from groma.hpccoutf.body import (
    FIGURES_OF,
    RESIDUAL_LIMIT,
    Failure,
    Line,
    ParsedValue,
    distinct,
    failures_of_section,
    values_of_section,
)
from groma.hpccoutf.keys import BY_NAME
from groma.hpccoutf.values import SummaryValue, decimal_commas, finite, finite_of_any_locale, summary_values
from groma.record import Advice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_TITLE = "This is the DARPA/DOE HPC Chall"
# Early versions call themselves HPC Challange.
_HEADER = re.compile(rf"{_TITLE}[ea]nge Benchmark(?: version (\d[\w.]*))?")
# Whoever else writes this format keeps the line above, which names the version of the format.
_PRODUCER = re.compile(r"Produced by (groma [^\s,]+)")
_BEGIN = "Begin of Summary section."
_END = "End of Summary section."
_SECTION = re.compile(r"(Begin|End) of (\w+) section\.")
_TIME = re.compile(r"Current time \(([0-9]{1,10})\) is")
_HOST = re.compile(r"Hostname: '([^']*)'")
_LIMIT = re.compile(r"-? ?Computational tests pass if scaled residuals are less than\s+(\S+)")
_PAIR = re.compile(r"([A-Za-z]\w*)\s*=\s*(\S.*|)")
_HPL_LINE = re.compile(r"(W[RC]\d\w+)((?:\s+[0-9]{1,15}){4})\s+(\S+)\s+(\S+)$")

# What launchers and wikis put before a line: "[1,0]<stdout>:" of Open MPI, "0: " of srun, "> ", "| ", "- ".
# Where a header is there, what stands before it says more.
_PREFIX = re.compile(r"^(?:\[\d+,\d+\]<std\w+>:|\d+:\s|>\s|\|\s|[-*+]\s(?=`?\w+\s*=))?[\s`]*")
_AROUND = re.compile(r"[\s`]*")
_LONGEST_PREFIX = 200
_LABEL_PART = re.compile(r"(\d+)|((?<=\d)\s+(?=\d))|(\s+)|[^\d\s]+")
_LIKE = {1: r"\d+", 2: r"\s+", 3: r"\s*"}
_COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_SUFFIX_BACKWARDS = re.compile(r"(?:[\s`\\]|>/? ?rb<)*")
_LINE_END = re.compile(r"\r\n|\n|\r")
_FENCE = re.compile(r"~{3,}|`{3,}|</?\w+>|#+$|")
"""Lines of a summary that say nothing: empty ones, and those that set text apart."""

_DIGITS_OF_TABLES = 1e-3

_FEWEST_KEYS = 3
"""So many keys make a summary of text without its first line; fewer are talk about the suite."""


class HplLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of HPL's own table. `seconds` and `gflops` are None where they are no numbers."""

    variant: str
    n: int
    nb: int
    rows: int
    columns: int
    seconds: float | None
    gflops: float | None


class HpccRun(msgspec.Struct, kw_only=True):
    """One run. `version` is that of the format, None without a header; times are seconds since 1970.
    `producer` is the program where it is not the original suite.

    `line` is where the run begins, `lines` where each key stands, from 1 on. `sections` are those that ended,
    `open_section` the one in which the file breaks off. `complete` means that the summary is there from its
    first to its last line; `headed` that its first line is. `unknown` are keys that HPCC 1.5.0 has not,
    `conflicting` those that occur with several values, `strange` the lines of the summary that are no pair.
    `decimal_commas` are keys whose number has a comma. `from_body` are keys that the summary lacks, read from
    the lines of the tests themselves. `failures` are checks that failed by these lines, `of_failures` the
    keys of the figures that do not count for it. `hidden_summary` is the line of a summary that could not be
    read, because `hidden_by` stands before it.
    """

    version: str | None = None
    producer: str | None = None
    host: str | None = None
    started: int | None = None
    ended: int | None = None
    line: int = 1
    sections: list[str] = []
    open_section: str | None = None
    complete: bool = False
    headed: bool = False
    values: dict[str, SummaryValue] = {}
    lines: dict[str, int] = {}
    unknown: list[str] = []
    conflicting: list[str] = []
    decimal_commas: list[str] = []
    from_body: list[str] = []
    failures: list[Failure] = []
    of_failures: list[str] = []
    strange: list[int] = []
    hidden_summary: int | None = None
    hidden_by: str = ""
    hpl: list[HplLine] = []
    anomalies: list[Anomaly] = []

    @property
    def warnings(self) -> list[Advice]:
        """The anomalies as a record holds them."""
        return [Advice(code=one.code, what=one.what, next=one.next) for one in self.anomalies]

    def number(self, key: str) -> float | None:
        """The measured number of a key, None where there is none."""
        found = self.values.get(key)
        return None if found is None or isinstance(found.value, str) else found.value

    @property
    def program(self) -> str | None:
        """Who wrote it, None where it does not say."""
        return self.producer or (f"hpcc {self.version}" if self.version else None)

    @property
    def success(self) -> bool | None:
        """Whether the run itself says that all its checks passed; None where it does not say."""
        said = self.number("Success")
        return None if said is None else said == 1


def read_hpccoutf(text: str, last_level_cache: int | None = None) -> list[HpccRun]:
    """All runs of a file in their order. `last_level_cache` in bytes, of one node, sharpens a warning."""
    runs = []
    text = _COLOURS.sub("", text) if "\x1b" in text else text
    parts = list(_runs_of(_lines_of(text))) or _bare_summary(text)
    for lines in parts:
        run = _Reader().read(lines, is_cut=not text.endswith(("\n", "\r")))
        run.anomalies = anomalies_of(run, last_level_cache)
        runs.append(run)
    return runs


def _lines_of(text: str) -> Iterator[Line]:
    """Without what stands around them: what is before a header is before the lines of its run."""
    prefix: re.Pattern[str] | None = None
    for number, raw in enumerate(_LINE_END.split(text), start=1):
        if _TITLE in raw:
            prefix = _prefix_like(raw[: raw.index(_TITLE)])
        # Most lines have nothing around them, and a thousand files have many lines.
        is_bare = prefix is None and raw[:1].isalpha() and raw[-1:].isalnum()
        yield Line(number, raw if is_bare else _without_suffix(_without_prefix(raw, prefix)))


def _without_prefix(raw: str, prefix: re.Pattern[str] | None) -> str:
    found = prefix.match(raw) if prefix else None
    return _PREFIX.sub("", raw) if found is None else _AROUND.sub("", raw[found.end() :], count=1)


def _without_suffix(text: str) -> str:
    """Backwards, since a search from the front would begin at every blank."""
    found = _SUFFIX_BACKWARDS.match(text[::-1])
    return text[: len(text) - (found.end() if found else 0)]


def _prefix_like(label: str) -> re.Pattern[str] | None:
    """What is `label` but for its numbers and blanks: lines are counted, ranks padded, times go on."""
    if not label.strip() or len(label) > _LONGEST_PREFIX:
        return None
    # Tools that cut blanks at the end of lines leave none after the label of an empty line.
    end = r"(?:\s+|$)" if label[-1].isspace() else ""
    return re.compile(rf"\s*{_LABEL_PART.sub(_part_like, label.strip())}{end}")


def _part_like(part: re.Match[str]) -> str:
    return _LIKE[part.lastindex] if part.lastindex else re.escape(part[0])


def _runs_of(every: Iterable[Line]) -> Iterator[list[Line]]:
    """The lines of each run: a header begins one, and so does a second summary where the header is lost."""
    lines: list[Line] = []
    has_header = has_summary = False
    for one in every:
        is_header = _TITLE in one.text and _HEADER.search(one.text) is not None
        is_summary = one.text.startswith(_BEGIN)
        if is_header or (is_summary and has_summary):
            if has_header or has_summary:
                yield lines
            lines, has_header, has_summary = [], False, False
        has_header |= is_header
        has_summary |= is_summary
        lines.append(one)
    if has_header or has_summary:
        yield lines


def _bare_summary(text: str) -> list[list[Line]]:
    """Keys and values that were copied without the lines around them."""
    lines = list(_lines_of(text))
    pairs = [_PAIR.fullmatch(one.text) for one in lines]
    known = {pair[1] for pair in pairs if pair and pair[1] in BY_NAME}
    if len(known) < _FEWEST_KEYS:
        return []
    first = next(i for i, pair in enumerate(pairs) if pair and pair[1] in BY_NAME)
    return [lines[first:]]


class _Reader:
    """Takes the lines of one run."""

    def __init__(self) -> None:
        self.run = HpccRun()
        self.texts: dict[str, str] = {}
        self.in_summary = False
        self.section: list[Line] = []
        self.body: list[ParsedValue] = []
        self.limit = RESIDUAL_LIMIT

    def read(self, lines: Sequence[Line], *, is_cut: bool) -> HpccRun:
        self.in_summary = not any(_HEADER.search(one.text) or one.text.startswith(_BEGIN) for one in lines)
        self.run.line = lines[0].number
        for place, one in enumerate(lines, start=1):
            if self.in_summary:
                # A last line without its end may have lost digits: what it says is not known.
                broken = is_cut and place == len(lines) and not one.text.startswith(_END)
                self._summary_line(one, is_broken=broken)
            else:
                self._line(one)
        return self._valued()

    def _valued(self) -> HpccRun:
        run = self.run
        # Lines of groma mean other statistics; a run of it that is killed writes its summary.
        if not run.complete and run.producer is None:
            self._fill_in()
        run.decimal_commas = decimal_commas(self.texts)
        run.of_failures = [*self._figures_that_failed()]
        without = {*run.conflicting, *run.of_failures}
        run.values = summary_values(self.texts, run.decimal_commas, without)
        run.unknown = [name for name in self.texts if name not in BY_NAME]
        return run

    def _fill_in(self) -> None:
        """With what the tests said: where two of them contradict each other, with neither."""
        for one in distinct(self.body):
            if one.key not in self.texts:
                self.texts[one.key] = one.text
                self.run.lines[one.key] = one.line
                self.run.from_body.append(one.key)

    def _figures_that_failed(self) -> Iterator[str]:
        for one in self.run.failures:
            for key in FIGURES_OF.get(one.section, ()):
                if key in self.texts and self._is_of_case(one, self.texts[key]):
                    yield key

    def _is_of_case(self, failure: Failure, figure: str) -> bool:
        """Whether a figure is that of the case that failed: by its sizes where all are known, else by its
        rate.
        """
        sizes = [(text, self.texts[key]) for key, text in failure.sizes if key in self.texts]
        if sizes and len(sizes) == len(failure.sizes):
            return all(finite(one) == finite(other) for one, other in sizes)
        return not failure.rates or any(_is_the_same(one, figure) for one in failure.rates)

    def _summary_line(self, line: Line, *, is_broken: bool) -> None:
        if line.text.startswith(_END):
            self.in_summary, self.run.complete = False, True
            return
        pair = _PAIR.fullmatch(line.text)
        if is_broken:
            return
        if pair is None:
            self._no_pair(line)
            return
        self._pair(pair[1], pair[2].strip(), line.number)

    def _no_pair(self, line: Line) -> None:
        if not _FENCE.fullmatch(line.text):
            self.run.strange.append(line.number)

    def _pair(self, key: str, text: str, number: int) -> None:
        if self.texts.get(key, text) != text and key not in self.run.conflicting:
            self.run.conflicting.append(key)
        self.texts[key] = text
        self.run.lines[key] = number

    def _line(self, one: Line) -> None:
        run, line = self.run, one.text
        self.section.append(one)
        if line.startswith(_BEGIN):
            self.in_summary = run.headed = True
        elif found := _SECTION.match(line):
            self._section(found[1], found[2])
        elif found := _HEADER.search(line):
            run.version, run.line = found[1], one.number
        elif found := _PRODUCER.match(line):
            run.producer = found[1]
        elif found := _HOST.match(line):
            run.host = found[1]
        elif line.endswith(_BEGIN):
            run.hidden_summary, run.hidden_by = one.number, line.removesuffix(_BEGIN)
        elif found := _LIMIT.match(line):
            self.limit = finite_of_any_locale(found[1]) or RESIDUAL_LIMIT
        elif found := _TIME.match(line):
            run.started = int(found[1]) if run.started is None else run.started
            run.ended = int(found[1])
        elif found := _HPL_LINE.match(line):
            run.hpl.append(_hpl_line(found))

    def _section(self, mark: str, name: str) -> None:
        begun, self.run.open_section = self.run.open_section, name if mark == "Begin" else None
        if mark == "End":
            self.run.sections.append(name)
            if begun == name:
                self.body += values_of_section(name, self.section, self.limit)
                self.run.failures += failures_of_section(name, self.section, self.limit)
        self.section = []


def _is_the_same(printed: str, figure: str) -> bool:
    """Whether a rate of a table, which has three or four digits, is a figure of the summary."""
    one, other = finite(printed), finite(figure)
    return one is not None and other is not None and math.isclose(one, other, rel_tol=_DIGITS_OF_TABLES)


def _hpl_line(found: re.Match[str]) -> HplLine:
    n, nb, rows, columns = (int(word) for word in found[2].split())
    seconds, gflops = finite(found[3]), finite(found[4])
    return HplLine(variant=found[1], n=n, nb=nb, rows=rows, columns=columns, seconds=seconds, gflops=gflops)
