"""The studies of the torus simulator as a list."""

from __future__ import annotations

import msgspec

from groma.report.document import Document, Section, Table
from groma.sim.torus.studies.study import known_studies


class ListedStudy(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    title: str


def listed() -> list[ListedStudy]:
    return [ListedStudy(name=one.name, title=one.title) for one in known_studies()]


def list_document(found: list[ListedStudy]) -> Document:
    rows = [[one.name, one.title] for one in found]
    return Document([Section("studies", "Studies", [Table(["name", "what it compares"], rows)])])
