"""What the parameters of a workload may be, beside each other and on a torus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.errors import GromaError
from groma.record.counting import counted
from groma.sim.torus.parameters import GIVEN
from groma.sim.torus.shapes import AXES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.sim.torus.parameters import Parameters
    from groma.sim.torus.shapes import Extents
    from groma.sim.torus.workloads import Parameter, Value, Workload


def refuse_contradictions(workload: Workload, chosen: Parameters) -> None:
    """Nothing of what has to be something, and values that would be ignored.

    Raises GromaError (exit code 2).
    """
    values = {one.name: one.value for one in chosen}
    given = {one.name for one in chosen if one.source == GIVEN}
    for one in workload.parameters:
        name, other = f"workload.{one.name}", f"workload.{one.excludes}"
        if one.is_positive and values[name] == 0:
            raise GromaError(
                f"--set {name}=0: it must be above 0",
                f"omit it; groma describe {workload.name} tells what holds without it",
            )
        if values[name] is not None and values.get(other) is not None:
            raise GromaError(f"--set {name} and --set {other} exclude each other", "give one of them")
        if name in given:
            _refuse_without_its_choice(one, values)


def _refuse_without_its_choice(one: Parameter, values: dict[str, Value]) -> None:
    """Where the choice of another parameter leaves this one without a meaning."""
    if one.only_with is None:
        return
    other, choice = one.only_with
    if values[f"workload.{other}"] != choice:
        raise GromaError(
            f"--set workload.{one.name} belongs to workload.{other}={choice}, "
            f"not to {values[f'workload.{other}']}",
            f"leave it out, or add --set workload.{other}={choice}",
        )


def lists_of(workload: Workload, values: dict[str, Any], extents: Extents) -> dict[str, list[float]]:
    """What is typed as "1,0,0"; of a shift, dimensions that are left out are 0.

    Raises GromaError (exit code 2) for what is no list, or is none of this torus.
    """
    found = {
        one.name: _numbers(one.name, values[one.name])
        for one in workload.parameters
        if one.is_list and one.name in values
    }
    if "offsets" in found:
        found["offsets"] += [0.0] * (len(extents.shape) - len(found["offsets"]))
        _refuse_offsets(found["offsets"], extents)
    if "dimensions" in found:
        _refuse_dimensions(found["dimensions"], extents)
    return found


def _numbers(name: str, value: Value) -> list[float]:
    try:
        return [float(word) for word in str(value).split(",")]
    except ValueError:
        raise GromaError(
            f"--set workload.{name}={value}: this is not a list of numbers",
            f"write numbers: workload.{name}=0,1",
        ) from None


def _typed(numbers: Sequence[float]) -> str:
    return ",".join(f"{number:g}" for number in numbers)


def _refuse_offsets(offsets: Sequence[float], extents: Extents) -> None:
    setting = f"workload.offsets={_typed(offsets)}"
    possible = _typed([1.0 if size > 1 else 0.0 for size in extents.shape])
    step = f"such as --set workload.offsets={possible}"
    if len(offsets) > len(extents.shape):
        raise GromaError(f"{setting}: the torus has {counted(len(extents.shape), 'dimension')}", step)
    for axis, offset, size in zip(AXES, offsets, extents.shape, strict=False):
        if offset not in range(size):
            raise GromaError(
                f"{setting}: {offset:g} is not between 0 and {size - 1} in dimension {axis} "
                f"of {counted(size, 'node')}",
                step,
            )


def _refuse_dimensions(dimensions: Sequence[float], extents: Extents) -> None:
    setting, last = f"workload.dimensions={_typed(dimensions)}", len(extents.shape) - 1
    step = f"name some of {_typed(range(last + 1))}"
    for number in dimensions:
        if number not in range(last + 1):
            raise GromaError(f"{setting}: {number:g} is none of the dimensions 0 to {last}", step)
    if len(set(dimensions)) < len(dimensions):
        raise GromaError(f"{setting}: a dimension is named twice", step)
