"""What the user asks becomes the words of groma-hpcc."""

from __future__ import annotations

from pathlib import Path

import pytest

from groma.errors import ExitCode, GromaError
from groma.hpcc.request import SuiteRequest, arguments_of, grid_ranks, memory_word, sizing_of

INPUT = """\
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
1000         Ns
1            # of NBs
80           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
2            # of process grids (P x Q)
2 1 9        Ps
2 3 9        Qs
16.0         threshold
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("25%", "25%"),
        ("12.5 %", "12.5%"),
        ("8GiB", 8 * 2**30),
        ("8G", 8 * 2**30),
        ("8Gi", 8 * 2**30),
        ("1.5k", 1536),
        ("500MB", 500_000_000),
        ("2TB", 2 * 10**12),
        ("4096", 4096),
        ("4096B", 4096),
    ],
)
def test_amounts_of_memory_are_read(text: str, expected: int | str) -> None:
    assert memory_word(text) == str(expected)


@pytest.mark.parametrize("text", ["", "much", "-1G", "0%", "96%", "120%", "0", "8 XB", "1e9"])
def test_other_amounts_are_refused(text: str) -> None:
    with pytest.raises(GromaError) as refusal:
        memory_word(text)
    assert refusal.value.exit_code == ExitCode.USAGE


def test_share_of_memory_is_left_to_the_program_that_sees_all_machines(tmp_path: Path) -> None:
    sizing = sizing_of(SuiteRequest(memory="50%"), tmp_path)
    assert sizing.arguments == ("--memory", "50%")
    assert "50%" in sizing.reason


def test_an_input_file_in_the_folder_is_used_like_the_original_does(tmp_path: Path) -> None:
    file = tmp_path / "hpccinf.txt"
    file.write_text(INPUT)
    assert sizing_of(SuiteRequest(), tmp_path).arguments == ("--input", str(file))
    assert sizing_of(SuiteRequest(nb="64"), tmp_path).arguments == ("--input", str(file), "--nb", "64")
    assert sizing_of(SuiteRequest(n="100"), tmp_path).arguments == ("--n", "100")
    assert sizing_of(SuiteRequest(), tmp_path / "other").arguments == ()


def test_an_amount_of_memory_overrides_the_orders_of_an_input_file(tmp_path: Path) -> None:
    file = tmp_path / "hpccinf.txt"
    file.write_text(INPUT)
    sizing = sizing_of(SuiteRequest(input=str(file), memory="1GiB", nb="64"), tmp_path)
    assert sizing.arguments == ("--input", str(file), "--memory", str(2**30), "--nb", "64")
    assert "given options" in sizing.reason


def test_an_empty_name_of_an_input_file_is_not_left_out(tmp_path: Path) -> None:
    assert sizing_of(SuiteRequest(input=""), tmp_path).input == str(Path.cwd())


def test_ranks_follow_from_the_largest_grid(tmp_path: Path) -> None:
    file = tmp_path / "hpccinf.txt"
    file.write_text(INPUT)
    assert grid_ranks(SuiteRequest(), str(file)) == 4  # the third pair is beyond the two that count
    assert grid_ranks(SuiteRequest(grid="1x2,3x3"), str(file)) == 9
    assert grid_ranks(SuiteRequest(), None) is None


def test_numbers_of_an_input_file_may_have_a_sign(tmp_path: Path) -> None:
    file = tmp_path / "hpccinf.txt"
    file.write_text(INPUT.replace("\n2 ", "\n+2 ").replace(" 1 9 ", " +1 9 "))
    assert grid_ranks(SuiteRequest(), str(file)) == 4


def test_a_comment_may_follow_the_last_number_directly(tmp_path: Path) -> None:
    file = tmp_path / "hpccinf.txt"
    file.write_text(INPUT.replace("2 1 9        Ps", "2 1Ps").replace("2 3 9        Qs", "2 3Qs"))
    assert grid_ranks(SuiteRequest(), str(file)) == 4


@pytest.mark.parametrize("sign", ["\f", "\v", "\x1c", "\u2028"])
def test_signs_of_other_scripts_in_a_comment_end_no_line(tmp_path: Path, sign: str) -> None:
    file = tmp_path / "hpccinf.txt"
    file.write_text(INPUT.replace("benchmark", f"bench{sign}mark"), encoding="utf-8", newline="\r\n")
    assert grid_ranks(SuiteRequest(), str(file)) == 4


@pytest.mark.parametrize("text", ["", "a\n" * 36, INPUT[:300], INPUT.replace("2 1 9", "x")])
def test_a_broken_input_file_names_no_ranks(tmp_path: Path, text: str) -> None:
    file = tmp_path / "hpccinf.txt"
    file.write_text(text)
    assert grid_ranks(SuiteRequest(), str(file)) is None
    assert grid_ranks(SuiteRequest(), str(tmp_path / "absent")) is None


def test_every_wish_becomes_an_argument() -> None:
    request = SuiteRequest(
        only=("hpl", "fft"),
        skip=("fft",),
        n="1000,2000",
        nb="64",
        grid="1x2",
        repeat=7,
        budget=90.0,
        seed=0,
        curves=True,
        fft_235=True,
    )
    assert arguments_of(request, sizing_of(request, Path("/nowhere")), 4) == [
        *("--n", "1000,2000", "--nb", "64", "--grid", "1x2", "--only", "hpl,fft", "--skip", "fft"),
        *("--repeat", "7", "--budget", "90", "--seed", "0", "--threads", "4", "--curves"),
        "--fft-235",
    ]


def test_an_empty_name_of_an_algorithm_is_not_left_out() -> None:
    request = SuiteRequest(random_access="")
    words = arguments_of(request, sizing_of(request, Path("/nowhere")), 1)
    assert words == ["--threads", "1", "--random-access", ""]
