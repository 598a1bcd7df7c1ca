"""Read hpccoutf.txt as it is found: dozens of runs appended, killed runs, job logs and wiki marks around.

Pure: text in, runs out, no file is touched. Whatever cannot be read is reported, never guessed. Rules and
their reasons: docs/hpcc/formats.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from groma.hpccoutf.advice import advice_of
from groma.hpccoutf.keys import BY_NAME
from groma.hpccoutf.values import SummaryValue, finite, summary_values
from groma.record import Advice

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = re.compile(r"This is the DARPA/DOE HPC Challenge Benchmark(?: version (\d[\w.]*))?")
# Whoever else writes this format keeps the line above, which names the version of the format.
_PRODUCER = re.compile(r"Produced by (groma [^\s,]+)")
_BEGIN = "Begin of Summary section."
_END = "End of Summary section."
_SECTION = re.compile(r"(Begin|End) of (\w+) section\.")
_TIME = re.compile(r"Current time \(([0-9]{1,10})\) is")
_HOST = re.compile(r"Hostname: '([^']*)'")
_PAIR = re.compile(r"([A-Za-z]\w*)\s*=\s*(\S.*|)")
_HPL_LINE = re.compile(r"(W[RC]\d\w+)((?:\s+[0-9]{1,15}){4})\s+(\S+)\s+(\S+)$")

# What launchers and wikis put before a line: "[1,0]<stdout>:" of Open MPI, "0: " of srun, "> " and "| ".
_PREFIX = re.compile(r"^(?:\[\d+,\d+\]<std\w+>:|\d+:\s|>\s|\|\s)?\s*")


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

    `sections` are those that ended, `open_section` the one in which the file breaks off. `complete` means
    that the summary is there from its first to its last line. `unknown` are keys that HPCC 1.5.0 has not.
    """

    version: str | None = None
    producer: str | None = None
    host: str | None = None
    started: int | None = None
    ended: int | None = None
    sections: list[str] = []
    open_section: str | None = None
    complete: bool = False
    values: dict[str, SummaryValue] = {}
    unknown: list[str] = []
    hpl: list[HplLine] = []
    warnings: list[Advice] = []

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
    for lines in _runs_of(text):
        run = _Reader().read(lines, is_cut=not text.endswith("\n"))
        run.warnings = advice_of(run, last_level_cache)
        runs.append(run)
    return runs


def _runs_of(text: str) -> Iterator[list[str]]:
    """The lines of each run: a header begins one, and so does a second summary where the header is lost."""
    lines: list[str] = []
    has_header = has_summary = False
    for raw in text.splitlines():
        line = _PREFIX.sub("", raw).rstrip()
        is_header = _HEADER.search(line) is not None
        is_summary = line.startswith(_BEGIN)
        if is_header or (is_summary and has_summary):
            if has_header or has_summary:
                yield lines
            lines, has_header, has_summary = [], False, False
        has_header |= is_header
        has_summary |= is_summary
        lines.append(line)
    if has_header or has_summary:
        yield lines


class _Reader:
    """Takes the lines of one run."""

    def __init__(self) -> None:
        self.run = HpccRun()
        self.texts: dict[str, str] = {}
        self.in_summary = False

    def read(self, lines: list[str], *, is_cut: bool) -> HpccRun:
        for number, line in enumerate(lines):
            if self.in_summary:
                # A last line without its end may have lost digits: what it says is not known.
                broken = is_cut and number + 1 == len(lines) and not line.startswith(_END)
                self._summary_line(line, is_broken=broken)
            else:
                self._line(line)
        self.run.values = summary_values(self.texts)
        self.run.unknown = [name for name in self.texts if name not in BY_NAME]
        return self.run

    def _summary_line(self, line: str, *, is_broken: bool) -> None:
        if line.startswith(_END):
            self.in_summary, self.run.complete = False, True
            return
        pair = _PAIR.fullmatch(line)
        if pair is None or is_broken:
            return
        self.texts[pair[1]] = pair[2].strip()

    def _line(self, line: str) -> None:
        run = self.run
        if line.startswith(_BEGIN):
            self.in_summary = True
        elif found := _SECTION.match(line):
            self._section(found[1], found[2])
        elif found := _HEADER.search(line):
            run.version = found[1]
        elif found := _PRODUCER.match(line):
            run.producer = found[1]
        elif found := _HOST.match(line):
            run.host = found[1]
        elif found := _TIME.match(line):
            run.started = int(found[1]) if run.started is None else run.started
            run.ended = int(found[1])
        elif found := _HPL_LINE.match(line):
            run.hpl.append(_hpl_line(found))

    def _section(self, mark: str, name: str) -> None:
        self.run.open_section = name if mark == "Begin" else None
        if mark == "End":
            self.run.sections.append(name)


def _hpl_line(found: re.Match[str]) -> HplLine:
    n, nb, rows, columns = (int(word) for word in found[2].split())
    seconds, gflops = finite(found[3]), finite(found[4])
    return HplLine(variant=found[1], n=n, nb=nb, rows=rows, columns=columns, seconds=seconds, gflops=gflops)
