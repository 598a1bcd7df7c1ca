"""Files in which schedulers name hosts are read in one way."""

from __future__ import annotations

import pytest

from groma.host.host import FakeHost
from groma.host.jobs import GrantedHost, granted_hosts, scheduler_of

GRANTED = "c1 2 all.q@c1 UNDEFINED\n\nc2 4 all.q@c2 0,0:0,1\n \t\nc1 2 long.q@c1 <NULL>\n"


def test_lines_have_their_numbers_and_blank_ones_name_no_host() -> None:
    assert list(granted_hosts(GRANTED)) == [
        GrantedHost(1, "c1", "2"),
        GrantedHost(3, "c2", "4"),
        GrantedHost(5, "c1", "2"),
    ]
    assert list(granted_hosts("n1\nn1\n")) == [GrantedHost(1, "n1", ""), GrantedHost(2, "n1", "")]


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n"])
def test_a_file_of_blank_lines_names_no_host(text: str) -> None:
    assert list(granted_hosts(text)) == []


def test_a_job_of_grid_engine_names_each_node_once() -> None:
    host = FakeHost(variables={"JOB_ID": "7", "PE_HOSTFILE": "/var/pe"}, files={"/var/pe": GRANTED})
    found = scheduler_of(host)
    assert found is not None
    assert found.nodes == "c1,c2"
