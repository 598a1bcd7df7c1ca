"""Everything is decided before anything is started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.host.host import FakeHost
from groma.hpcc.rates import KnownRates
from groma.hpcc.request import SuiteRequest
from groma.hpcc.setup import Setup, prepare
from groma.launch.prepare import LaunchOptions, Timeouts
from groma.launch.shape import RequestedShape

if TYPE_CHECKING:
    from pathlib import Path

PLAN = {"tests": ["dgemm"], "hpl": [], "dgemm_n": 100, "estimated_seconds": {"dgemm": 2.5}}

NOTHING = dict.fromkeys(("measures", "formula", "validation", "reference"), "")
LISTING = msgspec.json.encode({"name": "dgemm", "title": "T", **NOTHING, "order": 1}).decode()

FAKE = """\
#!/bin/sh
case $1 in
  build) echo '{"build": {"version": "0.1.0"}, "mpi": "Open MPI v4"}' ;;
  list) echo 'LISTING' ;;
  plan) echo "$@" > ARGUMENTS; PLANNING ;;
esac
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a groma-hpcc of its own beside it."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("GROMA_NATIVE_PATH", raising=False)
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    program(tmp_path, f"echo '{msgspec.json.encode(PLAN).decode()}'")
    return tmp_path


def program(folder: Path, planning: str) -> None:
    path = folder / "groma-hpcc"
    words = {"PLANNING": planning, "ARGUMENTS": str(folder / "arguments"), "LISTING": LISTING}
    text = FAKE
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    path.write_text(text)
    path.chmod(0o755)


def host(cores: int = 4) -> FakeHost:
    return FakeHost(
        files={"/proc/meminfo": "MemAvailable: 1000 kB"},
        allowed=set(range(cores)),
        answers={"mpirun": "mpirun (Open MPI) 4.1.4"},
    )


def prepared(folder: Path, request: SuiteRequest, **options: Any) -> Setup:
    return prepare(host(), request, LaunchOptions(folder=str(folder), **options))


def test_ranks_fill_the_cores_and_the_plan_is_made_for_them(folder: Path) -> None:
    setup = prepared(folder, SuiteRequest(n="100"))
    assert setup.shape.ranks == 4
    assert (folder / "arguments").read_text().split() == [
        "plan",
        "--ranks",
        "4",
        "--ranks-on-each",
        "4",
        "--n",
        "100",
        "--threads",
        "1",
    ]
    assert [(step.probe, step.title, step.budget) for step in setup.steps] == [("dgemm", "T", 2.5)]
    words = list(setup.command.words)
    assert words[: words.index("--map-by")] == ["/usr/bin/mpirun", "-n", "4"]
    assert words[words.index("run") :] == [
        *("run", "--n", "100", "--threads", "1", "--events", "-"),
        *("--output", str(folder / "work" / "hpccoutf.txt")),
    ]


def test_threads_fill_the_cores_where_that_is_asked(folder: Path) -> None:
    setup = prepared(folder, SuiteRequest(shape=RequestedShape(ranks=2, threads=0)))
    assert setup.shape.threads == 2
    words = (folder / "arguments").read_text().split()
    assert words[words.index("--threads") + 1] == "2"


def test_rates_of_an_earlier_run_are_passed_on_to_plan_and_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = folder / "hpcc.json"
    earlier.write_text("{}")
    asked: list[Path] = []

    def known(path: Path, _shape: Any, _cpu: Any) -> KnownRates:
        asked.append(path)
        return KnownRates(rates={"multiply": 4e10}, origin="hpcc.json of a day")

    monkeypatch.setattr("groma.hpcc.setup.known_rates", known)
    setup = prepared(folder, SuiteRequest(), earlier=earlier)
    assert asked == [earlier]
    assert setup.rates.origin == "hpcc.json of a day"
    assert "--rates multiply=4e+10" in (folder / "arguments").read_text()
    assert "multiply=4e+10" in setup.command.words
    assert prepared(folder, SuiteRequest(), earlier=folder / "absent.json").rates == KnownRates()


def test_a_grid_asks_for_its_ranks(folder: Path) -> None:
    setup = prepared(folder, SuiteRequest(n="100", grid="2x3"))
    assert (setup.shape.ranks, setup.shape.bind) == (6, "oversubscribed")
    assert prepared(folder, SuiteRequest(shape=RequestedShape(ranks=2), grid="1x2")).shape.ranks == 2


def test_one_rank_needs_no_launcher(folder: Path) -> None:
    setup = prepared(folder, SuiteRequest(), launcher="alone")
    assert setup.shape.ranks == 1
    assert setup.command.words[0].endswith("groma-hpcc")


def test_patience_follows_from_the_estimate_and_can_be_set(folder: Path) -> None:
    assert prepared(folder, SuiteRequest()).timeouts.silence == 300.0
    long = msgspec.json.encode({**PLAN, "estimated_seconds": {"dgemm": 100.0}}).decode()
    program(folder, f"echo '{long}'")
    assert prepared(folder, SuiteRequest()).timeouts.silence == 1000.0
    assert prepared(folder, SuiteRequest(), timeout=5.0).timeouts == Timeouts(start=5.0, silence=5.0)


def test_a_plan_without_estimates_is_given_the_time_of_its_matrix(folder: Path) -> None:
    matrix = {"n": 30000, "nb": 192, "grid": {"rows": 1, "columns": 2}}
    program(folder, f"echo '{msgspec.json.encode({'tests': ['hpl'], 'hpl': [matrix]}).decode()}'")
    setup = prepared(folder, SuiteRequest())
    assert setup.timeouts.silence == pytest.approx(18000.0)
    assert setup.budget == 0.0


@pytest.mark.parametrize(("code", "expected"), [(2, ExitCode.USAGE), (4, ExitCode.ENVIRONMENT)])
def test_a_refusal_of_the_plan_is_passed_on(folder: Path, code: int, expected: ExitCode) -> None:
    program(folder, f"printf 'groma-hpcc: N is 0\\n  give another\\n' >&2; exit {code}")
    with pytest.raises(GromaError, match="N is 0") as refusal:
        prepared(folder, SuiteRequest())
    assert refusal.value.next_step == "give another"
    assert refusal.value.exit_code == expected


@pytest.mark.parametrize("planning", ["echo nonsense", "echo '[1]'", "exit 70", "kill -9 $$"])
def test_a_broken_program_is_an_environment_error(folder: Path, planning: str) -> None:
    program(folder, planning)
    with pytest.raises(GromaError) as refusal:
        prepared(folder, SuiteRequest())
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT


@pytest.mark.parametrize(
    ("request_", "option", "test"),
    [
        (SuiteRequest(curves=True), "--curves", "effective_bandwidth"),
        (SuiteRequest(fft_235=True), "--fft-235", "fft"),
        (SuiteRequest(random_access="route"), "--random-access", "random_access"),
    ],
)
def test_an_option_of_a_test_that_does_not_run_is_refused(
    folder: Path, request_: SuiteRequest, option: str, test: str
) -> None:
    with pytest.raises(GromaError, match=f"{option} has no effect: {test} does not run") as refused:
        prepared(folder, request_)
    assert refused.value.exit_code == ExitCode.USAGE
    program(folder, f"echo '{msgspec.json.encode(PLAN | {'tests': ['dgemm', test]}).decode()}'")
    prepared(folder, request_)


MESSAGES = "effective_bandwidth"


def test_a_run_that_could_measure_nothing_is_refused(folder: Path) -> None:
    """No check would fail, and the run would pass."""
    alone = PLAN | {"ranks": 1}
    program(folder, f"echo '{msgspec.json.encode(alone | {'tests': [MESSAGES]}).decode()}'")
    with pytest.raises(GromaError, match="sends messages between ranks, but there is one rank") as refused:
        prepared(folder, SuiteRequest(shape=RequestedShape(ranks=1)))
    assert refused.value.exit_code == ExitCode.USAGE
    program(folder, f"echo '{msgspec.json.encode(alone | {'tests': ['dgemm', MESSAGES]}).decode()}'")
    prepared(folder, SuiteRequest(shape=RequestedShape(ranks=1)))
