"""Libraries that benchmarks depend on: MPI, BLAS and FFT, with vendor and version if known."""

from __future__ import annotations

import platform
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from groma.record.environment import Software

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.host.host import Host

_BLAS = {
    "libopenblas": "OpenBLAS",
    "libscipy_openblas": "OpenBLAS",
    "libblis": "BLIS",
    "libmkl_rt": "MKL",
    "libatlas": "ATLAS",
    "libarmpl": "Arm PL",
    "libsci": "LibSci",
    "libblas": "BLAS",
}
_FFT = {"libfftw3": "FFTW", "libmkl_rt": "MKL"}

# Numbers in the names of these are of their interface: FFTW 3.3.10 is libfftw3.so.3.6.10. The file of
# pkg-config beside the library has the version, where it is installed.
_PKG_CONFIG = {"FFTW": "fftw3.pc", "MKL": "mkl-sdl.pc"}

# The first line of `mpirun --version`; MPICH's first line names its launcher only.
_MPI = (
    (re.compile(r"\((?:Open MPI|OpenRTE)\) (\S+)"), "Open MPI"),
    (re.compile(r"Intel\(R\) MPI Library.*Version (\S+)"), "Intel MPI"),
    (re.compile(r"Version:\s+(\S+)"), "MPICH"),
)
_LAUNCHERS = ("mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.mpich")

# Where the system has none, set-up installs these as Python packages, each in a folder of its own.
_MPI_PACKAGES = ("openmpi", "mpich")


def software_of(host: Host) -> Software:
    libraries = _shared_libraries(host)
    return Software(
        python=platform.python_version(),
        c_library=" ".join(filter(None, platform.libc_ver())) or None,
        mpi=tuple(dict.fromkeys(_mpi(host))),
        blas=tuple(_among(host, libraries, _BLAS)),
        fft=tuple(_among(host, libraries, _FFT)),
    )


def packaged_mpi_launchers(host: Host) -> Iterator[str]:
    """Of the MPIs that set-up installed as Python packages."""
    environment = Path(sys.executable).parents[1]
    for package in _MPI_PACKAGES:
        program = str(environment / "mpi" / package / "bin" / "mpiexec")
        if host.exists(program):
            yield program


def _mpi(host: Host) -> Iterator[str]:
    for program in (*_mpi_launchers(host), *packaged_mpi_launchers(host)):
        said = host.ask([program, "--version"])
        if said:
            yield _mpi_version(said)


def _mpi_launchers(host: Host) -> Iterator[str]:
    beside_python = str(Path(sys.executable).parent)
    for name in _LAUNCHERS:
        path = host.find(name)
        if path:
            yield path
        if host.exists(f"{beside_python}/{name}"):
            yield f"{beside_python}/{name}"


def _mpi_version(said: str) -> str:
    for pattern, vendor in _MPI:
        match = pattern.search(said)
        if match:
            return f"{vendor} {match[1]}"
    return said.partition("\n")[0][:80]


def _shared_libraries(host: Host) -> dict[str, str]:
    """Paths by name, first of loaded modules, then of this Python, then of the system."""
    found: dict[str, str] = {}
    for folder in _folders_of_libraries(host):
        for name in host.names(folder):
            if ".so" in name:
                found.setdefault(name, f"{folder}/{name}")
    program = host.find("ldconfig") or "/sbin/ldconfig"
    for line in (host.ask([program, "-p"]) or "").splitlines():
        name, arrow, path = line.strip().partition(" => ")
        if arrow:
            found.setdefault(name.split()[0], path)
    return found


def _folders_of_libraries(host: Host) -> Iterator[str]:
    """Outside the cache of the dynamic linker: modules, a prefix such as Conda's, packages of set-up."""
    for folder in host.variables.get("LD_LIBRARY_PATH", "").split(":"):
        if folder.startswith("/"):
            yield folder.rstrip("/")
    prefix = Path(sys.executable).parents[1]
    yield str(prefix / "lib")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    yield str(prefix / "lib" / version / "site-packages" / "scipy_openblas32" / "lib")


def _among(host: Host, libraries: dict[str, str], vendors: dict[str, str]) -> Iterator[str]:
    """Each vendor once, with the version where any of its libraries has one."""
    found: dict[str, str] = {}
    for name, path in libraries.items():
        vendor = vendors.get(name.partition(".so")[0])
        if vendor is not None:
            found[vendor] = found.get(vendor) or _version(host, vendor, path)
    for vendor in dict.fromkeys(vendors.values()):
        if vendor in found:
            yield f"{vendor} {found[vendor]}".strip()


def _version(host: Host, vendor: str, path: str) -> str:
    if vendor not in _PKG_CONFIG:
        return _version_in_name(host.target(path))
    described = host.read(f"{Path(path).parent}/pkgconfig/{_PKG_CONFIG[vendor]}") or ""
    match = re.search(r"^Version:\s*(\S+)", described, re.MULTILINE)
    return match[1] if match else ""


def _version_in_name(path: str) -> str:
    """The version in a file name such as libblas.so.3.11.0 or libopenblasp-r0.3.21.so."""
    match = re.search(r"(?:\.so\.|-r?)(\d[\d.]*\d|\d)", Path(path).name)
    return match[1] if match else ""
