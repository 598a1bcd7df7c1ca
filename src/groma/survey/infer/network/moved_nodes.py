"""Groups in which every node is with those that it is nearest to.

Linkage joins the nearest two first and never parts them again. Where latencies scatter by a third of a step,
some of these are of two groups, and draw others after them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Groups = NDArray[np.intp]

MOST_MOVES = 4
"""For each node: moves that raise the likelihood end, but the step is fitted again after each round."""
MOST_ROUNDS = 8


def with_nodes_moved(group_of: Groups, distances: Matrix) -> Groups:
    """Nodes change groups, the one that gains most first, until none gain.

    `distances` are symmetric. Pairs in one group differ by one step from all others (least squares). No group
    is left empty, so their number stays.
    """
    found = group_of.copy()
    for _ in range(MOST_ROUNDS):
        moved = _moved(found, distances)
        if np.array_equal(moved, found):
            break
        found = moved
    return found


def _moved(group_of: Groups, distances: Matrix) -> Groups:
    """As the step between these groups has it."""
    together = group_of[:, None] == group_of[None, :]
    np.fill_diagonal(together, val=False)
    apart = ~together
    np.fill_diagonal(apart, val=False)
    if not (together.any() and apart.any()):
        return group_of
    near, far = float(distances[together].mean()), float(distances[apart].mean())
    if near >= far:
        return group_of
    found, nodes = group_of.copy(), np.arange(len(group_of))
    nearness = 0.5 * (near + far) - distances  # above 0 for a pair that is likelier in one group
    np.fill_diagonal(nearness, 0.0)
    is_in = np.eye(int(group_of.max()) + 1)[group_of]
    suits, sizes = nearness @ is_in, is_in.sum(axis=0)
    for _ in range(MOST_MOVES * len(nodes)):
        gains = suits - suits[nodes, found][:, None]
        gains[sizes[found] == 1] = 0.0
        node, group = divmod(int(np.argmax(gains)), len(sizes))
        if gains[node, group] <= 1e-12 * far:
            break
        suits[:, found[node]] -= nearness[node]
        suits[:, group] += nearness[node]
        sizes[[found[node], group]] += [-1, 1]
        found[node] = group
    return found
