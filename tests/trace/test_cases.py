"""The case studies of docs/trace-cases.md, small: what their traces must show on any machine.

Times are the machine's own, so nothing here depends on them: structure does.
"""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import strict_prv
from installed import ROOT, libraries, must
from mpis import AS_ANYBODY, Mpi, mpis

GROMA = Path(sys.executable).parent / "groma"
MESSAGES, SIZE = 5, 50_000
BROADCAST_TAGS = 3  # pieces of a broadcast; checks of the solution have other tags


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest) -> tuple[str, Mpi]:
    if request.param not in mpis():
        pytest.skip(f"no {request.param} here")
    return request.param, mpis()[request.param]


def groma(*words: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(word) for word in (GROMA, *words)],
        cwd=cwd,
        env=os.environ | AS_ANYBODY,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def table(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(groma("stat", folder, "--csv", name, cwd=folder))))


# ---- the fan-in microbenchmark, and the bandwidth of MPI_Waitany


@pytest.fixture(scope="module")
def fan_in(mpi: tuple[str, Mpi], prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of its trace on four ranks, of which the first also sends to one."""
    folder = tmp_path_factory.mktemp("fan-in")
    library = libraries(prefix)
    link = [f"-L{library}", "-Xlinker", "-rpath", "-Xlinker", library, "-lgroma"]
    source = ROOT / "examples/fan_in/fan_in.c"
    must(
        mpi[1].compiler,
        "-std=c11",
        "-O2",
        "-w",
        f"-I{prefix}/include",
        source,
        *link,
        "-o",
        folder / "fan_in",
    )
    options = ["--messages", MESSAGES, "--size", SIZE, "--receivers", 1]
    said = groma("trace", "-o", "t", "--", mpi[1].launcher, "-n", 4, folder / "fan_in", *options, cwd=folder)
    assert len(said.splitlines()) == 1 + 6, "a header and each phase"
    return folder / "t"


def test_each_phase_of_the_fan_in_is_a_region_with_what_it_received(fan_in: Path) -> None:
    regions = {one["label"]: one for one in table(fan_in, "regions")}
    assert set(regions) == {f"{senders} in, {receivers} out" for senders in (1, 2, 3) for receivers in (0, 1)}
    for name, one in regions.items():
        senders, receivers = int(name.split()[0]), int(name.split()[2])
        assert one["count"] == "4"
        assert int(one["messages"]) == MESSAGES * (senders + receivers)
        assert int(one["received"]) == MESSAGES * (senders + receivers) * SIZE
        assert 0 < float(one["in_mpi"]) <= float(one["seconds"])


def test_what_calls_of_waitany_received_is_what_was_sent(fan_in: Path) -> None:
    received = {one["label"]: int(one["received"]) for one in table(fan_in, "calls")}
    sent = sum(int(one["sent"]) for one in table(fan_in, "ranks"))
    assert received["MPI_Waitany"] == sent == MESSAGES * SIZE * (2 * (1 + 2 + 3) + 3)
    assert sum(received.values()) == sent


def test_the_histogram_of_waitany_holds_each_call_that_received(fan_in: Path) -> None:
    bins = [one for one in table(fan_in, "bandwidths") if one["label"] == "MPI_Waitany"]
    trace = strict_prv.read(next(fan_in.glob("*.prv")))
    calls = {row: [one for one in made if one.value == 59] for row, made in trace.calls.items()}
    receiving = {
        (one.receiver, call.begin)
        for one in trace.messages
        for call in calls[one.receiver]
        if call.begin <= one.physical_receive <= call.end and call.end > call.begin
    }
    assert sum(int(one["count"]) for one in bins) == len(receiving)
    for one in bins:
        assert float(one["min"]) % 10e6 == 0


def test_the_middle_waits_for_most_of_the_time_of_the_phases(fan_in: Path) -> None:
    """Rank 0 does nothing but wait and post: its time in the phases is that of its waits."""
    trace = strict_prv.read(next(fan_in.glob("*.prv")))
    times: Counter[int] = Counter()
    for call in trace.calls[1, 1, 1]:
        times[call.value] += call.end - call.begin
    waitany, isend, irecv = 59, 3, 4
    assert times[waitany] > times[isend] + times[irecv]


def test_the_matrix_of_the_trace_places_the_ranks(fan_in: Path) -> None:
    """On a line of four places, ranks 1 and 2, which send most, get the places beside the middle."""
    rows = [line.split(",") for line in (fan_in / "matrix.csv").read_text().splitlines()[1:]]
    sent = {(int(row[0]), int(row[1])): int(row[3]) for row in rows}
    assert sent == {(1, 0): 6 * MESSAGES, (2, 0): 4 * MESSAGES, (3, 0): 2 * MESSAGES, (0, 1): 3 * MESSAGES}
    words = ["map", "--topology", "mesh:4", "--matrix", fan_in / "matrix.csv", "--json"]
    found: Any = json.loads(groma(*words, cwd=fan_in))
    places: list[int] = found["mapping"]
    assert [abs(places[rank] - places[0]) for rank in (1, 2, 3)] == [1, 1, 2]
    assert found["quality"]["hop_bytes"] == MESSAGES * SIZE * (6 + 3 + 4 + 2 * 2)


# ---- broadcast variants of HPL

HPL = """HPLinpack benchmark input file
groma
HPL.out
6
1            N
64
1            NB
8
0            row-major
1            grids
1
4
16.0
1
2
1
4
1
2
1
1
1            variants of the broadcast
{variant}
1
0
2
64
0
0
1
8
"""

# Messages of each piece by the distance from sender to receiver in a row of 4, of a broadcast from each rank.
# Those of the first piece have one more between all pairs, which the back substitution sends.
EXPECTED = {
    0: [(4, 1, 1)],  # ring: all hops go to the next
    1: [(3, 2, 1)],  # modified ring: the root also serves the one after the next
    2: [(3, 1, 2)],  # two rings, in both directions
    3: [(2, 2, 2)],  # two rings, modified
    4: [(4, 1, 1), (1, 2, 0), (1, 1, 1)],  # long: piece p goes to rank p + 1, then around among the others
    5: [(3, 2, 1), (1, 0, 2)],  # modified long: the next rank gets both pieces, two others hand on theirs
}


@pytest.fixture(scope="module")
def hpl() -> tuple[Mpi, Path]:
    for name, one in mpis().items():
        program = Path(sys.prefix) / f"lib/groma/{name}/bin/groma-hpcc"
        if program.exists():
            return one, program
    pytest.skip("no groma-hpcc here")


def broadcasts(folder: Path) -> dict[int, Counter[int]]:
    """Messages of HPL's broadcasts by piece and distance."""
    trace = strict_prv.read(next(folder.glob("*.prv")))
    made: dict[int, Counter[int]] = {tag: Counter() for tag in range(BROADCAST_TAGS)}
    for one in trace.messages:
        if one.tag < BROADCAST_TAGS:
            made[one.tag][(one.receiver[1] - one.sender[1]) % 4] += 1
    return made


@pytest.mark.parametrize("variant", EXPECTED)
def test_the_broadcast_of_hpl_is_seen_in_the_messages(
    hpl: tuple[Mpi, Path], variant: int, tmp_path: Path
) -> None:
    mpi, program = hpl
    (tmp_path / "HPL.dat").write_text(HPL.format(variant=variant))
    words = [mpi.launcher, "-n", 4, program, "run", "--input", "HPL.dat", "--only", "hpl", "--repeat", 1]
    rates = "--rates=multiply=1e9,solve=1e9,bandwidth=1e9,transpose=1e9,transform=1e9,updates=1e7"
    groma("trace", "-o", "t", "--", *words, "--budget", "1s", rates, cwd=tmp_path)
    pieces = broadcasts(tmp_path / "t")
    solves = sum(pieces[0].values()) // 6
    sent = [tuple(piece[distance] / solves for distance in (1, 2, 3)) for piece in pieces.values()]
    assert [piece for piece in sent if any(piece)] == EXPECTED[variant]
