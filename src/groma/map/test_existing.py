"""Launch files that are there already, judged as mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.errors import GromaError
from groma.map.conftest import PLAIN, SMT
from groma.map.existing import ExistingFile, mapping_in
from groma.map.launch_files.formats import FORMATS
from groma.map.launch_files.placement import Numbering, placement_of
from groma.map.targets import on_hosts, places_of, repeated, with_threads
from groma.map.topologies import machine_named, node_of

if TYPE_CHECKING:
    from pathlib import Path

    from groma.map.topologies import FoundMachine

HOSTS = ("n0", "n1")
NUMBERING = Numbering(SMT)
"""Of a node of 2 packages, 2 cores each, 2 hardware threads each."""


def read_back(path: Path, name: str, found: FoundMachine) -> tuple[list[int], list[str]]:
    file = ExistingFile(path, FORMATS[name])
    return mapping_in(file, file.read(NUMBERING, HOSTS), found)


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.nodes_of is None])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_written_mapping_is_found_again_in_the_file_of_every_launcher(
    tmp_path: Path, name: str, threads: int
) -> None:
    found = on_hosts(with_threads(node_of(SMT), threads), HOSTS)
    inside = len(found.cores)
    mapping = [inside + 1, 1, inside, 0]
    placement = placement_of(HOSTS, places_of(found, mapping, 2))
    path = tmp_path / "file"
    path.write_text(FORMATS[name].written(placement, NUMBERING))
    assert read_back(path, name, found) == (mapping, [])


def test_ranks_that_are_not_bound_fill_their_host_after_those_that_are(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("n1:1\nn0:2\nn1:1 binding=user:0\n")
    mapping, remarks = read_back(path, "mpich", on_hosts(node_of(SMT), HOSTS))
    first = SMT.cores[0].logical
    assert mapping[3] == 8 + first
    assert mapping[1:3] == [0, 1]
    assert mapping[0] == 9
    assert "does not bind 3 ranks" in remarks[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [("cray", "2,0\n1,3\n"), ("permutation", "2 # n0 any\n0 # n0 any\n1 # n1 any\n3 # n1 any\n")],
)
def test_ranks_that_are_not_bound_fill_their_host_in_the_order_of_the_file(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    mapping, _ = read_back(path, name, on_hosts(node_of(SMT), HOSTS))
    assert mapping == [1, 8, 0, 9]


def test_a_rank_on_a_whole_core_is_on_the_first_of_its_threads(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("rank 0=n0 slot=1\nrank 1=n0 slot=0\n")
    mapping, remarks = read_back(path, "openmpi", on_hosts(node_of(SMT), HOSTS))
    assert mapping == [2, 0]
    assert "several cores" in remarks[0]


@pytest.mark.parametrize("binding", ["0", "0+1", "0+2,1+3"])
def test_a_rank_that_is_not_bound_to_a_whole_team_is_refused(tmp_path: Path, binding: str) -> None:
    """It was taken for the team of its first thread. The siblings are 0 and 4, 1 and 5 ..."""
    path = tmp_path / "file"
    path.write_text(f"n0:{len(binding.split(','))} binding=user:{binding}\n")
    with pytest.raises(GromaError) as refused:
        read_back(path, "mpich", on_hosts(with_threads(node_of(SMT), 2), HOSTS))
    assert refused.value.what == f"{path}: rank 0 is not bound to all threads of a team of 2"
    assert "check it without --threads" in refused.value.next_step


def test_a_rank_on_several_teams_is_on_the_first_that_is_free(tmp_path: Path) -> None:
    """Also where the first of its threads is none of a whole team."""
    path = tmp_path / "file"
    path.write_text("n0:3 binding=user:0+4,0+1+4+5,1+2+6\n")
    mapping, remarks = read_back(path, "mpich", on_hosts(with_threads(node_of(SMT), 2), HOSTS))
    assert mapping == [0, 1, 2]
    assert "several cores" in remarks[0]


def test_a_file_is_read_with_the_numbers_with_which_it_was_written(tmp_path: Path) -> None:
    """Open MPI counts no core that a control group forbids."""
    forbidding = msgspec.structs.replace(PLAIN, allowed=(2, 3, 5, 6, 7), forbidden=(0, 1, 4))
    numbering, found = Numbering(forbidding), node_of(forbidding)
    path = tmp_path / "file"
    for mapping in ([4, 0, 2], [3, 1]):
        places = placement_of(("n0",), places_of(found, mapping, 1))
        file = ExistingFile(path, FORMATS["openmpi"])
        path.write_text(file.form.written(places, numbering))
        assert mapping_in(file, file.read(numbering, ("n0",)), found) == (mapping, [])


def test_places_of_a_network_are_those_of_their_host(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("n1\nn0\nn1\n")
    mapping, remarks = read_back(path, "slurm", machine_named("tree:2x2"))
    assert mapping == [2, 0, 3]
    (remark,) = remarks
    alone = f"{path} names hosts and none of their 2 places"
    assert remark == f"{alone}: its ranks are taken to fill the places of their host in order"


@pytest.mark.parametrize("topology", ["torus:4", "mesh:2x2", "tree:4:1", "tree:2x2:1,0"])
def test_hosts_that_are_known_as_places_leave_nothing_open(tmp_path: Path, topology: str) -> None:
    """As with one place each, or several at no distance from each other."""
    path = tmp_path / "file"
    path.write_text("n1\nn0\n")
    found = machine_named(topology)
    hosts = [f"n{number}" for number in range(2 if topology.startswith("tree:2") else 4)]
    for times in (1, 2):
        file = ExistingFile(path, FORMATS["slurm"])
        mapped = mapping_in(file, file.read(NUMBERING, hosts), repeated(found, times))
        assert mapped.remarks == []
        assert mapped.mapping == [4 * times // len(hosts), 0]


def test_cores_in_a_file_are_no_places_of_a_network(tmp_path: Path) -> None:
    """Ranks fill their host in the order of the file."""
    path = tmp_path / "file"
    path.write_text("rank 1=n0 slot=3\nrank 0=n0 slot=2\n")
    mapping, remarks = read_back(path, "openmpi", machine_named("tree:2x2"))
    assert mapping == [1, 0]
    assert "names hosts and none of their 2 places" in remarks[0]


def test_a_file_is_read_once(tmp_path: Path) -> None:
    """It may be a pipe."""
    path = tmp_path / "file"
    path.write_text("n1\nn0\n")
    file = ExistingFile(path, FORMATS["slurm"])
    found = file.read(NUMBERING)
    path.write_text("")
    assert file.read(NUMBERING) == found


def test_one_rank_that_is_not_bound_is_counted_as_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("n0\n")
    _, remarks = read_back(path, "slurm", on_hosts(node_of(SMT), HOSTS))
    assert remarks == [f"{path} does not bind 1 rank: it is taken to fill the cores of its host in order"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("n7\n", "n7 is not in the list of hosts"),
        ("rank 0=n0 slot=0\nrank 0=n0 slot=1\n", "rank 0 has a place already"),
        ("rank 0=n0 slot=99\n", "core 99 is not one of"),
        ("", "places no rank"),
        ("\x00\n", "does not place a rank"),
    ],
)
def test_a_file_of_another_job_is_refused(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(GromaError, match=what):
        read_back(path, "openmpi", on_hosts(node_of(SMT), HOSTS))


def test_ranks_that_share_a_core_are_refused_unless_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("n0:2 binding=user:0,0\n")
    found = on_hosts(node_of(SMT), HOSTS)
    with pytest.raises(GromaError, match="rank 1 has no place of its own on n0"):
        read_back(path, "mpich", found)
    mapping, _ = read_back(path, "mpich", repeated(found, 2))
    assert mapping == [0, 1]


def test_a_core_outside_of_the_mask_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("n0:1 binding=user:7\n")
    found = on_hosts(node_of(SMT), HOSTS)
    kept = found.cores[:4]
    with pytest.raises(GromaError, match="which ranks of this machine may not use"):
        read_back(path, "mpich", node_of(SMT)._replace(cores=kept, allowed=(0, 1, 2, 3)))


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GromaError, match="is not text"):
        read_back(path, "slurm", node_of(SMT))
