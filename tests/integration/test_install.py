"""groma installs into a prefix and into any Python environment, and other projects can build on it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from installed import libraries, must, run, tools

ROOT = Path(__file__).parents[2]
CONSUMER = ROOT / "tests/integration/consumer"
PROFILE = ROOT / "build/test-data/example-profile.json"
CLUSTER = PROFILE.with_name("example-cluster.json")


def configure(tree: Path, *options: str, source: Path = ROOT, **environment: str) -> str:
    options = ("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", *options)
    done = run("cmake", "-S", source, "-B", tree, *options, **environment)
    return f"{done.stdout}{done.stderr}exit code {done.returncode}"


def expected_line() -> str:
    caches = json.loads(PROFILE.read_text())["facts"]["node"]["caches"]
    return f"{len(caches)} caches, first {caches[0]['size']['value']:.0f} B\n"


def has_fortran(prefix: Path) -> bool:
    return (prefix / "include/groma/fortran/groma.mod").is_file()


STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
FORTRAN = ["-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror"]


def compiled(prefix: Path, program: str, *options: str) -> Path:
    """A program of CONSUMER, linked to the shared library that was installed."""
    library = libraries(prefix)
    link = [f"-L{library}", "-Xlinker", "-rpath", "-Xlinker", str(library), "-lgroma"]
    must("cc", *options, CONSUMER / program, f"-I{prefix}/include", *link, "-o", prefix / Path(program).stem)
    return prefix / Path(program).stem


def test_a_prefix_holds_programs_library_and_header(prefix: Path) -> None:
    assert "load_latency" in must(prefix / "bin/groma-probe", "list")
    assert (prefix / "include/groma/groma.h").is_file()
    assert list(prefix.glob("**/libgroma.a"))


def test_a_cmake_project_finds_groma(prefix: Path, tmp_path: Path) -> None:
    assert configure(tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", source=CONSUMER).endswith("exit code 0")
    must("cmake", "--build", tmp_path)
    programs = sorted(tmp_path.glob("consumer-*"))
    assert len(programs) == 4 + has_fortran(prefix)
    for program in programs:
        assert must(program, PROFILE) == expected_line()


@pytest.mark.parametrize("unity", ["OFF", "ON"])
def test_a_cmake_project_embeds_groma(tmp_path: Path, unity: str) -> None:
    options = (f"-DGROMA_SOURCE={ROOT}", f"-DGROMA_UNITY={unity}")
    assert configure(tmp_path, *options, source=CONSUMER).endswith("exit code 0")
    must("cmake", "--build", tmp_path, "--parallel", "2")
    for library in ("groma", "groma_static"):
        assert must(tmp_path / f"consumer-c-{library}", PROFILE) == expected_line()


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not installed")
@pytest.mark.parametrize("kind", ["shared", "static"])
def test_a_c_compiler_finds_groma_through_pkg_config(prefix: Path, tmp_path: Path, kind: str) -> None:
    where = {"PKG_CONFIG_PATH": str(libraries(prefix) / "pkgconfig")}
    ways = {"shared": [], "static": ["--static"]}[kind]
    flags = must("pkg-config", "--cflags", "--libs", *ways, "groma", **where).split()
    if kind == "static":
        flags = ["-Wl,-Bstatic" if flag == "-lgroma" else flag for flag in flags]
        flags.insert(flags.index("-Wl,-Bstatic") + 1, "-lgroma")
        flags.insert(flags.index("-lgroma") + 1, "-Wl,-Bdynamic")
    must("cc", *STRICT, CONSUMER / "main.c", *flags, "-o", tmp_path / "consumer")
    there = {"LD_LIBRARY_PATH": str(libraries(prefix))} if kind == "shared" else {}
    assert must(tmp_path / "consumer", PROFILE, **there) == expected_line()


def test_the_fortran_module_is_found_through_pkg_config(prefix: Path, tmp_path: Path) -> None:
    if not has_fortran(prefix) or shutil.which("pkg-config") is None:
        pytest.skip("no Fortran compiler or no pkg-config here")
    where = {"PKG_CONFIG_PATH": str(libraries(prefix) / "pkgconfig")}
    flags = must("pkg-config", "--cflags", "--libs", "groma-fortran", **where).split()
    must("gfortran", *FORTRAN, CONSUMER / "main.f90", *flags, "-o", tmp_path / "consumer")
    there = {"LD_LIBRARY_PATH": str(libraries(prefix))}
    assert must(tmp_path / "consumer", PROFILE, **there) == expected_line()


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="no Fortran compiler here")
def test_another_compiler_makes_the_module_from_its_source(prefix: Path, tmp_path: Path) -> None:
    strict = ["-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    must(
        "gfortran",
        *strict,
        "-c",
        prefix / "share/groma/groma.f90",
        f"-J{tmp_path}",
        "-o",
        tmp_path / "groma.o",
    )
    assert (tmp_path / "groma.mod").is_file()


def test_the_fortran_module_has_every_function_of_the_header(prefix: Path) -> None:
    header = "".join((prefix / "include/groma" / name).read_text() for name in ("groma.h", "counters.h"))
    declared = set(re.findall(r"^GROMA_API .*?(\w+)\(", header, re.MULTILINE))
    module = (prefix / "share/groma/groma.f90").read_text()
    public = set(re.findall(r"\bgroma_\w+", " ".join(re.findall(r"^  public :: (.*)", module, re.MULTILINE))))
    assert declared <= public


def test_a_code_of_the_servet_paper_compiles_unchanged(prefix: Path, tmp_path: Path) -> None:
    program = compiled(prefix, "servet.c", *STRICT, f"-I{prefix}/include/groma")
    (tmp_path / "servet.txt").write_text("ratDist: 1.0 1.25\nratNC: 1.0 1.0 1.5 1.75\n")
    assert must(program, SERVET_FILE=str(tmp_path / "servet.txt")) == "1.25 1.75\n"
    assert must(program, SERVET_FILE="", GROMA_PROFILE=str(CLUSTER)) == "1.20 1.66\n"
    assert run(program, SERVET_FILE=str(tmp_path)).returncode == 1


@pytest.mark.parametrize("profile", ["example-profile", "example-network", "example-cluster"])
def test_getters_allocate_nothing(prefix: Path, profile: str) -> None:
    if not has_glibc():
        pytest.skip("counts with the allocator of glibc")
    program = compiled(prefix, "allocations.c")
    said = must(program, PROFILE.with_name(f"{profile}.json"))
    answers = int(said.split()[0])
    assert answers > 30
    assert said == f"{answers} answers, 0 allocations, opened with some\n"


def has_glibc() -> bool:
    return bool(os.confstr("CS_GNU_LIBC_VERSION"))


@pytest.mark.parametrize("name", ["groma.h", "servet.h", "counters.h"])
def test_every_symbol_of_the_headers_is_documented(name: str) -> None:
    header = (ROOT / "include/groma" / name).read_text()
    assert re.findall(r"(?<!\*/)\n(?:GROMA_API|typedef) .*", header) == []
    members = re.findall(r"^  (?!\*)\w[\w *]* \*?\w+(?: = \d+)?[;,]?(?: .*)?$", header, re.MULTILINE)
    assert members or name == "counters.h"  # its types are opaque
    assert [member for member in members if "/**< " not in member and "(" not in member] == []


def test_only_the_c_functions_of_the_header_are_exported(prefix: Path) -> None:
    listed = must("nm", "-D", "--defined-only", libraries(prefix) / "libgroma.so").splitlines()
    names = {line.split()[-1] for line in listed if " T " in line}
    headers = "".join(file.read_text() for file in (prefix / "include/groma").glob("*.h"))
    declared = re.findall(r"^GROMA_API .*?(\w+)\(", headers, re.MULTILINE)
    assert names == {f"{name}@@GROMA_0.1" for name in declared}


def test_a_part_that_is_switched_on_but_cannot_be_built_is_an_error(tmp_path: Path) -> None:
    said = configure(
        tmp_path / "tree", "-DGROMA_WITH_HWLOC=ON", PKG_CONFIG_LIBDIR=str(tmp_path), PKG_CONFIG_PATH=""
    )
    assert "GROMA_WITH_HWLOC=ON" in said
    assert "libhwloc-dev" in said
    assert said.endswith("exit code 1")


def test_a_part_is_auto_on_or_off_and_nothing_else(tmp_path: Path) -> None:
    said = configure(tmp_path, "-DGROMA_WITH_TESTS=maybe")
    assert "it can be AUTO, ON or OFF" in " ".join(said.split())
    assert said.endswith("exit code 1")


def test_everything_optional_can_be_switched_off(tmp_path: Path) -> None:
    options = [f"-DGROMA_WITH_{name}=OFF" for name in ("HWLOC", "PROFILE", "FORTRAN", "TESTS", "VIEWER")]
    said = configure(tmp_path, *options)
    assert said.count("(switched off)") == 5
    assert said.endswith("exit code 0")


# Not optimised and in groups of files.
QUICKLY_COMPILED = [
    *("--config-settings", "cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O0"),
    *("--config-settings", "cmake.define.GROMA_UNITY=ON"),
]


def set_up_is_cached() -> bool:
    """Whether ccache gives another tree what set-up compiled, as cmake/GromaCompiler.cmake has it."""
    return shutil.which("ccache") is not None and set(" #$\\").isdisjoint(str(ROOT))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `pip install .` makes without MPI."""
    where = tmp_path_factory.mktemp("wheel")
    must("tools/made.sh", "claim", "build/wheel")
    options = [
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--config-settings",
        "build-dir=build/wheel",
        *("--config-settings", "cmake.define.GROMA_WITH_MPI=OFF"),
        *([] if set_up_is_cached() else QUICKLY_COMPILED),
    ]
    compilers = {"CC": os.environ.get("CC", "cc"), "CXX": os.environ.get("CXX", "c++")}  # named as in set-up
    must(sys.executable, "-m", "pip", "wheel", *options, "-w", where, ".", **compilers)
    return next(where.glob("groma-*.whl"))


def test_a_wheel_holds_programs_page_and_machines_and_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith(".data/scripts/groma-probe") for name in names)
    if shutil.which("npm", path=tools()["PATH"]):
        assert "groma/report/assets/report.html" in names
    assert "groma/machines/bluegene-p.toml" in names
    assert [name for name in names if "test_" in name or "conftest" in name] == []
    assert not [name for name in names if name.endswith((".a", ".so", ".h"))]


def test_a_wheel_gets_the_programs_of_mpi_where_there_is_one(tmp_path: Path) -> None:
    wheel = [f"-DSKBUILD{name}" for name in ("=ON", "_SCRIPTS_DIR=scripts", "_PLATLIB_DIR=platlib")]
    if "MPI       ON" not in configure(tmp_path, *wheel):
        pytest.skip("no MPI here")
    installed = (tmp_path / "native/cmake_install.cmake").read_text()
    assert "scripts/groma-network" in installed
    assert "scripts/groma-randomaccess" in installed


def test_a_wheel_works_in_another_environment(wheel: Path, tmp_path: Path) -> None:
    other = tmp_path / "venv"
    must(sys.executable, "-m", "venv", "--without-pip", other)
    install = ("install", "--quiet", "--no-deps", "--no-index")
    must(sys.executable, "-m", "pip", "--python", other / "bin/python", *install, wheel)
    here = next(other.glob("lib/python*/site-packages"))
    (here / "needed.pth").write_text(sysconfig.get_path("purelib"))  # click and so on, without a network
    outside = {"PYTHONPATH": "", "GROMA_NATIVE_PATH": ""}
    assert "survey" in must(other / "bin/groma", "--help", **outside)
    assert "164.60" in must(
        other / "bin/groma", "model", "randomaccess", "--machine", "bluegene-p", **outside
    )
    summary = must(other / "bin/groma", "--version", "-v", **outside)
    assert str(other / "bin/groma-probe") in summary
