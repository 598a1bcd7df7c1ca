"""What a mapping gains: the same work under the mapping and under the launcher's default, in turns."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from groma.facts.placed import Gain
from groma.map.launching import time_of
from groma.record import ProbeSamples
from groma.record.units import format_share
from groma.stats.quantities import median_quantity
from groma.stats.ratios import ratio_quantity

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from groma.map.launching import Launches
    from groma.map.replay import Replay
    from groma.run.interruption import Interruption

LAUNCHES = 5
"""Of each kind, as many as give an interval of 95 %."""

SURE = 0.95
"""The confidence that readers expect of an interval."""

METHOD = "median over launches of the median time of an iteration"
RATIO_METHOD = "median time by default over median time under the mapping, launches in turns"


PROBE = "replay"
KINDS = ("default", "mapped")


class Experiment(NamedTuple):
    """`announce` is called with a line about each launch before it starts."""

    launches: Launches
    replay: Replay
    pattern: Path
    pairs: int = LAUNCHES
    seed: int = 1
    announce: Callable[[str], None] = lambda _: None


def turns_of(pairs: int, seed: int) -> list[str]:
    """Each kind once in every pair, in an order drawn by the seed. More pairs follow fewer."""
    order = random.Random(seed)  # noqa: S311 - an order, not a secret
    turns: list[str] = []
    for _ in range(pairs):
        kinds = [*KINDS]
        order.shuffle(kinds)
        turns += kinds
    return turns


def new_samples(experiment: Experiment, kernel: str = "") -> ProbeSamples:
    """The time of an iteration in each launch, as yet without any."""
    return ProbeSamples(
        probe=PROBE,
        cases=[{"unit": "s", "placement": kind} for kind in KINDS],
        values=[[] for _ in KINDS],
        parameters={"kernel": kernel, "launches": str(experiment.pairs)},
        seed=experiment.seed,
        ended="interrupted",
    )


def launches_in(samples: ProbeSamples) -> int:
    """How many launches are done."""
    return sum(map(len, samples.values))


def measure_launches(
    experiment: Experiment,
    samples: ProbeSamples,
    interruption: Interruption,
    on_launch: Callable[[], object] = lambda: None,
) -> None:
    """Adds the launches that `samples` lacks; `on_launch` is called after each.

    Raises GromaError for a launch that fails, is interrupted or gives wrong results.
    """
    launches, replay, pattern = experiment.launches, experiment.replay, experiment.pattern
    pattern.write_text(replay.pattern, encoding="utf-8")
    commands = {
        "default": launches.by_default(replay, pattern),
        "mapped": launches.mapped(replay, pattern),
    }
    samples.parameters |= {kind: command.shell_line() for kind, command in commands.items()}
    turns = turns_of(experiment.pairs, experiment.seed)
    for turn in range(launches_in(samples), len(turns)):
        kind = turns[turn]
        experiment.announce(f"launch {turn + 1} of {len(turns)}: {kind}")
        known = launches.run(commands[kind], interruption)
        samples.values[KINDS.index(kind)].append(time_of(known))
        if kind == "default" and known.run is not None:
            hosts = " ".join(one.host for one in known.run.placement)
            samples.parameters.setdefault("default_hosts", hosts)
        on_launch()
    samples.ended = "rounds"


def gain_of(samples: ProbeSamples, kernel: str) -> Gain | None:
    """None before there was a launch of each kind."""
    if len(samples.values) != len(KINDS) or not all(samples.values):
        return None
    default, mapped = samples.values
    known = samples.parameters
    return Gain(
        kernel=kernel,
        launches=min(len(default), len(mapped)),
        default=median_quantity(default, "s", METHOD),
        mapped=median_quantity(mapped, "s", METHOD),
        gain=ratio_quantity(default, mapped, RATIO_METHOD),
        default_command=known.get("default", ""),
        mapped_command=known.get("mapped", ""),
        default_hosts=known.get("default_hosts", "").split(),
    )


def remarks_on(gain: Gain) -> list[str]:
    """Says how sure an interval is that fewer launches gave than one of 95 % needs."""
    if gain.gain.confidence >= SURE:
        return []
    confidence = format_share(round(gain.gain.confidence, 2))
    launches = f"with {gain.launches} launches of each placement"
    enough = f"{LAUNCHES} give at least {format_share(SURE)}"
    return [f"{launches}, the interval of the gain has a confidence of {confidence}; {enough}"]
