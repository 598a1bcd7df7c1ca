"""Writes a trace as tables of Parquet, for pandas, polars, DuckDB and Arrow. pyarrow is optional."""

from __future__ import annotations

import importlib
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from groma.errors import ExitCode, GromaError
from groma.launch.trace_store import TraceWarning, trace_in
from groma.record.writing import temporary_beside
from groma.trace.labels import label_of_call, label_of_state
from groma.trace.redaction import head_without_names
from groma.trace.rows import COLUMNS, RECORDS, labels_of_values, rows_of
from groma.trace.steps import CALLS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from groma.trace.rows import Rows, RowsHead

_PLACES = ("application", "rank", "thread")


class WrittenTables(msgspec.Struct, frozen=True):
    """Files with their numbers of rows. `warnings` say what is wrong with the trace."""

    files: dict[str, int]
    warnings: list[TraceWarning] = []


def write_parquet(
    trace: Path, folder: Path, native_folder: str | None, *, redact: bool = False
) -> WrittenTables:
    """Writes states.parquet, events.parquet and messages.parquet into a folder. `redact` leaves names of
    hosts and users out of labels.

    Raises GromaError: exit code 2 where the trace cannot be read, 4 without pyarrow and where the folder
    cannot be written.
    """
    parquet = _pyarrow()
    source = trace_in(trace)
    counts = dict.fromkeys(RECORDS, 0)
    with closing(rows_of(source, native_folder)) as rows, _files_in(folder) as files, ExitStack() as open_:
        tables = _Tables(head_without_names(rows.head) if redact else rows.head)
        writers: dict[str, Any] = {}
        for kind, file in files.items():
            schema = tables.table(kind, np.empty((0, len(COLUMNS[kind])), np.uint64)).schema
            opened = open_.enter_context(file.open("wb"))  # pyarrow refuses names that are not UTF-8
            writer = parquet.ParquetWriter(opened, schema, compression="zstd")
            writers[kind] = open_.enter_context(writer)
        for frame in rows:
            writers[frame.kind].write_table(tables.table(*frame))
            counts[frame.kind] += len(frame.rows)
        warnings = rows.warnings
    return WrittenTables({str(_file_of(folder, kind)): count for kind, count in counts.items()}, warnings)


def _file_of(folder: Path, kind: str) -> Path:
    return folder / f"{kind}.parquet"


@contextmanager
def _files_in(folder: Path) -> Iterator[dict[str, Path]]:
    """Files by kind of record, which get their names when all are complete.

    Raises GromaError (exit code 4) where the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as removed:
            parts = {
                kind: removed.enter_context(temporary_beside(_file_of(folder, kind))) for kind in RECORDS
            }
            yield parts
            for kind, part in parts.items():
                part.replace(_file_of(folder, kind))
    except OSError as error:
        what = error.strerror or str(error)
        raise GromaError(
            f"{folder} cannot be written: {what}", "name another folder", ExitCode.ENVIRONMENT
        ) from None


def _pyarrow() -> Any:
    try:
        return importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise GromaError(
            "pyarrow, which writes Parquet, is not installed",
            "install it: pip install 'groma[parquet]'",
            ExitCode.ENVIRONMENT,
        ) from None


class _Tables:
    """Arrow tables of frames: places instead of objects, and labels beside numbers."""

    def __init__(self, head: RowsHead) -> None:
        self.places = np.array(head.objects, dtype=np.int32).reshape(-1, 4)
        self.state_labels = dict(head.states)
        self.labels = labels_of_values(head)
        self.type_labels = {one.type: one.label for one in head.types}

    def table(self, kind: str, rows: Rows) -> Any:
        pa = importlib.import_module("pyarrow")
        signed = rows.astype(np.int64)
        columns = dict(zip(COLUMNS[kind], signed.T, strict=True))
        made: dict[str, Any] = {}
        for name, column in columns.items():
            if name in {"object", "sender", "receiver"}:
                made |= self._place("" if name == "object" else f"{name}_", column)
            else:
                made[name] = column
        if kind == "states":
            made["label"] = self._labels(pa, columns["state"], self._state)
        if kind == "events":
            made["label"] = self._labels(
                pa, np.stack([columns["type"], columns["value"]], axis=1), self._event
            )
        return pa.table(made)

    def _place(self, prefix: str, objects: NDArray[np.int64]) -> dict[str, NDArray[np.int32]]:
        return {prefix + name: self.places[objects, at] for at, name in enumerate(_PLACES)}

    def _labels(self, pa: Any, keys: NDArray[np.int64], label: Any) -> Any:
        """One text for each kind of key, and its number for each row."""
        kinds, numbers = np.unique(keys, axis=0, return_inverse=True)
        texts = pa.array([label(one) for one in kinds.tolist()], pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(numbers.ravel().astype(np.int32)), texts)

    def _state(self, state: int) -> str:
        return self.state_labels.get(state) or label_of_state(state)

    def _event(self, key: list[int]) -> str:
        """The name of the value, else of its type."""
        type_, value = key
        known = self.labels.get((type_, value))
        if known is None and type_ in CALLS and value:
            return label_of_call(type_, value)
        return known or self.type_labels.get(type_, "")
