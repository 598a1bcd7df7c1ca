"""Physical cores are counted by what the kernel says of each processor."""

from __future__ import annotations

import pytest

from groma.host.capture import capture_environment
from groma.host.cores import CPU, cores_among, package_of
from groma.host.host import FakeHost


def machine(*topologies: dict[str, str]) -> FakeHost:
    """With the files of each processor in its folder `topology`."""
    files = {
        f"{CPU}/cpu{number}/topology/{name}": content
        for number, topology in enumerate(topologies)
        for name, content in topology.items()
    }
    return FakeHost(files=files | {f"{CPU}/online": f"0-{len(topologies) - 1}"})


def place(package: int, core: int, siblings: str = "") -> dict[str, str]:
    listed = {"thread_siblings_list": siblings} if siblings else {}
    return {"physical_package_id": str(package), "core_id": str(core), **listed}


def test_cores_of_clusters_that_number_them_alike_are_all_counted() -> None:
    host = machine(*(place(0, number % 4, str(number)) for number in range(8)))
    assert cores_among(host, range(8)) == 8


def test_hardware_threads_of_a_core_are_one() -> None:
    pairs = ("0,2", "1,3", "0,2", "1,3")
    assert cores_among(machine(*(place(0, 7, pair) for pair in pairs)), range(4)) == 2
    assert cores_among(machine(*(place(0, number % 2) for number in range(4))), range(4)) == 2


@pytest.mark.parametrize("unknown", [place(-1, -1), place(0, -1), place(-1, 0), {}])
def test_processors_of_which_the_kernel_says_nothing_are_a_core_each(unknown: dict[str, str]) -> None:
    assert cores_among(machine(unknown, unknown, unknown), range(3)) == 3


def test_a_package_that_the_kernel_does_not_know_is_none() -> None:
    assert package_of(machine(place(-1, 0)), 0) is None


def test_the_environment_has_as_many_cores_as_may_be_used() -> None:
    host = machine(*(place(0, number % 4, str(number)) for number in range(8)))
    assert capture_environment(host).cpu.cores == cores_among(host, range(8))
