"""What a reader of an old hpccoutf.txt has to know before using its figures. Pure."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec

from groma.hpccoutf.body import FIGURES_OF
from groma.hpccoutf.keys import SIZE_OF
from groma.hpccoutf.values import ABSENT, FAILED, SummaryValue, finite, is_garbage
from groma.record.counting import counted
from groma.record.units import format_share, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.hpccoutf.runs import HpccRun


class Anomaly(msgspec.Struct, frozen=True, kw_only=True):
    """Something doubtful about a run, and the line of the file that says it, from 1 on.

    `code` is stable: "hpccoutf.cut". `what` does not name the line.
    """

    code: str
    what: str
    next: str
    line: int


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

NEAR = 0.05
"""Printed digits and the time of the checks make rates differ by less from what their parts give."""

SURELY_MORE = 1.1
"""DGEMM is one call: HPL may well be faster by less."""

_LONGEST_QUOTED = 60

MOST_NAMED = 5
"""Keys that a warning names."""


_Finding = tuple[str, str, str, str | int]
"""Code, what, next step, and its line or the key on that line; empty for the line where the run begins."""


def anomalies_of(run: HpccRun, last_level_cache: int | None = None) -> list[Anomaly]:
    """All that is doubtful about a run, most serious first."""
    found = [
        *_broken(run),
        *_failed(run),
        *_unlikely(run),
        *_text(run),
        *_random_access(run, "MPIRandomAccess"),
        *_random_access(run, "MPIRandomAccess_LCG"),
        *_sizes(run),
        *_stream(run, last_level_cache),
    ]
    return [
        Anomaly(code=f"hpccoutf.{code}", what=what, next=step, line=_place(run, key))
        for code, what, step, key in found
    ]


def _place(run: HpccRun, key: str | int) -> int:
    return run.lines.get(key, run.line) if isinstance(key, str) else key


# ---- of the whole ------------------------------------------------------------------------------------------


def _broken(run: HpccRun) -> Iterator[_Finding]:
    if run.complete:
        return
    where = f" in the section {run.open_section}" if run.open_section else ""
    summary = [key for key in run.lines if key not in run.from_body]
    if summary:
        last = max(summary, key=lambda key: run.lines[key])
        yield (
            "cut",
            "the summary has no last line, so later keys may be missing",
            "find the rest of the file",
            last,
        )
    elif run.hidden_summary is not None:
        before = run.hidden_by[-_LONGEST_QUOTED:]
        what = f"the lines of the summary begin with {before!r}, but not the header: they are not read"
        yield "prefix", what, "remove what stands before these lines", run.hidden_summary
    else:
        yield (
            "no-summary",
            f"the run ends without a summary{where}",
            "the run was killed or crashed; run it again",
            "",
        )
    if run.from_body:
        yield _body(run)


def _body(run: HpccRun) -> _Finding:
    """Where the values stand that no summary confirms."""
    lines = sorted(run.lines[key] for key in run.from_body)
    what = (
        f"{len(lines)} values are from the lines of the tests themselves (lines {lines[0]} to {lines[-1]}): "
        "they have fewer digits, and nothing says whether the run as a whole passed"
    )
    return "body", what, "run it again for a summary", lines[0]


def _failed(run: HpccRun) -> Iterator[_Finding]:
    if run.success is False:
        yield "failed", "the run reports a failed check (Success=0)", "do not use its figures", "Success"
    yield from _failed_checks(run)
    reported = {*run.conflicting, *run.of_failures}
    failed = [key for key, one in run.values.items() if one.state == FAILED and key not in reported]
    negative = [key for key in failed if finite(run.values[key].text) is not None]
    words = [key for key in failed if key not in negative]
    step = "do not use figures that depend on them"
    yield from _of_keys("not-a-number", "not a number", words, step)
    yield from _of_keys("negative", "below zero, which no measurement gives", negative, step)
    yield from _of_keys("zero", "zero, which no measurement gives", _zeros(run), step)
    unset = [key for key, value in run.values.items() if _was_never_set(key, value)]
    yield from _of_keys("unset", "never set by the program", unset, "run these tests again if you need them")
    what = "several values in one summary, of which none is used"
    yield from _of_keys("conflicting", what, run.conflicting, "find the original file")


def _failed_checks(run: HpccRun) -> Iterator[_Finding]:
    """One for each section, with the first of its checks that failed."""
    firsts = {one.section: one for one in reversed(run.failures)}
    for section, one in sorted(firsts.items(), key=lambda item: item[1].line):
        is_one_case = one.rates and any(run.number(key) is not None for key in FIGURES_OF.get(section, ()))
        failed = (
            f"a case of {section} failed its check and is not used"
            if is_one_case
            else f"{section} failed its check, so its figures are not used"
        )
        what = f"{failed}: {' '.join(one.what.split())}"
        yield "failed-check", what, "find out why the result is wrong, and run the test again", one.line


def _of_keys(code: str, what: str, keys: Sequence[str], step: str) -> Iterator[_Finding]:
    if keys:
        more = f" and {len(keys) - MOST_NAMED} more" if len(keys) > MOST_NAMED else ""
        yield code, f"{what}: {', '.join(keys[:MOST_NAMED])}{more}", step, keys[0]


def _zeros(run: HpccRun) -> list[str]:
    """Rates and latencies of tests that ran; a test that did not run leaves zeros of its own."""
    return [
        key
        for key, value in run.values.items()
        if value.state == ABSENT and value.unit.endswith(("/s", "us")) and finite(value.text) == 0
        if SIZE_OF.get(key) is None or run.number(SIZE_OF[key]) is not None
    ]


def _was_never_set(key: str, value: SummaryValue) -> bool:
    number = finite(value.text)
    return value.state == ABSENT and number is not None and is_garbage(key, number)


def _text(run: HpccRun) -> Iterator[_Finding]:
    if not run.headed and len(run.lines) > len(run.from_body):
        yield (
            "no-begin",
            "the summary has no first line, so keys before these may be missing",
            "find the whole file",
            "",
        )
    if run.strange:
        what = f"{len(run.strange)} of the lines in the summary are no key with a value"
        yield "strange-lines", what, "see whether other output came between", run.strange[0]
    if run.decimal_commas:
        what = f"{len(run.decimal_commas)} numbers have a decimal comma and are read with a point"
        yield "decimal-comma", what, "run with LC_NUMERIC=C", run.decimal_commas[0]
    step = "nothing to do: they are kept as they are"
    yield from _of_keys("unknown-keys", "keys that HPCC 1.5.0 does not have", run.unknown, step)
    if run.version is not None and not run.version.startswith("1."):
        yield "version", f"the format is of version {run.version}, not 1.x", "check what its keys mean", ""


# ---- figures that contradict each other --------------------------------------------------------------------


def _unlikely(run: HpccRun) -> Iterator[_Finding]:
    yield from _hpl(run)
    yield from _updates_per_second(run, "MPIRandomAccess")
    yield from _updates_per_second(run, "MPIRandomAccess_LCG")
    for unit in ("Latency_usec", "Bandwidth_GBytes"):
        names = [f"{which}PingPong{unit}" for which in ("Min", "Avg", "Max")]
        numbers = [number for name in names if (number := run.number(name)) is not None]
        if numbers != sorted(numbers):
            what = f"{', '.join(names)} are not in the order of least, mean and most"
            yield "order", what, "do not use these figures", names[0]


def _hpl(run: HpccRun) -> Iterator[_Finding]:
    n, seconds, rate = run.number("HPL_N"), run.number("HPL_time"), run.number("HPL_Tflops")
    if n and seconds and rate and seconds > 0:
        reported = (2 / 3 * n**3 + 3 / 2 * n**2) / seconds / 1e12
        if not _is_near(reported, rate, _rounding(run, "HPL_time")):
            what = f"HPL_Tflops is {rate:g}, but HPL_N and HPL_time give {reported:.3g}"
            yield "inconsistent", what, "find out which of the three is wrong", "HPL_Tflops"
    multiply, ranks = run.number("StarDGEMM_Gflops"), run.number("CommWorldProcs")
    if rate and multiply and ranks and 1000 * rate > SURELY_MORE * multiply * ranks:
        most = f"{multiply * ranks / 1000:.3g} Tflop/s"
        what = f"HPL_Tflops is {rate:g}, more than DGEMM reaches on all ranks ({most})"
        yield "hpl-above-dgemm", what, "check that both used the same threads and devices", "HPL_Tflops"


def _updates_per_second(run: HpccRun, test: str) -> Iterator[_Finding]:
    updates, seconds = run.number(f"{test}_ExeUpdates"), run.number(f"{test}_time")
    rate = run.number(f"{test}_GUPs")
    if not updates or not seconds or not rate:
        return
    reported = updates / seconds / 1e9
    if not _is_near(reported, rate, _rounding(run, f"{test}_time")):
        what = f"{test}_GUPs is {rate:g}, but its updates and time give {reported:.3g}"
        yield "inconsistent", what, "find out which of the three is wrong", f"{test}_GUPs"


def _is_near(one: float, other: float, rounding: float) -> bool:
    return math.isfinite(one) and abs(one - other) <= (NEAR + rounding) * max(one, other)


def _rounding(run: HpccRun, key: str) -> float:
    """How far the number may be from what was printed, as a share: tables print 0.01 for 0.0117."""
    number = Decimal(run.values[key].text.replace(",", "."))
    half_of_last_digit = Decimal(5).scaleb(int(number.as_tuple().exponent) - 1)
    return float(half_of_last_digit / abs(number))


# ---- RandomAccess ------------------------------------------------------------------------------------------


def _random_access(run: HpccRun, test: str) -> Iterator[_Finding]:
    words, updates = run.number(f"{test}_N"), run.number(f"{test}_ExeUpdates")
    errors, bound = run.number(f"{test}_Errors"), run.number(f"{test}_TimeBound")
    algorithm = run.number(f"{test}_Algorithm")
    share = updates / (4 * words) if words and updates is not None else None
    yield from _updates_done(test, share, bound)
    if words and errors:
        fraction = errors / words
        verdict = "more than the rules allow" if fraction > ALLOWED_ERRORS else "allowed by the rules"
        what = f"{test} left {counted(int(errors), 'wrong word')} ({fraction:.2g} of all), {verdict}"
        yield "wrong-words", what, "use a run without wrong words", f"{test}_Errors"
    if algorithm:
        name = ALGORITHMS.get(int(algorithm), "unknown")
        step = "compare only with runs of the same algorithm"
        yield "algorithm", f"{test} used algorithm {algorithm:g}: {name}", step, f"{test}_Algorithm"


def _updates_done(test: str, share: float | None, bound: float | None) -> Iterator[_Finding]:
    """HPCC names the time bound of every run that could have been cut; only the updates tell if it was."""
    if share is not None and share >= 1:
        return
    step = "compare only with complete runs"
    if bound is not None and bound > 0:
        done = "its updates are not said" if share is None else f"it did {format_share(share)} of the updates"
        yield "time-bound", f"{test} had a time bound of {bound:g} s: {done}", step, f"{test}_TimeBound"
    elif share is not None:
        yield "updates", f"{test} did {format_share(share)} of its updates", step, f"{test}_ExeUpdates"


# ---- sizes -------------------------------------------------------------------------------------------------


def _sizes(run: HpccRun) -> Iterator[_Finding]:
    n, nb, ranks = run.number("HPL_N"), run.number("HPL_NB"), run.number("CommWorldProcs")
    built_in = run.number("MemProc") is not None and run.number("MemSpec") is None
    if built_in or (n, nb) == (_DEFAULT_N, _DEFAULT_NB):
        what = f"there was no input file, so the built-in N={n:g} was used" if n else "no input file was read"
        yield "default-size", what, "use an hpccinf.txt that fills a large part of the memory", "HPL_N"
    yield from _grid(run, ranks)


def _grid(run: HpccRun, ranks: float | None) -> Iterator[_Finding]:
    """Early versions say how many ranks the grid had, and not its sides."""
    rows, columns = run.number("HPL_nprow"), run.number("HPL_npcol")
    step = "use a grid of all ranks"
    if rows and columns and ranks and rows * columns != ranks:
        what = f"HPL used {rows * columns:g} of {ranks:g} ranks (a grid of {rows:g} x {columns:g})"
        yield "grid", what, step, "HPL_nprow"
    most = run.number("HPLMaxProcs") if run.number("HPL_Tflops") and not rows else None
    if most and ranks and most < ranks:
        yield "grid", f"HPL used {most:g} of {ranks:g} ranks", step, "HPLMaxProcs"


def _stream(run: HpccRun, last_level_cache: int | None) -> Iterator[_Finding]:
    length, ranks = run.number("STREAM_VectorSize"), run.number("CommWorldProcs")
    if not length or not ranks:
        return
    vector = 8 * length * ranks
    cache = ASSUMED_CACHE if last_level_cache is None else last_level_cache
    if vector < CACHE_MULTIPLE * cache:
        known = "a cache of" if last_level_cache is None else "the last-level cache of"
        least = f"{CACHE_MULTIPLE} times {known} {format_value(cache, 'B')}"
        what = f"each STREAM vector has {format_value(vector, 'B')} over all ranks: below {least}"
        yield "stream-in-cache", what, "make N larger", "STREAM_VectorSize"
