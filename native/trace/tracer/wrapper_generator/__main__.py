"""wrapper_generator table LIST OUT | wrapper_generator wrappers LIST HEADER OUT: code from the list of calls.

LIST is mpi_calls.txt. `table` writes a line GROMA_MPI_CALL(...) for each call, for tracer and merge.
`wrappers` writes the wrappers of the calls that HEADER, a preprocessed mpi.h, declares. What they use is in
tracer/wrapping.hpp.
"""

from __future__ import annotations

import sys
from pathlib import Path

from call_table import table
from wrappers import wrappers


def main() -> None:
    """Writes what is asked for."""
    what, listed, *rest = sys.argv[1:]
    text = Path(listed).read_text(encoding="utf-8")
    made = table(text) if what == "table" else wrappers(text, Path(rest[0]).read_text(encoding="utf-8"))
    Path(rest[-1]).write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
