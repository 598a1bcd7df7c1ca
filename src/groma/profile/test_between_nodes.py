"""What a profile says of messages between nodes, however damaged it is."""

import msgspec
import pytest

from groma.profile.between_nodes import determined
from groma.record import Quantity


@pytest.mark.parametrize("damaged", ["low", "value", "high"])
@pytest.mark.parametrize("number", [0.0, -1e-6])
def test_a_quantity_with_a_bound_that_is_not_positive_is_not_determined(damaged: str, number: float) -> None:
    """Models and simulators divide by all three."""
    sound = Quantity(value=2e-6, unit="s", low=1e-6, high=3e-6, confidence=0.95, method="median")
    assert determined(sound) == sound
    assert determined(msgspec.structs.replace(sound, **{damaged: number})) is None
