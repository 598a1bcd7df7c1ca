"""Set-up works in a folder of any name or refuses it first, and removes nothing that it did not make."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from scripted import executable

ROOT = Path(__file__).parents[2]
MARKER = ".made-by-groma"
MADE = (".venv", "build/default", "viewer/node_modules", "viewer/dist")
OUTSIDE = ("", ".", "..", "/", "/etc", "../clone", ".venv/../..", "build/./x/..", "-rf")

# Each name begins with the word at which a shell without quotes stops.
NAMES = ["my projects", "gröma's (x)", " my  home ", "-rf my", "my %@!^&~+={}", "日本 my"]
REFUSED = [*(f"my{sign}clone" for sign in ':,;"$`\\#|<>[]*?\n\t'), "my\nclone\n", "e'" * 60]

# Stands for every Python: makes environments that hold a copy of itself and a groma that says where it is.
PYTHON = """#!/bin/sh
case "$*" in
  *sys.executable*) echo "$0" ;;
  "-m venv "*)
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    printf '#!/bin/sh\\necho "groma $*" >>said\\n' >"$3/bin/groma"
    chmod +x "$3/bin/groma" ;;
esac
"""

# Stands for npm: `npm ci` empties node_modules, as the true one does, and can fail then.
NPM = """#!/bin/sh
echo "npm $*" >>../said
case $1 in
  ci)
    rm -rf node_modules
    mkdir node_modules
    echo package >node_modules/package.js
    exit "${NPM_FAILS:-0}" ;;
  run)
    mkdir -p ../src/groma/report/assets
    echo '<script id="groma-records">' >../src/groma/report/assets/report.html ;;
esac
"""

# Stands for the Python 3.11 of Ubuntu 22.04 without python3.11-venv: most of its distutils is a package of
# its own, and the pip of that system needs all of it.
PYTHON_WITHOUT_VENV = """#!/bin/sh
case "$*" in
  *sys.executable*) echo "$0" ;;
  *stdlib*) echo {stdlib} ;;
  *get_python_version*) echo python3.11-venv ;;
  "-m venv --without-pip "*)
    mkdir -p "$4/bin"
    cp "$0" "$4/bin/python" ;;
  "-m pip --version") [ -e "${{0%/*}}/pip" ] ;;
  *.whl/pip*install*)
    cd "$PYTHONPATH/distutils" && [ -e __init__.py ] && [ -e cmd.py ] && touch "$OLDPWD/${{0%/*}}/pip" ;;
  *sys.version_info*) ;;
  *) exit 1 ;;
esac
"""

# Stands for apt-get download and dpkg -x of the packages that FOUND names.
APT_GET = """#!/bin/sh
case " $FOUND " in
  *" $3 "*) echo "$3" >"$3_1_all.deb" ;;
  *) exit 100 ;;
esac
"""
DPKG = """#!/bin/sh
case $2 in
  *python3-pip-whl*) file=usr/share/python-wheels/pip-1-py3-none-any.whl ;;
  *) file=.{stdlib}/distutils/cmd.py ;;
esac
mkdir -p "${{file%/*}}"
touch "$file"
"""

NOTHING = "#!/bin/sh\n"
FAILURE = "#!/bin/sh\nexit 1\n"
COPIED = (
    "Makefile",
    "CMakePresets.json",
    "pyproject.toml",
    "viewer/package.json",
    "viewer/package-lock.json",
)
STUBBED = ("system_packages", "pip_install", "missing_tools", "mpi_wheels", "mpi_trees", "build")


class Clone(NamedTuple):
    """A clone with true make and true tools, beside programs that only pretend to install and to build."""

    folder: Path
    programs: Path

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        outer = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}  # of the make that this very test may be running under
        inherited = {name: value for name, value in os.environ.items() if name not in outer}
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            words,
            cwd=self.folder,
            env=inherited | {"PATH": path, "PYTHON": str(self.programs / "python3")} | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def must(self, *words: str, **variables: str) -> str:
        done = self.run(*words, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def write(self, path: str, content: str = "the user's") -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return file

    def made(self, *folders: str) -> None:
        """What set-up leaves at these places."""
        self.must("tools/made.sh", "claim", *folders)
        for folder in folders:
            self.write(f"{folder}/content", "made")

    def has(self, path: str) -> bool:
        return (self.folder / path).exists()


def clone_at(folder: Path, programs: Path) -> Clone:
    shutil.copytree(ROOT / "tools", folder / "tools")
    shutil.copytree(ROOT / "requirements", folder / "requirements")
    for name in STUBBED:
        executable(folder / f"tools/{name}.sh", NOTHING)
    (folder / "viewer").mkdir()
    for file in COPIED:
        shutil.copy(ROOT / file, folder / file)
    for name, text in {"python3": PYTHON, "npm": NPM, "cmake": NOTHING}.items():
        executable(programs / name, text)
    return Clone(folder, programs)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return clone_at(tmp_path / "my clone", tmp_path / "programs")


def bystanders(folder: Path) -> list[Path]:
    """Files in the folders that are left of the name when it is cut at one of its spaces."""
    path = str(folder)
    cuts = [at for at, sign in enumerate(path) if sign == " "]
    places = [Path(path[:at]) for at in cuts if not path[:at].endswith("/")]
    for place in places:
        place.mkdir(exist_ok=True)
        (place / "precious").write_text("the user's")
    return [place / "precious" for place in places]


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


# ---- names of folders --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_setup_survey_and_cleaning_work_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    clone = clone_at(tmp_path / name / name, tmp_path / "programs")
    kept = bystanders(clone.folder)
    clone.must("make", "setup")
    clone.must("make", "survey")
    assert "groma report groma-profile.json -o groma-report.html" in (clone.folder / "said").read_text()
    assert clone.has(".venv/bin/python")
    assert clone.has("src/groma/report/assets/report.html")
    clone.must("make", "distclean")
    for made in (".venv", "build", "viewer/node_modules", "src/groma/report/assets/report.html"):
        assert not clone.has(made)
    assert [one for one in kept if not one.exists()] == []


def test_setup_that_is_done_does_nothing_again(clone: Clone) -> None:
    clone.must("make", "setup")
    said = clone.must("make", "setup")
    assert said == ""
    assert (clone.folder / "said").read_text().count("npm ci") == 1


@pytest.mark.parametrize("goal", ["survey", "setup"])
def test_a_survey_installs_and_builds_nothing_for_mpi(clone: Clone, goal: str) -> None:
    for name in ("system_packages", "mpi_wheels", "mpi_trees", "build"):
        executable(clone.folder / f"tools/{name}.sh", f'#!/bin/sh\necho {name} "$@" >>said\n')
    clone.must("make", goal)
    said = (clone.folder / "said").read_text().splitlines()
    assert {"system_packages requirements/debian-survey.txt", "build default groma-probe"} <= set(said)
    others = [
        "system_packages requirements/debian-run.txt",
        "build default groma-all",
        "mpi_wheels",
        "mpi_trees",
    ]
    assert [any(line.startswith(one) for line in said) for one in others] == [goal == "setup"] * 4


def test_packages_that_only_tests_of_the_page_need_come_with_the_tests(clone: Clone) -> None:
    clone.must("make", "survey")
    assert "npm ci --omit=dev" in (clone.folder / "said").read_text()
    clone.must("make", "test-setup")
    assert "npm ci --no-audit" in (clone.folder / "said").read_text()
    clone.must("make", "survey")
    assert (clone.folder / "said").read_text().count("npm ci") == 2
    assert (clone.folder / "said").read_text().count("npm run") == 1


@pytest.mark.parametrize("goal", ["setup", "distclean"])
@pytest.mark.parametrize("name", REFUSED)
def test_a_folder_that_some_tool_cannot_take_is_refused_first(tmp_path: Path, name: str, goal: str) -> None:
    clone = clone_at(tmp_path / name, tmp_path / "programs")
    clone.write(".venv/.done/run")
    clone.write("build/.done/system")
    before = everything(tmp_path)
    done = clone.run("make", goal)
    assert done.returncode == 2
    assert "groma cannot be built in" in done.stderr
    assert "rename the folder" in done.stderr
    assert everything(tmp_path) == before


def test_a_folder_whose_name_is_not_utf8_is_refused(tmp_path: Path) -> None:
    clone = clone_at(tmp_path / os.fsdecode(b"gr\xf6ma"), tmp_path / "programs")
    done = clone.run("make", "setup")
    assert done.returncode == 2
    assert "UTF-8" in done.stderr


def test_a_link_to_the_clone_may_have_any_name(clone: Clone, tmp_path: Path) -> None:
    executable(clone.folder / "tools/build.sh", '#!/bin/sh\necho "$PWD" >>said\n')
    link = tmp_path / "a:b"
    link.symlink_to(clone.folder)
    Clone(link, clone.programs).must("make", "setup", PWD=str(link))
    assert (clone.folder / "said").read_text().splitlines()[0] == str(clone.folder.resolve())


def test_cdpath_leads_set_up_nowhere_else(clone: Clone, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    for folder in ("tools", ".venv", "build/default"):
        (elsewhere / folder).mkdir(parents=True)
    for folder in (".venv", "build/default"):
        (elsewhere / folder / MARKER).touch()
    before = everything(elsewhere)
    clone.made(".venv")
    for tool in (("tools/made.sh", "remove", ".venv"), ("tools/made.sh", "clean"), ("make", "distclean")):
        clone.must(*tool, CDPATH=str(elsewhere))
    assert not clone.has(".venv")
    assert everything(elsewhere) == before


# ---- what groma did not make -------------------------------------------------------------------------------


def test_what_python_compiled_is_kept_in_a_container_too(clone: Clone) -> None:
    clone.must("make", "setup")
    groma = clone.folder / ".venv/bin/groma"
    groma.write_text('#!/bin/sh\necho "set: ${PYTHONDONTWRITEBYTECODE-no}" >>said\n')
    clone.must("make", "survey", PYTHONDONTWRITEBYTECODE="1")
    said = (clone.folder / "said").read_text()
    assert "set: no" in said
    assert "set: 1" not in said


@pytest.mark.parametrize("folder", [*MADE, "build/notes"])
def test_cleaning_keeps_what_groma_did_not_make(clone: Clone, folder: str) -> None:
    file = clone.write(f"{folder}/precious")
    assert f"kept: {folder} was not made by groma" in clone.must("make", "distclean")
    assert file.exists()


@pytest.mark.parametrize("folder", [*MADE, "wheelhouse"])
def test_a_folder_of_the_user_is_not_taken_over(clone: Clone, folder: str) -> None:
    file = clone.write(f"{folder}/precious")
    done = clone.run("tools/made.sh", "claim", folder)
    assert done.returncode == 4
    assert f"{folder} was not made by groma" in done.stderr
    assert everything(file.parent) == ["precious"]


def test_an_unusable_environment_of_the_user_stops_set_up_and_stays(clone: Clone) -> None:
    file = clone.write(".venv/bin/activate")
    done = clone.run("tools/make_venv.sh", ".venv")
    assert done.returncode == 4
    assert "rename or remove it" in done.stderr
    assert file.read_text() == "the user's"
    assert clone.run("make", "setup").returncode != 0
    assert file.read_text() == "the user's"


def test_a_usable_environment_of_the_user_is_used_and_never_removed(clone: Clone) -> None:
    clone.must("python3", "-m", "venv", ".venv")
    clone.must("make", "setup")
    assert "kept: .venv" in clone.must("make", "distclean")
    assert clone.has(".venv/bin/python")


@pytest.mark.parametrize("place", [".venv", "{clone}/.venv"])
def test_an_unusable_environment_of_groma_is_made_anew(clone: Clone, place: str) -> None:
    clone.made(".venv")
    clone.must("tools/make_venv.sh", place.format(clone=clone.folder))
    assert clone.has(".venv/bin/python")
    assert not clone.has(".venv/content")


@pytest.fixture
def without_venv(clone: Clone, tmp_path: Path) -> Clone:
    """Its Python can make environments only without pip."""
    stdlib = tmp_path / "stdlib"
    (stdlib / "distutils").mkdir(parents=True)
    (stdlib / "distutils/__init__.py").touch()
    fakes = {
        "python3": PYTHON_WITHOUT_VENV.format(stdlib=stdlib),
        "apt-get": APT_GET,
        "dpkg": DPKG.format(stdlib=stdlib),
        "virtualenv": FAILURE,
        "uv": FAILURE,
    }
    for name, text in fakes.items():
        executable(clone.programs / name, text)
    return clone


def test_the_pip_of_debian_brings_the_locked_one_where_python_has_neither_pip_nor_distutils(
    without_venv: Clone,
) -> None:
    without_venv.must("tools/make_venv.sh", ".venv", FOUND="python3-pip-whl python3-distutils")
    assert without_venv.has(".venv/bin/pip")


def test_the_missing_package_is_named_after_the_python_that_lacks_it(without_venv: Clone) -> None:
    done = without_venv.run("tools/make_venv.sh", ".venv", FOUND="")
    assert done.returncode == 4
    assert "install python3.11-venv, virtualenv or uv" in done.stderr
    assert not without_venv.has(".venv")


@pytest.mark.parametrize("link", [".venv", "build", "build/default", "viewer/node_modules"])
def test_links_are_neither_followed_nor_removed(clone: Clone, tmp_path: Path, link: str) -> None:
    there = tmp_path / "there"
    for folder in (there, there / "default"):
        folder.mkdir()
        (folder / MARKER).touch()
        (folder / "precious").touch()
    (clone.folder / link).parent.mkdir(exist_ok=True)
    (clone.folder / link).symlink_to(there)
    before = everything(there)
    assert f"kept: {link}" in clone.must("make", "distclean")
    below = "build/default" if link == "build" else link
    assert clone.run("tools/made.sh", "renew", below).returncode == 4
    assert (clone.folder / link).is_symlink()
    assert everything(there) == before


def test_a_build_tree_beside_those_of_set_up_stays(clone: Clone) -> None:
    clone.made("build/default", "build/.done")
    mine = clone.write("build/my tree/precious")
    clone.must("make", "clean")
    assert mine.exists()
    assert not clone.has("build/default")
    assert not clone.has("build/.done")


def test_an_empty_build_folder_of_the_user_stays(clone: Clone) -> None:
    (clone.folder / "build").mkdir()
    clone.made("build/default")
    clone.must("make", "clean")
    assert everything(clone.folder / "build") == []


def test_a_page_that_is_none_stays(clone: Clone) -> None:
    page = clone.write("src/groma/report/assets/report.html", "<html>")
    clone.must("make", "clean")
    assert page.exists()


@pytest.mark.parametrize("place", OUTSIDE)
@pytest.mark.parametrize("verb", ["claim", "renew", "mark", "remove"])
def test_no_place_outside_the_clone_is_claimed_or_removed(clone: Clone, verb: str, place: str) -> None:
    before = everything(clone.folder.parent)
    assert clone.run("tools/made.sh", verb, place).returncode == 2
    assert everything(clone.folder.parent) == before


@pytest.mark.parametrize("name", ["VENV", "BUILD", "STAMPS", "IN_VENV", "BIN", "PAGE", "PIP", "CURDIR"])
@pytest.mark.parametrize("goal", ["setup", "distclean"])
def test_the_command_line_moves_no_folder(clone: Clone, tmp_path: Path, name: str, goal: str) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "precious").touch()
    done = clone.run("make", f"{name}={theirs}", goal)
    assert done.returncode == 2
    assert f"{name} cannot be set" in done.stderr
    assert (theirs / "precious").exists()


@pytest.mark.parametrize("options", [(), ("--environment-overrides",)])
def test_variables_of_the_environment_move_no_folder(
    clone: Clone, tmp_path: Path, options: tuple[str, ...]
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / MARKER).touch()
    names = ("VENV", "BUILD", "STAMPS", "IN_VENV", "BIN", "PAGE")
    clone.must("make", *options, "distclean", **dict.fromkeys(names, str(theirs)))
    assert (theirs / MARKER).exists()


def test_packages_of_the_page_carry_the_marker_even_where_npm_fails(clone: Clone) -> None:
    assert clone.run("tools/page_packages.sh", NPM_FAILS="1").returncode == 1
    assert clone.has(f"viewer/node_modules/{MARKER}")
    assert not clone.has("viewer/node_modules/.done")
    clone.must("tools/page_packages.sh")
    assert clone.has(f"viewer/node_modules/{MARKER}")
    assert clone.has("viewer/node_modules/.done")


def test_packages_of_the_page_do_not_replace_those_of_the_user(clone: Clone) -> None:
    mine = clone.write("viewer/node_modules/mine/package.json")
    assert clone.run("tools/page_packages.sh").returncode == 4
    assert mine.exists()


def test_a_wheelhouse_of_the_user_is_not_filled(clone: Clone) -> None:
    mine = clone.write("wheelhouse/mine.whl")
    assert clone.run("tools/wheelhouse.sh", ".venv", "wheelhouse").returncode == 4
    assert everything(mine.parent) == ["mine.whl"]


def test_pip_finds_the_wheelhouse_whose_path_it_splits_at_spaces(clone: Clone) -> None:
    clone.made("wheelhouse")
    as_pip = '#!/bin/sh\nfor place in $PIP_FIND_LINKS; do ls "$place/content" >>said || exit 4; done\n'
    executable(clone.folder / "tools/pip_install.sh", as_pip)
    clone.must("make", "setup")
    assert "wheelhouse/content" in (clone.folder / "said").read_text()


def test_a_program_of_the_user_is_not_replaced_by_a_link(clone: Clone) -> None:
    shutil.copy(ROOT / "tools/mpi_trees.sh", clone.folder / "tools")
    executable(clone.folder / "tools/mpis.sh", "#!/bin/sh\nprintf 'openmpi\\tmpicxx\\tmpiexec\\n'\n")
    prefix = clone.folder / "a prefix"
    for name in ("groma-hpcc", "groma-network"):
        executable(prefix / "lib/groma/openmpi/bin" / name, NOTHING)
    executable(prefix / "bin/groma-hpcc", "#!/bin/sh\necho mine\n")
    said = clone.must("tools/mpi_trees.sh", "build", str(prefix))
    assert "groma-hpcc is not a link" in said
    assert "mine" in (prefix / "bin/groma-hpcc").read_text()
    assert (prefix / "bin/groma-network").is_symlink()


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not installed")
def test_the_page_of_a_wheel_is_built_over_nothing_of_the_user(tmp_path: Path) -> None:
    sources, mine = tmp_path / "sources", tmp_path / "a;b/viewer"
    for folder in (sources, mine, tmp_path / "a"):
        folder.mkdir(parents=True)
        (folder / "precious").touch()
    words = ["cmake", f"-DFROM={sources}", "-DNPM=true", "-DNODE=true", "-DREQUIRED=ON"]
    for target, code in ((mine, 1), (tmp_path / "a;b/page", 0), (tmp_path / "a;b/page", 0)):
        line = [*words, f"-DTO={target}", "-P", str(ROOT / "cmake/build_page.cmake")]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
    assert (mine / "precious").exists()
    assert (tmp_path / "a/precious").exists()


# ---- names of programs -------------------------------------------------------------------------------------


def test_an_mpi_in_a_folder_with_spaces_is_named_whole(clone: Clone, tmp_path: Path) -> None:
    mpi = tmp_path / "my own mpi/bin"
    for name in ("mpicxx", "mpiexec"):
        executable(mpi / name, NOTHING)
    said = clone.must("tools/mpis.sh", PATH=f"{mpi}{os.pathsep}{os.environ['PATH']}")
    assert said.splitlines()[0].split("\t")[1:] == [f"{mpi}/mpicxx", f"{mpi}/mpiexec"]


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not installed")
def test_an_mpi_package_is_found_in_a_folder_of_any_name(tmp_path: Path) -> None:
    """And by a program that is installed."""
    prefix = tmp_path / "my gröma's (x)/.venv/mpi/openmpi"
    executable(prefix / "bin/mpicxx", "#!/bin/sh\nexit 1\n")
    for file, text in {
        "../../pyvenv.cfg": "",
        "lib/mpi.c": "int mpi(void) { return 7; }\n",
        "include/mpi.h": "",
    }.items():
        (prefix / file).parent.mkdir(exist_ok=True)
        (prefix / file).write_text(text)
    (tmp_path / "main.c").write_text("#include <mpi.h>\nint mpi(void);\nint main(void) { return mpi(); }\n")
    (tmp_path / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.22)
project(asks LANGUAGES C CXX)
set(CMAKE_MODULE_PATH "{ROOT}/cmake")
include(GromaCompiler)
include(GromaMpi)
add_executable(asks main.c)
target_link_libraries(asks MPI::MPI_CXX)
install(TARGETS asks DESTINATION bin)
""")
    library = ["cc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so", "-o", f"{prefix}/lib/libmpi.so"]
    tree = str(tmp_path / "tree")
    for words in (
        [*library, f"{prefix}/lib/mpi.c"],
        ["cmake", "-S", str(tmp_path), "-B", tree, f"-DMPI_CXX_COMPILER={prefix}/bin/mpicxx"],
        ["cmake", "--build", tree],
        ["cmake", "--install", tree, "--prefix", str(tmp_path / "to")],
    ):
        subprocess.run(words, check=True, capture_output=True)
    assert subprocess.run([tmp_path / "to/bin/asks"], check=False).returncode == 7


def test_a_tree_that_was_left_half_configured_is_laid_anew(clone: Clone) -> None:
    clone.made("build/default")
    clone.write("build/default/CMakeCache.txt", "MPI_CXX_FOUND:BOOL=OFF\n")
    clone.run("tools/configure.sh", "default")
    assert clone.has("build/default")
    assert not clone.has("build/default/CMakeCache.txt")


# ---- the check before a change lands -----------------------------------------------------------------------
