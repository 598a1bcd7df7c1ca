"""The examples compute the right thing, and take from the profile what they say."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

import groma.profile
from installed import ROOT, libraries, must, run
from mpis import AS_ANYBODY, mpis

EXAMPLES = ROOT / "examples"
PROFILE = ROOT / "build/test-data/example-profile.json"
STRICT = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


def built(prefix: Path, program: Path, *options: str, folder: Path, compiler: str = "cc") -> Path:
    """The example in a folder."""
    library = libraries(prefix)
    link = [f"-L{library}", "-Xlinker", "-rpath", "-Xlinker", str(library), "-lgroma", "-lm"]
    must(compiler, *options, *sorted(folder.glob("*.c")), f"-I{prefix}/include", *link, "-o", program)
    return program


def with_fault(example: str, right: str, wrong: str, folder: Path) -> Path:
    """A copy of an example in which one piece of text is replaced."""
    copied = Path(shutil.copytree(EXAMPLES / example, folder / example))
    source = copied / f"{example}.c"
    text = source.read_text()
    assert text.count(right) == 1
    source.write_text(text.replace(right, wrong))
    return copied


@pytest.fixture(scope="module")
def transpose(prefix: Path) -> Path:
    return built(prefix, prefix / "transpose", *STRICT, folder=EXAMPLES / "transpose")


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def trsm(request: pytest.FixtureRequest, prefix: Path) -> tuple[Path, str]:
    """The program and its launcher. Headers of MPI do not stand every warning."""
    if request.param not in mpis():
        pytest.skip(f"no {request.param} here")
    mpi = mpis()[request.param]
    options = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]
    program = prefix / f"trsm-{request.param}"
    return built(prefix, program, *options, folder=EXAMPLES / "trsm", compiler=mpi.compiler), mpi.launcher


# ---- transpose


@pytest.mark.parametrize("n", [1, 7, 167, 168, 500])
def test_a_transposition_is_right_at_every_size(transpose: Path, n: int) -> None:
    assert must(transpose, n, GROMA_PROFILE=str(PROFILE)).startswith("block ")


def test_the_block_fits_the_caches_of_the_profile(transpose: Path) -> None:
    said = must(transpose, 16, GROMA_PROFILE=str(PROFILE))
    block = int(said.split()[1])
    machine = groma.profile.open_profile(PROFILE)
    sizes = [machine.cache_size(level) for level in (1, 2)]
    reach = machine.tlb_reach(2, 4096)
    assert sizes[0] is not None
    assert sizes[1] is not None
    assert reach is not None
    assert block * (block + 8) * 8 <= sizes[1].value / 4
    assert block * 64 <= sizes[0].value / 2
    assert 2 * block * 4096 <= reach.value / 2
    assert block % 8 == 0
    assert block > 64, "a block that is too small fits any cache"
    assert "level 2" in said


def with_sizes(path: Path, sizes: list[int]) -> Path:
    document = json.loads(PROFILE.read_text())
    document["facts"]["node"]["caches"] = document["facts"]["node"]["caches"][: len(sizes)]
    for cache_facts, size in zip(document["facts"]["node"]["caches"], sizes, strict=True):
        cache_facts["size"]["value"] = size
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("sizes", "block"), [([4096], 8), ([32768], 32), ([32768, 262144], 80), ([16384, 1 << 30], 128)]
)
def test_the_block_follows_the_caches(transpose: Path, tmp_path: Path, sizes: list[int], block: int) -> None:
    profile = with_sizes(tmp_path / "profile.json", sizes)
    assert must(transpose, 64, GROMA_PROFILE=str(profile)).startswith(f"block {block} ")


def test_without_a_profile_the_block_is_the_usual_one(transpose: Path, tmp_path: Path) -> None:
    done = run(transpose, 50, GROMA_PROFILE=str(tmp_path / "none.json"))
    assert done.returncode == 0
    assert done.stdout.startswith("block 32 (the profile does not know")
    assert "none.json" in done.stderr


def test_a_wrong_transposition_is_noticed(prefix: Path, tmp_path: Path) -> None:
    folder = with_fault("transpose", "to[(j + c) * n + i + r]", "to[(i + r) * n + j + c]", tmp_path)
    program = built(prefix, tmp_path / "faulty", *STRICT, folder=folder)
    assert run(program, 40, GROMA_PROFILE=str(PROFILE)).returncode == 3


@pytest.mark.parametrize("arguments", [[], ["0"], ["-3"], ["4", "x"], ["4", "4", "4"]])
def test_wrong_arguments_are_refused(transpose: Path, arguments: list[str]) -> None:
    assert run(transpose, *arguments).returncode == 2


# ---- trsm


class Solved(NamedTuple):
    grid: str
    error: float


@pytest.fixture
def ratios(tmp_path: Path) -> Path:
    return tmp_path / "servet.txt"


def solve(trsm: tuple[Path, str], ranks: int, *arguments: object, ratios: Path) -> Solved:
    program, launcher = trsm
    said = must(launcher, "-n", ranks, program, *arguments, SERVET_FILE=str(ratios), **AS_ANYBODY)
    grid = said.splitlines()[0]
    found = re.search(r"largest error (\S+),", said)
    assert found
    return Solved(grid, float(found[1]))


@pytest.mark.parametrize("order", ["row", "column"])
@pytest.mark.parametrize("sizes", [(1, 40, 40), (2, 41, 7), (4, 64, 64), (6, 67, 90)])
def test_x_is_right_on_every_grid(
    trsm: tuple[Path, str], ratios: Path, order: str, sizes: tuple[int, int, int]
) -> None:
    ranks, n, m = sizes
    ratios.write_text("ratDist: 1\n")
    solved = solve(trsm, ranks, n, "--rows", m, "--order", order, ratios=ratios)
    assert f"{order}-ordered (given)" in solved.grid
    assert solved.error < 1e-12


def test_a_wrong_x_is_noticed(prefix: Path, ratios: Path, tmp_path: Path) -> None:
    if not mpis():
        pytest.skip("no MPI here")
    mpi = next(iter(mpis().values()))
    right = "if (part->column > k) update("
    folder = with_fault("trsm", right, right.replace("> k", "> k + 1"), tmp_path)
    program = built(prefix, tmp_path / "faulty", folder=folder, compiler=mpi.compiler)
    done = run(mpi.launcher, "-n", 2, program, 40, SERVET_FILE=str(ratios), **AS_ANYBODY)
    assert done.returncode == 3


def test_the_grid_is_row_ordered_where_the_network_slows_down_over_distance(
    trsm: tuple[Path, str], ratios: Path
) -> None:
    """Section 6.1: the broadcasts along rows carry more, so they shall be near."""
    ratios.write_text("ratDist: 1 1.6\n")
    assert "row-ordered" in solve(trsm, 4, 64, "--per-node", 1, ratios=ratios).grid


def test_the_grid_is_column_ordered_where_columns_carry_more(trsm: tuple[Path, str], ratios: Path) -> None:
    ratios.write_text("ratDist: 1 1.6\n")
    assert "column-ordered" in solve(trsm, 4, 64, "--rows", 8, "--per-node", 1, ratios=ratios).grid


def test_the_grid_follows_ratios_that_fall_with_distance(trsm: tuple[Path, str], ratios: Path) -> None:
    ratios.write_text("ratDist: 1 0.6\n")
    assert "column-ordered" in solve(trsm, 4, 64, "--per-node", 1, ratios=ratios).grid


def test_a_flat_or_unknown_network_leaves_the_grid_row_ordered(trsm: tuple[Path, str], ratios: Path) -> None:
    ratios.write_text("ratDist: 1 1\n")
    assert "row-ordered" in solve(trsm, 4, 64, "--per-node", 1, ratios=ratios).grid
    assert "row-ordered" in solve(trsm, 4, 64, "--per-node", 1, ratios=ratios.with_name("none")).grid


def test_within_one_node_no_distance_counts(trsm: tuple[Path, str], ratios: Path) -> None:
    ratios.write_text("ratDist: 1 9\n")
    program, launcher = trsm
    said = must(launcher, "-n", 4, program, 32, SERVET_FILE=str(ratios), **AS_ANYBODY)
    assert "row-ordered 0, column-ordered 0" in said


def test_the_examples_are_a_cmake_project(prefix: Path, tmp_path: Path) -> None:
    """With the MPI that CMake finds."""
    must("cmake", "-S", EXAMPLES, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug")
    must("cmake", "--build", tmp_path)
    assert must(tmp_path / "transpose", 30, GROMA_PROFILE=str(PROFILE), **dict(os.environ))
