"""Whatever is in a file or on the command line: never an exit code of 70, never a traceback.

Real files of every format that groma reads are cut, flipped, doubled, spliced, nested and re-encoded.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
import pytest

from groma.cli.hpcc import ThreadCount
from groma.cli.main import run
from groma.config.settings import keys
from groma.config.template import default_file
from groma.errors import ExitCode, GromaError
from groma.facts.reading import read_record
from groma.host.host import as_int, processors_in
from groma.hpcc.request import SuiteRequest, grid_ranks, memory_word
from groma.interconnect.notation import interconnect_over
from groma.machine.files import machines_folder
from groma.model.counts import parse_nodes
from groma.record.io import write_record
from groma.record.redact import redacted_here
from groma.record.typed_amounts import parse_bandwidth, parse_duration, parse_size
from groma.report.template import PLACEHOLDER
from groma.testbed.events import parse_event
from groma.testbed.plan import Plan, parse_shape
from groma.testbed.rates import parse_rate
from mutations import SEEDS, mutated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# ---- files of every format ---------------------------------------------------------------------------------

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data"
MADE = ROOT / "build" / "test-data"

DOCUMENTED = {code for code in ExitCode if code != ExitCode.INTERNAL}


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of this machine's settings is seen, and no native program answers."""
    for name in [name for name in os.environ if name.startswith("GROMA_")]:
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setattr("groma.report.page.built_template", lambda: PLACEHOLDER)
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
    "survey": (MADE / "example-profile.json").read_bytes,
    "hpccoutf": (DATA / "hpcc" / "groma-hpccoutf.txt").read_bytes,
    "curve": (DATA / "curves" / "a64fx.csv").read_bytes,
    "machine": (machines_folder() / "bluegene-p.toml").read_bytes,
    "settings": lambda: re.sub(r"(?m)^# (?=\w+ = )", "", default_file()).encode(),
    "network": (MADE / "example-network.json").read_bytes,
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
    "matrix": lambda: b"cpu,0,1,2,3\n0,,9.5,40,41\n1,9.4,,40.5,42\n2,40,41,,9\n3,41,42,9.25,\n",
    "pairs": lambda: b"a,b,latency_ns,bytes\n0,1,1500,8\n0,2,2600,8\n1,2,2610.5,8\n0,1,9000,65536\n",
    "unknown": lambda: sample("hpcc").replace(b'"kind": "hpcc"', b'"kind": "astrolabe"'),
}

READERS: dict[str, list[list[str]]] = {
    "curve": [["infer", "caches", "FILE"], ["infer", "caches", "FILE", "--json"]],
    "matrix": [["infer", "core-to-core", "FILE"], ["infer", "core-to-core", "FILE", "--json"]],
    "pairs": [["infer", "pairs", "FILE"], ["infer", "pairs", "FILE", "--json"]],
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
    grid_ranks(SuiteRequest(), str(tmp_path / "hpccinf.txt"))
    grid_ranks(SuiteRequest(grid=line), None)


@pytest.mark.parametrize("text", WORDS)
def test_any_list_of_processors_is_read(text: str) -> None:
    assert len(processors_in(f"{text}-{text},{text}")) <= 1_000_000
    as_int(text)


READ_ONLY = {
    "infer caches": "",
    "infer core-to-core": "",
    "infer pairs": "",
    "show": "",
    "model randomaccess --machine bluegene-p": "--nodes",
}


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
def test_what_was_found_stays_repaired(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    record = read_record(MADE / "example-profile.json")
    record.command = ["groma", "survey", "-o", "p\udcff.json"]
    record.environment["variables"] = {"OMP_X": "\udcfe"}
    write_record(tmp_path / "p.json", record)
    assert read_record(tmp_path / "p.json").command[-1] == r"p\udcff.json"
    assert redacted_here(record).command[-1] == r"p\udcff.json"
    (tmp_path / "q\udcff.json").write_bytes(sample("survey"))
    holds(["report", "q\udcff.json", "-o", "r\udcff.html", "--json"], capsys, "report")
    assert (tmp_path / "r\udcff.html").exists()
