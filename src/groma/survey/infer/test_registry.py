"""All inferences of a node together: what samples of any quality may not do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.survey.infer.registry import infer_node
from groma.survey.infer.test_clock import CYCLE, clock_samples
from groma.survey.infer.test_memory import noisy, streams
from groma.survey.infer.test_sharing import Machine, blocks, private

if TYPE_CHECKING:
    from groma.record import ProbeSamples


def with_first(samples: ProbeSamples, value: float) -> ProbeSamples:
    """With this value before those of every case."""
    return msgspec.structs.replace(samples, values=[[value, *some] for some in samples.values])


@pytest.mark.parametrize("value", [0.0, -1e-9, math.nan, math.inf])
def test_values_that_are_no_measurement_change_no_fact(value: float) -> None:
    """A system clock of coarse steps (jiffies) shows times of zero, and rates without end."""
    machine = Machine(2, (private(2), private(2), blocks(2, 2)))
    samples = {
        "clock": clock_samples({0: CYCLE}),
        "cache_sharing": machine.samples(),
        "memory_bandwidth": streams({"triad": {1: noisy(10e9)}}),
    }
    disturbed = {name: with_first(one, value) for name, one in samples.items()}
    assert infer_node(disturbed, machine.topology()) == infer_node(samples, machine.topology())
