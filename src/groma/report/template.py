"""Puts JSON into a page template, in place of its placeholder."""

from __future__ import annotations

import base64
import gzip

from groma.errors import ExitCode, GromaError

PLACEHOLDER = '<script type="application/json" id="groma-records"></script>'

MAX_PLAIN = 256 * 1024
"""Longer content is compressed, so that the page of a machine of hundreds of cores stays under 1 MB."""

COMPRESSION = 6
"""Of a large page, level 9 saves a tenth more and takes fifteen times as long."""

# In a script element "<" could open "</script" or "<!--"; U+2028 and U+2029 end a line of JavaScript.
_ESCAPES = {ord("<"): "\\u003c", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def fill(template: str, json_text: str) -> str:
    """`template` with `json_text` in it. Raises GromaError (exit code 4) where the placeholder is missing."""
    head, found, tail = template.partition(PLACEHOLDER)
    if not found:
        raise GromaError(
            "the report page was built by another version of groma", "run make setup", ExitCode.ENVIRONMENT
        )
    return head + _element(json_text) + tail


def _element(json_text: str) -> str:
    if len(json_text) <= MAX_PLAIN:
        return _script("application/json", json_text.translate(_ESCAPES))
    # mtime 0: the same records give the same page.
    packed = gzip.compress(json_text.encode(), compresslevel=COMPRESSION, mtime=0)
    return _script("application/gzip", base64.b64encode(packed).decode())


def _script(kind: str, content: str) -> str:
    return f'<script type="{kind}" id="groma-records">{content}</script>'
