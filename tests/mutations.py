"""Files and texts with damage: a seed gives the same damage every time.

FUZZ_SEEDS=0:20000 in the environment tries others than the usual seeds.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable

SEEDS = range(*map(int, os.environ.get("FUZZ_SEEDS", "0:8").split(":")))

Mutation = Callable[[bytes, random.Random], bytes]

_NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")
_VALUES = (
    b"null", b"-1", b"0", b"1e999", b"-1e999", b"9" * 400, b"9" * 5000, b"NaN", b"Infinity", b"1e308",
    b"5e-324",
    b"18446744073709551616", b"-9223372036854775809", b'""', b"[]", b"{}", b"true", b'"\\u0000"',
    b'"\\ud800"',
    b"\xc2\xb2", b"\xd9\xa3", b'"\x1b[2J"', b"99999999999999999999-1", b"%s", b"../../etc/passwd",
    b"inf", b"nan",
)  # fmt: skip


def cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def without_a_part(content: bytes, rng: random.Random) -> bytes:
    first, last = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:first] + content[last:]


def flipped(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content or b"x")
    for _ in range(rng.choice((1, 1, 2, 20))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def doubled_lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    at = rng.randrange(len(lines))
    return b"".join([*lines[:at], *lines[at : at + 3] * rng.choice((2, 3, 50)), *lines[at:]])


def shuffled_lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    rng.shuffle(lines)
    return b"".join(lines)


def spliced(content: bytes, rng: random.Random) -> bytes:
    first, last = (rng.randrange(len(content) + 1) for _ in range(2))
    return content[:first] + content[last:]


def other_value(content: bytes, rng: random.Random) -> bytes:
    """A number somewhere becomes something else."""
    found = list(_NUMBER.finditer(content))
    if not found:
        return content + rng.choice(_VALUES)
    one = rng.choice(found)
    return content[: one.start()] + rng.choice(_VALUES) + content[one.end() :]


def inserted(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(_VALUES) + content[at:]


def nested(content: bytes, rng: random.Random) -> bytes:
    at, depth = rng.randrange(len(content) + 1), rng.choice((10, 200, 900, 20_000))
    return content[:at] + rng.choice((b"[", b'{"a":', b"(", b"{a=")) * depth + content[at:]


def null_value(content: bytes, rng: random.Random) -> bytes:
    """A value in JSON becomes null, a list or an object empty."""
    found = list(re.finditer(rb'(?<=": )("[^"]*"|-?[\d.eE+-]+|true|false|\[[^\[\]]*\]|\{[^{}]*\})', content))
    if not found:
        return content
    one = rng.choice(found)
    return content[: one.start()] + rng.choice((b"null", b"[]", b"{}", b'""', b"0")) + content[one.end() :]


def without_a_key(content: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb'"(\w+)"\s*:', content))
    if not found:
        return content
    one = rng.choice(found)
    return content[: one.start(1)] + b"x" + content[one.start(1) :]


def in_utf16(content: bytes, _chance: random.Random) -> bytes:
    return content.decode("utf-8", errors="replace").encode("utf-16")


def with_a_mark(content: bytes, _chance: random.Random) -> bytes:
    return b"\xef\xbb\xbf" + content


def with_foreign_line_ends(content: bytes, rng: random.Random) -> bytes:
    return content.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\x0b", b"\xe2\x80\xa8")))


def with_zeros(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + bytes(rng.choice((1, 100, 70_000))) + content[at:]


MUTATIONS: tuple[Mutation, ...] = (
    cut, without_a_part, flipped, doubled_lines, shuffled_lines, spliced, other_value, other_value,
    other_value, inserted, nested, null_value, null_value, null_value, without_a_key, in_utf16, with_a_mark,
    with_foreign_line_ends, with_zeros,
)  # fmt: skip


def mutated(content: bytes, seed: int) -> bytes:
    """One to three of these things happen."""
    rng = random.Random(seed)  # noqa: S311 - the same seed, the same file
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(MUTATIONS)(content, rng)
    return content
