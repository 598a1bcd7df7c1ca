"""Where the ranks of a launch were found, as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.record.counting import counted
from groma.record.units import format_ids
from groma.report.blocks import Band, Box, DataTable, Figure, MachinePicture, PackagePicture
from groma.report.words.launch import binding_words
from groma.run.placement import machines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.record.launch import Launch, RankPlace

MOST_DRAWN = 8
"""Of more machines the table tells."""


def placement_figure(name: str, launch: Launch) -> Figure:
    """Processors of the first machines as a picture, all ranks in the table."""
    found = list(machines(launch.placement).values())
    counts = f"The first {MOST_DRAWN} of {counted(len(found), 'machine')} are drawn; the table lists all."
    rest = f" {counts}" if len(found) > MOST_DRAWN else ""
    return Figure(
        id=name,
        title="Placement of the ranks",
        what=f"Processors that each rank may use, by kernel numbers; {binding_words(launch)}.{rest}",
        method="Every rank reported its host, the boot id of its kernel and its affinity mask after the "
        "launch.",
        drawing=MachinePicture(packages=[_picture(ranks) for ranks in found[:MOST_DRAWN]]),
        table=DataTable(
            columns=["rank", "host", "machine", "may run on"],
            rows=[
                [one.rank, one.host, number, format_ids(one.cpus)]
                for number, ranks in enumerate(found, start=1)
                for one in ranks
            ],
        ),
        data=launch.placement,
    )


class _Mask(NamedTuple):
    """Processors that the same ranks may run on."""

    cpus: tuple[int, ...]
    ranks: list[int]


def _picture(ranks: Sequence[RankPlace]) -> PackagePicture:
    """Ranks of one mask share their boxes; masks that overlap lie in bands below each other."""
    cpus = sorted({cpu for one in ranks for cpu in one.cpus})
    columns = {cpu: column for column, cpu in enumerate(cpus)}
    bands = [
        Band(
            label="ranks that share processors with those above" if number else "ranks on processors",
            role="level1" if number else "level2",
            boxes=[box for mask in layer for box in _boxes(mask, columns)],
        )
        for number, layer in enumerate(_layered(_shared_masks(ranks)))
    ]
    return PackagePicture(
        title=ranks[0].host,
        detail=f"{counted(len(ranks), 'rank')}, processors {format_ids(cpus)}",
        columns=max(1, len(cpus)),
        bands=bands,
    )


def _shared_masks(ranks: Sequence[RankPlace]) -> list[_Mask]:
    found: dict[tuple[int, ...], list[int]] = {}
    for one in ranks:
        found.setdefault(tuple(one.cpus), []).append(one.rank)
    return [_Mask(cpus, own) for cpus, own in found.items()]


def _layered(masks: Sequence[_Mask]) -> list[list[_Mask]]:
    """Each mask in the first layer where it overlaps with no other."""
    layers: list[tuple[set[int], list[_Mask]]] = []
    for mask in masks:
        free = next((layer for layer in layers if layer[0].isdisjoint(mask.cpus)), None)
        if free is None:
            free = (set(), [])
            layers.append(free)
        free[0].update(mask.cpus)
        free[1].append(mask)
    return [own for _, own in layers]


def _boxes(mask: _Mask, columns: Mapping[int, int]) -> Iterator[Box]:
    """One box for each run of neighbouring processors."""
    text = format_ids(mask.ranks)
    detail = f"rank {text} on processors {format_ids(list(mask.cpus))}"
    places = {columns[cpu] for cpu in mask.cpus}
    for first in sorted(place for place in places if place - 1 not in places):
        last = next(place for place in range(first, max(places) + 1) if place + 1 not in places)
        yield Box(first=first, span=last - first + 1, text=text, detail=detail)
