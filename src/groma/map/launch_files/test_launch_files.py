"""Every launch file says the mapping that it was written from, whatever numbers its launcher uses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from groma.errors import GromaError
from groma.map.conftest import PLAIN, SMT
from groma.map.launch_files.formats import FORMATS, format_named
from groma.map.launch_files.hydra import splits_nodes
from groma.map.launch_files.masks import Tasks
from groma.map.launch_files.permutation import keys_of
from groma.map.launch_files.placement import Numbering, Placement, placement_of
from groma.map.place import Place

if TYPE_CHECKING:
    from groma.map.launch_files.formats import LaunchFormat
    from groma.record.topology import Topology

ALL = pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))
WITH_HOSTS = {name: form for name, form in FORMATS.items() if form.nodes_of is None}
"""The others have coordinates of nodes (test_coordinates.py)."""
OF_HOSTS = pytest.mark.parametrize("form", WITH_HOSTS.values(), ids=list(WITH_HOSTS))


@st.composite
def placements(draw: st.DrawFn) -> tuple[Placement, Topology]:
    """Ranks in any order on up to 4 hosts, bound to sets of cores or not at all."""
    topology = draw(st.sampled_from([SMT, PLAIN, forbidding(SMT, 0, 1, 5), forbidding(PLAIN, 2, 4)]))
    hosts = draw(st.integers(1, 4))
    bound = draw(st.booleans())
    some = st.sets(st.sampled_from(topology.allowed), min_size=1, max_size=3).map(
        lambda one: tuple(sorted(one))
    )
    place = st.builds(Place, st.integers(0, hosts - 1), some if bound else st.just(()))
    places = draw(st.lists(place, min_size=1, max_size=12))
    return placement_of([f"h{number}" for number in range(hosts)], places), topology


@OF_HOSTS
@given(placements())
def test_a_file_is_read_as_it_was_written(form: LaunchFormat, case: tuple[Placement, Topology]) -> None:
    placement, topology = case
    numbering = Numbering(topology)
    try:
        text = form.written(placement, numbering)
    except GromaError:
        assume(False)
    assert form.read(text, "file", numbering, placement.hosts).places == placement.places


def test_a_rank_file_counts_hardware_threads_where_cores_have_several() -> None:
    places = [Place(0, (3,)), Place(0, (0, 1))]
    text = FORMATS["openmpi"].written(placement_of(["h0"], places), Numbering(SMT))
    assert text.splitlines()[1:] == ["rank 0=h0 slot=3", "rank 1=h0 slot=0-1"]
    flags = FORMATS["openmpi"].flags(placement_of(["h0"], places), Numbering(SMT))
    assert "--use-hwthread-cpus" in flags
    assert "--use-hwthread-cpus" not in FORMATS["openmpi"].flags(
        placement_of(["h0"], places), Numbering(PLAIN)
    )


def test_a_foreign_rank_file_counts_physical_cores_of_the_node_or_of_a_package() -> None:
    read = FORMATS["openmpi"].read
    found = read("rank 1=b slot=1:0\nrank 0=a slot=1 # second core\nrank 2=a slot=0:*\n", "f", Numbering(SMT))
    assert found.places == (Place(1, (2, 3)), Place(0, (4, 5)), Place(1, (0, 1, 2, 3)))
    assert found.hosts == ("b", "a")


@pytest.mark.parametrize(
    ("slots", "what"),
    [
        ("4", "f, line 2: core 4 is not one of the 4 that can be used: slots count cores here"),
        (
            "1:2",
            "f, line 2: core 2 is not one of the 2 of its package that can be used: slots count cores here",
        ),
    ],
)
def test_a_slot_beyond_the_cores_is_refused_with_what_slots_count(slots: str, what: str) -> None:
    """It was refused as one of the 8 hardware threads."""
    text = f"rank 0=a slot=3\nrank 1=a slot={slots}\n"
    with pytest.raises(GromaError) as refused:
        FORMATS["openmpi"].read(text, "f", Numbering(SMT))
    assert refused.value.what == f"{what}, not hardware threads"


def test_a_rank_file_for_hardware_threads_is_read_with_the_comment_that_a_refusal_names() -> None:
    text = "rank 0=a slot=4\n"
    with pytest.raises(GromaError) as refused:
        FORMATS["openmpi"].read(text, "f", Numbering(SMT))
    comment = "# slots are hardware threads"
    assert f'if mpirun gets --use-hwthread-cpus, begin the file with "{comment}"' in refused.value.next_step
    found = FORMATS["openmpi"].read(f"{comment}\n{text}", "f", Numbering(SMT))
    assert found.places == (Place(0, (4,)),)


def test_a_slot_beyond_the_cores_of_a_machine_without_siblings_is_of_another_machine() -> None:
    with pytest.raises(GromaError, match="f, line 1: core 8 is not one of the 8 that can be used") as refused:
        FORMATS["openmpi"].read("rank 0=a slot=8\n", "f", Numbering(PLAIN))
    assert refused.value.next_step == "map with a profile of this machine"


def test_relative_hosts_are_those_of_the_job() -> None:
    found = FORMATS["openmpi"].read("rank 0=+n1 slot=0\n", "f", Numbering(PLAIN), ("a", "b"))
    assert found.host_of(0) == "b"
    with pytest.raises(GromaError, match=r"f, line 1: \+n1 is not one of the 0 hosts"):
        FORMATS["openmpi"].read("rank 0=+n1 slot=0\n", "f", Numbering(PLAIN))


def test_hydra_and_slurm_get_the_numbers_of_the_kernel() -> None:
    places = [Place(0, (0, 1)), Place(0, (2,)), Place(1, (0, 1))]
    placement = placement_of(["a", "b"], places)
    assert FORMATS["mpich"].written(placement, Numbering(SMT)) == (
        "a:2 binding=user:0+4,1\nb:1 binding=user:0+4\n"
    )
    assert FORMATS["slurm"].flags(placement, Numbering(SMT))[1] == "--cpu-bind=mask_cpu:0x11,0x2"


def test_a_launcher_inside_a_container_counts_the_cores_that_it_sees() -> None:
    numbering = Numbering(PLAIN, visible=(4, 5, 6, 7))
    text = FORMATS["openmpi"].written(placement_of(["a"], [Place(0, (5,))]), numbering)
    assert text == "rank 0=a slot=1\n"
    with pytest.raises(GromaError, match="core 0 is not one of the 4"):
        FORMATS["openmpi"].written(placement_of(["a"], [Place(0, (0,))]), numbering)


def forbidding(topology: Topology, *forbidden: int) -> Topology:
    """As a job sees it whose control group forbids some of its hardware threads."""
    allowed = tuple(one for one in topology.allowed if one not in forbidden)
    return msgspec.structs.replace(topology, allowed=allowed, forbidden=forbidden)


@pytest.mark.parametrize("name", ["openmpi", "openmpi-5"])
@pytest.mark.parametrize(
    ("topology", "cores", "slot"),
    [
        (forbidding(PLAIN, 4, 5), (6, 7), "4-5"),
        (forbidding(PLAIN, 0), (1,), "0"),
        (forbidding(SMT, 2, 3), (4, 5, 7), "2-3,5"),
        (forbidding(SMT, 1, 3, 5, 7), (4,), "2"),
    ],
    ids=["cores", "the first core", "siblings", "one sibling of each core"],
)
def test_open_mpi_counts_no_cores_that_a_control_group_forbids(
    name: str, topology: Topology, cores: tuple[int, ...], slot: str
) -> None:
    numbering, form = Numbering(topology), FORMATS[name]
    placement = placement_of(["a"], [Place(0, cores)])
    text = form.written(placement, numbering)
    assert text.splitlines()[-1] == f"rank 0=a slot={slot}"
    assert form.read(text, "f", numbering).places == placement.places


def test_the_numbers_of_the_kernel_are_the_same_whatever_a_control_group_forbids() -> None:
    placement = placement_of(["a"], [Place(0, (6,))])
    for name in ("mpich", "slurm", "cray", "permutation"):
        text = FORMATS[name].written(placement, Numbering(forbidding(PLAIN, 4)))
        assert text == FORMATS[name].written(placement, Numbering(PLAIN))


def test_cores_that_only_the_affinity_mask_leaves_out_are_counted() -> None:
    masked = msgspec.structs.replace(PLAIN, allowed=(6, 7))
    text = FORMATS["openmpi"].written(placement_of(["a"], [Place(0, (7,))]), Numbering(masked))
    assert text == "rank 0=a slot=7\n"


def test_cores_of_a_package_are_not_read_where_a_package_is_forbidden_as_a_whole() -> None:
    """Open MPI counts it where memory of it may be used, and only then."""
    text = "rank 0=a slot=1:1\n"
    with pytest.raises(GromaError, match=r"f, line 1: .* all cores of a package are forbidden"):
        FORMATS["openmpi"].read(text, "f", Numbering(forbidding(PLAIN, 0, 1, 2, 3)))
    found = FORMATS["openmpi"].read(text, "f", Numbering(forbidding(PLAIN, 0, 1, 2)))
    assert found.places == (Place(0, (5,)),)


def test_srun_cannot_bind_nodes_differently() -> None:
    placement = placement_of(["a", "b"], [Place(0, (0,)), Place(1, (1,))])
    for name in ("slurm", "cray"):
        with pytest.raises(GromaError, match=r"every node|nodes alike"):
            FORMATS[name].written(placement, Numbering(PLAIN))


def test_a_rank_order_lists_the_ranks_of_a_node_by_their_cores() -> None:
    places = [Place(1, (1,)), Place(0, (1,)), Place(1, (0,)), Place(0, (0,))]
    text = FORMATS["cray"].written(placement_of(["a", "b"], places), Numbering(PLAIN))
    assert [line for line in text.splitlines() if not line.startswith("#")] == ["3,1", "2,0"]


def test_a_rank_order_needs_full_nodes() -> None:
    places = [Place(0, (0,)), Place(1, (0,)), Place(1, (1,))]
    with pytest.raises(GromaError, match="equally many"):
        FORMATS["cray"].written(placement_of(["a", "b"], places), Numbering(PLAIN))


@given(placements())
def test_keys_give_each_process_the_rank_of_its_place(case: tuple[Placement, Topology]) -> None:
    placement, _ = case
    keys = keys_of(placement)
    assert sorted(keys) == list(range(len(placement.places)))
    in_order = [placement.places[key] for key in keys]
    assert in_order == sorted(in_order)


def test_a_host_that_comes_again_splits_a_node_for_mpich() -> None:
    apart = placement_of(["a", "b"], [Place(0), Place(1), Place(0)])
    assert splits_nodes(apart)
    assert not splits_nodes(placement_of(["a", "b"], [Place(0), Place(0), Place(1)]))


@pytest.mark.parametrize(
    ("option", "cores"),
    [
        ("mask_cpu:10", [(4,)]),  # hexadecimal, also without 0x
        ("mask_cpu:0x3,C", [(0, 1), (2, 3)]),
        ("mask_cpu:0x1*2,2", [(0,), (0,), (1,)]),
        ("map_cpu:0*2,3", [(0,), (0,), (3,)]),
        ("map_cpu:0x4", [(4,)]),
        ("verbose,map_cpu:0,1", [(0,), (1,)]),
        ("q,mask_cpu:2", [(1,)]),
        ("cores", [()]),
    ],
)
def test_lists_of_cores_are_read_as_srun_reads_them(option: str, cores: list[tuple[int, ...]]) -> None:
    wide = Numbering(msgspec.structs.replace(PLAIN, allowed=list(range(8))))
    tasks = Tasks(f"# srun --cpu-bind={option} -n {len(cores)}\n", wide)
    assert [tasks.of(number) for number in range(len(cores))] == cores


def test_a_node_has_the_name_in_the_comment_above_its_ranks() -> None:
    read = FORMATS["cray"].read
    named = read("# generated\n# node0\n0,1\n# node1\n2,3\n", "f", Numbering(PLAIN))
    assert [one.host for one in named.places] == [0, 0, 1, 1]
    assert list(named.hosts) == ["node0", "node1"]
    assert list(read("# made\n\n0,1\n", "f", Numbering(PLAIN)).hosts) == ["node0"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("openmpi", "", "f places no rank"),
        ("openmpi", "rank 1=a slot=0\n", "does not place rank 0"),
        ("openmpi", "rank 0=a slot=0\nrank 0=a slot=1\n", "line 2: rank 0 has a place already"),
        ("openmpi", "rank 0=a slot=x\n", "slot=x is not a list"),
        ("openmpi", "rank 0=a slot=9:0\n", "slot=9:0 is not a list"),
        ("openmpi", "rank 0=a slot=99\n", "core 99 is not one of"),
        ("openmpi", "rank zero\n", "does not place a rank"),
        ("mpich", "a:2 binding=user:0\n", "2 ranks have 1 binding:"),
        ("mpich", "a:2 binding=user:0,z\n", "is not a list of cores"),
        ("mpich", "a slots=2\n", "places no ranks"),
        ("slurm", "a b\n", "is not the name of a host"),
        ("slurm", "# --cpu-bind=map_cpu:1,,2\na\n", "is not a list of cores"),
        ("slurm", "# --cpu-bind=mask_cpu:0x3;4\na\n", "is not a list of cores"),
        ("slurm", "# --cpu-bind=map_cpu:F\na\n", "is not a list of cores"),
        ("slurm", "# --cpu-bind=map_cpu:0*two\na\n", "is not a list of cores"),
        ("cray", "0,1\n1,2\n", "rank 1 has two places"),
        ("cray", "0-\n", "is not a list of ranks"),
        ("permutation", "0\n", "names no host and cores"),
        ("permutation", "0 # a 0\n0 # a 1\n", "key 0 is there already"),
        ("permutation", "-1 # a 0\n", "is not a key"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(name: str, text: str, message: str) -> None:
    with pytest.raises(GromaError, match=message):
        FORMATS[name].read(text, "f", Numbering(PLAIN))


@OF_HOSTS
def test_a_file_for_other_hosts_is_refused(form: LaunchFormat) -> None:
    placement = placement_of(["a", "b"], [Place(0, (0,)), Place(1, (0,))])
    text = form.written(placement, Numbering(PLAIN))
    with pytest.raises(GromaError, match="b is not in the list of hosts"):
        form.read(text, "f", Numbering(PLAIN), ("a", "c"))


@ALL
@given(
    text=st.text(st.characters(codec="utf-8"), max_size=80)
    | st.from_regex(r"(rank 0=|a:2 b|0,\d|# -)?.{0,20}")
)
def test_reading_anything_gives_a_placement_or_says_why_not(form: LaunchFormat, text: str) -> None:
    try:
        found = form.read(text, "f", Numbering(PLAIN))
    except GromaError as error:
        assert "\n" not in error.what  # noqa: PT017
    else:
        assert found.places
        assert all(place.host < len(found.hosts) for place in found.places)


def test_mappings_that_no_file_can_say_are_refused() -> None:
    with pytest.raises(GromaError, match="needs 2 hosts, but 1 is known"):
        placement_of(["a"], [Place(1)])
    with pytest.raises(GromaError, match="host a is listed twice"):
        placement_of(["a", "a"], [Place(1)])
    with pytest.raises(GromaError, match="some ranks have cores"):
        placement_of(["a"], [Place(0), Place(0, (1,))])
    with pytest.raises(GromaError, match=re.escape("use --launcher with one of openmpi")):
        format_named("pals")
