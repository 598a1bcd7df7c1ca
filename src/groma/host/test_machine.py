"""What makes a machine another one is said with both values; what varies by itself makes no difference."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groma.host.capture import capture_environment
from groma.host.host import FakeHost
from groma.host.machine import Place, differences, in_words, names_a_machine, software_differences
from groma.record import Build, Topology, TopologyCache, TopologyCore, TopologyNuma

GIB = 1 << 30


def environment(**changes: Any) -> dict[str, Any]:
    """One that a groma wrote; `changes` are of its parts, `cpu={"model": …}` changes one field of a part."""
    host = FakeHost(
        files={
            "/proc/cpuinfo": "processor : 0\nvendor_id : GenuineIntel\nmodel name : Xeon Gold\n",
            "/proc/meminfo": "MemTotal: 16777216 kB\n",
            "/sys/devices/system/cpu/online": "0-1",
            "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
        },
        allowed={0, 1},
    )
    plain: dict[str, Any] = msgspec.to_builtins(capture_environment(host))
    for name, value in changes.items():
        plain[name] = {**plain[name], **value} if isinstance(value, dict) else value
    return plain


def reported(then: dict[str, Any], here: dict[str, Any]) -> str:
    return in_words(differences(Place(then), Place(here)))


def test_the_same_machine_at_another_time_is_the_same() -> None:
    later = environment(
        captured="2027-01-01T00:00:00+00:00",
        noise={"load": (9.0, 9.0, 9.0), "steal": 0.5},
        memory={"available_bytes": 1 << 20},
        variables={"OMP_NUM_THREADS": "4"},
    )
    assert reported(environment(), later) == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"host": "hazel"}, "host walnut, here hazel"),
        ({"kernel": "6.1.0-12"}, "kernel 6.1.0-fake, here 6.1.0-12"),
        ({"cpu": {"model": "EPYC"}}, "CPU Xeon Gold, here EPYC"),
        ({"cpu": {"microcode": "0x2"}}, "microcode none, here 0x2"),
        ({"cpu": {"threads": 4}}, "hardware threads 2, here 4"),
        ({"cpu": {"smt": "on"}}, "SMT none, here on"),
        ({"memory": {"total_bytes": 8 * GIB}}, "memory 16 GiB, here 8 GiB"),
        ({"memory": {"page_bytes": 65536}}, "page size 4 KiB, here 64 KiB"),
        ({"memory": {"huge_pages": "never"}}, "transparent huge pages madvise, here never"),
        ({"virtualisation": {"hypervisor": "KVM"}}, "hypervisor none, here KVM"),
        ({"virtualisation": {"container": "docker"}}, "container none, here docker"),
        ({"limits": {"affinity": "0"}}, "allowed processors 0-1, here 0"),
        ({"limits": {"cpu_quota": 0.5}}, "CPU quota none, here 0.5"),
        ({"limits": {"memory_bytes": GIB}}, "memory limit none, here 1 GiB"),
        ({"frequency": {"governor": "powersave"}}, "frequency governor none, here powersave"),
    ],
)
def test_each_difference_is_named_with_both_values(changes: dict[str, Any], words: str) -> None:
    assert reported(environment(), environment(**changes)) == words


def test_of_many_values_those_that_differ_are_named() -> None:
    """Kernels list two dozen mitigations and a handful of pools of huge pages."""
    then = environment(
        noise={"mitigations": {"spectre_v2": "Vulnerable", "meltdown": "Not affected"}},
        memory={"reserved_huge_pages": {"2048kB": 0, "1048576kB": 0}},
    )
    here = environment(
        noise={"mitigations": {"spectre_v2": "Mitigation: IBRS", "meltdown": "Not affected"}},
        memory={"reserved_huge_pages": {"2048kB": 64}},
    )
    assert in_words(software_differences(Place(then), Place(here))) == (
        "reserved huge pages (1048576kB) 0, here none; reserved huge pages (2048kB) 0, here 64; "
        "mitigations (spectre_v2) Vulnerable, here Mitigation: IBRS"
    )


def test_all_differences_are_named() -> None:
    assert reported(environment(), environment(host="hazel", kernel="7")) == (
        "host walnut, here hazel; kernel 6.1.0-fake, here 7"
    )


@pytest.mark.parametrize("total", [15.5 * GIB, 16.5 * GIB])
def test_memory_that_a_kernel_or_a_balloon_takes_is_no_difference(total: float) -> None:
    assert reported(environment(), environment(memory={"total_bytes": int(total)})) == ""


def test_one_memory_module_of_sixteen_less_is_a_difference() -> None:
    assert "memory" in reported(environment(), environment(memory={"total_bytes": 15 * GIB}))


def test_without_a_host_name_the_rest_is_compared() -> None:
    nameless = environment(host="host-1", redacted=True)
    assert reported(nameless, environment()) == ""
    assert reported(nameless, environment(kernel="7")) == "kernel 6.1.0-fake, here 7"


def test_a_machine_that_is_called_as_redaction_calls_it_is_still_another() -> None:
    assert reported(environment(host="host-1"), environment(host="host-2")) == "host host-1, here host-2"


def test_what_an_older_groma_did_not_record_is_not_compared() -> None:
    older = environment()
    del older["frequency"], older["cpu"]["microcode"], older["memory"]["huge_pages"]
    assert reported(older, environment()) == ""


@pytest.mark.parametrize("damaged", [{}, {"cpu": None}, {"host": None, "kernel": "", "cpu": {"model": None}}])
def test_an_environment_without_a_word_of_the_machine_tells_none(damaged: dict[str, Any]) -> None:
    assert not names_a_machine(damaged)
    assert names_a_machine(environment(host=None))


TOPOLOGY = Topology(
    source="test",
    cores=(
        TopologyCore(logical=0, physical=0, core=0, package=0, numa=0),
        TopologyCore(logical=1, physical=1, core=1, package=0, numa=0),
    ),
    caches=(TopologyCache(level=1, kind="data", size_bytes=32768, line_bytes=64, ways=8, cores=(0,)),),
    numa=(TopologyNuma(logical=0, physical=0, memory_bytes=16 * GIB, cores=(0, 1)),),
    distances=None,
    allowed=(0, 1),
    page_bytes=4096,
    huge_page_bytes=None,
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"allowed": (0,)}, "allowed processors 0-1, here 0"),
        ({"cores": TOPOLOGY.cores[:1]}, "hardware threads 2, here 1"),
        (
            {"cores": TOPOLOGY.cores[::-1]},
            "hardware threads 2, here 2, with other numbers or sharing",
        ),
        ({"caches": ()}, "caches 1 L1 data of 32 KiB, here none"),
        ({"numa": TOPOLOGY.numa * 2}, "NUMA nodes 1, here 2"),
    ],
)
def test_declared_topologies_are_compared_too(changes: dict[str, Any], words: str) -> None:
    other = msgspec.structs.replace(TOPOLOGY, **changes)
    assert in_words(differences(Place({}, TOPOLOGY), Place({}, other))) == words


def test_memory_of_a_node_grows_and_shrinks_in_a_guest() -> None:
    grown = (msgspec.structs.replace(TOPOLOGY.numa[0], memory_bytes=32 * GIB),)
    other = msgspec.structs.replace(TOPOLOGY, numa=grown)
    assert differences(Place({}, TOPOLOGY), Place({}, other)) == ()


def test_what_environment_and_topology_both_tell_is_said_once() -> None:
    other = msgspec.structs.replace(TOPOLOGY, allowed=(0,))
    then, here = Place(environment(), TOPOLOGY), Place(environment(limits={"affinity": "0"}), other)
    assert in_words(differences(then, here)) == "allowed processors 0-1, here 0"


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (Build(version="0.2.0"), "groma 0.1.0, here 0.2.0"),
        (Build(version="0.1.0", flags="-O3"), "compiler flags -O2, here -O3"),
        (Build(version="0.1.0", options={"GROMA_WITH_TESTS": "OFF"}), ""),
    ],
)
def test_another_build_times_other_code(build: Build, words: str) -> None:
    then = Place({}, None, Build(version="0.1.0", flags="-O2"))
    assert in_words(differences(then, Place({}, None, build))) == words
