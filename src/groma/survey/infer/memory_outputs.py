"""Outputs of tools that measure memory and are neither a curve over sizes nor latencies between cores.

Their numbers would otherwise pass for such: a matrix of bandwidths looks like one of latencies.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_CORES = "measure between cores: groma survey --only core_to_core"


class Refused(NamedTuple):
    """What a file holds, and what to do instead."""

    what: str
    next_step: str


class _Output(NamedTuple):
    """What the tool `name` prints: `mark` is in it. What to do where a curve or a matrix is wanted."""

    name: str
    mark: re.Pattern[str]
    for_curve: str
    for_matrix: str = _CORES


_SIZE_BY_SIZE = "measure size by size ({}) and write one row for each: {},latency_ns"
_OUTPUTS = (
    _Output(
        "the Intel Memory Latency Checker",
        re.compile(
            r"^Intel\(R\) Memory Latency Checker - v"
            r"|^Measuring (?:idle latencies|Memory Bandwidths between|Loaded Latencies)",
            re.MULTILINE,
        ),
        _SIZE_BY_SIZE.format("mlc --idle_latency -bKIB", "size_kib"),
        f"give the output of mlc --latency_matrix, or {_CORES}",
    ),
    _Output(
        "multiload",
        re.compile(r"^\s*Samples\s*,\s*Byte/thd\s*,", re.MULTILINE),
        _SIZE_BY_SIZE.format("multichase -m SIZE, without load", "size_bytes"),
    ),
    _Output(
        "multichase",
        re.compile(r"^tlb_locality = \d+\nchase = ", re.MULTILINE),
        _SIZE_BY_SIZE.format("multichase -m SIZE", "size_bytes"),
    ),
    _Output(
        "numactl, which prints distances that firmware declares",
        re.compile(r"^node distances:", re.MULTILINE),
        "measure a curve: groma survey --only load_latency",
    ),
)

_BANDWIDTH = re.compile(r"bandwidth|throughput|\b[kmgt]i?b(?:it)?(?:/s|ps|/sec)\b", re.IGNORECASE)
_LATENCY = re.compile(r"latenc|(?<![a-z])[nµu]s(?:ec)?(?![a-z])|cycles|round.?trip|one.?way", re.IGNORECASE)


def no_curve(text: str) -> Refused | None:
    """Why a text that a known tool printed is no curve of latencies over sizes."""
    found = _output_in(text)
    return None if found is None else Refused(_shown(found, "latencies over sizes"), found.for_curve)


def no_latencies_between_cores(text: str) -> Refused | None:
    """Why a text holds no latencies between cores: it is of a known tool, or speaks of bandwidths only."""
    found = _output_in(text)
    if found is not None:
        return Refused(_shown(found, "latencies between cores"), found.for_matrix)
    if _BANDWIDTH.search(text) and not _LATENCY.search(text):
        return Refused("holds bandwidths, not latencies", f"name a file with latencies, or {_CORES}")
    return None


def _shown(output: _Output, wanted: str) -> str:
    return f"is an output of {output.name}, and holds no {wanted}"


def _output_in(text: str) -> _Output | None:
    return next((one for one in _OUTPUTS if one.mark.search(text)), None)
