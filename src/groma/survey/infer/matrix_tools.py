"""Matrices of latencies in what known tools print, as plain tables: the sections around them are left out."""

from __future__ import annotations

import re
from itertools import takewhile

NUMA_NODE = "NUMA node"
"""The corner of a table whose rows and columns are NUMA nodes."""


def table_of_tool(text: str) -> str:
    """The table that a known tool printed, as comma-separated values; other texts as they are."""
    plain = text.replace("\r\n", "\n")
    return _of_pingpong(plain) or _of_memory_latency_checker(plain) or text


# ---- pingpong, of multichase -------------------------------------------------------------------------------

_PINGPONG = re.compile(r"avg latency to communicate a modified line.*\n.*\n\s*\n(?P<others>[ \d]+)\n")
_PINGPONG_ROW = re.compile(r"\s*(?P<core>\d+):(?P<times>(?:\s+[\w.]+)*)\s*")


def _of_pingpong(text: str) -> str | None:
    """An upper triangle: above it stand all cores but the first, beside it all but the last."""
    title = _PINGPONG.search(text)
    rows = [] if title is None else list(map(_PINGPONG_ROW.fullmatch, text[title.end() :].splitlines()))
    found = [(row["core"], row["times"].split()) for row in rows if row]
    if title is None or not found:
        return None
    cores = [found[0][0], *title["others"].split()]
    gaps = ([""] * (len(cores) - len(times)) for _, times in found)
    lines = [[core, *gap, *times] for (core, times), gap in zip(found, gaps, strict=True)]
    return _as_text([["core", *cores], *lines])


# ---- the Intel Memory Latency Checker ----------------------------------------------------------------------

_IDLE = re.compile(r"^Measuring idle latencies\b.*\(in ns\).*\n", re.MULTILINE)
_NODES = re.compile(r"^Numa node((?:[ \t]+\d+)+)\s*?\n", re.IGNORECASE | re.MULTILINE)


def _of_memory_latency_checker(text: str) -> str | None:
    """Its idle latencies, from NUMA nodes to the memory of NUMA nodes."""
    title = _IDLE.search(text)
    if title is None:
        return None
    header = _NODES.search(text, title.end())
    if header is None:
        return None
    lines = (line.split() for line in text[header.end() :].splitlines())
    rows = takewhile(lambda cells: bool(cells) and cells[0].isdigit(), lines)
    return _as_text([[NUMA_NODE, *header[1].split()], *rows])


def _as_text(rows: list[list[str]]) -> str:
    return "".join(",".join(row) + "\n" for row in rows)
