"""Hosts on one line: folded by their numbers, cut where there are many."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.report.words import hosts
from groma.report.words.hosts import LONGEST_GROUP, LONGEST_LINE, folded, groups_of_hosts


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ("node01 node02 node03 node07", "node[01-03,07]"),
        ("n9 n10 n11", "n[9-11]"),
        ("n09 n10 n012", "n[09-10,012]"),
        ("n9 n010", "n[9,010]"),
        ("node03 node01 node02", "node[03,01-02]"),
        ("r1n1-ib0.cluster.org r1n2-ib0.cluster.org", "r1n1-ib0 r1n2-ib0"),
        ("cn1-a cn2-a cn3-b", "cn[1-2]-a cn3-b"),
        ("login", "login"),
        ("login login2 login3", "login login[2-3]"),
        ("10.0.0.7 10.0.0.8", "10.0.0.7 10.0.0.8"),
        ("4 5 6", "4 5 6"),
        ("", ""),
    ],
)
def test_names_that_differ_by_a_number_are_together(names: str, shown: str) -> None:
    assert folded(names.split()) == shown


def test_groups_are_told_apart() -> None:
    groups = [[f"node{number:02}" for number in range(first, first + 4)] for first in (0, 4)]
    assert groups_of_hosts(groups) == "node[00-03]; node[04-07]"


def test_many_groups_are_cut_to_a_line_which_says_how_many_are_left() -> None:
    groups = [[f"node{number:03}" for number in range(first, first + 4)] for first in range(0, 400, 4)]
    shown = groups_of_hosts(groups)
    assert len(shown) <= LONGEST_LINE + len("; 93 more")
    assert shown.startswith("node[000-003]; node[004-007]; ")
    assert shown.endswith(f"; {100 - shown.count('[')} more")


def test_a_group_of_many_unlike_names_is_cut_as_well() -> None:
    assert groups_of_hosts([[f"{word}-server" for word in "abcdefghijkl"]]) == (
        "a-server b-server c-server d-server and 8 more"
    )


@given(
    st.lists(st.from_regex(r"(node|n|rack7-)[0-9]{1,3}(-ib)?|login", fullmatch=True), min_size=2, max_size=40)
)
def test_a_group_is_cut_where_one_name_more_would_be_too_long(names: list[str]) -> None:
    shown, more, _ = groups_of_hosts([names]).partition(" and ")
    kept = next(n for n in range(len(names), 0, -1) if n == 1 or len(folded(names[:n])) <= LONGEST_GROUP)
    assert (shown, bool(more)) == (folded(names[:kept]), kept < len(names))


def test_each_name_of_a_large_group_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    take_apart = hosts._parts

    def counted(name: str) -> hosts._Name:
        asked.append(name)
        return take_apart(name)

    monkeypatch.setattr(hosts, "_parts", counted)
    names = [f"node{2 * number:05}" for number in range(1000)]
    assert groups_of_hosts([names]).endswith("and 995 more")
    assert len(asked) == len(names)
