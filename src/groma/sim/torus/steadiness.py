"""Whether the rate of a run is that of a steady state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.sim.torus.simulation_plan import UPDATES

if TYPE_CHECKING:
    from groma.record import Quantity

MOST_DRIFT = 0.02
"""Difference of the rates of two halves of a window beyond which a run is not taken as steady."""

WIDEST = 0.2
"""Half of an interval over its rate beyond which a run was too short. While the rate still rises, batches
differ by so much that their interval explains any drift.
"""


def drifts(rate: Quantity, drift: float | None) -> bool:
    """More than noise explains: a half of a window is less certain than the whole by a factor of sqrt(2)."""
    if drift is None:
        return False
    noise = (rate.high - rate.low) / rate.value
    return abs(drift) > max(MOST_DRIFT, noise)


def is_vague(rate: Quantity) -> bool:
    """Without an interval, or with one that says too little."""
    return not rate.confidence or (rate.high - rate.low) / 2 > WIDEST * rate.value


def more_updates(each: int) -> str:
    """What to do after a run with `each` updates of a node that was too short."""
    return f"simulate more updates: --updates {max(UPDATES, 4 * each)}"
