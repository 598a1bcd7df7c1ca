"""groma sim torus as its users type it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.cli.main import run
from groma.cli.test_support import answer, disk_is_full, refusal
from groma.conftest import MADE, ROOT
from groma.errors import ExitCode
from groma.facts.opening import records_in
from groma.facts.torus import TorusFacts
from groma.machine.files import find_machine, machines_folder
from groma.report.blocks import Figure
from groma.report.views.registry import sections_of
from groma.sim.torus.conftest import FakeTorus, result, torus_program, words
from groma.sim.torus.parameters import machine_parameters

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Captured = pytest.CaptureFixture[str]

__all__ = ["torus_program"]


pytestmark = pytest.mark.usefixtures("nothing_configured")


def test_a_run_answers_gups_with_its_counts(torus_program: FakeTorus, capsys: Captured) -> None:
    assert run([*words(), "--json"]) == ExitCode.OK
    found = answer(capsys)
    assert found["gups"]["value"] == pytest.approx(2.62144)
    assert found["gups"]["unit"] == "GUP/s"
    assert found["packets"] == 1000
    assert found["packet_hops"] == 3000
    assert found["time"]["value"] == pytest.approx(1e-4)
    assert found["stalls"]["share"] == pytest.approx(3264 / 85000 / 384)
    assert found["links"]["mean"] == 0.35


def test_the_request_has_the_numbers_of_the_machine_file(torus_program: FakeTorus, capsys: Captured) -> None:
    assert run([*words("--seed", "7", "--threads", "2", "--time-limit", "5s")]) == ExitCode.OK
    request = torus_program.request
    assert request["shape"] == [4, 4, 4]
    assert request["torus"] == [True, True, True]
    assert request["network"]["bytes_per_cycle"] == 0.5
    assert request["network"]["reception_packets"] == 4, "four buckets for each dimension (section 4.3.1)"
    assert request["network"]["injection_packets"] == 1
    assert request["network"]["routing"] == "deterministic"
    assert request["processor"]["receive"] == {"single": 600, "batch": 4, "each": 330}
    assert request["workload"]["bucket"] == 30, "1024/33 are 31, and a packet holds 30"
    assert request["workload"]["own"] == [89.8, 95.4, 97.4, 131.5]
    assert request["run"] == {"seed": 7, "threads": 2, "time_limit": 5.0, "links": True}


def test_a_simulation_whose_record_cannot_be_kept_is_shown(
    torus_program: FakeTorus, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groma.record.partial_file.finish", disk_is_full)
    assert run([*words("-o", "torus.json"), "--json"]) == ExitCode.ENVIRONMENT
    assert answer(capsys)["packets"] == 1000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--mesh", "z"], {"torus": [True, True, False]}),
        (["--set", "network.hop_latency=50"], {"network.hop_latency": 50}),
        (["--routing", "deterministic"], {"network.routing": "deterministic"}),
        (["--bucket", "5", "--updates", "100"], {"workload.bucket": 5, "workload.updates": 100}),
        (["--algorithm", "hypercube"], {"workload.algorithm": "hypercube", "workload.bucket": 30}),
        (["--workload", "uniform", "--set", "workload.packets=5"], {"workload.packets": 5}),
        (
            ["--workload", "broadcast", "--set", "workload.policy=overlapping"],
            {"workload.policy": "overlapping"},
        ),
    ],
)
def test_options_reach_the_simulator(
    options: list[str], said: dict[str, Any], torus_program: FakeTorus, capsys: Captured
) -> None:
    assert run([*words(*options)]) == ExitCode.OK, capsys.readouterr().err
    for name, value in said.items():
        found: Any = torus_program.request
        for part in name.split("."):
            found = found[part]
        assert found == value


@pytest.mark.parametrize(
    ("options", "what", "step"),
    [
        (["--shape", "4x0x4"], "the size 0", "such as 8x8x8"),
        (["--shape", "4x-2"], "the size -2", "such as 8x8x8"),
        (["--shape", "4x4x4x4x4x4x4"], "7 dimensions", "1 to 6"),
        (["--shape", "cube"], "not a shape", "such as 8x8x8"),
        (["--shape", "1"], "1 node, not 2 to", "such as 8x8x8"),
        (["--mesh", "w"], "'w' is not a dimension", "x, y, z"),
        (["--workload", "unifrom"], "unknown workload", "did you mean uniform?"),
        (["--algorithm", "multi-cor"], "unknown algorithm", "did you mean multi-core?"),
        (["--algorithm", ""], "unknown algorithm ''", "multi-core"),
        (["--set", "network.hop_latncy=5"], "unknown parameter", "did you mean network.hop_latency?"),
        (["--set", "hop_latency=5"], "unknown parameter", "did you mean network.hop_latency?"),
        (
            ["--workload", "uniform", "--set", "load=0.5"],
            "unknown parameter",
            "did you mean workload.load?",
        ),
        (["--set", "network.hop_latency"], "there is no value", "NAME=VALUE"),
        (["--set", "network.hop_latency=fast"], "'fast' is not a number", "64 cycles"),
        (
            ["--set", "network.hop_latency=1.5"],
            "--set network.hop_latency=1.5: 1.5 is not a whole number",
            "give",
        ),
        (
            ["--set", "network.routing=foo"],
            "--set network.routing=foo: 'foo' is not adaptive or deterministic",
            "give adaptive or deterministic",
        ),
        (["--bucket", "31"], "holds 30 updates", "smaller --bucket"),
        (["--workload", "replay"], "a replay needs a trace", "--trace"),
        (["--workload", "replay", "--trace", "gone"], "gone: no such file", "a .prv file"),
        (["--workload", "uniform", "--trace", "gone"], "--trace belongs to replay", "--workload replay"),
        (["--workload", "uniform", "--updates", "5"], "--updates belongs to RandomAccess", "--set workload."),
        (["--shape", "3x3x3", "--algorithm", "hypercube"], "a power of two", "--shape"),
        (["--shape", "4x4x4x4"], "not for 4", "--algorithm"),
        (["--time-limit", "soon"], "is not a time", "2m"),
        (["--time-limit", "0s"], "must be above 0", "no limit"),
    ],
)
def test_wrong_options_are_refused_before_anything_runs(
    options: list[str], what: str, step: str, torus_program: FakeTorus, capsys: Captured
) -> None:
    given = [*words()] if options[0] != "--shape" else ["sim", "torus", "run"]
    assert run([*given, *options]) == ExitCode.USAGE
    said = refusal(capsys)
    assert what in said[0]
    assert step in said[1]
    assert not torus_program.was_started


def test_a_machine_without_a_name_is_not_the_default_one(capsys: Captured) -> None:
    """Such as the variable of a script that is not set."""
    assert run(["sim", "torus", "run", "--machine", ""]) == ExitCode.USAGE
    assert "unknown machine ''" in refusal(capsys)[0]


@pytest.mark.parametrize("cycle", [[0, 1], []])
def test_a_replay_that_deadlocks_ends_with_3_and_keeps_its_record(
    cycle: list[int], torus_program: FakeTorus, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "text").write_text("0 recv 1 0 8\n1 recv 0 0 8\n")
    torus_program.answers(result(deadlock={"cycle": cycle, "ranks": 2}))
    words = ["sim", "torus", "run", "--workload", "replay", "--trace", "text", "-o", "torus.json"]
    assert run(words) == ExitCode.VALIDATION_FAILED
    shown = capsys.readouterr()
    assert ("for ever: 0 -> 1 -> 0" if cycle else "sends: 2 of them") in shown.err
    assert "unfinished" in shown.out
    assert "start it again" not in shown.out, "it would end in the same place"
    facts = json.loads((tmp_path / "torus.json").read_text())["facts"]
    assert facts["deadlock"] == cycle
    assert facts["waiting_ranks"] == 2


@pytest.mark.parametrize(
    "options",
    [
        ["--machine", "./input.toml"],
        ["--from-profile", "input.toml"],
        ["--workload", "replay", "--trace", "input.toml"],
        ["--workload", "replay", "--set", "workload.file=input.toml"],
    ],
)
def test_a_record_never_takes_the_place_of_what_is_simulated(
    options: list[str], torus_program: FakeTorus, tmp_path: Path, capsys: Captured
) -> None:
    kept = "0 send 1 0 8\n1 recv 0 0 8\n"
    if "--machine" in options:
        kept = (machines_folder() / "bluegene-p.toml").read_text()
    if "--from-profile" in options:
        kept = (PROFILES / "network.json").read_text()
    (tmp_path / "input.toml").write_text(kept)
    assert run(["sim", "torus", "run", *options, "-o", str(tmp_path / "input.toml")]) == ExitCode.USAGE
    assert "would overwrite the input" in refusal(capsys)[0]
    assert (tmp_path / "input.toml").read_text() == kept
    assert not torus_program.was_started


@pytest.mark.parametrize("ending", [".prv", ".pcf", ".row"])
def test_a_record_never_takes_the_place_of_the_trace_of_the_run(
    ending: str, torus_program: FakeTorus, capsys: Captured
) -> None:
    assert run([*words("--paraver", "simulated", "-o", f"./simulated/trace{ending}")]) == ExitCode.USAGE
    assert "--paraver and --record would both write simulated/trace" in refusal(capsys)[0]
    assert not torus_program.was_started


@pytest.mark.parametrize(("cpus", "threads"), [(3, 3), (384, 256)])
@pytest.mark.parametrize("verb", [["run", "--shape", "2"], ["study", "latency", "--quick"]])
def test_threads_by_default_are_one_per_processor_as_far_as_the_simulator_goes(
    verb: list[str],
    cpus: int,
    threads: int,
    torus_program: FakeTorus,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cpus)))
    run(["sim", "torus", *verb])
    assert torus_program.request["run"]["threads"] == threads


def test_a_run_that_gets_stuck_ends_with_3(torus_program: FakeTorus, capsys: Captured) -> None:
    torus_program.answers(result(finished=False, stuck=True))
    assert run(words()) == ExitCode.VALIDATION_FAILED
    assert "nothing moves" in capsys.readouterr().err


def test_a_run_that_reaches_its_time_limit_is_marked(torus_program: FakeTorus, capsys: Captured) -> None:
    torus_program.answers(result(finished=False))
    assert run(words("--time-limit", "1s")) == ExitCode.OK
    assert "unfinished" in capsys.readouterr().out


@pytest.mark.parametrize("code", [ExitCode.USAGE, ExitCode.VALIDATION_FAILED])
def test_a_refusal_of_the_simulator_is_passed_on(
    code: ExitCode, torus_program: FakeTorus, capsys: Captured
) -> None:
    torus_program.answers(
        complaint="groma-torus: buffers can deadlock\n  -> set network.channel_bytes\n", code=code
    )
    assert run([*words()]) == code
    assert refusal(capsys) == ("groma: buffers can deadlock", "  -> set network.channel_bytes")


@pytest.mark.parametrize("text", ["", "nonsense\n", '{"event": "result"}\n', "[1]\n"])
def test_a_simulator_without_an_answer_is_an_environment_that_failed(
    text: str, torus_program: FakeTorus, capsys: Captured
) -> None:
    torus_program.prints(text)
    assert run([*words()]) == ExitCode.ENVIRONMENT


def test_events_of_later_versions_are_passed_over(torus_program: FakeTorus, capsys: Captured) -> None:
    torus_program.answers({"event": "weather", "sun": True}, result(mood="good"))
    assert run([*words()]) == ExitCode.OK


def test_a_partial_result_is_marked(torus_program: FakeTorus, tmp_path: Path, capsys: Captured) -> None:
    torus_program.answers(result(finished=False, updates=1000))
    assert run([*words("--time-limit", "1s", "-o", "torus.json")]) == ExitCode.OK
    assert "unfinished: 1,000 of 262,144 updates done" in capsys.readouterr().out
    (record,) = records_in(tmp_path / "torus.json")
    assert record.unfinished is not None
    assert isinstance(record.facts, TorusFacts)


def test_a_machine_file_with_a_misspelt_key_is_refused_with_the_nearest(
    torus_program: FakeTorus, tmp_path: Path, capsys: Captured
) -> None:
    text = (machines_folder() / "bluegene-p.toml").read_text()
    (tmp_path / "mine.toml").write_text(text.replace("on_wire =", "on_wyre ="))
    assert run(["sim", "torus", "run", "--machine", "mine.toml"]) == ExitCode.USAGE
    what, step = refusal(capsys)
    assert "on_wyre" in what
    assert "did you mean on_wire?" in step


def test_a_machine_file_without_a_key_is_refused_by_its_name(
    torus_program: FakeTorus, tmp_path: Path, capsys: Captured
) -> None:
    text = (machines_folder() / "bluegene-p.toml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("on_wire =")]
    (tmp_path / "mine.toml").write_text("\n".join(lines))
    assert run(["sim", "torus", "run", "--machine", "mine.toml"]) == ExitCode.USAGE
    assert "missing required field `on_wire`" in refusal(capsys)[0]


def test_what_no_source_gives_is_listed_as_assumed(torus_program: FakeTorus, capsys: Captured) -> None:
    assert run([*words("--json")]) == ExitCode.OK
    by_name = {one["name"]: one for one in answer(capsys)["parameters"]}
    assert by_name["network.hop_latency"]["assumed"] is True
    assert by_name["network.packet_header"]["assumed"] is False
    assert run([*words("--set", "network.hop_latency=50", "--json")]) == ExitCode.OK
    given = {one["name"]: one for one in answer(capsys)["parameters"]}["network.hop_latency"]
    assert (given["assumed"], given["source"]) == (False, "given on the command line")


def test_a_profile_takes_the_place_of_a_machine(torus_program: FakeTorus, capsys: Captured) -> None:
    given = ["sim", "torus", "run", "--from-profile", str(MADE / "example-network.json"), "--shape", "4x4"]
    assert run([*given, "--workload", "halo"]) == ExitCode.OK, capsys.readouterr().err
    assert torus_program.request["processor"]["message"] > 0
    assert torus_program.request["network"]["bytes_per_cycle"] > 0


def test_a_survey_of_the_network_alone_is_enough(
    torus_program: FakeTorus, tmp_path: Path, capsys: Captured
) -> None:
    record = json.loads((MADE / "example-network.json").read_text())
    record["facts"]["node"] |= {"clock": None, "memory": None}
    (tmp_path / "network.json").write_text(json.dumps(record))
    given = ["sim", "torus", "run", "--from-profile", str(tmp_path / "network.json"), "--shape", "4x4"]
    assert run([*given, "--workload", "halo", "--json"]) == ExitCode.OK
    frequency = {one["name"]: one for one in answer(capsys)["parameters"]}["processor.frequency"]
    assert (frequency["assumed"], frequency["value"]) == (True, 1e9)
    assert torus_program.request["processor"]["message"] > 0


PROFILES = ROOT / "tests/data/profiles"


def from_profile(path: Path, *more: str) -> list[str]:
    return ["sim", "torus", "run", "--from-profile", str(path), "--workload", "halo", "--shape", "4x4", *more]


def changed_profile(folder: Path, change: Callable[[Any], None]) -> Path:
    """network.json with other facts."""
    record = json.loads((PROFILES / "network.json").read_text())
    change(record["facts"])
    changed = folder / "changed.json"
    changed.write_text(json.dumps(record))
    return changed


def test_a_profile_is_taken_though_a_part_that_is_not_used_lacks_a_field(
    torus_program: FakeTorus, capsys: Captured
) -> None:
    """network.json has no distance.message, no clock, no LogGP and no bandwidth of its slowest layer."""
    assert run(from_profile(PROFILES / "network.json", "--json")) == ExitCode.OK, capsys.readouterr().err
    found = {one["name"]: one for one in answer(capsys)["parameters"]}
    one_message = 4096 / 0.00011192
    of_packets = 270 / 240  # bytes on the link for those of a message
    rate = one_message * 2 / 1.9 * of_packets
    assert found["network.bytes_per_cycle"]["value"] == pytest.approx(rate / 1e9)
    assert (
        "access: bandwidth of the processes of a node together" in found["network.bytes_per_cycle"]["source"]
    )
    assert found["processor.message"]["value"] == 15000, "half of 30 us in ns"
    assert {name for name in found if found[name]["assumed"]} >= {
        "processor.frequency",
        "network.hop_latency",
        "network.packet_step",
    }
    assert "groma survey --network" in found["network.hop_latency"]["source"]


def test_a_clock_counts_that_knows_nothing_but_the_frequency(
    tmp_path: Path, torus_program: FakeTorus, capsys: Captured
) -> None:
    frequency = {"value": 2e9, "unit": "Hz", "low": 1.9e9, "high": 2.1e9, "confidence": 0.95, "method": "m"}

    def with_clock(facts: Any) -> None:
        facts["node"]["clock"] = {"core_frequency": frequency}

    assert run(from_profile(changed_profile(tmp_path, with_clock))) == ExitCode.OK, capsys.readouterr().err
    assert torus_program.request["processor"]["message"] == 30000, "half of 30 us at 2 GHz"


def test_a_result_says_what_came_from_the_profile_and_what_is_assumed(
    torus_program: FakeTorus, capsys: Captured
) -> None:
    assert run(from_profile(PROFILES / "network.json")) == ExitCode.OK
    shown = capsys.readouterr().out
    surveyed, assumed = shown.split("From the profile")[1].split("Assumed, for want of a source")
    assert "processor.message" in surveyed
    assert "network.bytes_per_cycle" in surveyed
    assert "processor.message" not in assumed
    assert "network.packet_step" in assumed


def test_a_number_that_is_given_is_not_a_surveyed_one(torus_program: FakeTorus, capsys: Captured) -> None:
    words = from_profile(PROFILES / "network.json", "--set", "processor.message=5", "--json")
    assert run(words) == ExitCode.OK
    marked = {one["name"]: one["surveyed"] for one in answer(capsys)["parameters"]}
    assert marked["network.bytes_per_cycle"]
    assert marked["network.hop_latency"] is False, "all of the latency counts as overhead"
    assert not marked["processor.message"]
    assert not marked["network.packet_step"]


def test_words_of_a_source_do_not_make_a_number_a_surveyed_one() -> None:
    machine = find_machine("bluegene-l")
    link = msgspec.structs.replace(machine.torus.link, source="the profile, as somebody wrote")
    torus = msgspec.structs.replace(machine.torus, link=link)
    parameters = machine_parameters(msgspec.structs.replace(machine, torus=torus))
    assert not any(one.surveyed for one in parameters)


@pytest.mark.parametrize(
    ("lacks", "what"),
    [
        (("layers",), "no latency"),
        (("curves", "access"), "no bandwidth"),
    ],
)
def test_a_profile_that_lacks_what_is_needed_is_refused_with_the_command_that_measures_it(
    lacks: tuple[str, ...],
    what: str,
    tmp_path: Path,
    torus_program: FakeTorus,
    capsys: Captured,
) -> None:
    def without(facts: Any) -> None:
        network = facts["network"]
        for part in lacks:
            network.pop(part, None)
        if "curves" in lacks:
            for layer in network["layers"]:
                del layer["curve"]

    assert run(from_profile(changed_profile(tmp_path, without))) == ExitCode.USAGE
    said = refusal(capsys)
    assert what in said[0]
    assert "groma survey --network" in said[1]
    assert not torus_program.was_started


@pytest.mark.parametrize("known", [["same node"], None], ids=["by its relations", "by its name"])
def test_messages_within_a_node_are_no_links_of_a_torus(
    known: list[str] | None, tmp_path: Path, torus_program: FakeTorus, capsys: Captured
) -> None:
    def of_one_node(facts: Any) -> None:
        (layer,) = [one for one in facts["network"]["layers"] if one["name"] == "same node"]
        facts["network"]["layers"] = [layer | ({"relations": known, "name": "near"} if known else {})]

    assert run(from_profile(changed_profile(tmp_path, of_one_node))) == ExitCode.USAGE
    what, step = refusal(capsys)
    assert what.endswith(f"between nodes, only within a node: {'near' if known else 'same node'}")
    assert "two nodes" in step
    assert not torus_program.was_started


def test_processes_of_a_node_together_show_its_link_where_one_does_not_fill_it(
    tmp_path: Path, torus_program: FakeTorus, capsys: Captured
) -> None:
    def never_slowed(facts: Any) -> None:
        for ratio in filter(None, facts["network"]["access"]["ratio"]):
            ratio.update(value=1.0, low=0.98, high=1.02)

    def rate(path: Path) -> float:
        assert run(from_profile(path)) == ExitCode.OK, capsys.readouterr().err
        return float(torus_program.request["network"]["bytes_per_cycle"])

    shared = rate(PROFILES / "network.json")
    assert rate(changed_profile(tmp_path, never_slowed)) == pytest.approx(shared * 4 / (2 / 1.9))


def test_a_damaged_part_that_is_used_is_refused_with_its_place(
    tmp_path: Path, torus_program: FakeTorus, capsys: Captured
) -> None:
    def damaged(facts: Any) -> None:
        facts["network"]["layers"][1]["latency"] = "long"

    assert run(from_profile(changed_profile(tmp_path, damaged))) == ExitCode.USAGE
    assert "$.facts.network.layers[1].latency" in refusal(capsys)[0]


def test_a_profile_without_a_network_is_refused(
    torus_program: FakeTorus, example_profile: Path, capsys: Captured
) -> None:
    assert run(["sim", "torus", "run", "--from-profile", str(example_profile)]) == ExitCode.USAGE
    assert "messages between nodes" in refusal(capsys)[0]


def test_all_parameters_say_which_are_assumed(
    torus_program: FakeTorus, tmp_path: Path, capsys: Captured
) -> None:
    assert run(words("-o", "torus.json")) == ExitCode.OK
    capsys.readouterr()
    assert run(["show", "torus.json", "parameters"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "assumed: four of the largest packets" in shown
    (record,) = records_in(tmp_path / "torus.json")
    method = next(one.blocks for one in sections_of(record) if one.id == "method")
    sources = {
        figure.id: {row[0]: row[2] for row in figure.table.rows}
        for figure in method
        if isinstance(figure, Figure) and figure.table is not None and figure.id.startswith("torus-")
    }
    assert str(sources["torus-parameters"]["network.channel_bytes"]).startswith("assumed: four of")
    assert str(sources["torus-assumed"]["network.channel_bytes"]).startswith("four of")


def test_the_page_tells_the_steady_window_in_units_that_can_be_read(
    torus_program: FakeTorus, tmp_path: Path
) -> None:
    assert run(words("-o", "torus.json")) == ExitCode.OK
    (record,) = records_in(tmp_path / "torus.json")
    results = next(one.blocks for one in sections_of(record) if one.id == "results")
    progress = next(one for one in results if isinstance(one, Figure) and one.id == "torus-progress")
    assert progress.method.startswith("steady from 0 s to 100 µs, in")


@pytest.mark.parametrize(
    "changes",
    [{"shape": []}, {"shape": [3, 3, 3]}, {"axes": ["x"]}, {"links": {"mean": 0, "min": 0, "max": 0}}],
)
def test_a_record_whose_parts_contradict_each_other_is_shown_all_the_same(
    changes: dict[str, Any], torus_program: FakeTorus, tmp_path: Path
) -> None:
    assert run(words("-o", "torus.json")) == ExitCode.OK
    record = json.loads((tmp_path / "torus.json").read_text())
    record["facts"] |= changes
    (tmp_path / "torus.json").write_text(json.dumps(record))
    (read,) = records_in(tmp_path / "torus.json")
    assert sections_of(read)
    assert run(["show", "torus.json", "nodes"]) == ExitCode.OK


def test_a_trace_is_asked_for_and_counted(torus_program: FakeTorus, tmp_path: Path, capsys: Captured) -> None:
    counts = {"event": "trace", "states": 9, "messages": 4, "bytes": 256}
    torus_program.answers(counts, result())
    assert run(words("--paraver", "new/simulated", "--json")) == ExitCode.OK
    request = torus_program.request["trace"]
    assert request == {
        "path": str(tmp_path / "new/simulated/trace"),
        "nanoseconds_per_cycle": pytest.approx(1e9 / 850e6),
    }
    values = answer(capsys)["values"]
    assert (values["trace.states"], values["trace.messages"], values["trace.message_bytes"]) == (
        [9],
        [4],
        [256],
    )


@pytest.mark.parametrize(
    ("folder", "what", "code"),
    [
        ("file", "file cannot be used", ExitCode.ENVIRONMENT),
        ("used", "used holds another trace", ExitCode.USAGE),
        ("file/below", "below cannot be used", ExitCode.ENVIRONMENT),
    ],
)
def test_a_folder_that_cannot_take_a_trace_is_refused_before_anything_runs(
    folder: str,
    what: str,
    code: ExitCode,
    torus_program: FakeTorus,
    tmp_path: Path,
    capsys: Captured,
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "used").mkdir()
    (tmp_path / "used/trace.prv").write_text("")
    assert run(words("--paraver", folder)) == code
    assert what in refusal(capsys)[0]
    assert not torus_program.was_started


def test_a_run_whose_trace_cannot_be_written_keeps_its_record(
    torus_program: FakeTorus, tmp_path: Path, capsys: Captured
) -> None:
    torus_program.answers({"event": "trace", "failed": "t.prv cannot be written: No space left"}, result())
    assert run(words("--paraver", "t", "-o", "torus.json")) == ExitCode.ENVIRONMENT
    assert "there is no trace" in capsys.readouterr().err
    assert json.loads((tmp_path / "torus.json").read_text())["facts"]["packets"] == 1000
