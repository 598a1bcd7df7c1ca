"""What a reader of an old hpccoutf.txt has to know before the figures are believed. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record import Advice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.hpccoutf.runs import HpccRun

CACHE_MULTIPLE = 4
"""STREAM's own rule: each vector, over all ranks, is at least so many times the last-level caches. The other
tests, whose sizes follow from the same memory, are held to it with all that they work on."""

ASSUMED_CACHE = 32 << 20
"""Bytes of a last-level cache where the file's machine is not known: a modest one of today."""

ALLOWED_ERRORS = 0.01
"""Share of wrong words that the rules of RandomAccess allow."""

ALGORITHMS = {
    0: "buckets",
    1: "hypercube (RA_SANDIA_NOPT)",
    2: "hypercube, power of two (RA_SANDIA_OPT2)",
    10: "shared memory (groma)",
    20: "direct messages (groma)",
    21: "hypercube (groma)",
    22: "route (groma)",
    30: "specialised ranks (groma)",
}
"""What MPIRandomAccess_Algorithm means in HPCC 1.5.0, and in groma from 10 on."""

_DEFAULT_N, _DEFAULT_NB = 2560, 80


def advice_of(run: HpccRun, last_level_cache: int | None = None) -> list[Advice]:
    """All that is doubtful about a run, most serious first."""
    found = [
        *_broken(run),
        *_failed(run),
        *_random_access(run, "MPIRandomAccess"),
        *_random_access(run, "MPIRandomAccess_LCG"),
        *_sizes(run),
        *_stream(run, last_level_cache),
    ]
    return [Advice(code=f"hpccoutf.{code}", what=what, next=step) for code, what, step in found]


_Finding = tuple[str, str, str]


def _broken(run: HpccRun) -> Iterator[_Finding]:
    if run.complete:
        return
    where = f" in the section {run.open_section}" if run.open_section else ""
    if run.values:
        yield "cut", "the summary is cut off: later keys are missing", "find the rest of the file"
    else:
        yield (
            "no-summary",
            f"the run ends without a summary{where}",
            "the run was killed or crashed; run it again",
        )


def _failed(run: HpccRun) -> Iterator[_Finding]:
    if run.success is False:
        yield "failed", "the run reports a failed check (Success=0)", "do not use its figures"
    keys = [key for key, value in run.values.items() if value.state == "failed"]
    if keys:
        yield "not-a-number", f"not a number: {', '.join(keys)}", "do not use figures that depend on them"


def _random_access(run: HpccRun, test: str) -> Iterator[_Finding]:
    words, updates = run.number(f"{test}_N"), run.number(f"{test}_ExeUpdates")
    errors, bound = run.number(f"{test}_Errors"), run.number(f"{test}_TimeBound")
    algorithm = run.number(f"{test}_Algorithm")
    share = updates / (4 * words) if words and updates is not None else None
    if bound is not None and bound > 0:
        done = "" if share is None else f", {share:.1%} of the updates were done"
        yield "time-bound", f"{test} had a time bound of {bound:g} s{done}", _compare(share)
    elif share is not None and share < 1:
        yield "updates", f"{test} did {share:.1%} of its updates", _compare(share)
    if words and errors:
        fraction = errors / words
        verdict = "more than the rules allow" if fraction > ALLOWED_ERRORS else "allowed by the rules"
        what = f"{test} left {errors:g} wrong words ({fraction:.2g} of all), {verdict}"
        yield "wrong-words", what, "use a run without wrong words"
    if algorithm:
        name = ALGORITHMS.get(int(algorithm), "unknown")
        step = "compare only with runs of the same algorithm"
        yield "algorithm", f"{test} used algorithm {algorithm:g}: {name}", step


def _compare(share: float | None) -> str:
    return "nothing to do" if share == 1 else "compare only with complete runs"


def _sizes(run: HpccRun) -> Iterator[_Finding]:
    n, nb, ranks = run.number("HPL_N"), run.number("HPL_NB"), run.number("CommWorldProcs")
    built_in = run.number("MemProc") is not None and run.number("MemSpec") is None
    if built_in or (n, nb) == (_DEFAULT_N, _DEFAULT_NB):
        what = f"there was no input file, so the built-in N={n:g} was used" if n else "no input file was read"
        yield "default-size", what, "use an hpccinf.txt that fills a large part of the memory"
    rows, columns = run.number("HPL_nprow"), run.number("HPL_npcol")
    if rows and columns and ranks and rows * columns != ranks:
        what = f"HPL used {rows * columns:g} of {ranks:g} ranks (a grid of {rows:g} x {columns:g})"
        yield "grid", what, "use a grid of all ranks"


def _stream(run: HpccRun, last_level_cache: int | None) -> Iterator[_Finding]:
    length, ranks = run.number("STREAM_VectorSize"), run.number("CommWorldProcs")
    if not length or not ranks:
        return
    vector = 8 * length * ranks
    cache = ASSUMED_CACHE if last_level_cache is None else last_level_cache
    if vector < CACHE_MULTIPLE * cache:
        known = "a cache of" if last_level_cache is None else "the last-level cache of"
        least = f"{CACHE_MULTIPLE} times {known} {cache >> 20} MiB"
        what = f"each STREAM vector has {vector / 2**20:.0f} MiB over all ranks: below {least}"
        yield "stream-in-cache", what, "make N larger"
