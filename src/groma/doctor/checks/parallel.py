"""What benchmarks under MPI need: launchers, builds of groma-hpcc, BLAS and FFT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.doctor.finding import CheckContext, Finding, check
from groma.errors import GromaError
from groma.launch.allocation import allocation_of
from groma.launch.command import name_of
from groma.launch.detect import select_launcher
from groma.launch.mpi_programs import MpiProgram, mpi_programs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GROUP = "MPI and libraries"

_PACKAGES = {
    "mpi": ("libopenmpi-dev openmpi-bin", "openmpi-devel"),
    "blas": ("libopenblas-dev", "openblas-devel"),
    "fft": ("libfftw3-dev", "fftw-devel"),
}
"""Of Debian and of Fedora."""

_WITHOUT_ROOT = frozenset({"mpi", "blas"})
"""Set-up installs these as Python packages where the system has none."""


@check(GROUP)
def implementations(context: CheckContext) -> Iterator[Finding]:
    """A node is surveyed without MPI, so a machine that has none is no fault."""
    there = _libraries(context)["mpi"]
    if there:
        yield Finding(code="mpi", severity="ok", what=f"MPI: {', '.join(there)}")
        return
    yield Finding(
        code="mpi.missing",
        severity="info",
        what="no MPI is installed: groma hpcc, randomaccess and survey --network are off",
        repair=_setup_with(context, "mpi"),
    )


@check(GROUP)
def suite_programs(context: CheckContext) -> Iterator[Finding]:
    try:
        programs = mpi_programs(folder=context.settings.settings.native.path)
    except GromaError as error:
        missing = [name for name, there in _libraries(context).items() if not there]
        repair = _setup_with(context, *missing)
        yield Finding(code="hpcc.missing", severity="info", what=error.what, repair=repair)
        return
    for one in programs:
        yield Finding(
            code="hpcc",
            severity="ok",
            what=f"groma-hpcc for {one.mpi.partition(',')[0] or one.family}, {_blas(one)}: {one.path}",
        )
    yield from _launcher(context, programs)


# What makes a BLAS take other kernels than those of this processor: DGEMM may lose half of its rate.
_KERNEL_CHOICES = ("OPENBLAS_CORETYPE", "BLIS_ARCH_TYPE", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS")


@check(GROUP)
def chosen_kernels(context: CheckContext) -> Iterator[Finding]:
    for name in _KERNEL_CHOICES:
        if value := context.host.variables.get(name):
            yield Finding(
                code="blas.kernels",
                severity="warn",
                what=f"{name}={value} selects the kernels of BLAS, whatever this processor supports",
                repair=f"unset {name}",
            )


def _libraries(context: CheckContext) -> dict[str, Sequence[str]]:
    """What is there of each, but for BLAS libraries without tuned kernels."""
    software = context.environment.software
    tuned = [name for name in software.blas if not name.startswith("BLAS")]
    return {"mpi": software.mpi, "blas": tuned, "fft": software.fft}


def _setup_with(context: CheckContext, *missing: str) -> str:
    """The command that installs these libraries and builds what uses them."""
    packages = [_PACKAGES[name] for name in missing]
    if not packages:
        return "make setup"
    debian, fedora = (" ".join(names) for names in zip(*packages, strict=True))
    installed = context.install(debian, fedora)
    if context.host.is_root() or not _WITHOUT_ROOT.issuperset(missing):
        return f"{installed}; make setup"
    alone = "make setup (without root, it installs Python packages)"
    return f"{installed}; make setup; or only {alone}" if context.may_become_root() else alone


def _blas(one: MpiProgram) -> str:
    return " ".join(one.blas.split()[:2]) or "an unknown BLAS"


def _launcher(context: CheckContext, programs: list[MpiProgram]) -> Iterator[Finding]:
    try:
        selected, _ = select_launcher(context.host, allocation_of(context.host), programs)
    except GromaError as error:
        yield Finding(code="launcher.missing", severity="info", what=error.what, repair=error.next_step)
        return
    yield Finding(code="launcher", severity="ok", what=f"{name_of(selected)} starts ranks: {selected.reason}")


@check(GROUP)
def libraries(context: CheckContext) -> Iterator[Finding]:
    there = _libraries(context)
    if there["blas"]:
        yield Finding(code="blas", severity="ok", what=f"BLAS: {', '.join(there['blas'])}")
    else:
        yield Finding(
            code="blas.missing",
            severity="info",
            what="no optimised BLAS found: HPL and DGEMM need one",
            repair=_setup_with(context, "blas"),
        )
    if there["fft"]:
        yield Finding(code="fft", severity="ok", what=f"FFT: {', '.join(there['fft'])}")
    else:
        yield Finding(
            code="fft.missing",
            severity="info",
            what="FFTW not found: the FFT tests are off",
            repair=_setup_with(context, "fft"),
        )
