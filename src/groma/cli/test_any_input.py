"""Whatever is in a file or on the command line: never an exit code of 70, never a traceback.

Real files of every format that groma reads are cut, flipped, doubled, spliced, nested and re-encoded, by
seeds. FUZZ_SEEDS=0:20000 in the environment tries others than the usual ones.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

from groma.cli.durations import parse_bandwidth, parse_duration, parse_size
from groma.cli.hpcc import ThreadCount
from groma.cli.main import run
from groma.config.settings import keys
from groma.config.template import default_file
from groma.errors import ExitCode, GromaError
from groma.hpcc.request import Wish, grid_ranks, memory_word
from groma.interconnect.notation import interconnect_over
from groma.model.counts import parse_nodes
from groma.model.machine import machines_folder
from groma.record.host import as_int, processors_in
from groma.record.io import read_record, write_record
from groma.record.redact import redacted_here
from groma.report.slot import SLOT
from groma.testbed.events import parse_event
from groma.testbed.plan import Plan, parse_shape
from groma.testbed.rates import parse_rate

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


def cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def without_a_part(content: bytes, chance: random.Random) -> bytes:
    first, last = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    return content[:first] + content[last:]


def flipped(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content or b"x")
    for _ in range(chance.choice((1, 1, 2, 20))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def doubled_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    at = chance.randrange(len(lines))
    return b"".join([*lines[:at], *lines[at : at + 3] * chance.choice((2, 3, 50)), *lines[at:]])


def shuffled_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def spliced(content: bytes, chance: random.Random) -> bytes:
    first, last = (chance.randrange(len(content) + 1) for _ in range(2))
    return content[:first] + content[last:]


def other_value(content: bytes, chance: random.Random) -> bytes:
    """A number somewhere becomes something else."""
    found = list(_NUMBER.finditer(content))
    if not found:
        return content + chance.choice(_VALUES)
    one = chance.choice(found)
    return content[: one.start()] + chance.choice(_VALUES) + content[one.end() :]


def inserted(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] + chance.choice(_VALUES) + content[at:]


def nested(content: bytes, chance: random.Random) -> bytes:
    at, depth = chance.randrange(len(content) + 1), chance.choice((10, 200, 900, 20_000))
    return content[:at] + chance.choice((b"[", b'{"a":', b"(", b"{a=")) * depth + content[at:]


def null_value(content: bytes, chance: random.Random) -> bytes:
    """A value in JSON becomes null, a list or an object empty."""
    found = list(re.finditer(rb'(?<=": )("[^"]*"|-?[\d.eE+-]+|true|false|\[[^\[\]]*\]|\{[^{}]*\})', content))
    if not found:
        return content
    one = chance.choice(found)
    return content[: one.start()] + chance.choice((b"null", b"[]", b"{}", b'""', b"0")) + content[one.end() :]


def without_a_key(content: bytes, chance: random.Random) -> bytes:
    found = list(re.finditer(rb'"(\w+)"\s*:', content))
    if not found:
        return content
    one = chance.choice(found)
    return content[: one.start(1)] + b"x" + content[one.start(1) :]


def in_utf16(content: bytes, _chance: random.Random) -> bytes:
    return content.decode("utf-8", errors="replace").encode("utf-16")


def with_a_mark(content: bytes, _chance: random.Random) -> bytes:
    return b"\xef\xbb\xbf" + content


def with_foreign_line_ends(content: bytes, chance: random.Random) -> bytes:
    return content.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n", b"\x0b", b"\xe2\x80\xa8")))


def with_zeros(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] + bytes(chance.choice((1, 100, 70_000))) + content[at:]


MUTATIONS: tuple[Mutation, ...] = (
    cut, without_a_part, flipped, doubled_lines, shuffled_lines, spliced, other_value, other_value,
    other_value, inserted, nested, null_value, null_value, null_value, without_a_key, in_utf16, with_a_mark,
    with_foreign_line_ends, with_zeros,
)  # fmt: skip


def mutated(content: bytes, seed: int) -> bytes:
    """One to three of these things happen."""
    chance = random.Random(seed)  # noqa: S311 - the same seed, the same file
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        content = chance.choice(MUTATIONS)(content, chance)
    return content


# ---- files of every format ---------------------------------------------------------------------------------

DATA = Path(__file__).parents[3] / "tests" / "data"

DOCUMENTED = {code for code in ExitCode if code != ExitCode.INTERNAL}

SEEDS = range(*map(int, os.environ.get("FUZZ_SEEDS", "0:8").split(":")))


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of this machine's settings is seen, and no native program answers."""
    for name in [name for name in os.environ if name.startswith("GROMA_")]:
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setattr("groma.report.page.built_template", lambda: SLOT)
    monkeypatch.chdir(tmp_path)


def holds(words: list[str], capsys: pytest.CaptureFixture[str], what: object) -> None:
    """The promise of every command."""
    code = run(words)
    shown = capsys.readouterr()
    assert code in DOCUMENTED, (what, shown.err)
    assert "Traceback" not in shown.err + shown.out, what
    if code != ExitCode.OK and words[0] != "config":
        assert shown.err.startswith(("groma: ", "Usage: ")), (what, shown.err)
        assert len(shown.err.splitlines()) <= 3, (what, shown.err)
    if "--json" in words and code == ExitCode.OK:
        json.loads(shown.out)


SAMPLES: dict[str, Callable[[], bytes]] = {
    "survey": (DATA / "example-profile.json").read_bytes,
    "hpccoutf": (DATA / "hpcc" / "groma-hpccoutf.txt").read_bytes,
    "curve": (DATA / "curves" / "a64fx.csv").read_bytes,
    "machine": (machines_folder() / "bluegene-p.toml").read_bytes,
    "settings": lambda: re.sub(r"(?m)^# (?=\w+ = )", "", default_file()).encode(),
    "network": (DATA / "example-network.json").read_bytes,
}


@functools.cache
def sample(kind: str) -> bytes:
    """A whole and right file of this kind."""
    return SAMPLES[kind]()


def generated(script: str, made: Callable[[dict[str, Any]], object]) -> bytes:
    """A record of a script in tests/data."""
    sys.path.insert(0, str(DATA))
    try:
        return msgspec.json.format(msgspec.json.encode(made(runpy.run_path(str(DATA / script)))), indent=1)
    finally:
        sys.path.remove(str(DATA))


SAMPLES |= {
    "hpcc": lambda: generated("example_hpcc.py", lambda it: it["example_record"](it["SuiteRun"](ranks=2))),
    "randomaccess": lambda: generated(
        "example_randomaccess.py",
        lambda it: it["example_run"](it["TableRun"](ranks=8, algorithm="route")),
    ),
    "errors": lambda: generated("example_randomaccess.py", lambda it: it["example_errors"]()),
    "owner": lambda: generated("example_randomaccess.py", lambda it: it["example_owner"]()),
    "unknown": lambda: sample("hpcc").replace(b'"kind": "hpcc"', b'"kind": "astrolabe"'),
}

READERS: dict[str, list[list[str]]] = {
    "curve": [["infer", "caches", "FILE"], ["infer", "caches", "FILE", "--json"]],
    "machine": [["model", "randomaccess", "--machine", "./FILE.toml"]],
    "settings": [["config", "show", "--origin"], ["config", "show", "--json"]],
}
RECORDS = [
    ["show", "FILE"],
    ["show", "FILE", "--color", "always"],
    ["show", "FILE", "--json", "--redact"],
    ["report", "FILE", "-o", "page.html"],
    ["model", "randomaccess", "--profile", "FILE"],
]
NAMES = {"machine": "FILE.toml", "settings": "groma.toml"}


@pytest.mark.parametrize("kind", SAMPLES)
def test_whole_files_are_read(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / NAMES.get(kind, "FILE")).write_bytes(sample(kind))
    assert run(READERS.get(kind, RECORDS)[0]) == ExitCode.OK, capsys.readouterr().err


@pytest.mark.parametrize("kind", SAMPLES)
def test_damaged_files_end_with_a_documented_code(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in SEEDS:
        (tmp_path / NAMES.get(kind, "FILE")).write_bytes(mutated(sample(kind), seed))
        readers = READERS.get(kind, RECORDS)
        holds(readers[seed % len(readers)], capsys, (kind, seed))


# ---- words of the command line -----------------------------------------------------------------------------

WORDS = (
    "", " ", "0", "-1", "1", "9" * 30, "9" * 5000, "1e999", "nan", "inf", "²", "٣", "1²", "2^", "2^99999",
    "^", "4x4", "x", "4xx4", "0x0", "4x" + "9" * 30, "1:0", "0:0", "1:" + "9" * 30, "a:b", "1,,2", ",",
    "tree:8:2", "tree:", "tree:0:0", "tree:9999999999:99", "switch", "ring", "5s", "-5s", "9" * 400 + "h",
    "1.5.5s", "4MiB", "0MiB", "1e3MiB", "9" * 400 + "GiB", "100Gb/s", "0bit", "9" * 400 + "gbit", "50%",
    "0%",
    "101%", "\x1b[2J", "\udcff", "/", ".", "..", "/dev/null/x", "a" * 5000, "{cmd}", "{", "{}", "{n}{x}", "'",
    "hpccinf.txt", "auto",
)  # fmt: skip

PARSERS: dict[str, Callable[[str], object]] = {
    "a time": parse_duration,
    "a size": parse_size,
    "a rate": parse_bandwidth,
    "numbers of nodes": parse_nodes,
    "an amount of memory": memory_word,
    "a topology": lambda word: interconnect_over(word, 9),
    "a count of threads": lambda word: ThreadCount().convert(word, None, None),
    "a shape of a bed": lambda word: Plan(parse_shape(word)),
    "a rate of a cable": parse_rate,
    "an event": lambda word: parse_event(1.0, f"slow h1-h2 {word}", Plan(parse_shape("4"))),
    "a host in an event": lambda word: parse_event(1.0, f"cut h{word}", Plan(parse_shape("4"))),
}


@pytest.mark.parametrize("meaning", PARSERS)
@pytest.mark.parametrize("around", ["{}", "{}x{}", "{}:{}", "1,{}", "{}s", "{}GiB", "{}gbit", "tree:{}:{}"])
def test_any_word_is_read_or_refused(meaning: str, around: str) -> None:
    for word in WORDS:
        with contextlib.suppress(GromaError, click.UsageError):
            PARSERS[meaning](around.replace("{}", word))


@pytest.mark.parametrize("line", WORDS)
def test_grids_are_read_from_any_input_file(line: str, tmp_path: Path) -> None:
    text = f"{line} x\n".encode("utf-8", "replace")
    (tmp_path / "hpccinf.txt").write_bytes(text * 20)
    grid_ranks(Wish(), str(tmp_path / "hpccinf.txt"))
    grid_ranks(Wish(grid=line), None)


@pytest.mark.parametrize("text", WORDS)
def test_any_list_of_processors_is_read(text: str) -> None:
    assert len(processors_in(f"{text}-{text},{text}")) <= 1_000_000
    as_int(text)


READ_ONLY = {"infer caches": "", "show": "", "model randomaccess --machine bluegene-p": "--nodes"}


@pytest.mark.parametrize(("verb", "option"), READ_ONLY.items())
def test_any_word_ends_with_a_documented_code(
    verb: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for word in WORDS:
        holds([*verb.split(), *([option] if option else []), word], capsys, (verb, word[:40]))


@pytest.mark.parametrize("variable", sorted(key.variable for key in keys().values()))
def test_any_value_of_a_variable_ends_with_a_documented_code(
    variable: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for word in WORDS:
        monkeypatch.setenv(variable, word.encode("utf-8", "replace").decode())
        holds(["config", "show"], capsys, (variable, word[:40]))


# ---- what was found ----------------------------------------------------------------------------------------

FOUND = {
    "a year that no calendar has": ("hpccoutf", b"Current time (", b"Current time (99999999999999"),
    "an HPL line of digits": ("hpccoutf", b"WR11", b"WR11C2R4 " + b"9" * 5000 + b" 1 1 1 1.0 1.0\nWR11"),
    "more digits than Python reads": ("survey", b'"value": ', b'"value": ' + b"9" * 5000),
    "an interval of no width": ("survey", b'"low": ', b'"high": 5e-324, "low": 0, "old": '),
    "a node list without end": (
        "survey",
        b'"scheduler": ',
        b'"scheduler": {"nodes": "n[1-999999999]"}, "x": ',
    ),
}


@pytest.mark.parametrize("case", FOUND)
def test_what_was_found_stays_mended(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kind, old, new = FOUND[case]
    content = sample(kind)
    assert old in content
    (tmp_path / "FILE").write_bytes(content.replace(old, new, 1))
    for words in RECORDS[:3]:
        holds(words, capsys, case)


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths of all that is not itself a list or an object."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        if isinstance(inner, (dict, list)) and inner:
            yield from leaves(inner, (*path, key))
        else:
            yield (*path, key)


def test_what_is_not_known_is_never_spelled_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(sample("survey"))
    environment = document["environment"]
    for path in leaves(environment):
        changed = json.loads(json.dumps(environment))
        functools.reduce(lambda inner, key: inner[key], path[:-1], changed)[path[-1]] = None
        (tmp_path / "FILE").write_text(json.dumps(document | {"environment": changed}))
        holds(["show", "FILE", "machine"], capsys, path)
        run(["show", "FILE", "machine"])
        assert "None" not in capsys.readouterr().out, path


def test_a_name_that_is_no_utf8_is_spelled_in_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = read_record(DATA / "example-profile.json")
    record.command = ["groma", "survey", "-o", "p\udcff.json"]
    record.environment["variables"] = {"OMP_X": "\udcfe"}
    write_record(tmp_path / "p.json", record)
    assert read_record(tmp_path / "p.json").command[-1] == r"p\udcff.json"
    assert redacted_here(record).command[-1] == r"p\udcff.json"
    (tmp_path / "q\udcff.json").write_bytes(sample("survey"))
    holds(["report", "q\udcff.json", "-o", "r\udcff.html", "--json"], capsys, "report")
    assert (tmp_path / "r\udcff.html").exists()
