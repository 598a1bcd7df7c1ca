import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.survey.infer.caches import CacheInference, answer, infer_caches
from groma.survey.infer.curve import Curve, read_curve
from simulated.grids import K, M, eighths_grid, power_of_two_grid
from simulated.nulls import NOISE, NULL_GRIDS, SMOOTH, noise_curve, smooth_curve

DATA = Path(__file__).parents[4] / "tests" / "data"
GEOMETRIC = NULL_GRIDS["60 geometric"]()
STAIRS = ((32 * K, 1.0), (1 * M, 4.0), (32 * M, 14.0), (float("inf"), 90.0))


def drawn(name: str, seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def staircase(grid: NDArray[np.float64], noise: float, seed: int = 1) -> Curve:
    steps = np.array([next(ns for size, ns in STAIRS if bytes_ <= size) for bytes_ in grid])
    return Curve(size_bytes=grid, latency=steps * np.random.default_rng(seed).lognormal(0, noise, len(grid)))


def soft_staircase(grid: NDArray[np.float64], seed: int) -> Curve:
    """As caches with 4 KiB pages and TLBs show: no plateau is quite flat, and no step sudden."""
    near = ((32 * K, 3.0, 0.1), (256 * K, 2.0, 0.05), (1 * M, 10.0, 0.4))
    far = ((2.2 * M, 20.0, 0.2), (32 * M, 60.0, 0.4), (64 * M, 40.0, 0.4))
    latency = np.ones(len(grid))
    for size, height, softness in near + far:
        latency += height / (1.0 + (1.2 * size / grid) ** (2.0 / softness))
    return Curve(
        size_bytes=grid, latency=latency * np.random.default_rng(seed).lognormal(0.0, 0.02, len(grid))
    )


def codes(found: CacheInference) -> list[str]:
    return [warning.code for warning in found.warnings]


@pytest.mark.parametrize(("name", "law"), NOISE.items(), ids=NOISE)
@pytest.mark.parametrize("grid", ["20 powers of two", "60 geometric"])
def test_noise_has_no_level(name: str, law: Callable[..., NDArray[np.float64]], grid: str) -> None:
    for seed in range(2):
        assert infer_caches(noise_curve(law, NULL_GRIDS[grid](), drawn(name, seed))).caches == ()


@pytest.mark.parametrize("law", SMOOTH.values(), ids=SMOOTH)
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_smooth_laws_have_no_level(
    law: Callable[[NDArray[np.float64]], NDArray[np.float64]], noise: float
) -> None:
    for grid in ("12 powers of two", "60 geometric", "60 linear"):
        found = infer_caches(smooth_curve(law, NULL_GRIDS[grid](), noise, drawn(grid, 1)))
        assert found.caches == ()


def test_uniform_noise_is_called_noise() -> None:
    for seed in range(5):
        found = infer_caches(noise_curve(NOISE["uniform 1 to 100"], GEOMETRIC, drawn("uniform", seed)))
        assert (found.explained_by, codes(found)) == ("noise", ["curve.noise"])
        assert found.memory is None
        assert found.steps == ()


def test_low_quantile_of_noise_is_noise_as_well() -> None:
    found = infer_caches(noise_curve(NOISE["lognormal 1"], GEOMETRIC, drawn("samples", 1), samples=20))
    assert (found.explained_by, found.caches) == ("noise", ())


def test_straight_line_is_called_smooth() -> None:
    line = Curve(size_bytes=GEOMETRIC, latency=np.linspace(1.0, 100.0, len(GEOMETRIC)))
    found = infer_caches(line)
    assert (found.explained_by, codes(found)) == ("smooth", ["curve.smooth"])


def test_first_size_that_stands_alone_is_no_level() -> None:
    grid = power_of_two_grid(4 * K, 8 * M)
    for seed in range(3):
        latency = 20.0 * np.random.default_rng(seed).lognormal(0.0, 0.02, len(grid))
        latency[0] = 2.0
        assert infer_caches(Curve(size_bytes=grid, latency=latency)).caches == ()


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05, 0.1])
@pytest.mark.parametrize("grid", [eighths_grid(), power_of_two_grid()], ids=["eighths", "powers"])
def test_noisy_staircase_keeps_its_levels(noise: float, grid: NDArray[np.float64]) -> None:
    found = infer_caches(staircase(grid, noise))
    assert found.explained_by == "caches"
    assert [
        cache.size.low <= size <= cache.size.high
        for cache, (size, _) in zip(found.caches, STAIRS[:3], strict=True)
    ] == [
        True,
        True,
        True,
    ]


@pytest.mark.parametrize("per_octave", [8, 16, 32])
def test_finer_grid_hides_no_level(per_octave: int) -> None:
    grid = 2.0 ** np.arange(12.0, 29.0, 1.0 / per_octave)
    for seed in range(2):
        found = infer_caches(soft_staircase(grid, seed))
        assert found.explained_by == "caches"
        for cache, (size, _) in zip(found.caches, STAIRS[:3], strict=True):
            assert cache.size.low / 1.05 <= size <= cache.size.high * 1.05


def test_curve_that_ends_on_the_second_plateau_has_one_level() -> None:
    found = infer_caches(staircase(eighths_grid(4 * K, 512 * K), 0.02))
    assert [cache.size.value for cache in found.caches] == [32 * K]
    assert found.caches[0].size.confidence > 0.9


def test_curve_that_begins_beyond_the_first_level_shows_the_others() -> None:
    found = infer_caches(staircase(eighths_grid(64 * K, 256 * M), 0.02))
    assert found.explained_by == "caches"
    assert found.caches[0].size.low <= 1 * M <= found.caches[0].size.high


def test_answer_of_the_program_says_what_explains_the_curve(tmp_path: Path) -> None:
    latency = drawn("program", 1).uniform(1.0, 100.0, len(GEOMETRIC))
    rows = [f"{size:.0f},{ns:.2f}" for size, ns in zip(GEOMETRIC, latency, strict=True)]
    path = tmp_path / "noise.csv"
    path.write_text("size_bytes,latency_ns\n" + "\n".join(rows))
    found = answer(infer_caches(read_curve(path)))
    assert (found["explained_by"], found["caches"], found["memory"]["latency"]) == ("noise", [], None)


@pytest.mark.parametrize("seed", range(6))
def test_levels_that_were_measured_well_stand_although_all_beyond_is_noise(seed: int) -> None:
    """One short round on a machine that others use: large sets scatter by a factor of twenty."""
    grid = eighths_grid()
    clear = staircase(grid, 0.02, seed)
    random = np.random.default_rng(seed)
    scatter = np.where(grid > 512 * K, np.exp(np.abs(random.normal(0.0, 1.5, len(grid)))), 1.0)
    found = infer_caches(Curve(size_bytes=grid, latency=clear.latency * scatter))
    assert found.explained_by == "caches"
    assert 24 * K <= found.caches[0].size.low <= 32 * K <= found.caches[0].size.high <= 48 * K
    assert found.caches[0].size.confidence > 0.8


def test_what_lies_beyond_the_levels_reported_is_not_reported() -> None:
    """One round of two seconds on a virtual machine whose host was busy: 48 KiB and 2 MiB are private."""
    found = infer_caches(read_curve(DATA / "curve-of-a-busy-host.csv"))
    assert found.caches[0].size.value == 48 * K
    assert found.caches[0].size.confidence > 0.9
    assert len(found.caches) == 2
    assert found.caches[1].size.low <= 2 * M <= 2 * found.caches[1].size.high
    assert "curve.unclear" in codes(found)
    assert found.memory is None
