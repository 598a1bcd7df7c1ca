"""What a survey of the network costs: a model, for planning before anything is started."""

from __future__ import annotations

import msgspec

from groma.launch.shape import Shape  # noqa: TC001 - the public face of this module


class CostModel(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds that starting and ending a job takes: at once, for each node, for each rank.

    Generous for launchers that start nodes along a tree, as Slurm, PRRTE and Hydra do: four seconds for a
    thousand nodes, twenty for 64 ranks on each.
    """

    job: float = 1.0
    node: float = 0.004
    rank: float = 0.00025

    def starting(self, shape: Shape) -> float:
        return self.job + self.node * shape.nodes + self.rank * shape.ranks


MOST_RANKS = 1024
"""Above these, pairs are measured by two jobs: all cores of two nodes, and one rank on every node."""

PAIR_SECONDS = 0.004
"""Of one pair in one round: the pair's messages, and handing the turn on to ranks that sleep."""

PAIR_ROUNDS = 8


def pairs_within(budget: float) -> int:
    """How many pairs can be sampled in so many seconds."""
    return max(16, int(budget / (PAIR_SECONDS * PAIR_ROUNDS)))
