"""How the tracer gets into processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from groma.errors import ExitCode, GromaError
from groma.host.host import Host
from groma.trace.preload import Recording, family_of_command, variables, with_variables

LOGS = Path("logs")


def sample_elf(library: bytes) -> bytes:
    """The header of an executable without segments, and the name of a library."""
    return b"\x7fELF\x02\x01".ljust(64, b"\0") + library + b"\0"


def of(library: str) -> dict[str, str]:
    return variables(Path(library), LOGS, Recording())


def test_the_library_is_preloaded_before_what_is_preloaded_already(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    assert of("/a/libgroma-trace.so")["LD_PRELOAD"] == "/a/libgroma-trace.so"
    assert "LD_LIBRARY_PATH" not in of("/a/libgroma-trace.so")
    monkeypatch.setenv("LD_PRELOAD", "/b.so")
    assert of("/a/libgroma-trace.so")["LD_PRELOAD"] == "/a/libgroma-trace.so:/b.so"


def test_a_folder_with_a_space_is_searched_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/lib")
    found = of("/my projects/libgroma-trace.so")
    assert (found["LD_PRELOAD"], found["LD_LIBRARY_PATH"]) == ("libgroma-trace.so", "/my projects:/lib")


def test_a_folder_with_a_colon_is_refused() -> None:
    with pytest.raises(GromaError, match="colon"):
        of("/a:b/libgroma-trace.so")


def test_a_counter_whose_name_a_log_cannot_hold_is_refused_before_the_run() -> None:
    event = "skx_unc_cha0::UNC_CHA_TOR_INSERTS:IA_MISS_DRD:filter_opc0=0x202:filter_not_nm=1:e=0:i=0:t=0:"
    longest, longer = event.ljust(191, "m"), event.ljust(192, "m")
    given = variables(Path("/t.so"), LOGS, Recording(counters=("cycles", longest)))
    assert given["GROMA_TRACE_COUNTERS"] == f"cycles,{longest}"
    with pytest.raises(GromaError, match="more than 191 letters") as refused:
        variables(Path("/t.so"), LOGS, Recording(counters=("cycles", longer)))
    assert refused.value.exit_code == ExitCode.USAGE


@pytest.fixture
def openmpi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A launcher that calls itself Open MPI's."""
    monkeypatch.delenv("OMPI_MCA_mca_base_env_list", raising=False)
    monkeypatch.delenv("OMPI_MCA_mca_base_env_list_delimiter", raising=False)
    launcher = tmp_path / "mpirun"
    launcher.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 4.1.4'\n")
    launcher.chmod(0o755)
    return str(launcher)


GIVEN = {"LD_PRELOAD": "/a.so", "GROMA_TRACE_DIR": "/logs;1"}
OPTIONS = ["-x", "LD_PRELOAD=/a.so", "-x", "GROMA_TRACE_DIR=/logs;1"]
LISTED = "LD_PRELOAD=/a.so;GROMA_TRACE_DIR"
TAKEN = {"GROMA_TRACE_DIR": "/logs;1"}


def test_each_program_of_a_command_gets_the_variables(openmpi: str) -> None:
    words = [openmpi, "-n", "1", "./a", ":", "-n", "2", "./b", ":", "./c"]
    found, added = with_variables(Host(), words, GIVEN)
    assert added == {}
    assert found == [
        openmpi, *OPTIONS, "-n", "1", "./a", ":", *OPTIONS, "-n", "2", "./b", ":", *OPTIONS, "./c",
    ]  # fmt: skip


@pytest.mark.parametrize("option", ["--mca", "-mca"])
def test_variables_join_the_list_of_the_command(openmpi: str, option: str) -> None:
    words = [openmpi, option, "mca_base_env_list", "A=1;B", "-n", "1", "./a", ":", "./b"]
    found, added = with_variables(Host(), words, GIVEN)
    assert found == [*words[:3], f"A=1;B;{LISTED}", *words[4:]]
    assert added == TAKEN


def test_variables_join_the_list_of_the_environment(openmpi: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_MCA_mca_base_env_list", "A=1")
    words = [openmpi, "-n", "1", "./a"]
    assert with_variables(Host(), words, GIVEN) == (
        words, TAKEN | {"OMPI_MCA_mca_base_env_list": f"A=1;{LISTED}"},
    )  # fmt: skip


def test_the_list_of_the_command_keeps_its_delimiter(openmpi: str) -> None:
    words = [openmpi, "--mca", "mca_base_env_list_delimiter", "%", "--mca", "mca_base_env_list", "A=1", "./a"]
    found, _ = with_variables(Host(), words, GIVEN)
    assert found[6] == "A=1%LD_PRELOAD=/a.so%GROMA_TRACE_DIR"


@pytest.mark.parametrize(
    ("said", "made"),
    [
        (["-x", "LD_PRELOAD=/b.so"], ["-x", "LD_PRELOAD=/a.so:/b.so"]),
        (["-x", "LD_PRELOAD"], ["-x", "LD_PRELOAD=/a.so:/env.so"]),
        (["-genv", "LD_PRELOAD", "/b.so"], ["-genv", "LD_PRELOAD", "/a.so:/b.so"]),
        (["--export=ALL,LD_PRELOAD=/b.so"], ["--export=ALL,LD_PRELOAD=/a.so:/b.so"]),
        (["env", "LD_PRELOAD=/b.so"], ["env", "LD_PRELOAD=/a.so:/b.so"]),
        (["-x", "MY_LD_PRELOAD=/b.so"], ["-x", "MY_LD_PRELOAD=/b.so"]),
    ],
)
def test_what_a_command_preloads_comes_after_the_tracer(said: list[str], made: list[str]) -> None:
    given = {"LD_PRELOAD": "/a.so:/env.so"}
    found, _ = with_variables(Host(), ["launch", *said, "./app"], given)
    assert found == ["launch", *made, "./app"]


def test_arguments_of_an_mpi_program_stay(tmp_path: Path) -> None:
    program = tmp_path / "app"
    program.write_bytes(sample_elf(b"libmpi.so.40"))
    program.chmod(0o755)
    words = ["launch", str(program), "LD_PRELOAD=/b.so", ":", str(program), "-x", "LD_PRELOAD"]
    assert with_variables(Host(), words, {"LD_PRELOAD": "/a.so"})[0] == words


def test_the_value_of_a_variable_is_no_program_of_the_command(tmp_path: Path) -> None:
    helper, program = tmp_path / "helper", tmp_path / "app"
    helper.write_bytes(sample_elf(b"libmpi.so.40"))
    program.write_bytes(sample_elf(b"libmpich.so.12"))
    for one in (helper, program):
        one.chmod(0o755)
    for option in (["-genv", "HELPER", str(helper)], ["--mca", "orte_launch_agent", str(helper)]):
        assert family_of_command(Host(), ["launch", *option, "-n", "2", str(program)]) == "mpich"


def test_a_list_without_its_value_is_left_to_the_launcher(openmpi: str) -> None:
    words = [openmpi, "--mca", "mca_base_env_list"]
    assert with_variables(Host(), words, GIVEN) == ([openmpi, *OPTIONS, *words[1:]], {})
