"""From the communication layers that were found to the pairs on which each is measured further. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.facts.network import CommunicationLayer
    from groma.record import ProbeSamples
    from groma.survey.network.stages import Stage

MOST_PAIRS = 8
"""Of one layer: what is concurrent has as many messages at most."""


class LayerPairs(msgspec.Struct, frozen=True, kw_only=True):
    """Pairs of one layer that have no rank in common, by the ranks of the launch."""

    name: str
    pairs: tuple[tuple[int, int], ...]


def layers_on(stage: Stage, layers: Sequence[CommunicationLayer]) -> list[LayerPairs]:
    """The layers that have pairs on this stage, with some of them."""
    found = [LayerPairs(name=one.name, pairs=_disjoint(_own(stage, one.pairs))) for one in layers]
    return [one for one in found if one.pairs]


def _own(stage: Stage, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for first, second in pairs:
        one, other = stage.own_rank(first), stage.own_rank(second)
        if one is not None and other is not None:
            yield one, other


def _disjoint(pairs: Iterator[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    taken: set[int] = set()
    chosen: list[tuple[int, int]] = []
    for pair in pairs:
        if len(chosen) < MOST_PAIRS and not taken & set(pair):
            chosen.append(pair)
            taken |= set(pair)
    return tuple(chosen)


def parameter_of(layers: Sequence[LayerPairs]) -> str:
    """As the native probes take it: layers by their number, "0:0-1,2-3;1:0-4"."""
    return ";".join(
        f"{number}:{','.join(f'{first}-{second}' for first, second in one.pairs)}"
        for number, one in enumerate(layers)
    )


def name_layers(samples: ProbeSamples, layers: Sequence[LayerPairs]) -> None:
    """Gives the cases the names of their layers instead of their numbers."""
    names = {str(number): one.name for number, one in enumerate(layers)}
    for case in samples.cases:
        if "layer" in case:
            case["layer"] = names.get(str(case["layer"]), "unknown")


# ---- samples of several launches ---------------------------------------------------------------------------

_RANKS = ("from", "to")


def number_whole(samples: ProbeSamples, stage: Stage) -> None:
    """Gives the cases the ranks that they would have if all cores of all nodes had one."""
    for case in samples.cases:
        for label in _RANKS:
            if isinstance(case.get(label), int):
                case[label] = stage.whole_rank(case[label])


def joined(earlier: ProbeSamples | None, later: ProbeSamples) -> ProbeSamples:
    """The samples of both: a probe may take several launches."""
    if earlier is None:
        return later
    return msgspec.structs.replace(
        later,
        cases=[*earlier.cases, *later.cases],
        values=[*earlier.values, *later.values],
        rounds=[*earlier.rounds, *later.rounds],
        parameters=earlier.parameters | later.parameters,
        elapsed=earlier.elapsed + later.elapsed,
        ended=later.ended if earlier.done else earlier.ended,
        error=earlier.error or later.error,
    )
