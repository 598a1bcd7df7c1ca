"""Fields that have another name since: records of earlier builds are read all the same."""

from __future__ import annotations

import re

_NAMES = {
    "asked": "advised_page",
    "full_at": "saturates_at",
    "highest": "max",
    "highest_rank": "max_rank",
    "least": "min",
    "least_share": "min_share",
    "lowest": "min",
    "lowest_rank": "min_rank",
    "most": "max",
    "updates_wanted": "planned_updates",
}
_BY_KEY = {f'"{old}"'.encode(): f'"{new}"'.encode() for old, new in _NAMES.items()}
# Within a text a quotation mark has a backslash in front, so that no text is taken for a key.
_KEY = re.compile(rb'"(?:' + "|".join(_NAMES).encode() + rb')"(?=\s*:)')


def with_present_names(content: bytes) -> bytes:
    """JSON of a record with the names that its fields have today. Most records are returned as they are."""
    if not any(key in content for key in _BY_KEY):
        return content
    return _KEY.sub(lambda match: _BY_KEY[match[0]], content)
