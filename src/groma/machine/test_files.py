"""Machine files: complete, sourced, and refused by place where they are broken."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.machine.files import find_machine, known_machines, machine_of, machines_folder, read_machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def document(name: str = "bluegene-p") -> dict[str, Any]:
    return tomllib.loads((machines_folder() / f"{name}.toml").read_text(encoding="utf-8"))


def sources(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["source"]] if isinstance(value.get("source"), str) else [])
        for inner in value.values():
            yield from sources(inner)
    if isinstance(value, list):
        for inner in value:
            yield from sources(inner)


def test_the_machines_of_the_papers_are_known() -> None:
    assert known_machines() == ["bluegene-l", "bluegene-l-500", "bluegene-p", "hector"]


@pytest.mark.parametrize("name", known_machines())
def test_every_number_names_a_paper_of_the_file_or_its_derivation(name: str) -> None:
    papers = "|".join(find_machine(name).papers)
    allowed = re.compile(rf"(({papers}), \S|(derived|fitted): .*({papers}), \S|assumed: \S)")
    found = list(sources(document(name)))
    assert found
    assert [source for source in found if not allowed.match(source)] == []


@pytest.mark.parametrize("name", known_machines())
def test_a_file_is_named_as_its_machine(name: str) -> None:
    assert find_machine(name).name == name


@pytest.mark.parametrize(
    ("name", "hint"), [("bluegene-q", "did you mean bluegene-p?"), ("zzz", "bluegene-l")]
)
def test_an_unknown_machine_is_answered_with_the_known_ones(name: str, hint: str) -> None:
    with pytest.raises(GromaError, match=name) as refused:
        find_machine(name)
    assert hint in refused.value.next_step
    assert refused.value.exit_code == ExitCode.USAGE


def misspelt(machine: dict[str, Any]) -> None:
    machine["torus"]["lnik"] = machine["torus"].pop("link")


def wrong_unit(machine: dict[str, Any]) -> None:
    machine["torus"]["link"]["unit"] = "MB/s"


def negative(machine: dict[str, Any]) -> None:
    machine["processor"]["frequency"]["value"] = -1


def not_finite(machine: dict[str, Any]) -> None:
    machine["processor"]["frequency"]["value"] = float("nan")


def wrong_unit_of_a_count(machine: dict[str, Any]) -> None:
    machine["processor"]["cores"]["unit"] = "packets"


def nameless(machine: dict[str, Any]) -> None:
    machine["name"] = ""


def part_of_a_byte(machine: dict[str, Any]) -> None:
    machine["packet"]["on_wire"]["value"] = 0.5


def part_of_a_cycle(machine: dict[str, Any]) -> None:
    machine["network"]["hop_latency"] = {"value": 64.5, "unit": "cycles", "source": "mine"}


def free_frequency(machine: dict[str, Any]) -> None:
    machine["processor"]["frequency"]["value"] = 0


def free_roles(machine: dict[str, Any]) -> None:
    algorithm = machine["randomaccess"]["algorithms"][0]
    for cost in (algorithm["send"], algorithm["receive"], *(role["own"] for role in algorithm["roles"])):
        cost["value"] = 0


def unsourced(machine: dict[str, Any]) -> None:
    del machine["processor"]["frequency"]["source"]


def unknown_kind(machine: dict[str, Any]) -> None:
    machine["randomaccess"]["algorithms"][0]["kind"] = "magic"


def unknown_algorithm(machine: dict[str, Any]) -> None:
    machine["randomaccess"]["crossovers"][0]["algorithm"] = "magic"


def roles_of_one_name(machine: dict[str, Any]) -> None:
    for role in machine["randomaccess"]["algorithms"][0]["roles"][1:3]:
        role["name"] = "route"


def algorithms_of_one_name(machine: dict[str, Any]) -> None:
    machine["randomaccess"]["algorithms"][1]["name"] = "multi-core"


def no_room_in_packets(machine: dict[str, Any]) -> None:
    machine["packet"]["header"]["value"] = 256


def packets_of_part_of_a_step(machine: dict[str, Any]) -> None:
    machine["packet"]["largest"]["value"] = 250


def crossover_without_nodes(machine: dict[str, Any]) -> None:
    del machine["randomaccess"]["crossovers"][0]["at"]


def crossover_twice(machine: dict[str, Any]) -> None:
    crossover = machine["randomaccess"]["crossovers"][0]
    crossover["beyond"] = crossover["at"]


def rows_of_one_size(machine: dict[str, Any]) -> None:
    machine["randomaccess"]["algorithms"][0]["published"]["rows"][0]["nodes"] = 128


def more_dimensions_than_factors(machine: dict[str, Any]) -> None:
    machine["torus"]["dimensions"]["value"] = 100_000


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (misspelt, "lnik"),
        (wrong_unit, "torus.link.unit"),
        (wrong_unit_of_a_count, "processor.cores.unit"),
        (nameless, "`$.name`"),
        (part_of_a_byte, "0.5 B is no whole number - at `$.packet.on_wire`"),
        (part_of_a_cycle, "64.5 cycles is no whole number - at `$.network.hop_latency`"),
        (free_frequency, "processor.frequency.value"),
        (free_roles, "no role costs anything"),
        (negative, "processor.frequency.value"),
        (not_finite, "processor.frequency.value"),
        (unsourced, "source"),
        (unknown_kind, "magic"),
        (unknown_algorithm, "magic"),
        (roles_of_one_name, "two roles are named 'route' - at `$.randomaccess.algorithms[0]`"),
        (algorithms_of_one_name, "two algorithms are named 'multi-core'"),
        (no_room_in_packets, "a header of 256 B fills the largest packet of 256 B - at `$.packet`"),
        (
            packets_of_part_of_a_step,
            "the largest packet of 250 B is no multiple of a step of 32 B - at `$.packet`",
        ),
        (crossover_without_nodes, "give either at or beyond - at `$.randomaccess.crossovers[0]`"),
        (crossover_twice, "give either at or beyond - at `$.randomaccess.crossovers[0]`"),
        (rows_of_one_size, "two rows are named '128 nodes'"),
        (more_dimensions_than_factors, "100000 dimensions are more than 30 - at `$.torus`"),
    ],
)
def test_a_broken_file_is_refused_by_place(broken: Callable[[dict[str, Any]], None], said: str) -> None:
    machine = document()
    broken(machine)
    with pytest.raises(GromaError, match=r"mine\.toml") as refused:
        machine_of(machine, "mine.toml")
    assert said in refused.value.what
    assert "\n" not in refused.value.what


COSTS_THAT_MAY_BE_NOTHING = [
    ("processor", "send"),
    ("processor", "receive", "single"),
    ("processor", "receive", "each"),
    ("packet", "header"),
    ("packet", "on_wire"),
    ("randomaccess", "algorithms", 0, "send"),
    ("randomaccess", "algorithms", 0, "receive"),
    ("randomaccess", "algorithms", 0, "roles", 1, "own"),
    ("randomaccess", "algorithms", 1, "per_hop"),
    ("randomaccess", "algorithms", 2, "receive"),
]


@pytest.mark.parametrize("place", COSTS_THAT_MAY_BE_NOTHING)
def test_hardware_may_do_for_nothing_what_processors_do(place: tuple[str | int, ...]) -> None:
    machine = document()
    number: Any = machine
    for key in place:
        number = number[key]
    number["value"] = 0
    machine_of(machine, "mine.toml")


def test_a_router_may_have_no_adaptive_channel() -> None:
    none = {"value": 0, "unit": "channels", "source": "mine"}
    mine = machine_of({"extends": "bluegene-l", "network": {"adaptive_channels": none}}, "mine.toml")
    assert mine.network.adaptive_channels.value == 0


@pytest.mark.parametrize(
    ("broken", "hint"),
    [
        ({"extend": "bluegene-p"}, "did you mean extends?"),
        ({"extends": "bluegene-p", "processor": {"coers": {}}}, "did you mean cores?"),
        (
            {"extends": "bluegene-p", "torus": {"link": {"value": 1, "unit": "MB/s", "source": "mine"}}},
            "it must be B/s; ",
        ),
        (
            {"extends": "bluegene-p", "network": {"routing": {"value": "adaptiv", "source": "mine"}}},
            "it must be adaptive or deterministic; ",
        ),
        (
            {"extends": "bluegene-p", "randomaccess": {"algorithms": [{"kind": "magic"}]}},
            "it must be specialised or routed or direct; ",
        ),
        (
            {"extends": "bluegene-p", "network": {"zzz": 1}},
            "known there: adaptive_channels, ",
        ),
        (
            {"extends": "bluegene-l", "network": {"hop_latency": 40}},
            'write hop_latency = { value = ..., unit = "cycles", source = "..." }; ',
        ),
        (
            {"extends": "bluegene-l", "network": {"routing": "adaptive"}},
            'write routing = { value = ..., source = "..." }; ',
        ),
        ({"extends": "bluegene-l", "network": 3}, "an example is "),
    ],
)
def test_a_wrong_word_is_answered_with_what_it_may_be(broken: dict[str, Any], hint: str) -> None:
    with pytest.raises(GromaError) as refused:
        machine_of(broken, "mine.toml")
    assert refused.value.next_step.startswith(hint)


def test_what_is_left_out_has_to_be_there() -> None:
    with pytest.raises(GromaError, match="without: bluegene-p has no 'netwrk'") as refused:
        machine_of({"extends": "bluegene-p", "without": ["netwrk"], "name": "mine"}, "mine.toml")
    assert "network" in refused.value.next_step


def test_only_machines_that_come_with_groma_are_extended() -> None:
    with pytest.raises(GromaError, match="is not a machine that comes with groma") as refused:
        machine_of({"extends": "./other.toml", "name": "mine"}, "mine.toml")
    assert "bluegene-p" in refused.value.next_step


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"extends": "nosuch"}, "mine.toml: extends: 'nosuch'"),
        ({"extends": 3}, "mine.toml is not a machine file: Expected `str`, got `int` - at `$.extends`"),
        ({"extends": "bluegene-p", "without": ["netwrk"]}, "mine.toml: without: bluegene-p has no 'netwrk'"),
        (
            {"extends": "bluegene-p", "without": "randomaccess"},
            "mine.toml is not a machine file: Expected `array`, got `str` - at `$.without`",
        ),
    ],
)
def test_a_wrong_extension_is_refused_by_file_and_place(document: dict[str, Any], said: str) -> None:
    with pytest.raises(GromaError) as refused:
        machine_of(document, "mine.toml")
    assert refused.value.what.startswith(said)


@pytest.mark.parametrize("content", [b"name = ", b"\xff\xfe", b""])
def test_what_is_no_machine_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(content)
    with pytest.raises(GromaError, match=r"mine\.toml"):
        find_machine(str(tmp_path / "mine.toml"))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="no such file"):
        read_machine(tmp_path / "none.toml")


def test_a_folder_is_no_machine_file(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="is a folder"):
        read_machine(tmp_path)


@pytest.mark.parametrize(
    ("payload", "wire"),
    [(8, 46), (72, 110), (240, 270), (241, 270 + 46), (480, 540), (0, 0)],
)
def test_packets_of_blue_gene_take_whole_steps_on_the_wire(payload: float, wire: float) -> None:
    assert find_machine("bluegene-p").packet.wire_bytes(payload) == wire
