"""Which run a record is of: copies of a file hold it again, and so does the file that grew since."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from groma.record import Record


def run_key(record: Record[Any]) -> str:
    """The same for every record of one run, wherever it was read from; another one for any other run."""
    facts = record.facts
    if getattr(facts, "origin", None) is not None:  # it names the file and the place of the run in it
        facts = msgspec.structs.replace(facts, origin=None)
    content = msgspec.json.encode((record.created, record.samples, facts), enc_hook=str)
    return hashlib.sha256(content).hexdigest()
