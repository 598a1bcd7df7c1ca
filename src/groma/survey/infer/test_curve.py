from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.errors import ExitCode, GromaError
from groma.survey.infer.caches import answer, infer_caches
from groma.survey.infer.curve import Curve, curve_of_samples, read_curve, read_curves

HEADER = "size_bytes,latency_ns\n"
TEN_ROWS = [f"{4096 << i},{1.0 + 5 * (i > 4) + 50 * (i > 7)}" for i in range(10)]


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "curve.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refusal(path: Path) -> GromaError:
    with pytest.raises(GromaError) as caught:
        read_curve(path)
    assert caught.value.exit_code == ExitCode.USAGE
    assert "\n" not in str(caught.value)
    return caught.value


def codes(curve: Curve) -> list[str]:
    return [warning.code for warning in curve.warnings]


def test_plain_file_is_read_as_it_stands(tmp_path: Path) -> None:
    curve = read_curve(written(tmp_path, HEADER + "\n".join(TEN_ROWS)))
    assert curve.size_bytes.tolist() == [4096 << i for i in range(10)]
    assert curve.latency[0] == 1.0
    assert curve.unit == "ns"
    assert not curve.warnings


@pytest.mark.parametrize(
    "content",
    [
        "# recorded on a board\n" + HEADER + "# half way\n" + "\n".join(TEN_ROWS),
        "\ufeff" + HEADER + "\n".join(TEN_ROWS),
        HEADER.replace("\n", "\r\n") + "\r\n".join(TEN_ROWS) + "\r\n\r\n",
        " Size_Bytes , LATENCY_NS \n" + "\n".join(row.replace(",", " ,\t") for row in TEN_ROWS),
        '"size_bytes","latency_ns"\n' + "\n".join(TEN_ROWS),
        "run,size_bytes,latency_ns,note\n" + "\n".join(f"1,{row},x" for row in TEN_ROWS),
    ],
    ids=["comments", "byte-order-mark", "carriage-returns", "spaces", "quotes", "more-columns"],
)
def test_harmless_dress_of_a_file_changes_nothing(tmp_path: Path, content: str) -> None:
    curve = read_curve(written(tmp_path, content))
    assert curve.size_bytes.tolist() == [4096 << i for i in range(10)]
    assert not curve.warnings


def test_unsorted_rows_are_sorted_and_said_so(tmp_path: Path) -> None:
    curve = read_curve(written(tmp_path, HEADER + "\n".join(reversed(TEN_ROWS))))
    assert (np.diff(curve.size_bytes) > 0).all()
    assert codes(curve) == ["curve.unsorted"]


def test_repeated_sizes_are_merged_by_their_low_quantile(tmp_path: Path) -> None:
    slow = [row.split(",")[0] + ",999" for row in TEN_ROWS]
    curve = read_curve(written(tmp_path, HEADER + "\n".join(TEN_ROWS + slow)))
    assert len(curve.size_bytes) == 10
    assert curve.latency[0] < 100
    assert "curve.repeated" in codes(curve)


@pytest.mark.parametrize("bad", ["nan", "inf", "-3", "0", "", "1e400", "-inf"])
def test_few_unusable_values_are_left_out_with_a_warning(tmp_path: Path, bad: str) -> None:
    curve = read_curve(written(tmp_path, HEADER + "\n".join([*TEN_ROWS, f"99999999,{bad}"])))
    assert len(curve.size_bytes) == 10
    assert codes(curve) == ["curve.unusable"]


def test_sizes_that_are_no_sizes_are_left_out(tmp_path: Path) -> None:
    curve = read_curve(written(tmp_path, HEADER + "\n".join(["-4096,1", "nan,1", "1e30,1", *TEN_ROWS])))
    assert len(curve.size_bytes) == 10


def test_mostly_unusable_values_are_refused(tmp_path: Path) -> None:
    error = refusal(written(tmp_path, HEADER + "\n".join(TEN_ROWS + ["4096,nan"] * 11)))
    assert "11 of 21" in error.what


def test_three_points_are_refused_and_the_least_number_is_named(tmp_path: Path) -> None:
    error = refusal(written(tmp_path, HEADER + "\n".join(TEN_ROWS[:3])))
    assert "3 usable sizes" in error.what
    assert "at least 8" in error.what


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("# only a comment\n\n", "empty"),
        (HEADER, "no points"),
        ("size,latency\n4096,1\n", "header"),
        ("4096,1.0\n8192,1.0\n", "header"),
        ("size_bytes;bandwidth\n4096;1\n", "header"),
        (HEADER + "4096\n", "line 2"),
        (HEADER + "4096,fast\n", "line 2"),
        (HEADER + "\n".join(TEN_ROWS) + "\nx,1\n", "line 12"),
        (b"\x7fELF\x00\x01\x02", "not a text"),
        (b"size_bytes,latency_ns\n\xff\xfe\xfa,1\n", "not a text"),
        ("size_bytes,latency_ns\n4096,1".encode("utf-16-le"), "not a text"),
    ],
)
def test_malformed_file_is_refused_in_one_line(tmp_path: Path, content: str | bytes, said: str) -> None:
    assert said in str(refusal(written(tmp_path, content)))


def test_file_of_a_windows_shell_in_utf_16_is_read(tmp_path: Path) -> None:
    rows = (HEADER + "\n".join(TEN_ROWS)).replace("\n", "\r\n")
    assert len(read_curve(written(tmp_path, rows.encode("utf-16"))).size_bytes) == len(TEN_ROWS)


def test_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    assert "absent.csv: no such file" in refusal(tmp_path / "absent.csv").what


def test_folder_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path).what


def test_name_with_a_nul_is_refused() -> None:
    with pytest.raises(GromaError):
        read_curve("curve\0.csv")


def test_foreign_text_is_not_echoed_at_length(tmp_path: Path) -> None:
    assert len(str(refusal(written(tmp_path, "\x1b[31m" + "x" * 5000 + "\n")))) < 400


def test_overlong_curve_is_thinned_to_what_has_a_use(tmp_path: Path) -> None:
    rows = [f"{4096 + 64 * i},{1.0 + (i > 3000)}" for i in range(20000)]
    curve = read_curve(written(tmp_path, HEADER + "\n".join(rows)))
    assert 100 < len(curve.size_bytes) <= 800
    assert (np.diff(curve.size_bytes) > 0).all()


def test_leading_zeros_mean_that_the_first_level_was_subtracted(tmp_path: Path) -> None:
    latencies = [0, 0, 0, 0, 5.0, 7.7, 9.4, 11, 30, 77, 100, 110, 112, 115]
    rows = [f"{4096 << i},{latency}" for i, latency in enumerate(latencies)]
    curve = read_curve(written(tmp_path, HEADER + "\n".join(rows)))
    assert codes(curve) == ["curve.baseline"]
    found = answer(infer_caches(curve))["caches"]
    assert [
        cache["size"]["low"] <= size <= cache["size"]["high"]
        for cache, size in zip(found, (32 << 10, 1 << 20), strict=True)
    ] == [True, True]
    assert (found[0]["latency"]["value"], found[0]["latency"]["confidence"]) == (0.0, 0.0)


def test_latencies_after_subtraction_are_additions_to_the_first(tmp_path: Path) -> None:
    latencies = [0, 0, 0, 0, 5.0, 7.7, 9.4, 11, 30, 77, 100, 110, 112, 115]
    rows = [f"{4096 << i},{latency}" for i, latency in enumerate(latencies)]
    found = infer_caches(read_curve(written(tmp_path, HEADER + "\n".join(rows))))
    second, memory = found.caches[1].latency, found.memory
    assert memory is not None
    assert 4.0 < second.value < 12.0
    assert 100.0 < memory.value < 120.0
    for one in (second, memory):
        assert one.low <= one.value <= one.high
        assert one.confidence > 0.2
        assert "addition to the latency of the first level" in one.method


def test_residues_of_noise_after_subtraction_are_no_levels(tmp_path: Path) -> None:
    latencies = [0.1, 0.1, 0.1, 0.2, 0.2, 0.3, 9.5, 16.3, 20.5, 41.9, 131, 170, 204, 231, 240, 262]
    rows = [f"{1024 << i},{latency}" for i, latency in enumerate(latencies)]
    curve = read_curve(written(tmp_path, HEADER + "\n".join(rows)))
    assert codes(curve) == ["curve.baseline"]
    first, second = infer_caches(curve).caches
    assert first.size.low <= 32 << 10 <= first.size.high
    assert second.size.low <= 512 << 10 <= second.size.high


def test_residues_hide_no_large_first_level(tmp_path: Path) -> None:
    latencies = [0, 0, 0, 0, 0, 0, 0.1, 0.2, 2.5, 3.5, 4.8, 6.2, 6.9, 13.5, 37.6, 72.8, 109.9]
    rows = [f"{1024 << i},{latency}" for i, latency in enumerate(latencies)]
    first = infer_caches(read_curve(written(tmp_path, HEADER + "\n".join(rows)))).caches[0]
    assert first.size.low <= 128 << 10 <= first.size.high


def test_fast_but_possible_first_level_was_not_subtracted(tmp_path: Path) -> None:
    latencies = [0.7, 0.7, 0.7, 0.7, 2.4, 2.5, 3.6, 8.1, 9.3, 9.5, 30, 60, 66, 70]
    rows = [f"{4096 << i},{latency}" for i, latency in enumerate(latencies)]
    assert not codes(read_curve(written(tmp_path, HEADER + "\n".join(rows))))


def test_curve_of_samples_takes_the_low_quantile_and_drops_empty_sizes() -> None:
    curve = curve_of_samples([8192, 4096, 16384], [[2.0, 9.0], [1.0] * 40 + [5.0], []], "s")
    assert curve.size_bytes.tolist() == [4096, 8192]
    assert curve.latency[0] == 1.0
    assert curve.unit == "s"


def test_curve_refuses_sizes_without_latencies() -> None:
    with pytest.raises(ValueError, match="one latency per size"):
        Curve(size_bytes=np.array([1.0]), latency=np.array([]))


cells = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True).map(str),
    st.integers(-(10**25), 10**25).map(str),
    st.sampled_from(["", "nan", "0", "x", "1e309", "4096", "1.5", "#", '"', "\x00", "\u2028", "\uff11"]),
)
rows = st.lists(st.lists(cells, min_size=0, max_size=3).map(",".join), max_size=30)


@given(rows, st.booleans())
def test_any_text_is_refused_or_answered_with_finite_numbers(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], header: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "garbage.csv"
    path.write_text((HEADER if header else "") + "\n".join(lines), newline="")
    try:
        curve = read_curve(path)
    except GromaError as error:
        lines_said = str(error).splitlines()
    else:
        assert_finite(answer(infer_caches(curve)))
        return
    assert len(lines_said) == 1


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_read(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.csv"
    path.write_bytes(content)
    with pytest.raises(GromaError):
        read_curve(path)


def assert_finite(value: object) -> None:
    if isinstance(value, dict):
        for inner in value.values():
            assert_finite(inner)
    elif isinstance(value, list):
        for inner in value:
            assert_finite(inner)
    elif isinstance(value, float):
        assert np.isfinite(value)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_device_without_end_is_refused(device: str) -> None:
    assert "not a text" in refusal(Path(device)).what


def test_a_column_of_pages_keeps_small_and_huge_apart(tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    rows = [f"{4096 << i},{i + 1},{pages}" for i in range(10) for pages in ("4K", "2MiB")]
    path.write_text("\n".join(["size_bytes,latency_ns,page_size", *rows]))
    found = read_curves(path)
    assert found.huge is not None
    assert found.small is not None
    assert found.best is found.huge
    assert (len(found.huge.size_bytes), len(found.small.size_bytes), found.page) == (10, 10, 4096.0)


def test_curves_of_several_sizes_of_pages_are_not_mixed(tmp_path: Path) -> None:
    """The largest huge pages and the smallest small ones are compared, and the others are named."""
    path = tmp_path / "pages.csv"
    pages = {"4K": 4.0, "64K": 3.0, "2M": 2.0, "1G": 1.0}
    rows = [f"{4096 << i},{latency + i},{name}" for i in range(10) for name, latency in pages.items()]
    path.write_text("\n".join(["size_bytes,latency_ns,pages", *rows]))
    found = read_curves(path)
    assert found.huge is not None
    assert found.small is not None
    assert (found.huge.latency[0], found.small.latency[0], found.page) == (1.0, 4.0, 4096.0)
    (warning,) = found.best.warnings
    assert warning.code == "curve.pages"
    assert warning.what == "curves with pages of 64 KiB and 2 MiB were left out"


def test_too_few_sizes_of_one_kind_of_pages_leave_the_other(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    rows = [f"{4096 << i},{i + 1},small" for i in range(10)]
    path.write_text("\n".join(["size_bytes,latency_ns,pages", *rows, "4096,1,huge"]))
    found = read_curves(path)
    assert found.huge is None
    assert found.best is found.small


def test_unknown_pages_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text("size_bytes,latency_ns,pages\n4096,1,tiny\n")
    with pytest.raises(GromaError, match="line 2 has pages 'tiny'"):
        read_curves(path)


def test_one_of_a_kind_is_said_in_the_singular(tmp_path: Path) -> None:
    rows = [f"{4096 << i},{1.0 + i}" for i in range(12)]
    one = read_curve(written(tmp_path, HEADER + "\n".join([*rows, "4096,1.1", "8388608,-3"])))
    two = read_curve(written(tmp_path, HEADER + "\n".join([*rows, *rows[:2], "9388608,-3", "9388609,-3"])))
    assert [warning.what for warning in one.warnings if warning.code != "curve.unsorted"] == [
        "1 of 14 points is not positive, finite and of a sensible size and was left out",
        "1 size appears more than once; the low quantile of each is used",
    ]
    assert [warning.what for warning in two.warnings if warning.code != "curve.unsorted"] == [
        "2 of 16 points are not positive, finite and of a sensible size and were left out",
        "2 sizes appear more than once; the low quantile of each is used",
    ]
