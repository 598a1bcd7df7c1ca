"""The wrappers that are made from the header of an MPI have the names that its Fortran calls."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from installed import must
from listed_calls import calls
from mpi_header import prototypes
from mpis import mpis

TRACER = Path(__file__).parents[2] / "native" / "trace"
SEND = "int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);\n"
LARGE = SEND.replace("MPI_Send", "MPI_Send_c").replace("int count", "MPI_Count count")
OPEN_MPI = "typedef struct ompi_communicator_t* MPI_Comm;\n"
OF_MPICH = {"mpi_send_f08_", "mpi_send_f08ts_", "mpi_send_f08_large_", "mpi_send_f08ts_large_"}
OF_OPEN_MPI_6 = {"mpi_send_", "mpi_send_f08_", "mpi_send_f08ts_", "mpi_send_c_f08_", "mpi_send_c_f08ts_"}


# What is local: it neither waits for another process nor moves data to one.
LEFT_OUT = re.compile(
    # objects: data types, groups, operations, error handlers, attributes, info objects, statuses
    r"(Type|Info|Group|Op|Errhandler|Error|Add_error|Status|Grequest|Attr|Keyval|Message|Register)_.*"
    r"|(Comm|File|Win|Session|Request)_(c2f|f2c)"
    r"|(Comm|File|Win|Session)_(call|create|get|set)_errhandler"
    r"|(Comm|Win)_(create_keyval|free_keyval|delete_attr|get_attr|set_attr|get_info|get_name|set_name)"
    # what a process knows by itself
    r"|File_get_(amode|atomicity|byte_offset|group|info|position|type_extent(_c)?|view)"
    r"|Session_get_(info|nth_pset|num_psets|pset_info)|Win_get_group|Win_shared_query(_c)?|Test_cancelled"
    r"|Get_(address|count|elements|elements_x|library_version|processor_name|version)(_c)?"
    r"|(Aint_add|Aint_diff|Address|Initialized|Finalized|Is_thread_main|Query_thread|Wtime|Wtick)"
    # memory of the process
    r"|(Alloc|Free)_mem|(Pack|Unpack|Reduce_local)(_.*)?"
    # the interface of tools
    r"|T_.*"
)


@pytest.mark.parametrize("name", ["openmpi", "mpich"])
def test_each_call_of_an_mpi_is_recorded_or_left_out_on_purpose(name: str, tmp_path: Path) -> None:
    if name not in mpis():
        pytest.skip(f"no {name} here")
    source = tmp_path / "mpi.c"
    source.write_text("#include <mpi.h>\n", encoding="utf-8")
    declared = set(prototypes(must(mpis()[name].compiler, "-E", source)))
    listed = {call.name for call in calls((TRACER / "mpi_calls.txt").read_text(encoding="utf-8"))}
    assert len(declared) > 300
    assert {one for one in declared - listed if not LEFT_OUT.fullmatch(one)} == set()
    assert {one for one in listed if LEFT_OUT.fullmatch(one)} == set()


def test_no_two_calls_have_a_value() -> None:
    listed = list(calls((TRACER / "mpi_calls.txt").read_text(encoding="utf-8")))
    assert len({call.value for call in listed}) == len({call.name for call in listed}) == len(listed)


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
    generate = [sys.executable, "-B", str(TRACER / "tracer" / "wrapper_generator")]
    subprocess.run([*generate, "wrappers", TRACER / "mpi_calls.txt", tmp_path / "mpi.h", made], check=True)
    text = made.read_text(encoding="utf-8")
    assert {word for word in OF_MPICH | OF_OPEN_MPI_6 if f"void {word}(" in text} == names
