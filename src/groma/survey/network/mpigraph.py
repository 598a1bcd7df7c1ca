"""Runs of mpiGraph as records of the Distance Benchmark (docs/network/distance.md).

mpiGraph sends what the Distance Benchmark sends: in its step d every rank sends to the rank d places further
on, all at once. Its table of receive bandwidths holds each rank at each distance once, as a mean of its
repetitions. So whatever follows from samples of groma follows from these.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from groma.errors import GromaError
from groma.facts.survey import KIND, NodeFacts, SurveyFacts
from groma.record import Advice, Build, ProbeSamples, Record
from groma.record.environment import Environment
from groma.record.record import UNKNOWN_TIME
from groma.survey.infer.network.names import DISTANCE
from groma.survey.infer.network.observations import MOST_NODES as MOST_APART
from groma.survey.infer.network.places import RANK_NODES
from groma.survey.infer.network.sweeps import STATISTICS
from groma.survey.infer.registry import infer_network

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Cases = Iterator[tuple[dict[str, Any], float]]

TITLE = "START mpiGraph"
_TITLE = re.compile(rf"^[ \t]*{TITLE}[ \t]*v?(\S*)", re.MULTILINE)
_SIZES = (
    (re.compile(r"^[ \t]*MsgSize[ \t]+(\d{1,15})\b", re.MULTILINE), 2.0**20),
    (re.compile(r"^[ \t]*Msg Size:[ \t]*(\d{1,15})\b", re.MULTILINE), 1e6),
)
"""How the versions write the size of a message, and the bytes of their MB/s."""
_ROW = re.compile(r"^[ \t]*(\S+):(\d{1,9})[ \t]+from[ \t]+(\S.*)$", re.MULTILINE)
_FEWEST_RANKS = 2
_BANDWIDTHS = (1.0, 1e15)
"""B/s; no others were measured."""
_WITHOUT_REPETITIONS = "network.few_repetitions"


class Run(NamedTuple):
    """`received[r, s]` is the bandwidth (B/s) at which rank r received from rank s, else NaN."""

    version: str
    message: int
    hosts: list[str]
    received: Matrix


def imported_records(content: bytes, name: str) -> list[Record[SurveyFacts]]:
    """Every run in an output of mpiGraph, in its order; `name` is what messages call the file.

    Raises GromaError (exit code 2) for a run that is incomplete or had several ranks on a node.
    """
    text = content.decode("utf-8", errors="replace")
    titles = list(_TITLE.finditer(text))
    if not titles:
        raise GromaError(f"{name} mentions mpiGraph but contains no run of it", "name an output of mpiGraph")
    ends = [one.start() for one in titles[1:]] + [len(text)]
    places = _places(name, len(titles))
    return [
        _record(_run(one[1], text[one.end() : end], place), place)
        for one, end, place in zip(titles, ends, places, strict=True)
    ]


def _places(name: str, runs: int) -> list[str]:
    return [name] if runs == 1 else [f"{name}, run {number} of {runs}" for number in range(1, runs + 1)]


# ---- from text ---------------------------------------------------------------------------------------------


def _run(version: str, text: str, place: str) -> Run:
    message, unit = _message(text, place)
    rows = {int(rank): (host, values.split()) for host, rank, values in _ROW.findall(text)}
    ranks = len(rows)
    whole = sorted(rows) == list(range(ranks)) and all(len(values) == ranks for _, values in rows.values())
    if ranks < _FEWEST_RANKS or not whole:
        raise GromaError(
            f"{place}: its table of receive bandwidths (Recv) is incomplete",
            "name the whole output of an mpiGraph that ran to its end",
        )
    hosts = [rows[rank][0] for rank in range(ranks)]
    if len(set(hosts)) < ranks:
        raise GromaError(
            f"{place}: mpiGraph ran {ranks} ranks on {len(set(hosts))} hosts; ranks of one host share its "
            "adapter and its memory, so their bandwidths say little of the network",
            "run mpiGraph with one rank on each node",
        )
    received = np.array([[_bandwidth(cell, unit) for cell in rows[rank][1]] for rank in range(ranks)])
    return Run(version, message, hosts, received)


def _message(text: str, place: str) -> tuple[int, float]:
    """The bytes of a message, and those of the MB of this version."""
    for pattern, unit in _SIZES:
        found = pattern.search(text)
        if found is not None and int(found[1]) > 0:
            return int(found[1]), unit
    raise GromaError(
        f"{place}: its heading lacks the size of a message (MsgSize)", "name the whole output of mpiGraph"
    )


def _bandwidth(cell: str, unit: float) -> float:
    """In B/s, NaN for what is none."""
    try:
        found = float(cell) * unit
    except ValueError:
        return math.nan
    return found if _BANDWIDTHS[0] <= found <= _BANDWIDTHS[1] else math.nan


# ---- to a record -------------------------------------------------------------------------------------------


def _record(run: Run, place: str) -> Record[SurveyFacts]:
    program = f"mpiGraph {run.version}".strip()
    samples = {DISTANCE: _samples(run)}
    network, advice = infer_network(samples)
    environment: dict[str, Any] = msgspec.to_builtins(Environment(captured=UNKNOWN_TIME, host=run.hosts[0]))
    return Record(
        kind=KIND.name,
        created=UNKNOWN_TIME,
        command=[],
        build=Build(version=program),
        environment=environment,
        parameters={},
        samples=samples,
        facts=SurveyFacts(node=NodeFacts(), network=network, origin=f"{place}, written by {program}"),
        warnings=[_MEANS, *(one for one in advice if one.code != _WITHOUT_REPETITIONS)],
    )


_MEANS = Advice(
    code="network.means",
    what="mpiGraph writes the mean of its repetitions: no bandwidth has an interval",
    next="survey the nodes to know how much bandwidths scatter: groma survey --network --only distance",
)


def _samples(run: Run) -> ProbeSamples:
    """As the probe records them: of up to 64 ranks each one, of more what a distance has in common."""
    ranks = len(run.hosts)
    times = {d: run.message / _at_distance(run.received, d) for d in range(1, ranks)}
    found = list(_of_ranks(times) if ranks <= MOST_APART else _of_all(times))
    return ProbeSamples(
        probe=DISTANCE,
        cases=[{"bytes": run.message, **labels} for labels, _ in found],
        values=[[value] if np.isfinite(value) else [] for _, value in found],
        parameters={"nodes": str(ranks), RANK_NODES: json.dumps(run.hosts)},
    )


def _at_distance(received: Matrix, distance: int) -> Matrix:
    ranks = np.arange(len(received))
    found: Matrix = received[ranks, (ranks - distance) % len(ranks)]
    return found


def _of_ranks(times: dict[int, Matrix]) -> Cases:
    """Also distances above half of the nodes: messages go the other way round."""
    for distance, of_ranks in times.items():
        for rank, time in enumerate(of_ranks.tolist()):
            yield {"unit": "s", "distance": distance, "rank": rank}, time


def _of_all(times: dict[int, Matrix]) -> Cases:
    whole = {distance: one for distance, one in times.items() if np.isfinite(one).all()}
    for distance, of_ranks in whole.items():
        for name, of in STATISTICS.items():
            yield (
                {"unit": "s", "distance": distance, "statistic": name},
                1.0 / float(of(1.0 / of_ranks[None])[0]),
            )
    relative = [one / one.mean() for one in whole.values()]
    for rank, time in enumerate(np.median(relative, axis=0).tolist() if relative else []):
        yield {"unit": "1", "rank": rank, "statistic": "relative"}, time
