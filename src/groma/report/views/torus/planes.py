"""The torus as its nodes: a value for each node, plane by plane, or as the mean over a dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.torus import TorusFacts
from groma.record import Quantity
from groma.report.blocks import Figure, HeatMap, Option, chosen_from
from groma.report.views.registry import view
from groma.report.words.text import id_of
from groma.report.words.torus import direction_names, fills_torus, share_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groma.record import Record
    from groma.report.views.registry import Blocks

METHOD = "simulated; exact for this request"

MOST_CELLS = 65536
"""Of all planes of one choice, a whole Blue Gene/L: of more, only means over a dimension are shown."""

FEW_CELLS = 4096
"""Of more, such means come first: they show which planes to look at."""


class Measure(NamedTuple):
    """A share of the time for each direction of each node."""

    name: str
    what: str
    nodes: list[list[float]]


@view("network", order=0, of=TorusFacts)
def planes(record: Record[TorusFacts]) -> Blocks:
    facts = record.facts
    measures = [
        Measure(
            "busy", "Share of the time in which links carry packets", facts.links.nodes if facts.links else []
        ),
        Measure(
            "stalled",
            "Share of the time in which links wait for a token to send a packet",
            facts.stalls.nodes,
        ),
    ]
    return [block for one in measures if fills_torus(facts, one.nodes) for block in _of_measure(facts, one)]


def _of_measure(facts: TorusFacts, measure: Measure) -> Blocks:
    options = [*_all_links(facts, measure), *_each_direction(facts, measure)]
    return chosen_from(f"torus-{measure.name}", f"Nodes, links {measure.name}:", options)


def _all_links(facts: TorusFacts, measure: Measure) -> Iterator[Option]:
    """The mean over the links that leave a node."""
    values = _grid(facts, np.mean(measure.nodes, axis=1))
    is_plane = values.ndim == 2
    links = "all links of a node"
    if values.size > FEW_CELLS and not is_plane:
        for picture in _means(facts.axes, values):
            yield _option(measure, picture, links, picture.label)
    if values.size <= MOST_CELLS or is_plane:
        for picture in _planes(facts.axes, values):
            yield _option(measure, picture, links, picture.label, span=values)


def _each_direction(facts: TorusFacts, measure: Measure) -> Iterator[Option]:
    """One picture for each direction: the mean over the last dimension where there are more than two."""
    nodes = np.array(measure.nodes)
    pictures = [
        (name, _flat(facts.axes, _grid(facts, nodes[:, number])))
        for number, name in enumerate(direction_names(facts.axes))
    ]
    span = np.array([picture.values for _, picture in pictures])
    for name, picture in pictures:
        yield _option(measure, picture, f"links {name}", f"{name}, {picture.label}", span=span)


def _grid(facts: TorusFacts, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """By coordinate, at least two of them: the first one runs fastest."""
    shape = [*facts.shape, 1][: max(len(facts.shape), 2)]
    return values.reshape(shape[::-1]).transpose()


class _Picture(NamedTuple):
    """Rows are the second coordinate that is shown, columns the first."""

    label: str
    row_axis: str
    column_axis: str
    values: NDArray[np.float64]


def _planes(axes: Sequence[str], values: NDArray[np.float64]) -> Iterator[_Picture]:
    """Every plane of the first two dimensions."""
    for place in np.ndindex(*values.shape[2:]):
        where = ", ".join(f"{axis} = {at}" for axis, at in zip(axes[2:], place, strict=True))
        yield _Picture(
            where or "plane", _axis(axes, 1), _axis(axes, 0), values[(slice(None), slice(None), *place)]
        )


def _means(axes: Sequence[str], values: NDArray[np.float64]) -> Iterator[_Picture]:
    """The mean over all other dimensions, for each pair of neighbouring dimensions."""
    for first in range(values.ndim - 1):
        others = tuple(at for at in range(values.ndim) if at not in {first, first + 1})
        label = f"mean over {', '.join(axes[at] for at in others)}" if others else "plane"
        yield _Picture(label, _axis(axes, first + 1), _axis(axes, first), values.mean(axis=others))


def _flat(axes: Sequence[str], values: NDArray[np.float64]) -> _Picture:
    return next(_means(axes, values))


def _axis(axes: Sequence[str], number: int) -> str:
    return axes[number] if number < len(axes) else ""


def _option(
    measure: Measure, picture: _Picture, links: str, label: str, span: NDArray[np.float64] | None = None
) -> Option:
    """Pictures of the same `span` of values have the same colours."""
    rows, columns = picture.values.shape[1], picture.values.shape[0]
    drawing = HeatMap(
        row_title=picture.row_axis,
        column_title=picture.column_axis,
        rows=[str(at) for at in range(rows)],
        columns=[str(at) for at in range(columns)],
        cells=[
            [_cell(float(picture.values[column, row])) for column in range(columns)] for row in range(rows)
        ],
        span=() if span is None else (100 * float(span.min()), 100 * float(span.max())),
    )
    shared = "" if span is None else " Maps like this one share one scale of colours."
    figure = Figure(
        id=id_of("torus", measure.name, label),
        title=f"Links {measure.name}: {label}",
        what=f"{measure.what}: {links}, {picture.label}.{shared}",
        method=METHOD,
        drawing=drawing,
    )
    return Option(label=f"{label}, up to {share_text(float(picture.values.max()))}", figure=figure)


def _cell(share: float) -> Quantity:
    percent = 100 * share
    return Quantity(value=percent, unit="%", low=percent, high=percent, confidence=1.0, method=METHOD)
