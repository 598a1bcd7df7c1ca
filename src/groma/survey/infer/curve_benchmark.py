"""Latency curves in what programs print that are built with Google Benchmark: their table, JSON or CSV.

A benchmark is a size (its last argument, whose name may tell the unit) and the time of an iteration, which is
that of one load, or of many that the program counts as items.
"""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from groma.survey.infer.curve_columns import size_column
from groma.survey.infer.recorded_text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.survey.infer.curve_points import Refuse

_TITLE = "name,iterations,real_time,cpu_time,time_unit"
_IN_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_ARGUMENT = re.compile(r"(?:([^/:]*):)?(\d+)")
_OPTION = re.compile(
    r"(?:iterations|repeats|threads|min_time|min_warmup_time|process_time|real_time|manual_time)\b"
)
_ROW = re.compile(
    r"\s*(?P<name>\S.*?)\s+(?P<real_time>[\d.e+-]+) (?P<time_unit>[num]?s)\s+[\d.e+-]+ [num]?s\s+\d+\b"
)
_ITEMS = re.compile(r"\bitems_per_second=([\d.]+)([kMGT]?)/s")
_THOUSANDS = " kMGT"
_AGGREGATE = re.compile(r"_(mean|median|stddev|cv|min|max|BigO|RMS)$")


class _Run(NamedTuple):
    """`aggregate` is empty for a repetition."""

    family: str
    argument: str
    size: str
    ns: float
    aggregate: str


def table_of_benchmarks(text: str, refuse: Refuse) -> str | None:
    """Sizes and latencies (ns) as a table with a header; None for a text of another program."""
    found = [run for fields in _benchmarks(text) if (run := _run(fields)) is not None]
    if not found:
        return None
    runs = _samples(found)
    families = sorted({run.family for run in runs})
    if len(families) > 1:
        raise refuse(
            f"holds several benchmarks: {shown(', '.join(families))}",
            "write one of them, chosen with --benchmark_filter",
        )
    column = size_column([runs[0].argument])
    name = "size" if column is None or column.factor is None else runs[0].argument
    return f"{name},latency_ns\n" + "".join(f"{run.size},{run.ns!r}\n" for run in runs)


def _benchmarks(text: str) -> Iterator[Mapping[str, Any]]:
    if text.lstrip().startswith("{"):
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            return
        listed = content.get("benchmarks")
        yield from (one for one in listed if isinstance(one, dict)) if isinstance(listed, list) else ()
        return
    lines = text.splitlines()
    for start, line in enumerate(lines):
        if line.startswith(_TITLE):
            yield from csv.DictReader(lines[start:])
            return
        if line.split()[:4] == ["Benchmark", "Time", "CPU", "Iterations"]:
            yield from filter(None, map(_printed, lines[start:]))
            return


def _printed(line: str) -> dict[str, Any] | None:
    """The fields of a row of the table on the terminal."""
    row = _ROW.match(line)
    if row is None:
        return None
    items = _ITEMS.search(line)
    counted = float(items[1]) * 1e3 ** max(_THOUSANDS.index(items[2] or " "), 0) if items else None
    return {**row.groupdict(), "items_per_second": counted}


def _run(fields: Mapping[str, Any]) -> _Run | None:
    """None for a failed run, and for one without a size."""
    name = str(fields.get("name", ""))
    aggregate = _AGGREGATE.search(name)
    family, *rest = _AGGREGATE.sub("", name).split("/")
    arguments = [part for part in rest if not _OPTION.match(part)]
    size = _ARGUMENT.fullmatch(arguments[-1]) if arguments else None
    ns = _ns_per_load(fields)
    if size is None or ns is None:
        return None
    name = "/".join([family, *arguments[:-1]])
    return _Run(name, size[1] or "", size[2], ns, aggregate[1] if aggregate else "")


def _ns_per_load(fields: Mapping[str, Any]) -> float | None:
    items, time = _number(fields.get("items_per_second")), _number(fields.get("real_time"))
    factor = _IN_NS.get(str(fields.get("time_unit")))
    if items:
        return 1e9 / items
    return time * factor if time and factor else None


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, (str, int, float)) else None
    except ValueError:
        return None


def _samples(runs: Sequence[_Run]) -> list[_Run]:
    """Repetitions; medians or means where only aggregates were written."""
    for kind in ("", "median", "mean"):
        chosen = [run for run in runs if run.aggregate == kind]
        if chosen:
            return chosen
    return []
