"""Files of hosts are checked before a launcher reads them: what is wrong is named with its line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groma.errors import ExitCode, GromaError
from groma.launch.hostfile import DIALECTS, NamedHost, fewest_slots, parse_hosts, read_hosts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def hosts(text: str, dialect: str = "") -> list[tuple[str, int | None]]:
    return [(one.name, one.slots) for one in parse_hosts(text, "hosts", dialect)]


def refusal(text: str, dialect: str = "") -> GromaError:
    with pytest.raises(GromaError) as refused:
        parse_hosts(text, "hosts", dialect)
    assert refused.value.exit_code == ExitCode.USAGE
    assert refused.value.next_step
    return refused.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h1\nh2\n", [("h1", None), ("h2", None)]),
        ("h1", [("h1", None)]),
        ("\n# all of them\n\t h1   slots=2 # two\n\n", [("h1", 2)]),
        ("h1 slots = 2 max_slots=4\nh2 max-slots=3 slots=3\n", [("h1", 2), ("h2", 3)]),
        (
            "jane@h1.cluster.org slots=8\n// a remark\n10.0.0.2\n",
            [("jane@h1.cluster.org", 8), ("10.0.0.2", None)],
        ),
        ("h1 cpu=2 username=jane\nh2 count=3", [("h1", 2), ("h2", 3)]),
        ("+n0\n+n1 slots=2\n", [("+n0", None), ("+n1", 2)]),
        ("node_1-a.\n", [("node_1-a.", None)]),
    ],
)
def test_hosts_of_open_mpi_are_read(text: str, expected: list[tuple[str, int | None]]) -> None:
    assert hosts(text, "slots") == expected
    assert hosts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h1\nh2:4\n", [("h1", None), ("h2", 4)]),
        ("# c\nh1:2 # two\n", [("h1", 2)]),
        ("jane@h1:2 binding=user:0,1\nh2 user=jane\n", [("jane@h1", 2), ("h2", None)]),
    ],
)
def test_hosts_of_mpich_are_read(text: str, expected: list[tuple[str, int | None]]) -> None:
    assert hosts(text, "colon") == expected
    assert hosts(text) == expected


@pytest.mark.parametrize("text", ["h1:ppn=4", "h1*4", "h1/4"])
@pytest.mark.parametrize(
    ("dialect", "step"), [("slots", "write h1 slots=4"), ("colon", "write h1:4"), ("", "write h1 slots=4")]
)
def test_slots_as_other_programs_write_them_are_refused_with_the_line_to_write(
    text: str, dialect: str, step: str
) -> None:
    refused = refusal(f"h0\n{text}\n", dialect)
    assert refused.what == f"hosts, line 2: '{text}' is no way to give slots in a host file"
    assert refused.next_step == step


@pytest.mark.parametrize("text", ["rank 0=h1 slot=0\nrank 1=h2 slot=0\n", "# c\nrank 0 = +n0 slots=0:1\n"])
@pytest.mark.parametrize("dialect", ["slots", "colon", ""])
def test_a_rank_file_is_called_one(text: str, dialect: str) -> None:
    refused = refusal(text, dialect)
    assert "is of a rank file, not of a host file" in refused.what
    assert refused.next_step == "list the hosts, one per line: groma places the ranks"


def test_a_host_file_without_a_name_is_called_so() -> None:
    with pytest.raises(GromaError, match="the host file has no name"):
        read_hosts("")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("h1 slots=1\nH1 slots=1", 2, "H1 is already in line 1, but as h1"),
        ("h1\njane@h1", 2, "jane@h1 is already in line 1, but as h1"),
        ("jane@h1\nh1", 2, "h1 is already in line 1, but as jane@h1"),
        ("h1.\nh2\nh1", 3, "h1 is already in line 1, but as h1."),
        ("h1 slots=foo", 1, "'slots=foo' is not a valid number of slots"),
        ("h1 slots=", 1, "not a valid number of slots"),
        ("h1 slots=0", 1, "not a valid number of slots"),
        ("h1 slots=-1", 1, "not a valid number of slots"),
        ("h1 slots=1.5", 1, "not a valid number of slots"),
        ("h1 slots=٣", 1, "not a valid number of slots"),
        ("h1 slots=99999999999999999999", 1, "not a valid number of slots"),
        ("h1 slots=4 max_slots=2", 1, "max_slots=2 is less than its 4 slots"),
        ("h0\nh1 max-slots=x", 2, "'max-slots=x' is not a valid number of slots"),
        ("h1 solts=2", 1, "unknown key 'solts'"),
        ("h1 2", 1, "'2' after a host has no meaning"),
        ("h1 slots=2,", 1, "not a valid number of slots"),
        ("h1,h2", 1, "'h1,h2' is not a valid host name"),
        ("-h", 1, "'-h' is not a valid host name"),
        ("^h1", 1, "not a valid host name"),
        ("$(reboot)", 1, "not a valid host name"),
        ("@h1", 1, "is not a valid user name"),
        ("fe80::1", 1, "an IPv6 address"),
        ("[fe80::1]:2", 1, "an IPv6 address"),
        ("node[01-04]", 1, "'node[01-04]' names several hosts"),
        ("h1\r\nh2\r\n", 1, "ends with CR LF"),
        ("\ufeffh1\n", 1, "byte order mark"),
        ("h1\nh\x002\n", 2, "not text"),
        ("h1\n\x1b[31mh2", 2, "not text"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, words: str) -> None:
    assert refusal(text).what.startswith(f"hosts, line {line}: ")
    assert words in refusal(text).what


@pytest.mark.parametrize("text", ["", "\n\n", "# nobody\n", "   \t"])
def test_a_file_without_hosts_is_refused(text: str) -> None:
    assert refusal(text).what == "hosts names no host"


@pytest.mark.parametrize("dialect", ["slots", "colon", ""])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h1\nh1\nh2\nh2\n", [("h1", 2), ("h2", 2)]),
        ("h2\nh1\nh2\nh1\nh2\nh3\n", [("h2", 3), ("h1", 2), ("h3", 1)]),
        ("# of PBS\nh1\n\nh1\n# the rest\nh1\n", [("h1", 3)]),
        ("jane@h1\njane@h1\n", [("jane@h1", 2)]),
    ],
)
def test_a_host_has_a_slot_for_each_line_that_names_it(
    text: str, expected: list[tuple[str, int | None]], dialect: str
) -> None:
    """As in $PBS_NODEFILE."""
    assert hosts(text, dialect) == expected


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        ("h1 slots=2\nh2\nh1 slots=4\n", "slots", [("h1", 6), ("h2", None)]),
        ("h1 slots=2\nh1\nh2\n", "slots", [("h1", 3), ("h2", 1)]),
        ("h1:2\nh2:1\nh1:2\n", "colon", [("h1", 4), ("h2", 1)]),
    ],
)
def test_slots_of_several_lines_add_up(
    text: str, dialect: str, expected: list[tuple[str, int | None]]
) -> None:
    assert hosts(text, dialect) == expected


def test_a_host_of_several_lines_is_known_by_the_first() -> None:
    assert [one.line for one in parse_hosts("h1 slots=2\nh1\nh2\n", "hosts", "slots")] == [1, 3]


def test_each_launcher_has_its_dialect() -> None:
    """What the other one takes would be refused by the launcher in words of its own, or passed over."""
    of_open_mpi = refusal("h0\nh1:2", "slots")
    assert (of_open_mpi.what, of_open_mpi.next_step) == (
        "hosts, line 2: Open MPI does not read h1:2",
        "write h1 slots=2",
    )
    assert "unknown key 'slots' of MPICH" in refusal("h1 slots=2", "colon").what
    assert "host:2" in refusal("h1 slots=2", "colon").next_step
    assert "no comment after a host without slots" in refusal("h1 # mine", "colon").what
    assert "h1:2" in refusal("h1 # mine", "colon").next_step


def test_the_fewest_slots_count() -> None:
    assert fewest_slots(parse_hosts("h1 slots=4\nh2 slots=2\nh3", "hosts")) == 2
    assert fewest_slots(parse_hosts("h1\nh2", "hosts")) is None


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, words in ((tmp_path / "absent", "no such file"), (tmp_path, "regular"), (pipe, "regular")):
        with pytest.raises(GromaError, match=words) as refused:
            read_hosts(str(path))
        assert refused.value.exit_code == ExitCode.USAGE
        assert str(path) in refused.value.what


@pytest.mark.parametrize(
    ("content", "line"), [(b"h1\nh2\n\xff\xfe", 3), (bytes(range(256)), 2), (b"\x7fELF\x02\x01", 1)]
)
def test_a_binary_file_is_refused(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "hosts"
    path.write_bytes(content)
    with pytest.raises(GromaError, match=rf"line {line}: this is not text"):
        read_hosts(str(path))


names = st.from_regex(r"[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,4})?(\.[a-z]{1,5})?", fullmatch=True)
named = st.lists(st.tuples(names, st.none() | st.integers(1, 512)), min_size=1, unique_by=lambda one: one[0])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(named, st.sampled_from(sorted(DIALECTS)), st.data())
def test_every_file_in_the_dialect_is_read_as_it_was_written(
    wanted: list[tuple[str, int | None]], dialect: str, data: st.DataObject
) -> None:
    count = DIALECTS[dialect].example
    lines = [name if slots is None else count.format(host=name, slots=slots) for name, slots in wanted]
    padded = [data.draw(st.sampled_from(["", "# x\n", "\n", "\t"])) + line + " " for line in lines]
    assert hosts("\n".join(padded), dialect) == wanted


pieces = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        ["h1", "h2", " ", "\t", "\n", "\r\n", "=", "slots", ":", "2", "@", "#", "[", "]", "\ufeff", "-1"]
    ),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(st.lists(pieces, max_size=20), st.sampled_from(["", *DIALECTS]))
def test_any_text_is_read_or_refused_in_one_line(parts: list[str], dialect: str) -> None:
    found, error = attempt(lambda: parse_hosts("".join(parts), "hosts", dialect))
    if error is None:
        assert found
        assert all(one.name.isascii() for one in found)
    else:
        assert error.exit_code == ExitCode.USAGE
        assert error.what.startswith("hosts")
        assert error.what.isprintable()


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "hosts"
    path.write_bytes(content)
    found, error = attempt(lambda: read_hosts(str(path)))
    assert found or (error is not None and error.exit_code == ExitCode.USAGE)


def attempt(read: Callable[[], tuple[NamedHost, ...]]) -> tuple[tuple[NamedHost, ...], GromaError | None]:
    try:
        return read(), None
    except GromaError as error:
        return (), error


def test_a_file_of_grid_engine_gives_a_host_the_slots_of_all_its_queues() -> None:
    text = "c1 2 all.q@c1 UNDEFINED\nc2 4 all.q@c2 0,0:0,1\nc1 2 long.q@c1 <NULL>\n"
    hosts = parse_hosts(text, "pe_hostfile", "slots")
    assert [(one.name, one.slots, one.granted) for one in hosts] == [("c1", 4, True), ("c2", 4, True)]
    with pytest.raises(GromaError, match="line 1: '0' is not a valid number of slots"):
        parse_hosts("c1 0 all.q@c1 UNDEFINED\n", "pe_hostfile")


def test_blank_lines_of_a_file_of_grid_engine_are_passed_over() -> None:
    text = "\nc1 2 all.q@c1 UNDEFINED\n \t\nc2 many all.q@c2 UNDEFINED\n"
    hosts = parse_hosts(text.replace("many", "4"), "pe_hostfile", "slots")
    assert [(one.name, one.slots, one.line, one.granted) for one in hosts] == [
        ("c1", 2, 2, True),
        ("c2", 4, 4, True),
    ]
    with pytest.raises(GromaError, match="line 2: '0' is not a valid number of slots"):
        parse_hosts(text.replace("c1 2", "c1 0").replace("many", "4"), "pe_hostfile")
