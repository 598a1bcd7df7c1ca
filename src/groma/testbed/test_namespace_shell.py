"""What the kernel refuses is reported in its own words, before anything is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.host.host import FakeHost
from groma.testbed.bed import holders_in, refuse_complaints, require_support, without_job
from groma.testbed.namespace_shell import ROOT, USER, NamespaceSupport, probe

if TYPE_CHECKING:
    from collections.abc import Sequence


class Kernel(FakeHost):
    """Answers what is tried with `refusals`, by whether a user namespace is asked for."""

    def __init__(self, *, root: bool, refusals: dict[bool, str]) -> None:
        super().__init__()
        self.root_user, self.refusals = root, refusals

    def is_root(self) -> bool:
        return self.root_user

    def ask(self, arguments: Sequence[str], timeout: float = 5.0, *, or_stderr: bool = False) -> str | None:  # noqa: ARG002
        return self.refusals["--map-root-user" in arguments[-1]]


REFUSED = "unshare: unshare failed: Operation not permitted\nunshare failed"


@pytest.mark.parametrize(
    ("root", "refusals", "expected"),
    [
        (True, {False: "", True: REFUSED}, NamespaceSupport(ROOT)),
        (True, {False: REFUSED, True: ""}, NamespaceSupport(USER)),
        (False, {False: "", True: ""}, NamespaceSupport(USER)),
        (False, {False: "", True: REFUSED}, NamespaceSupport(None, REFUSED.splitlines()[0])),
        (
            True,
            {False: "tc is not installed\n", True: "other"},
            NamespaceSupport(None, "tc is not installed"),
        ),
    ],
)
def test_the_way_that_works_is_taken(
    *, root: bool, refusals: dict[bool, str], expected: NamespaceSupport
) -> None:
    assert probe(Kernel(root=root, refusals=refusals)) == expected


def test_a_kernel_that_forbids_it_is_an_environment_that_fails() -> None:
    with pytest.raises(GromaError, match="no test bed can be started here: tc is not installed") as refused:
        require_support(NamespaceSupport(None, "tc is not installed"))
    assert refused.value.exit_code == ExitCode.ENVIRONMENT


def test_holders_are_known_by_name() -> None:
    assert holders_in("h0 12\nr0 13\n") == {"h0": 12, "r0": 13}


@pytest.mark.parametrize("said", ["unshare: unshare failed: No space left on device\nh0 failed", "h0 failed"])
def test_a_namespace_that_cannot_be_made_is_reported(said: str) -> None:
    with pytest.raises(GromaError, match=said.splitlines()[0]):
        holders_in(said)


def test_ip_and_tc_are_silent_where_all_works() -> None:
    refuse_complaints("\n")
    with pytest.raises(GromaError, match="Cannot find device"):
        refuse_complaints("Cannot find device eth0\nCommand failed -:1")


def test_a_job_outside_is_not_seen_in_the_bed() -> None:
    outside = {
        "SLURM_JOB_ID": "7",
        "PMI_RANK": "1",
        "PBS_NODEFILE": "/x",
        "OMPI_MCA_btl": "tcp",
    }
    assert without_job(outside) == {"OMPI_MCA_btl": "tcp"}
