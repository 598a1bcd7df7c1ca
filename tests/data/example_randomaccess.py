"""Synthetic records of RandomAccess, in the shape of real ones, for tests of the page.

    python example_randomaccess.py run [--ranks 8] [--machines 2] [--seed 1] [--algorithm route] > run.json
    python example_randomaccess.py errors [--seed 1] > errors.json
    python example_randomaccess.py owner [--seed 1] > owner.json
    python example_randomaccess.py bottleneck [--ranks 8] [--seed 1] > bottleneck.json

The same arguments give the same bytes. No machine was measured for them. The facts follow from the samples
by the same inference as those of real runs.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from example_run import BUILD, CREATED, Run, environment, launch_of, samples_of

from groma.facts.randomaccess import Exchange, RandomAccessPlan
from groma.randomaccess.infer import MEDIAN, loads_of, owner_facts, planned_facts
from groma.randomaccess.infer_bottleneck import add_loads, planned_bottleneck
from groma.randomaccess.infer_errors import error_facts
from groma.record import ProbeSamples, Record
from groma.record.launch import CheckResult, Choice
from groma.stats.quantities import median_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.randomaccess import RandomAccessFacts
    from groma.facts.randomaccess_bottleneck import BottleneckFacts
    from groma.facts.randomaccess_errors import ErrorFacts
    from groma.facts.randomaccess_owner import OwnerFacts

CaseSamples = tuple[dict[str, Any], list[float]]

LOOK_AHEAD = 1024
WORDS_OF_A_RANK = 2**20
UPDATES_OF_A_RANK = 4 * WORDS_OF_A_RANK
RATE_OF_A_RANK = 2e7


@dataclass
class TableRun(Run):
    """`specialise` has two roles: of four ranks one generates, the others update."""

    algorithm: str = "route"

    def role_of(self, rank: int) -> str:
        if self.algorithm != "specialise":
            return "generate, route, update"
        return "update" if rank % 4 else "generate"


# ---- a run over ranks --------------------------------------------------------------------------------------


def run_samples(run: TableRun) -> ProbeSamples:
    return samples_of(run, "random_access", list(run_cases(run)))


def run_cases(run: TableRun) -> Iterator[CaseSamples]:
    updates = UPDATES_OF_A_RANK * run.ranks
    times = run.several(UPDATES_OF_A_RANK / RATE_OF_A_RANK)
    yield {"unit": "s", "series": "time", "mode": "mpi", "rank": 0}, times
    rates = [float(f"{updates / time:.6g}") for time in times]
    yield {"unit": "update/s", "series": "rate", "mode": "mpi", "rank": 0}, rates
    for rank in range(run.ranks):
        yield from rank_cases(run, rank, sum(times) / len(times))


def rank_cases(run: TableRun, rank: int, time: float) -> Iterator[CaseSamples]:
    role = run.role_of(rank)
    share = (0.9 if role == "generate" else 0.6) / run.speed_of(rank)
    messages = UPDATES_OF_A_RANK / 100
    series = (
        ("messages", "1", messages),
        ("sent", "B", messages * 800),
        ("handed", "1", 0.0),
        ("waited", "s", time * (1 - share)),
        ("worked", "s", time * share),
        ("pending", "1", 0.9 * LOOK_AHEAD),
    )
    for name, unit, value in series:
        yield {"unit": unit, "series": name, "rank": rank, "role": role, "raw": True}, run.several(value)


def run_plan(run: TableRun) -> RandomAccessPlan:
    return RandomAccessPlan(
        tests=["random_access"],
        algorithm=run.algorithm,
        grid=[run.machines, run.per_machine] if run.algorithm == "route" else [],
        mapping_mode=8 if run.algorithm == "specialise" else 1,
        table_words=WORDS_OF_A_RANK * run.ranks,
        updates=UPDATES_OF_A_RANK * run.ranks,
        generator="polynomial",
        owner="prediction",
        look_ahead=LOOK_AHEAD,
        repetitions=5,
        budget=20,
        choices=[Choice(what="grid", value="2x4", why="few dimensions, short lines")],
    )


def run_facts(run: TableRun, samples: ProbeSamples) -> RandomAccessFacts:
    facts = planned_facts(run_plan(run), run.ranks)
    times, rates = samples.values[:2]
    pending = max(max(values) for case, values in cases_of_series(samples, "pending"))
    facts.gups = median_quantity([1e-9 * rate for rate in rates], "GUP/s", MEDIAN)
    facts.seconds = median_quantity(times, "s", MEDIAN)
    facts.updates, facts.errors, facts.look_ahead_max = UPDATES_OF_A_RANK * run.ranks, 0, int(pending)
    facts.exchange = Exchange(messages=0.01, bytes=8.0, handed=0.0)
    facts.loads = list(loads_of(samples))
    facts.checks = [
        CheckResult(name="wrong words", value=0.0, limit=0.0, passed=True),
        CheckResult(name="updates pending", value=float(int(pending)), limit=LOOK_AHEAD, passed=True),
    ]
    facts.success = True
    facts.launch = launch_of(run, "groma-randomaccess")
    return facts


def cases_of_series(samples: ProbeSamples, series: str) -> Iterator[CaseSamples]:
    for case, values in zip(samples.cases, samples.values, strict=True):
        if case.get("series") == series:
            yield case, values


# ---- errors and owners -------------------------------------------------------------------------------------

# Strategy, rate relative to one thread, wrong words of a run.
STRATEGIES = (
    ("serial", 1.0, (0, 0, 0, 0, 0)),
    ("unsynchronised", 1.74, (12, 0, 151, 3, 40)),
    ("atomic", 0.98, (0, 0, 0, 0, 0)),
    ("locks:1", 0.11, (0, 0, 0, 0, 0)),
    ("locks:32", 0.24, (0, 0, 0, 0, 0)),
    ("owner", 1.01, (0, 0, 0, 0, 0)),
)
STUDY_WORDS = 2**24


def study_samples(run: Run) -> ProbeSamples:
    return samples_of(run, "errors", list(study_cases(run)))


def study_cases(run: Run) -> Iterator[CaseSamples]:
    for name, speed, wrong in STRATEGIES:
        shape = {
            "threads": 1 if name == "serial" else 2,
            "table_words": STUDY_WORDS,
            "updates": 4 * STUDY_WORDS,
        }
        case = {"strategy": name, "exact": name != "unsynchronised", **shape}
        yield {"unit": "s", "series": "time", **case}, run.several(4 * STUDY_WORDS / (6e7 * speed))
        yield {"unit": "words", "series": "wrong_words", **case}, [float(words) for words in wrong]


def lookup_samples(run: Run) -> ProbeSamples:
    return samples_of(run, "owner", list(lookup_cases(run)))


def lookup_cases(run: Run) -> Iterator[CaseSamples]:
    for parts in (3, 96, 12288):
        without = ("prediction", 5e-10) if parts < 1000 else ("search", 7e-10)
        for way, time in (("division", 1.6e-9), without):
            yield {"unit": "s", "way": way, "parts": parts, "words": 2**27}, run.several(time)


# ---- a search for the bottleneck ---------------------------------------------------------------------------

LOADS_OF_ROLES = {"generate, route 1": 24e-9, "route 2": 28e-9, "update": 36e-9}
LOADS_OF_MESSAGES = {"send": 5e-9, "receive": 4e-9}
DELAY = 25e-9


def search_samples(run: Run) -> ProbeSamples:
    return samples_of(run, "random_access", list(search_cases(run)))


def search_cases(run: Run) -> Iterator[CaseSamples]:
    """Roles work at the same time: an update takes as long as the slowest of those that are left."""
    loads = list(LOADS_OF_ROLES.values())
    yield _searched(run, "update_time", "none", "", max(loads))
    for place, role in list(enumerate(LOADS_OF_ROLES))[1:]:
        yield _searched(run, "update_time", "discard", role, max(loads[:place]))
    for role, load in (LOADS_OF_ROLES | LOADS_OF_MESSAGES).items():
        yield _searched(run, "update_time", "delay", role, max(load + DELAY, *loads))
        yield _searched(run, "delayed_time", "delay", role, DELAY)


def _searched(run: Run, series: str, intervention: str, role: str, time: float) -> CaseSamples:
    labels = {"series": series, "intervention": intervention, "role": role}
    return {"unit": "s", **labels}, run.several(time)


# ---- records -----------------------------------------------------------------------------------------------


def record_of(kind: str, facts: Any, samples: ProbeSamples) -> Record[Any]:
    return Record(
        kind=kind,
        created=CREATED,
        command=["groma", *kind.split("_")],
        build=BUILD,
        environment=environment(),
        parameters={},
        samples={samples.probe: samples},
        facts=facts,
    )


def example_run(run: TableRun | None = None) -> Record[RandomAccessFacts]:
    run = run or TableRun()
    samples = run_samples(run)
    return record_of("randomaccess", run_facts(run, samples), samples)


def example_errors(run: Run | None = None) -> Record[ErrorFacts]:
    samples = study_samples(run or Run())
    return record_of("randomaccess_errors", error_facts(samples), samples)


def example_owner(run: Run | None = None) -> Record[OwnerFacts]:
    samples = lookup_samples(run or Run())
    return record_of("randomaccess_owner", owner_facts(samples), samples)


def example_bottleneck(run: Run | None = None) -> Record[BottleneckFacts]:
    run = run or Run()
    samples = search_samples(run)
    plan = RandomAccessPlan(table_words=WORDS_OF_A_RANK * run.ranks, mapping_mode=8, grid=[run.ranks])
    facts = planned_bottleneck(plan, run.ranks)
    add_loads(facts, samples)
    for role in facts.roles:
        role.ranks = run.ranks
    facts.checks, facts.success = [CheckResult(name="wrong words", value=0, limit=0, passed=True)], True
    return record_of("randomaccess_bottleneck", facts, samples)


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints a synthetic record of RandomAccess.")
    parser.add_argument("what", choices=("run", "errors", "owner", "bottleneck"))
    for option, default in (("ranks", 8), ("machines", 2), ("seed", 1)):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--algorithm", default="route", choices=("direct", "route", "specialise"))
    args = vars(parser.parse_args())
    make = {
        "run": example_run,
        "errors": example_errors,
        "owner": example_owner,
        "bottleneck": example_bottleneck,
    }[args.pop("what")]
    sys.stdout.buffer.write(msgspec.json.encode(make(TableRun(**args))) + b"\n")


if __name__ == "__main__":
    main()
