"""The wrappers of the calls that an MPI declares, for C and for the Fortran of this MPI."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from languages import InC, InFortran
from listed_calls import calls
from mpi_header import prototypes
from wrapper_body import arguments, body

if TYPE_CHECKING:
    from listed_calls import Call
    from mpi_header import Prototype

BY_HAND = {"init", "finalize", "abort", "session", "control"}
WIDE = "std::uintptr_t"
HANDLES = frozenset({
    "MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_Group", "MPI_Info", "MPI_Message", "MPI_Op",
    "MPI_Request", "MPI_Session", "MPI_Win",
})  # fmt: skip


def wrappers(listed: str, header: str) -> str:
    declared = prototypes(header)
    suffixes = fortran_suffixes(header, has_large_counts="Send_c" in declared)
    made = [
        "// Made by trace/tracer/wrapper_generator.",
        '#include "trace/tracer/wrapping.hpp"',
        "",
        "using namespace groma::trace;  // NOLINT",
        "",
    ]
    for call in calls(listed):
        prototype = declared.get(call.name)
        if prototype is None or call.kind in BY_HAND:
            continue
        if len(prototype.types) != len(call.parameters):
            raise SystemExit(
                f"MPI_{call.name}: mpi.h has {len(prototype.types)} parameters, not {len(call.parameters)}"
            )
        made.append(c_wrapper(call, prototype))
        of_fortran = suffixes.large if call.large else suffixes.usual
        made += [fortran_wrapper(call, prototype, suffix) for suffix in of_fortran]
    return "\n".join(made)


def c_wrapper(call: Call, prototype: Prototype) -> str:
    """Handles pass with all bits that came: the program may have opened an MPI where they are addresses."""
    wide = [_wide(kind) for kind in prototype.types]
    names = [f"{kind} {'w' if kind == WIDE else 'a'}{i}" for i, kind in enumerate(wide)]
    names = [re.sub(r"^(.*)\(\*\)(\[.*\]) (a\d+)$", r"\1(*\3)\2", one) for one in names]
    given = [
        f"w{i}" if kind == WIDE else one
        for i, (kind, one) in enumerate(zip(wide, arguments(call, len(wide)), strict=True))
    ]
    narrow = [
        f"[[maybe_unused]] const auto a{i} = narrow<{prototype.types[i]}>(w{i});"
        for i, kind in enumerate(wide)
        if kind == WIDE
    ]
    invoke = f'WRAPPED("MPI_{call.name}", int (*)({", ".join(wide)}))({", ".join(given)})'
    lines = [*narrow, *body(call, InC(call), f"const int result = {invoke}", "result")]
    head = f"GROMA_TRACE_EXPORT int wrapper_of_{call.name}({', '.join(names)})"
    return (
        f'{head} __asm__("MPI_{call.name}");\n{head} {{\n'
        + "\n".join(filter(None, lines))
        + "\nreturn result;\n}\n"
    )


def _wide(kind: str) -> str:
    return WIDE if kind in HANDLES else kind


class Suffixes(NamedTuple):
    """Of the names of Fortran's functions, those for large counts apart. `ts` stands for buffers that come in
    descriptors (TS 29113).
    """

    usual: tuple[str, ...]
    large: tuple[str, ...]


def fortran_suffixes(header: str, *, has_large_counts: bool) -> Suffixes:
    """Open MPI's Fortran calls its C by internal names, MPICH's mpi_f08 by those of the profiling interface.
    MPICH's other interfaces call the C that is wrapped.
    """
    if "ompi_communicator_t" not in header:
        return Suffixes(("_f08_", "_f08ts_"), ("_f08_large_", "_f08ts_large_"))
    if has_large_counts:  # Open MPI 6
        return Suffixes(("_", "_f08_", "_f08ts_"), ("_c_f08_", "_c_f08ts_"))
    return Suffixes(("_", "_f08_"), ())


def fortran_wrapper(call: Call, prototype: Prototype, suffix: str) -> str:
    """`mpi_name_` and `mpi_name_f08_`: all arguments by address, then the error, then lengths of texts.

    The large-count form of mpi_f08 has the plain name and a suffix of its own.
    """
    count = len(prototype.types)
    texts = sum("char" in kind for kind in prototype.types)
    symbol = f"mpi_{call.name.lower().removesuffix('_c')}{suffix}"
    names = (
        [f"void* a{i}" for i in range(count)] + ["int* error"] + [f"std::size_t l{i}" for i in range(texts)]
    )
    types = ", ".join(["void*"] * count + ["int*"] + ["std::size_t"] * texts)
    given = [one if one.startswith("a") else f"fortran_address({one})" for one in arguments(call, count)]
    given += ["&code"] + [f"l{i}" for i in range(texts)]
    invoke = f'FORTRAN_REAL("{symbol}", void (*)({types}))({", ".join(given)})'
    lines = body(call, InFortran(call, suffix), invoke, "code")
    return (
        f"GROMA_TRACE_EXPORT void {symbol}({', '.join(names)}) {{\nint code = MPI_SUCCESS;\n"
        + "\n".join(filter(None, lines))
        + "\nif (error != nullptr) *error = code;\n}\n"
    )
