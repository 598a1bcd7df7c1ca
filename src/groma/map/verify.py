"""Where every rank of a launch under a mapping really runs."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError
from groma.facts.placed import PlacedRank, Verification
from groma.map.replay import triad_replay
from groma.record.counting import counted
from groma.record.units import format_ids

if TYPE_CHECKING:
    from pathlib import Path

    from groma.map.launch_files.placement import Numbering, Placement
    from groma.map.launching import Launches
    from groma.record.launch import RankPlace
    from groma.run.interruption import Interruption

_LOOPBACK = frozenset({"localhost", "::1", "[::1]"})

SMALL = 1 << 16
"""Bytes of each rank: the launch is to say where ranks are, not how fast."""


def verified(launches: Launches, pattern: Path, interruption: Interruption) -> Verification:
    """Launch under the mapping once and compare. Raises GromaError (exit code 4) for a failed launch."""
    command = launches.mapped(triad_replay(SMALL), pattern)
    known = launches.run(command, interruption)
    found = known.run.placement if known.run is not None else []
    file = launches.file
    return Verification(
        command=command.shell_line(), ranks=placed_ranks(file.placement, file.numbering, found)
    )


def placed_ranks(placement: Placement, numbering: Numbering, found: list[RankPlace]) -> list[PlacedRank]:
    """Plan and finding of each rank. Raises GromaError (exit code 4) where ranks are missing."""
    if [one.rank for one in found] != list(range(len(placement.places))):
        raise GromaError(
            f"{counted(len(found), 'rank')} answered, {len(placement.places)} were mapped",
            "check the launcher: groma doctor",
            ExitCode.ENVIRONMENT,
        )
    return [
        PlacedRank(
            rank=one.rank,
            host=one.host,
            cpus=one.cpus,
            planned_host=_by_name(placement.host_of(one.rank)),
            planned_cpus=numbering.kernel_numbers(placement.places[one.rank].cores),
        )
        for one in found
    ]


def _by_name(host: str) -> str:
    """A host file may call this machine by its loopback address; ranks answer with its name."""
    return socket.gethostname() if host in _LOOPBACK or host.startswith("127.") else host


def refuse_misplaced(verification: Verification) -> None:
    """Raises GromaError (exit code 4) that names the first rank which is not where the mapping says."""
    wrong = verification.misplaced
    if not wrong:
        return
    first = wrong[0]
    raise GromaError(
        f"{len(wrong)} of {len(verification.ranks)} ranks are not where the mapping says: "
        f"rank {first.rank} runs on {_place(first.host, first.cpus)}, "
        f"not on {_place(first.planned_host, first.planned_cpus)}",
        "the launcher ignores the file; check its version, or use keys for MPI_Comm_split",
        ExitCode.ENVIRONMENT,
    )


def _place(host: str, cpus: list[int]) -> str:
    return f"{host} {format_ids(cpus)}" if cpus else host
