"""groma map as its users type it."""

from __future__ import annotations

import json
import os
import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from groma.cli.map import command
from groma.conftest import MADE
from groma.errors import GromaError
from groma.facts.opening import records_in
from groma.map.launch_files.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def run(*words: str) -> str:
    """Standard output. Raises what the verb raises."""
    done = CliRunner().invoke(command, list(words), catch_exceptions=False, standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return str(done.stdout)


def answer(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "--json"))
    return found


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    """A ring of 8 ranks that are numbered by threes."""
    path = tmp_path / "m.csv"
    order = [3 * place % 8 for place in range(8)]
    rows = [f"{order[at]},{order[(at + 1) % 8]},1000" for at in range(8)]
    path.write_text("\n".join(["source,target,bytes", *rows]) + "\n")
    return path


def test_the_answer_has_mapping_quality_and_baselines(matrix: Path) -> None:
    found = answer("--topology", "torus:8", "--ranks", "8", "--matrix", str(matrix))
    assert sorted(found["mapping"]) == list(range(8))
    assert found["quality"]["dilation"] == 1.0
    assert found["quality"]["hop_bytes"] == 8000
    assert found["quality"]["max_congestion"] == 1000
    assert found["baselines"]["block"]["dilation"] == 3.0
    assert set(found["baselines"]) == {"block", "cyclic", "random"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--launch-file", "ranks", "--record", "m.csv"], "--record would overwrite the input m.csv"),
        (["--launch-file", "./m.csv"], "--launch-file would overwrite the input m.csv"),
        (["--launch-file", "hosts", "--hostfile", "hosts"], "--launch-file would overwrite the input hosts"),
        (["--check", "old", "-o", "old"], "--record would overwrite the input old"),
        (["-o", "both", "--launch-file", "both"], "--record and --launch-file would both write both"),
    ],
)
def test_nothing_that_is_read_or_written_is_overwritten(
    words: list[str], said: str, matrix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("hosts", "old"):
        (tmp_path / name).write_text("n0\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(GromaError) as refused:
        run("--topology", "torus:8", "--matrix", "m.csv", "--launcher", "permutation", *words)
    assert refused.value.what == said
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_topology_file_is_an_input(matrix: Path, tmp_path: Path) -> None:
    node = tmp_path / "node.xml"
    node.write_text("<topology/>")
    with pytest.raises(GromaError, match="would overwrite the input"):
        run("--topology", f"hwloc:{node}", "--matrix", str(matrix), "-o", str(node))


def test_a_mapping_without_launches_leaves_those_of_an_interrupted_run(
    matrix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It removed them: the next --resume found nothing."""
    monkeypatch.chdir(tmp_path)
    kept = tmp_path / "groma-mapping.partial.json"
    kept.write_text("{}")
    run("--topology", "torus:8", "--matrix", str(matrix))
    assert kept.exists()


def test_ranks_follow_from_the_matrix(matrix: Path) -> None:
    assert len(answer("--topology", "tree:4x4", "--matrix", str(matrix))["mapping"]) == 8


@pytest.mark.parametrize("method", ["block", "cyclic", "random"])
def test_usual_orders_can_be_asked_for(matrix: Path, method: str) -> None:
    found = answer("--topology", "torus:8", "--matrix", str(matrix), "--method", method)
    assert found["quality"] == found["baselines"][method]


def test_a_record_is_written_and_read_back(matrix: Path, tmp_path: Path) -> None:
    path = tmp_path / "mapping.json"
    run("--topology", "torus:8", "--matrix", str(matrix), "-o", str(path))
    (record,) = records_in(path)
    assert record.kind == "mapping"
    assert record.facts.quality.dilation == 1.0


def test_the_help_names_every_kind_of_launch_file() -> None:
    (option,) = (one for one in command.params if one.name == "launcher")
    assert isinstance(option, click.Option)
    assert option.help is not None
    assert [name for name in FORMATS if name not in re.split(r"[\s,:]+", option.help)] == []


@pytest.mark.parametrize(
    ("launcher", "first"),
    [
        ("openmpi", "rank 0=n0 slot=0"),
        ("openmpi-5", "rank 0=n0 slot=0"),
        ("mpich", "n0:"),
        ("slurm", "# srun --distribution=arbitrary --cpu-bind=mask_cpu:0x1"),
        ("cray", "# srun --distribution=block --cpu-bind=mask_cpu:0x1"),
        ("permutation", "# key of each process"),
    ],
)
def test_files_of_launchers_need_no_launcher(tmp_path: Path, launcher: str, first: str) -> None:
    hosts, target = tmp_path / "hosts", tmp_path / "file"
    hosts.write_text("n0\nn1\n")
    words = ["--topology", "hwloc:pack:2 core:2 pu:1", "--halo", "1KiB", "-n", "8", "--seed", "4"]
    run(*words, "--launch-file", str(target), "--launcher", launcher, "--hostfile", str(hosts))
    assert any(line.startswith(first) for line in target.read_text().splitlines())


def test_the_last_line_says_where_the_launch_file_is_and_how_it_is_used(tmp_path: Path) -> None:
    target = tmp_path / "my ranks"
    words = ["--topology", "torus:2x1x1", "--halo", "1KiB", "-n", "2", "--launcher", "fujitsu"]
    done = CliRunner().invoke(
        command, [*words, "--launch-file", str(target)], catch_exceptions=False, standalone_mode=False
    )
    use = f"mpiexec --vcoordfile '{target}' -n 2 ./app"
    assert done.stderr.splitlines()[-1] == f"launch file: {target}   ({use})"
    assert answer(*words, "--launch-file", str(target))["launch_command"] == use


@pytest.mark.parametrize(("copies", "last"), [("1", [1, 1, 0]), ("2", [1, 0, 0])])
def test_places_of_a_torus_have_coordinates(copies: str, last: list[int]) -> None:
    words = ["--topology", "torus:2x2x2", "--halo", "1KiB", "-n", "4", "--per-place", copies]
    found = answer(*words, "--method", "block")
    assert (found["coordinates"][0], found["coordinates"][-1]) == ([0, 0, 0], last)
    assert found["targets"] == []


def test_places_of_a_tree_have_no_coordinates() -> None:
    assert answer("--topology", "tree:2x2", "--halo", "1KiB", "-n", "4")["coordinates"] == []


def test_a_misspelt_launcher_of_a_launch_file_is_answered_with_the_kinds_of_files(tmp_path: Path) -> None:
    """It was answered with the launchers that start ranks."""
    words = ["--topology", "torus:4", "--halo", "1KiB", "-n", "4"]
    with pytest.raises(GromaError) as refused:
        run(*words, "--launch-file", str(tmp_path / "file"), "--launcher", "slrum")
    assert "no launch file for slrum" in refused.value.what
    assert [name for name in FORMATS if name not in re.split(r"[\s,]+", refused.value.next_step)] == []


def test_ranks_with_threads_are_bound_to_teams_of_them(tmp_path: Path) -> None:
    target = tmp_path / "file"
    words = ["--topology", "hwloc:pack:2 core:2 pu:2", "--halo", "1KiB", "-n", "2", "--threads", "4"]
    run(*words, "--launch-file", str(target), "--launcher", "slurm")
    masks = target.read_text().splitlines()[0].partition("mask_cpu:")[2].split()[0].split(",")
    assert sorted(masks) == ["0xf", "0xf0"]


def test_the_answer_for_a_node_tells_the_cores_of_its_places() -> None:
    found = answer("--topology", "hwloc:pack:2 core:2 pu:2", "--halo", "1KiB", "-n", "2", "--threads", "4")
    teams = [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [one["cores"] for one in found["targets"]] == [teams[place] for place in found["mapping"]]


def test_the_class_of_a_program_places_its_ranks() -> None:
    found = answer("--topology", "hwloc:numa:2 l3:1 core:4 pu:1", "-n", "2", "--class", "memory")
    assert sorted(place // 4 for place in found["mapping"]) == [0, 1], "one beside each L3"


def test_a_profile_of_the_network_tells_how_far_hosts_are_apart(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("node00\nnode01\n")
    found = answer(str(MADE / "example-network.json"), "-n", "4", "--halo", "1KiB", "--hostfile", str(hosts))
    assert "measured layers between hosts" in found["machine"]
    assert {one["host"] for one in found["targets"]} <= {"node00", "node01"}
    cyclic = found["baselines"]["cyclic"]
    assert cyclic["bytes_by_layer"]["other host: between nodes"] > 0
    assert cyclic["dilation"] > 10, "messages between hosts take far longer than inside of them"


def test_ranks_with_threads_are_placed_by_the_class_of_the_program() -> None:
    words = ["--topology", "hwloc:numa:2 l3:1 core:4 pu:1", "-n", "2", "--threads", "2"]
    found = answer(*words, "--class", "memory")
    cores = [one["cores"] for one in found["targets"]]
    assert [len(one) for one in cores] == [2, 2]
    assert sorted(one[0] // 4 for one in cores) == [0, 1], "one beside each L3"


HWLOC = "hwloc:pack:2 core:2 pu:1"


def test_a_file_of_the_users_is_judged_beside_the_own_mapping(matrix: Path, tmp_path: Path) -> None:
    path = tmp_path / "ranks"
    path.write_text("".join(f"rank {rank}=n{rank // 4} slot={rank % 4}\n" for rank in range(8)))
    found = answer(
        "--topology", HWLOC, "--matrix", str(matrix), "--check", str(path), "--launcher", "openmpi"
    )
    assert found["checked_mapping"] == list(range(8))
    assert found["baselines"]["ranks"] == found["baselines"]["block"]
    assert found["quality"]["hop_bytes"] < found["baselines"]["ranks"]["hop_bytes"]
    assert {one["host"] for one in found["targets"]} == {"n0", "n1"}, "the hosts of the file"


@pytest.mark.parametrize(
    ("hosts", "ranks", "what"),
    [
        ("n0\nn2\n", 8, "line 5: n1 is not in the list of hosts"),
        ("n0\nn1\n", 7, "places 7 ranks, and 8 send messages"),
    ],
)
def test_a_file_for_other_hosts_or_ranks_is_refused(
    matrix: Path, tmp_path: Path, hosts: str, ranks: int, what: str
) -> None:
    path, hostfile = tmp_path / "ranks", tmp_path / "hosts"
    path.write_text("".join(f"rank {rank}=n{rank // 4} slot={rank % 4}\n" for rank in range(ranks)))
    hostfile.write_text(hosts)
    words = ["--topology", HWLOC, "--matrix", str(matrix), "--hostfile", str(hostfile)]
    with pytest.raises(GromaError) as refused:
        run(*words, "--check", str(path), "--launcher", "openmpi")
    assert what in refused.value.what


def test_an_answer_says_that_a_file_of_hosts_does_not_keep_the_order_within_a_host(tmp_path: Path) -> None:
    """Its own file, when it was checked, had another quality, and nothing said why."""
    matrix, hosts, target = (tmp_path / name for name in ("m.csv", "hosts", "file"))
    matrix.write_text("source,target,bytes\n0,1,100\n1,2,50\n2,3,70\n3,0,10\n0,5,30\n4,5,80\n")
    hosts.write_text("h0\n")
    words = ["--topology", "torus:3x2", "--matrix", str(matrix), "--launcher", "openmpi"]
    words += ["--hostfile", str(hosts)]
    written = answer(*words, "--launch-file", str(target))
    assert written["remarks"] == [
        "the launch file names hosts and none of their 6 places: the launcher decides which rank is on which"
    ]
    checked = answer(*words, "--check", str(target))
    assert checked["baselines"]["file"]["hop_bytes"] > checked["quality"]["hop_bytes"]
    assert [one for one in checked["remarks"] if "names hosts and none of their 6 places" in one]
    hosts.write_text("".join(f"h{number}\n" for number in range(6)))
    assert answer(*words, "--launch-file", str(target))["remarks"] == []
    assert answer(*words, "--check", str(target))["remarks"] == []


def test_a_file_with_coordinates_leaves_nothing_open(matrix: Path, tmp_path: Path) -> None:
    target = tmp_path / "file"
    words = ["--topology", "torus:2x2x1", "--per-place", "2", "--matrix", str(matrix)]
    words += ["--launcher", "bluegene"]
    assert answer(*words, "--launch-file", str(target))["remarks"] == []
    assert answer(*words, "--check", str(target))["remarks"] == []


@contextmanager
def piped(content: bytes) -> Iterator[str]:
    """The name of a pipe that has it, which can be read once."""
    reads, writes = os.pipe()

    def write() -> None:
        with os.fdopen(writes, "wb") as pipe:
            pipe.write(content)

    writer = threading.Thread(target=write)
    writer.start()
    yield f"/dev/fd/{reads}"
    writer.join()
    os.close(reads)


def test_a_file_to_check_may_be_a_pipe(matrix: Path) -> None:
    words = ["--topology", "hwloc:package:2 core:2 pu:2", "--matrix", str(matrix), "--launcher", "mpich"]
    with piped(b"vm:8\n") as path:
        found = answer(*words, "--check", path)
    assert found["checked_mapping"] == list(range(8))
    assert {one["host"] for one in found["targets"]} == {"vm"}


@pytest.mark.parametrize("traffic", ["--halo 1KiB", "--class memory"])
def test_a_profile_may_be_a_pipe(traffic: str) -> None:
    profile, words = MADE / "example-profile.json", ["-n", "4", *traffic.split()]
    with piped(profile.read_bytes()) as path:
        assert answer(path, *words) == answer(str(profile), *words)


REFUSED = """
 | nothing says what ranks send
--topology torus:8 --halo 1KiB | the number of ranks is missing
--topology torus:8 --halo 1KiB -n 9 | 9 ranks do not fit 8 places
--topology torus:8 --halo 1.5 -n 8 | '1.5' is not a whole number of bytes
--topology torus:8 --halo 0.7B -n 8 | '0.7B' is not a whole number of bytes
--topology torus:8 --halo 1e3 -n 8 | '1e3' is not a size
--topology torus:8 --halo 1KiB --class memory -n 2 | cannot be combined
--topology torus:8 --class memory -n 2 | need the cores of a node
p.json --topology torus:8 --halo 1KiB -n 2 | PROFILE and --topology
--topology torus:8 --halo 1KiB -n 8 --engine scotch --method block | --engine needs
--topology torus:8 -n 8 --engine scotch --class memory | --engine needs
--topology torus:8 --halo 1KiB -n 8 --objective congestion --method block | --objective needs
--topology hwloc:core:4~pu:2 --class memory -n 2 --objective congestion | --objective needs
--topology hwloc:core:4~pu:2 --class memory -n 2 --method random | --method places
--topology torus:8 --halo 1KiB -n 4 --threads 2 | places of a torus 8 have no hardware threads
--topology hwloc:core:4~pu:2 --halo 1KiB -n 1 --threads 9 | 9 threads of a rank do not fit
--topology hwloc:core:4~pu:2 --halo 1KiB -n 5 --threads 2 | 5 ranks do not fit 4 places
--topology hwloc:core:4~pu:2 --class memory -n 5 --threads 2 | 5 ranks do not fit
--topology torus:8 --halo 1KiB -n 8 --check x | --check needs to know
--topology hwloc:core:4~pu:2 --class memory -n 2 --check x --launcher slurm | --check compares
--topology torus:8 --halo 1KiB -n 8 --check x --launcher pals | no launch file for pals
--topology torus:8 --halo 1KiB -n 8 --check x.txt --launcher slurm | x.txt: no such file
--topology torus:8 --matrix no.csv | no.csv: no such file
--topology hwloc:core:8~pu:1 --halo 1KiB -n 8 --objective congestion | no links
--topology torus:8 --per-place 2 --halo 1KiB -n 8 --objective congestion | no links
--topology torus:3 --halo 1KiB -n 3 --launcher cray --verify | starts no ranks
--topology torus:3 --halo 1KiB -n 3 --launcher mpich | --launcher says what kind of file
--topology torus:3 --halo 1KiB -n 3 --launcher pals --launch-file x |
"""


@pytest.mark.parametrize("case", REFUSED.strip("\n").splitlines())
def test_what_cannot_be_mapped_is_refused_in_one_line(case: str) -> None:
    words, _, message = case.partition("|")
    with pytest.raises(GromaError) as refused:
        run(*(word.replace("~", " ") for word in words.split()))
    assert message.strip() in refused.value.what
    assert "\n" not in refused.value.what


@pytest.mark.parametrize(
    "words",
    [
        *("--ranks 0.1", "--ranks 0", "--ranks -1", "--ranks x", "--ranks 1e3", "--ranks nan"),
        *("--ranks 99999999999999999999", f"--ranks {'9' * 5000}", "-n 2000000"),
        *("-n 4 --threads 0", "-n 4 --per-place 2.5", "-n 4 --seed -1", "-n 4 --launches 1"),
    ],
)
def test_a_count_that_is_none_is_refused_with_those_that_there_are(words: str) -> None:
    with pytest.raises(click.BadParameter) as refused:
        run("--topology", "torus:8", "--halo", "1KiB", *words.split())
    assert re.fullmatch(r"'.{1,41} is not a whole number from \d+ to \d+", refused.value.message)


@pytest.mark.parametrize(("size", "bytes_"), [("2.0", 2), ("1.5KiB", 1536), ("16 B", 16), ("64k", 64000)])
def test_a_halo_of_whole_bytes_is_taken(size: str, bytes_: int) -> None:
    found = answer("--topology", "torus:2", "--halo", size, "-n", "2")
    assert found["quality"]["hop_bytes"] == 2 * bytes_


def test_a_table_that_counts_from_1_is_answered_with_that(tmp_path: Path) -> None:
    """The advice to use fewer ranks cannot help."""
    matrix = tmp_path / "m.csv"
    matrix.write_text("source,target,bytes\n" + "".join(f"{at},{at + 1},8\n" for at in range(1, 8)))
    with pytest.raises(GromaError, match="9 ranks do not fit 8 places, and rank 0") as refused:
        run("--topology", "torus:8", "--matrix", str(matrix))
    assert "number the ranks from 0" in refused.value.next_step
    found = answer("--topology", "torus:9", "--matrix", str(matrix))
    assert found["remarks"] == ["rank 0 neither sends nor receives: the file may count ranks from 1"]


def test_loads_of_links_need_links_and_the_answer_says_what_has_them() -> None:
    with pytest.raises(GromaError) as refused:
        run(str(MADE / "example-profile.json"), "--halo", "1KiB", "-n", "4", "--objective", "congestion")
    assert "node of" in refused.value.what
    assert "line" not in refused.value.what, "of a text that nobody sees"
    assert "--topology torus:4x4" in refused.value.next_step
