"""Programs under MPI in which a preloaded library plants a fault (native/testing/faults.cpp)."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).parents[1]
MPIS = ("openmpi", "mpich")
ALWAYS = 1_000_000
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OPENBLAS_NUM_THREADS": "1",
    "UCX_MEM_EVENTS": "no",  # else UCX takes the place of what the library sees of the memory
}


def run_with_fault(
    mpi: str, ranks: int, variables: Mapping[str, str], program: Sequence[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Runs a program of an MPI, with its words, in `folder`; skips where the library is not built."""
    tree = ROOT / "build" / mpi / "native"
    if not (tree / "groma-faults.so").exists():
        pytest.skip(f"the library of faults is not built for {mpi}")
    library = folder / "faults.so"  # the names in LD_PRELOAD must have no spaces
    library.unlink(missing_ok=True)
    library.symlink_to(tree / "groma-faults.so")
    preloaded = ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD")]))
    launcher = [_launcher_of(mpi), "-n", str(ranks)] if ranks > 1 else []
    given = [f"{name}={value}" for name, value in {**variables, "LD_PRELOAD": preloaded}.items()]
    return subprocess.run(
        [*launcher, "env", *given, str(tree / program[0]), *program[1:]],
        cwd=folder,
        env=os.environ | ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _launcher_of(mpi: str) -> str:
    cache = (ROOT / "build" / mpi / "CMakeCache.txt").read_text()
    found = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.+)$", cache, re.MULTILINE)
    assert found
    return found[1]
