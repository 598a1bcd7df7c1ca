"""The tables of a trace as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from groma.trace import statistics as of
from groma.trace.bandwidths import bandwidths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groma.trace.sums import TraceSums


def statistics_model(sums: TraceSums) -> dict[str, Any]:
    """Times in seconds, sizes in bytes, rates in bytes per second."""
    return {
        "created": sums.created,
        "duration": sums.duration * of.NANOSECOND,
        "threads": len(sums.threads),
        "nodes": sums.nodes,
        "records": sums.records,
        "efficiencies": _efficiencies(sums),
        "states": [asdict(one) for one in of.times_in_states(sums)],
        "calls": [_call(one) for one in of.times_in_calls(sums)],
        "ranks": _ranks(sums),
        "messages": asdict(of.messages(sums)),
        "sizes": [_size(one.bin, one.count, one.bytes) for one in sums.sizes],
        "pairs": [_pair(sums, one.sender, one.receiver, one.count, one.bytes) for one in sums.pairs],
        "bandwidths": [asdict(one) for one in bandwidths(sums)],
        "regions": [{**asdict(one), "bandwidth": one.bandwidth} for one in of.times_in_regions(sums)],
        "counters": [asdict(one) for one in of.counter_totals(sums)],
        "types": [asdict(one) for one in sums.types],
        "warnings": list(of.warnings(sums)),
    }


def _efficiencies(sums: TraceSums) -> dict[str, float] | None:
    found = of.efficiencies(sums)
    return None if found is None else {**asdict(found), "parallel": found.parallel}


def _call(one: of.CallTime) -> dict[str, Any]:
    return {**asdict(one), "mean": one.mean, "bandwidth": one.bandwidth}


def _ranks(sums: TraceSums) -> list[dict[str, Any]]:
    """Each with its time in states and calls."""
    made = []
    states = _grouped(((one.thread, str(one.state), one.time) for one in sums.states), len(sums.threads))
    calls = _grouped(
        ((one.thread, f"{one.type}:{one.value}", one.time) for one in sums.calls), len(sums.threads)
    )
    for index, one in enumerate(of.times_of_threads(sums)):
        made.append({**asdict(one), "states": states[index], "mpi": calls[index]})
    return made


def _grouped(parts: Iterable[tuple[int, str, int]], threads: int) -> list[dict[str, float]]:
    made: list[dict[str, float]] = [{} for _ in range(threads)]
    for thread, key, time in parts:
        made[thread][key] = time * of.NANOSECOND
    return made


def _size(number: int, count: int, size: int) -> dict[str, int]:
    least, most = of.bounds_of_bin(number)
    return {"least": least, "most": most, "count": count, "bytes": size}


def _pair(sums: TraceSums, sender: int, receiver: int, count: int, size: int) -> dict[str, Any]:
    names = of.thread_name(sums, sender), of.thread_name(sums, receiver)
    return {"sender": names[0], "receiver": names[1], "count": count, "bytes": size}


def statistics_csv(sums: TraceSums, table: str) -> str:
    """One table with a header. What a rank has in each state and call is left to JSON."""
    rows = statistics_model(sums)[table]
    text = io.StringIO()
    columns = [name for name, value in rows[0].items() if not isinstance(value, dict)] if rows else []
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
