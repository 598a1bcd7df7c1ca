"""What was inferred from recorded files, as documents for a terminal or a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.facts.survey import Indexing
from groma.interconnect.base import title_of
from groma.record import Advice
from groma.record.units import format_share, format_value
from groma.report.document import Document, Section, Table, Text
from groma.report.terminal import generic_blocks, notes_of, plain_value, table
from groma.report.words.network import confidence_words
from groma.report.words.node import groups_of_ends, indexed_by, indexing_note
from groma.report.words.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.report.document import Block


def caches_document(found: dict[str, Any]) -> Document:
    rows = [
        [
            f"L{one['level']}",
            *map(plain_value, (one["size"], one["latency"])),
            format_share(one["size"]["confidence"]),
            indexed_by(_indexing(one)) or "-",
        ]
        for one in found["caches"]
    ]
    reasons: list[Block] = [
        Text([f"L{one['level']}: {note}"])
        for one in found["caches"]
        if (note := indexing_note(_indexing(one)))
    ]
    sections = [
        Section("caches", "Caches", [Table(_CACHE_COLUMNS, rows), *reasons]),
        Section("possible", "Possible levels", _possible(found.get("possible", []))),
        Section("memory", "Memory", generic_blocks(found.get("memory") or {})),
        _warnings(found),
    ]
    return _document(sections)


_CACHE_COLUMNS = ["level", "size", "latency", ">confidence in size", "indexed by"]


def _indexing(one: dict[str, Any]) -> Indexing | None:
    return msgspec.convert(one.get("indexing"), Indexing | None)


def _possible(steps: Sequence[dict[str, Any]]) -> list[Block]:
    rows = [
        [
            _bracket(one["size"]),
            f"{one['latency']['value']:.3g} to {one['beyond']['value']:.3g} {one['beyond']['unit']}",
        ]
        for one in steps
    ]
    return table(["size", "step of latency"], rows)


def _bracket(size: dict[str, Any]) -> str:
    return " to ".join(format_value(size[end], "B") for end in ("low", "high"))


def layers_document(found: dict[str, Any], ends: str = "cores") -> Document:
    rows = [
        [
            str(number),
            plain_value(layer["latency"]),
            str(len(layer["pairs"])),
            groups_of_ends(layer["groups"]) or "-",
        ]
        for number, layer in enumerate(found["layers"], start=1)
    ]
    sections = [
        Section("layers", "Layers", table([">layer", "latency", ">pairs", f"groups of {ends}"], rows)),
        Section("curves", "Times over message sizes", list(_curves(found["layers"]))),
        Section("structure", "Structure", generic_blocks(_structure(found.get("structure"), found[ends]))),
        _warnings(found),
    ]
    return _document(sections)


def _document(sections: Sequence[Section]) -> Document:
    return Document([section for section in sections if section.blocks])


def _warnings(found: dict[str, Any]) -> Section:
    return Section("warnings", "Warnings", notes_of(msgspec.convert(found.get("warnings", []), list[Advice])))


def _curves(layers: Sequence[dict[str, Any]]) -> Iterator[Block]:
    rows = [
        [str(number), str(point["bytes"]), plain_value(point["time"])]
        for number, layer in enumerate(layers, start=1)
        for point in layer.get("curve", [])
    ]
    yield from table([">layer", ">bytes", "time"], rows)


def _structure(structure: dict[str, Any] | None, ends: Sequence[int | str]) -> dict[str, Any]:
    """Names and values; none without a structure."""
    if structure is None:
        return {}
    has_order = structure["kind"] not in {"crossbar", "unknown"}
    groups = [[ends[end] for end in group] for group in structure["groups"]]
    others = [
        f"{title_of(one['kind'], one['shape'])} ({format_share(one['weight'])})"
        for one in structure["alternatives"]
    ]
    shown = {
        "kind": structure["kind"],
        "shape": structure["shape"],
        "confidence": confidence_words(structure["confidence"]),
        "in rank order": structure["in_rank_order"] if has_order else None,
        "groups": groups_of_ends(groups),
        "evidence": structure["evidence"],
        "other explanations": listed(others),
    }
    return {name: value for name, value in shown.items() if value not in (None, "", [])}
