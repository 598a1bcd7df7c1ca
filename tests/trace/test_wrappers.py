"""The wrappers that are made from the header of an MPI have the names that its Fortran calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TRACER = Path(__file__).parents[2] / "native" / "trace"
SEND = "int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);\n"
LARGE = SEND.replace("MPI_Send", "MPI_Send_c").replace("int count", "MPI_Count count")
OPEN_MPI = "typedef struct ompi_communicator_t* MPI_Comm;\n"
OF_MPICH = {"mpi_send_f08_", "mpi_send_f08ts_", "mpi_send_f08_large_", "mpi_send_f08ts_large_"}
OF_OPEN_MPI_6 = {"mpi_send_", "mpi_send_f08_", "mpi_send_f08ts_", "mpi_send_c_f08_", "mpi_send_c_f08ts_"}


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (OPEN_MPI + SEND, {"mpi_send_", "mpi_send_f08_"}),
        (OPEN_MPI + SEND + LARGE, OF_OPEN_MPI_6),
        (SEND + LARGE, OF_MPICH),
    ],
    ids=["Open MPI 5", "Open MPI 6", "MPICH"],
)
def test_each_interface_of_fortran_has_its_wrappers(tmp_path: Path, header: str, names: set[str]) -> None:
    (tmp_path / "mpi.h").write_text(header, encoding="utf-8")
    made = tmp_path / "wrappers.cpp"
    command = [TRACER / "tracer/generate.py", "wrappers", TRACER / "mpi_calls.txt", tmp_path / "mpi.h", made]
    subprocess.run([sys.executable, *map(str, command)], check=True)
    text = made.read_text(encoding="utf-8")
    assert {word for word in OF_MPICH | OF_OPEN_MPI_6 if f"void {word}(" in text} == names
