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
    from collections.abc import Iterator

GROUP = "MPI and libraries"


@check(GROUP)
def implementations(context: CheckContext) -> Iterator[Finding]:
    """A node is surveyed without MPI, so a machine that has none is no fault."""
    there = context.environment.software.mpi
    if there:
        yield Finding(code="mpi", severity="ok", what=f"MPI: {', '.join(there)}")
        return
    yield Finding(
        code="mpi.missing",
        severity="info",
        what="no MPI is installed: groma hpcc, randomaccess and survey --network are off",
        repair=context.install("libopenmpi-dev openmpi-bin", "openmpi-devel") + "; make setup",
    )


@check(GROUP)
def suite_programs(context: CheckContext) -> Iterator[Finding]:
    try:
        programs = mpi_programs(folder=context.settings.settings.native.path)
    except GromaError as error:
        yield Finding(code="hpcc.missing", severity="info", what=error.what, repair=_missing(context))
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


def _missing(context: CheckContext) -> str:
    packages = context.install(
        "libopenmpi-dev openmpi-bin libopenblas-dev libfftw3-dev", "openmpi-devel openblas-devel fftw-devel"
    )
    return f"{packages}; make setup"


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
    software = context.environment.software
    optimised = [name for name in software.blas if not name.startswith("BLAS")]
    if optimised:
        yield Finding(code="blas", severity="ok", what=f"BLAS: {', '.join(optimised)}")
    else:
        yield Finding(
            code="blas.missing",
            severity="info",
            what="no optimised BLAS found: HPL and DGEMM need one",
            repair=context.install("libopenblas-dev", "openblas-devel") + "; make setup",
        )
    if software.fft:
        yield Finding(code="fft", severity="ok", what=f"FFT: {', '.join(software.fft)}")
    else:
        yield Finding(
            code="fft.missing",
            severity="info",
            what="FFTW not found: the FFT tests are off",
            repair=context.install("libfftw3-dev", "fftw-devel") + "; make setup",
        )
