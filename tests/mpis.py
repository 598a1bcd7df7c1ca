"""The MPIs that are here: compilers and launcher of each, and what lets it start many ranks on few cores."""

from __future__ import annotations

import re
import shutil
from functools import cache
from typing import NamedTuple

from installed import must

AS_ANYBODY = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


class Mpi(NamedTuple):
    """`compiler` and `fortran` are wrappers; the latter may be missing."""

    compiler: str
    launcher: str
    fortran: str


@cache
def mpis() -> dict[str, Mpi]:
    """By name; the compilers of C and Fortran beside that of C++."""
    rows = (line.split("\t") for line in must("tools/mpis.sh").splitlines())
    found = {
        name: Mpi(_beside(cxx, "mpicc"), launcher, _beside(cxx, "mpif90")) for name, cxx, launcher in rows
    }
    return {name: mpi for name, mpi in found.items() if shutil.which(mpi.compiler)}


def _beside(wrapper: str, other: str) -> str:
    return re.sub(r"mpicxx(\.\w+)?$", rf"{other}\1", wrapper)
