"""Curves as users record them: the same machine in the formats of many tools."""

from collections.abc import Callable
from pathlib import Path

import pytest

from groma.errors import ExitCode, GromaError
from groma.survey.infer.caches import answer, infer_caches
from groma.survey.infer.curve import Curve, read_curve, read_curves

SIZES = [1024 << i for i in range(17)]
LATENCIES = [*[1.25] * 6, *[4.5] * 4, 12.25, *[14.5] * 2, *[90.5] * 4]
POINTS = list(zip(SIZES, LATENCIES, strict=True))


def read(folder: Path, text: str) -> Curve:
    path = folder / "curve.txt"
    path.write_text(text)
    return read_curve(path)


def table(row: Callable[[int, float], str], header: str = "") -> str:
    return header + "".join(row(size, ns) + "\n" for size, ns in POINTS)


def codes(curve: Curve) -> list[str]:
    return [warning.code for warning in curve.warnings]


NAMED = {
    "kib": table(lambda b, ns: f"{b // 1024},{ns}", "size_kb,latency_ns\n"),
    "mib": table(lambda b, ns: f"{b / 2**20},{ns}", "Size (MiB),Latency [ns]\n"),
    "log2": table(lambda b, ns: f"{b.bit_length() - 1},{ns}", "log2(bytes),ns\n"),
    "camel case": table(lambda b, ns: f"{b // 1024},{ns}", "sizeKiB,latencyNs\n"),
    "working set": table(lambda b, ns: f"{ns},{b}", "Time per access (ns),Working set [bytes]\n"),
    "tabs": table(lambda b, ns: f"{b}\t{ns}", "size_bytes\tlatency_ns\n"),
    "semicolons and decimal commas": table(
        lambda b, ns: f"{b};{ns}".replace(".", ","), "size_bytes;latency_ns\n"
    ),
    "spaces": table(lambda b, ns: f"{b:10d} {ns:8.2f}", "Array size (B)   Latency (ns)\n"),
    "header in a comment": table(lambda b, ns: f"{b} {ns}", "# a board\n# size_bytes latency_ns\n"),
    "remarks behind the rows": table(
        lambda b, ns: f"{b} {ns}  # (N={b // 8}, reps=97)", "#bytes    ns/elem\n"
    ),
    "units in the cells": table(lambda b, ns: f"{b // 1024} KiB, {ns} ns", "size,latency\n"),
    "short units": table(lambda b, ns: f"{b // 1024}K {ns}", "size latency(ns)\n"),
    "picoseconds": table(lambda b, ns: f"{b},{ns * 1000}", "bytes,latency_ps\n"),
    "seconds": table(lambda b, ns: f"{b},{ns * 1e-9}", "bytes,latency (s)\n"),
    "more columns": table(
        lambda b, ns: f"3,{b},9.9,{ns},{ns + 50}", "run,size_bytes,bandwidth,min_ns,max_ns\n"
    ),
    "cycles beside ns": table(lambda b, ns: f"{b},{3 * ns},{ns}", "size_bytes,cycles,ns\n"),
    "cycles beside a time in ns": table(lambda b, ns: f"{b},{ns},{3 * ns}", "size_bytes,time(ns),cycles\n"),
    "cycles beside the time of a pass": table(
        lambda b, ns: f"{b},{7 * b},{ns}", "size_bytes,time_us,latency_ns\n"
    ),
    "short rule of Markdown": table(
        lambda b, ns: f"| {b} | {ns} |", "| size_bytes | latency_ns |\n| -: | :-: |\n"
    ),
    "random beside sequential": table(
        lambda b, ns: f"{b},1.1,{ns}", "size_bytes,sequential latency (ns),random latency (ns)\n"
    ),
    "markdown": table(lambda b, ns: f"| {b} | {ns} |", "| size_bytes | latency_ns |\n|---|---|\n"),
    "prose around": table(
        lambda b, ns: f"{b},{ns}", "Usage: chase [options]\n\nsize_bytes,latency_ns\n"
    ) + "Press the ENTER key to continue...",
    "another table behind": table(lambda b, ns: f"{b},{ns}", "size_bytes,latency_ns\n")
    + "\nsize_bytes,bandwidth_gb_s\n1024,90\n2048,80\n",
    "lat_mem_rd": "first lines\n" + table(lambda b, ns: f"{b / 2**20:.5f} {ns:.3f}", '"stride=128\n')
    + "\nMemory bandwidth\n0.001024 961.80\n",
    "ramlat": table(
        lambda b, ns: f"{b // 1024:8d}k: {ns / 2} {ns / 2} {ns} {ns / 3} {ns / 4} ",
        "Executing ramlat\n    size:  1x32  2x32 1xPTR 2xPTR 4xPTR\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED.keys())
def test_usual_formats_are_read_as_the_same_curve(tmp_path: Path, text: str) -> None:
    curve = read(tmp_path, text)
    assert curve.size_bytes.tolist() == SIZES
    assert curve.latency.tolist() == pytest.approx(LATENCIES, rel=0.05)
    assert (curve.unit, curve.warnings) == ("ns", ())


def test_ramlat_is_known_for_an_order_that_prefetchers_follow(tmp_path: Path) -> None:
    assert read(tmp_path, NAMED["ramlat"]).predictable
    assert not read(tmp_path, NAMED["lat_mem_rd"]).predictable


GUESSED = {
    "no header": (table(lambda b, ns: f"{b} {ns}"), {"curve.columns", "curve.unit"}, "B"),
    "no header, MiB": (
        table(lambda b, ns: f"{b / 2**20:.5f} {ns}"),
        {"curve.columns", "curve.unit"},
        "MiB",
    ),
    "region": (table(lambda b, ns: f"{b // 1024},{ns}", "Region,Latency (ns)\n"), {"curve.unit"}, "KiB"),
    "size": (table(lambda b, ns: f"{b},{ns}", "size,latency_ns\n"), {"curve.unit"}, "B"),
    "exponents": (
        table(lambda b, ns: f"{b.bit_length() - 1},{ns}", "size,latency_ns\n"),
        {"curve.unit"},
        "powers of two",
    ),
    "name of a machine": (table(lambda b, ns: f"{b},{ns}", "size_bytes,EPYC 7763\n"), {"curve.unit"}, "ns"),
    "seconds": (table(lambda b, ns: f"{b},{ns * 1e-9}", "size_bytes,time\n"), {"curve.unit"}, "seconds"),
}


@pytest.mark.parametrize(("text", "expected", "unit"), GUESSED.values(), ids=GUESSED.keys())
def test_a_guess_is_named(tmp_path: Path, text: str, expected: set[str], unit: str) -> None:
    curve = read(tmp_path, text)
    assert curve.size_bytes.tolist() == SIZES
    assert curve.latency.tolist() == pytest.approx(LATENCIES)
    assert expected <= set(codes(curve))
    assert any(warning.what.endswith(f"taken as {unit}") for warning in curve.warnings)


REFUSED = {
    "two meanings": (table(lambda b, ns: f"{b // 16},{ns}", "size,latency_ns\n"), "B or KiB"),
    "no meaning": (table(lambda b, ns: f"{b * 2**30},{ns}", "size,latency_ns\n"), "no unit"),
    "elements": (table(lambda b, ns: f"{b // 8},{ns}", "elements,latency_ns\n"), "header"),
    "a number": (table(lambda b, ns: f"{b // 8},{ns}", "N,ns\n"), "header"),
    "bandwidth": (table(lambda b, ns: f"{b},{ns}", "size_bytes,bandwidth_gb_s\n"), "header"),
    "several machines": (
        table(lambda b, ns: f"{b},{ns},{2 * ns}", "size_bytes,Zen 4,Golden Cove\n"),
        "Zen 4, Golden Cove",
    ),
    "several machines with numbers as names": (
        table(lambda b, ns: f"| {b >> 10}k | {ns} | {2 * ns} |", "| | 37x | 87 |\n| -: | -: | -: |\n"),
        "'37x, 87'",
    ),
    "several operations with latencies": (
        "operation,size_bytes,latency_ns\n"
        + "".join(f"{kind},{b},{ns}\n" for kind in ("load", "swap") for b, ns in POINTS),
        "'operation' is 'load, swap'",
    ),
    "several latencies": (
        table(lambda b, ns: f"{b},{ns},{ns}", "size_bytes,latency_core0_ns,latency_core8_ns\n"),
        "latency_core0_ns, latency_core8_ns",
    ),
    "several cores": (
        "core,size_bytes,latency_ns\n"
        + "".join(f"{core},{b},{ns * (core + 1)}\n" for core in (0, 8) for b, ns in POINTS),
        "'core' is '0, 8'",
    ),
    "two tables": (2 * table(lambda b, ns: f"{b},{ns}", "size_bytes,latency_ns\n"), "line 19 repeats"),
    "two strides of one kind": (2 * table(lambda b, ns: f"{b / 2**20} {ns}", '"stride=64\n'), "2 curves"),
    "two clusters of cores": (
        2 * table(lambda b, ns: f"{b // 1024}k: {ns} {ns}", "size: 1x32 2x32\n"),
        "2 curves that ramlat printed",
    ),
    "decimal commas between commas": (
        table(lambda b, ns: f"{b},{ns}".replace(".", ","), "size_bytes,latency_ns\n"),
        "line 2",
    ),
    "no numbers": ("".join(f"row {word}\n" for word in "abcdefghij"), "header"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_ambiguous_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(GromaError) as caught:
        read(tmp_path, text)
    assert caught.value.exit_code == ExitCode.USAGE
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_of_a_long_table_the_rows_with_latencies_count(tmp_path: Path) -> None:
    """Programs write bandwidths into the same table, with 0 for the latency."""
    rows = table(lambda b, ns: f"{b},read,91.5,0\n{b},copy,45.5,0\n{b},latency,0,{ns}")
    curve = read(tmp_path, f"size_bytes,operation,bandwidth_gb_s,latency_ns\n{rows}")
    assert curve.size_bytes.tolist() == SIZES
    assert curve.latency.tolist() == LATENCIES
    (warning,) = curve.warnings
    assert warning.what.startswith("only rows whose 'operation' is 'latency' hold latencies")
    assert "'copy, read'" in warning.what


def test_cycles_of_a_load_count_before_the_time_of_a_pass(tmp_path: Path) -> None:
    text = table(lambda b, ns: f"{b},{7 * b},{3 * ns}", "size_bytes,time_us,cycles\n")
    assert read(tmp_path, text).unit == "cycles"


def test_less_than_one_size_in_an_octave_is_named(tmp_path: Path) -> None:
    few = "".join(f"{b},{ns}\n" for b, ns in POINTS[::2])
    curve = read(tmp_path, f"size_bytes,latency_ns\n{few}")
    (warning,) = curve.warnings
    assert warning.code == "curve.sparse"
    assert "9 sizes over 16 octaves" in warning.what
    assert "record more sizes" in warning.next


def test_latencies_in_cycles_stay_cycles(tmp_path: Path) -> None:
    curve = read(tmp_path, table(lambda b, ns: f"{b},{4 * ns}", "size_bytes,latency_cycles\n"))
    assert curve.unit == "cycles"
    found = answer(infer_caches(curve))
    assert [cache["latency"]["unit"] for cache in found["caches"]] == ["cycles"] * 3
    assert found["caches"][0]["latency"]["value"] == pytest.approx(5.0)
    assert found["memory"]["latency"]["value"] == pytest.approx(362.0)


def test_of_several_strides_the_one_that_visits_every_line_counts(tmp_path: Path) -> None:
    walks = {16: 0.3, 64: 0.6, 128: 1.0, 1024: 1.1}
    text = "".join(
        table(lambda b, ns, part=part: f"{b / 2**20:.5f} {ns * part:.3f}", f'"stride={stride}\n') + "\n"  # type: ignore[misc]
        for stride, part in walks.items()
    )
    curve = read(tmp_path, text)
    assert curve.latency.tolist() == pytest.approx(LATENCIES)
    (warning,) = curve.warnings
    assert warning.what.startswith("the curve of stride 128 B is used")


def test_a_random_walk_of_lmbench_is_preferred(tmp_path: Path) -> None:
    text = table(lambda b, _: f"{b / 2**20:.5f} 1.250", 'Memory load latency\n"stride=128\n')
    text += table(lambda b, ns: f"{b / 2**20:.5f} {ns}", '\nRandom load latency\n"stride=16\n')
    assert read(tmp_path, text).latency.tolist() == pytest.approx(LATENCIES)


def test_both_pages_of_tinymembench_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "tinymembench.txt"
    blocks = {"MADV_NOHUGEPAGE": 1.5, "MADV_HUGEPAGE": 1.0}
    path.write_text(
        "".join(
            f"block size : single random read / dual random read, [{name}]\n"
            + "".join(f"{b:10d} : {max(ns - 1.25, 0) * part:6.1f} ns / 0.0 ns\n" for b, ns in POINTS)
            for name, part in blocks.items()
        )
    )
    curves = read_curves(path)
    assert curves.huge is not None
    assert curves.small is not None
    assert curves.best is curves.huge
    assert curves.best.size_bytes.tolist() == SIZES
    assert curves.small.latency[-1] == pytest.approx(1.5 * curves.huge.latency[-1], rel=0.01)
    assert codes(curves.best) == ["curve.baseline"]


def test_rounded_sizes_are_the_roundest_that_they_can_be(tmp_path: Path) -> None:
    rows = [
        f"{mib} {1.0 + i}" for i, mib in enumerate(("0.00049", "0.00098", "0.00293", "0.01172", "0.09375"))
    ]
    rows += [f"{mib}.00000 {9.0 + mib}" for mib in (1, 2, 3, 4)]
    curve = read(tmp_path, "size_mb latency_ns\n" + "\n".join(rows))
    assert curve.size_bytes[:5].tolist() == [512, 1024, 3072, 12288, 98304]


def test_tinymembench_subtracts_the_first_level_however_large_the_residue_is(tmp_path: Path) -> None:
    """On a slow core with a busy sibling the smallest sets show half a nanosecond and more, not 0."""
    latencies = [0.5, 0.7, 0.8, 0.7, 0.9, 1.2, 3.4, 6.8, 10.2, 25.7, 35.9, 49.6, 126.0, 268.3, 345.7, 404.0]
    rows = "".join(f"{1024 << i:10d} : {ns:6.1f} ns / {ns:6.1f} ns\n" for i, ns in enumerate(latencies))
    curve = read(tmp_path, f"block size : single random read / dual random read\n{rows}")
    assert codes(curve) == ["curve.baseline"]
    first = infer_caches(curve).caches[0]
    assert first.size.low <= 32 << 10 <= first.size.high
