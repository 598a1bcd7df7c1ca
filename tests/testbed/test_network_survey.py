"""The network survey finds on beds what is known of their links."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.reading import read_record
from groma.interconnect.lattice import torus
from groma.interconnect.sharing import max_min_shares, shifted
from groma.launch.mpi_programs import mpi_programs
from groma.testbed import slurm

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.record import Record

    Groma = Callable[..., subprocess.CompletedProcess[str]]
    Survey = Callable[..., "Surveyed"]

GROMA = (sys.executable, "-m", "groma")

# What these tests measure is true of a bed whose processes have a core when a packet comes. Beside other
# tests that is not always so: a defect fails three times, a core taken away does not.
pytestmark = pytest.mark.flaky(reruns=2)


class Surveyed(NamedTuple):
    """`record` is the profile, else what was kept of it."""

    code: int
    said: str
    record: Record[Any] | None


@pytest.fixture
def survey(in_bed: Groma, tmp_path: Path) -> Survey:
    """Runs `groma survey --network` with these options on a bed; ~ is a space inside of a word."""

    def run(bed: str, options: str, **variables: str) -> Surveyed:
        path = tmp_path / "profile.json"
        words = [*bed.split(), "--", *GROMA, "survey", "--network", *options.split(), "-o", str(path)]
        done = in_bed(*(word.replace("~", " ") for word in words), **variables)
        partial = path.with_name("profile.partial.json")
        found = next((one for one in (path, partial) if one.exists()), None)
        return Surveyed(done.returncode, done.stderr, read_record(found) if found else None)

    return run


def facts_of(surveyed: Surveyed) -> Any:
    assert surveyed.code == ExitCode.OK, surveyed.said
    assert surveyed.record is not None
    return surveyed.record.facts.network


def values(quantities: Sequence[Any]) -> list[float]:
    return [one.value for one in quantities]


def shares(shape: tuple[int, ...], nodes: int) -> list[float]:
    """Mean of the max-min fair shares of messages at distance 1 over that at d, for equal links."""
    means = []
    for distance in range(1, nodes // 2 + 1):
        flows = [torus(*shape).path(*pair) for pair in shifted(nodes, distance)]
        found = max_min_shares(flows, {link: 1.0 for flow in flows for link in flow})
        means.append(sum(found) / nodes)
    return [means[0] / one for one in means]


def test_bandwidth_on_a_ring_falls_as_links_are_shared(survey: Survey) -> None:
    known = "--topology 9 --link 100mbit"
    network = facts_of(survey("--shape 9 --link 100mbit", f"--only distance --budget 6s {known}"))
    assert values(network.distance.ratio) == pytest.approx([1, 2, 3, 4], rel=0.25)
    assert [load.bandwidth for load in network.distance.loads] == pytest.approx(
        [1.25e7 / d for d in range(1, 5)]
    )
    assert network.distance.bandwidth[0].value == pytest.approx(1.25e7, rel=0.25)
    assert network.distance.exchange == [False] * 4
    assert [one.launch.inter_node for one in network.launches] == [True]


def test_on_a_torus_farther_may_be_faster(survey: Survey) -> None:
    network = facts_of(survey("--shape 4x4 --link 50mbit", "--only distance --budget 12s"))
    expected = shares((4, 4), 16)
    assert expected == pytest.approx([1, 2, 1, 1, 8 / 7, 2, 1.6, 2])
    assert values(network.distance.ratio) == pytest.approx(expected, rel=0.3)
    assert network.distance.exchange[7]
    assert not network.distance.monotone


FAMILIES = {one.family for one in mpi_programs("groma-network")}
of_each_mpi = pytest.mark.parametrize(
    "mpi",
    [
        pytest.param(one, marks=pytest.mark.skipif(one not in FAMILIES, reason=f"{one} is not installed"))
        for one in ("openmpi", "mpich")
    ],
)


@of_each_mpi
def test_processes_on_a_node_share_its_interface(survey: Survey, mpi: str) -> None:
    """Two hosts exchange: a library that answers behind its own data gives one process half of the link."""
    network = facts_of(survey(f"--shape 2 --nic 50mbit --mpi {mpi}", "--only access --ppn 2 --budget 7s"))
    assert values(network.access.ratio) == pytest.approx([1, 2], rel=0.2)
    assert network.access.reference.value == pytest.approx(50e6 / 8 * 1448 / 1514, rel=0.2)
    assert network.access.exchange == [True, True]
    assert {one.labels["per_node"] for one in network.launches} == {1, 2}


@of_each_mpi
def test_the_layout_of_the_paper_shares_the_interfaces(survey: Survey, mpi: str) -> None:
    """2 NC processes for NC = 2: one on each of four nodes, then two on each of two."""
    network = facts_of(survey(f"--shape 4 --nic 50mbit --mpi {mpi}", "--only access --ppn 2 --budget 7s"))
    assert values(network.access.ratio) == pytest.approx([1, 2], rel=0.2)
    assert network.access.processes == 4
    assert network.access.exchange == [False, True]
    assert all(piece for piece in network.access.pieces)


def test_a_link_at_half_rate_is_named(survey: Survey) -> None:
    bed = "--shape 7 --link 200mbit --at 0s slow~h3-h4~100mbit"
    network = facts_of(survey(bed, "--only distance --budget 5s"))
    assert [sorted(one.hosts) for one in network.distance.slow] == [["h3", "h4"]]


def test_a_host_that_is_cut_off_is_named_and_what_was_measured_is_kept(survey: Survey) -> None:
    bed = "--shape 3 --link 50mbit --at 8s cut~h1"
    cut = survey(bed, "--only distance,access --ppn 1 --thorough --message 1MiB --timeout 4s")
    assert cut.code == ExitCode.ENVIRONMENT
    assert re.search(r"h1 does not answer; [01] of 2 launches are saved in", cut.said)
    assert cut.record is not None
    assert any(cut.record.samples["net_distance"].values)


def test_two_ranks_on_one_host_are_refused_and_the_host_is_named(survey: Survey) -> None:
    careless = "mpirun~-n~{n}~--host~h1:2~--map-by~slot~{cmd}"
    done = survey("--shape 2 --mpi openmpi", f"--only distance --launcher {careless}")
    assert done.code == ExitCode.ENVIRONMENT
    assert "2 ranks run on h1, not 1 as requested for each node" in done.said


def test_a_host_that_cannot_be_reached_is_an_environment_error(survey: Survey, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("h0\nelsewhere\n")
    done = survey("--shape 2 --mpi openmpi", f"--only distance --hostfile {tmp_path / 'hosts'}")
    assert done.code == ExitCode.ENVIRONMENT
    assert "before the first rank answered" in done.said
    assert "elsewhere does not answer" in done.said
    assert done.record is None


def test_containers_on_one_kernel_are_warned_of(survey: Survey) -> None:
    network = survey("--shape 2 --link 400mbit --shared-boot-id", "--only distance --budget 3s")
    assert facts_of(network)
    assert network.record is not None
    codes = {one.code for one in network.record.warnings}
    assert "launch.same_kernel" in codes


@pytest.mark.skipif(
    "mpich" not in {one.family for one in mpi_programs("groma-network")}, reason="MPICH is not installed"
)
def test_mpich_surveys_as_well(survey: Survey) -> None:
    network = facts_of(survey("--shape 3 --mpi mpich --link 200mbit", "--only distance --budget 4s"))
    assert len(network.distance.ratio) == 1


def test_the_nodes_of_a_slurm_job_are_surveyed_by_srun(survey: Survey) -> None:
    try:
        slurm.refuse_unusable(is_root=os.geteuid() == 0)
    except GromaError as refusal:
        pytest.skip(refusal.what)
    network = facts_of(survey("--shape 3 --mpi slurm --link 200mbit", "--only distance --budget 5s"))
    (launch,) = network.launches
    assert launch.launch.launcher.startswith("Slurm")
    assert {one.host for one in launch.launch.placement} == {"h0", "h1", "h2"}
