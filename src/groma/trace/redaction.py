"""Names of hosts and users leave a trace as they leave a record (groma.record.redact)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec

from groma.facts.trace import KIND
from groma.record.redact import redacted_here
from groma.run.provenance import analysis_record
from groma.trace.rows import RowsHead

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groma.trace.printed import Writable

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
# Of the format: a label "data" that loses its name must not change what a key of this name means.
_KEYS = ["ph", "pid", "tid", "ts", "name", "cat", "args", "id", "bp", "value", "bytes", "tag", "sort_index"]


def head_without_names(head: RowsHead) -> RowsHead:
    """Its nodes have numbers in place of names. Labels lose names of nodes and users."""
    facts: Any = msgspec.json.decode(msgspec.json.encode(head))
    clean = redacted_here(analysis_record(KIND, facts), head.nodes)
    return msgspec.convert(clean.facts, RowsHead)


def changed_labels(head: RowsHead) -> dict[str, str]:
    """Labels of types and values that hold names, and what is left of them."""
    pairs = zip(_labels(head), _labels(head_without_names(head)), strict=True)
    return {old: new for old, new in pairs if old != new}


def _labels(head: RowsHead) -> Iterable[str]:
    for one in head.types:
        yield one.label
        yield from (label for _, label in one.values)


class CleanedEvents:
    """A file that takes a trace for Perfetto and hands it on with other labels."""

    def __init__(self, file: Writable, labels: dict[str, str]) -> None:
        self._file = file
        self._labels = labels
        self._known = {(word := f'"{key}"'.encode()): word for key in _KEYS}
        self._rest = b""

    def write(self, chunk: bytes) -> int:
        """A line is handed on when it is complete."""
        lines, end, self._rest = (self._rest + chunk).rpartition(b"\n")
        self._file.write(self._cleaned(lines) + end)
        return len(chunk)

    def finish(self) -> None:
        self._file.write(self._cleaned(self._rest))

    def _cleaned(self, text: bytes) -> bytes:
        return _STRING.sub(lambda match: self._word(match[0]), text)

    def _word(self, word: bytes) -> bytes:
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._new_word(word)
        return known

    def _new_word(self, word: bytes) -> bytes:
        """A value without a name is the label of its type and a number."""
        text = json.loads(word)
        label, blank, number = text.rpartition(" ")
        if text in self._labels:
            return json.dumps(self._labels[text], ensure_ascii=False).encode()
        if label in self._labels:
            return json.dumps(self._labels[label] + blank + number, ensure_ascii=False).encode()
        return word
