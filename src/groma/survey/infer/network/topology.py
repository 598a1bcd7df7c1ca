"""Hints at the structure of the network (docs/network/topology.md)."""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.network import NetworkFacts, NetworkTopology, TopologyChoice, TopologyLevel
from groma.interconnect.lattice import Lattice, mesh, symmetries, torus
from groma.interconnect.switched import Crossbar, Grouped, LinkedGroups, crossbar, linked_groups, tree
from groma.record.units import format_share
from groma.survey.infer.network.arrangements import (
    LEAST_KNOWN,
    Layout,
    groups_in,
    groups_not_known_apart,
    lattices_in,
    tell_an_order,
)
from groma.survey.infer.network.candidates import (
    candidates,
    full_trees,
    stands_for_orders,
    trees_of_any_uplink,
)
from groma.survey.infer.network.capacities import finer
from groma.survey.infer.network.likelihoods import Latencies, PairFit, most_of_ratios
from groma.survey.infer.network.misfit import Groups, Misfit, misfit
from groma.survey.infer.network.names import DISTANCE, NODE_PAIRS, PAIRS
from groma.survey.infer.network.observations import MOST_ENDS, Observations, hosts_to_weigh, observations_in
from groma.survey.infer.network.parts import parts_of_lattices
from groma.survey.infer.network.reordered import reordered
from groma.survey.infer.network.tapered_twice import tapered_twice
from groma.survey.infer.network.uneven_groups import tree_or_slow_uplink, uneven_tree
from groma.survey.infer.network.unnamed import stands_for_dimensions, unnamed_layouts
from groma.survey.infer.registry import Evidence, Inferred, infers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from groma.interconnect.base import Interconnect
    from groma.survey.infer.network.arrangements import Arrangement
    from groma.survey.infer.network.nested_groups import Level

    Matrix = NDArray[np.float64]

METHOD = (
    "likelihood of bandwidth over distance under max-min fair shares, and of the latency of pairs as base + "
    "node effects + hops; against any structure at all"
)

FEWEST_NODES = 6
SURE = 0.5
SHOWN, LEAST_SHOWN = 3, 0.01
EVEN = 0.11
"""Latencies that scatter by less, node effects aside, are alike; by twice as much, they are not."""
DOUBT = 3.0
"""Nats against one that leaves unexplained why latencies differ, and against doubting that they are alike."""
CHOICE = math.log(6.0)
"""Nats for one of the kinds."""
MOST_WEIGHED = 4
"""Of what latencies suggest: shares of links take long."""
MUCH = 0.1
"""Of the mean square of latencies."""
MOST_SEARCHED_ANYWAY = 24
"""So few nodes have too few pairs to show that something is left unexplained."""
UNUSUAL = 2.0
"""Nats against capacities and structures that networks are not usually built with."""
RARER = math.log(2.0)
"""Nats against two groups of which one may be one of several equal ones with a slow uplink."""
CAUTION = 2.0
"""Nats against every structure but the plain crossbar: a hint shall rarely be wrong."""


BEST_IS_NONE = "a {title} suits them best, but {why}"
UNEVEN = "no structure explains much of how they differ"
NO_KIND = "a structure without a kind suits them best (routers of several nodes, HyperX, part of a lattice)"
OTHER_GROUPS = "as many other groups explain the known pairs as well"
OTHER_ROUTES = "bandwidths speak for another structure than latencies"
SLOW_UPLINK = "equal groups of which one has a slow uplink explain bandwidths as well as a tree of two groups"
LIMITED_TWICE = "a tree whose uplinks limit at two levels explains bandwidths best"
NOTHING = "no structure explains bandwidths"
NO_HALF = "no structure has a confidence of one half"
"""What speaks for a structure of no known kind."""


Name = tuple[str, tuple[int, ...]]
"""Kind and shape."""
UNKNOWN = "unknown"
_UNKNOWN: Name = UNKNOWN, ()


class Hypothesis(NamedTuple):
    """An interconnect, None for one of no known kind, with its log likelihood, less what describing it costs.

    `in_order` where ranks follow it; `fit` is that of its hops to the latencies. `levels` are the groups of a
    tree of several levels, the smallest first, or of one whose groups have their own steps. `why` says what
    speaks for an interconnect of no known kind.
    """

    interconnect: Interconnect | None
    log_likelihood: float
    in_order: bool
    fit: PairFit = PairFit(0.0, 0.0)
    levels: tuple[Level, ...] = ()
    why: str = ""

    @property
    def name(self) -> Name:
        """What interconnects that differ in capacities only have in common."""
        return _name_of(self.interconnect) if self.interconnect is not None else _UNKNOWN


def _name_of(interconnect: Interconnect) -> Name:
    return interconnect.kind, interconnect.shape


@infers("topology", needs=(PAIRS, NODE_PAIRS, DISTANCE), after=("pairs", "node_pairs"), of=NetworkFacts)
def topology(evidence: Evidence) -> Inferred:
    """The structure that explains distances and pairs best; nothing for too few or too many nodes."""
    hosts = hosts_to_weigh(evidence)
    if not _can_be_weighed(hosts):
        return Inferred(None)
    observed = observations_in(evidence, hosts)
    if not (observed.ratios or observed.latencies.pairs):
        return Inferred(None)
    return Inferred(_inferred(observed, _hypotheses(observed)))


def structure_of(hosts: Sequence[str], latencies: Matrix) -> NetworkTopology | None:
    """What explains the latencies (s, NaN where none is known) between these ends best.

    None for fewer than six ends, for more than can be weighed in seconds, and where so few pairs are known
    that those of another structure may be missing.
    """
    if not _can_be_weighed(hosts):
        return None
    observed = Observations(list(hosts), [], Latencies(latencies))
    return _inferred(observed, _hypotheses(observed)) if observed.latencies.known >= LEAST_KNOWN else None


def _can_be_weighed(hosts: Sequence[str]) -> bool:
    """Fewer have too few pairs, more take minutes."""
    return FEWEST_NODES <= len(hosts) <= MOST_ENDS


def interconnect_of(found: NetworkTopology, nodes: int) -> Interconnect | None:
    """What was inferred, where the ranks of `nodes` nodes follow it and it is no mere guess."""
    if not found.in_rank_order or found.confidence < SURE:
        return None
    groups, uplink = groups_of(found, nodes), found.uplink or 1.0
    makers: dict[str, Callable[..., Interconnect]] = {"ring": torus, "torus": torus, "mesh": mesh}
    if found.kind in makers and math.prod(found.shape) == nodes:
        return makers[found.kind](*found.shape)
    match found.kind:
        case "crossbar":
            return crossbar(nodes)
        case "tree" if groups:
            return tree(groups, uplink)
        case "groups" if groups:
            return linked_groups(groups, uplink)
    return None


def groups_of(found: NetworkTopology, nodes: int) -> tuple[int, ...]:
    """The group of each node, whatever order the nodes are in; empty without any, or for a mere guess."""
    group_of = {node: group for group, some in enumerate(found.groups) for node in some}
    sure = found.confidence >= SURE and sorted(group_of) == list(range(nodes))
    return tuple(group_of[node] for node in range(nodes)) if sure else ()


# ---- what explains it --------------------------------------------------------------------------------------


def _hypotheses(observed: Observations) -> list[Hypothesis]:
    """Every structure that was weighed, and one of no known kind that explains what the best leaves."""
    weighing = _Weighing(observed.latencies)
    for one in _in_order(observed):
        weighing.add(one)
    unnamed = list(unnamed_layouts(len(observed.hosts))) if tell_an_order(observed.latencies) else []
    for layout in unnamed:
        weighing.add(_of_no_kind(observed.latencies, layout, math.log(len(unnamed))))
    for found in groups_in(observed.latencies):
        weighing.add_arranged(found)
    of_any_order = [one for one in unnamed if stands_for_dimensions(one.shape)]
    of_groups = weighing.with_groups_as_rows(of_any_order)
    for layouts in (weighing.lattices, of_any_order) if weighing.leaves_more() else (of_groups,):
        for found in lattices_in(observed.latencies, layouts, weighing.least()):
            weighing.add_arranged(found)
    if weighing.leaves_much():
        for part in parts_of_lattices(observed.latencies):
            weighing.add_arranged(part)
    arranged = _by_ratios_too(observed, weighing.arranged)
    weighed = [*weighing.hypotheses, *arranged, *_sound_or_slow(observed)]
    if observed.ratios and observed.latencies.pairs:
        weighed += weighing.of_other_routes(weighed)
    elif observed.ratios:
        weighed += _limited_twice(observed, max(one.log_likelihood for one in weighed))
    return [weighing.of_no_known_kind(), *weighed]


class Weighed(NamedTuple):
    """A hypothesis, its hops, and what latencies alone say of it: the gain less what describing it costs."""

    hypothesis: Hypothesis
    steps: Matrix
    gain: float
    cost: float

    @property
    def by_latencies(self) -> float:
        return self.gain - self.cost


class Arranged(NamedTuple):
    """A hypothesis that latencies suggested, as they alone weigh it, and how its nodes are arranged."""

    hypothesis: Hypothesis
    arrangement: Arrangement


class _Weighing:
    """Hypotheses so far; of their hops, which may be many and large, only those that are needed again."""

    def __init__(self, latencies: Latencies) -> None:
        self.hypotheses: list[Hypothesis] = []
        self.arranged: list[Arranged] = []
        self.lattices: list[Layout] = []
        self._latencies = latencies
        self._groups: dict[bytes, Groups] = {}
        self._in_order: set[bytes] = set()
        self._best: Weighed | None = None

    def add(self, one: Weighed) -> None:
        """One more in the order of the ranks."""
        name, found = _print_of(one.steps), one.hypothesis.interconnect
        self.hypotheses.append(one.hypothesis)
        self._in_order.add(name)
        if isinstance(found, Lattice) and stands_for_orders(found):
            self.lattices.append(Layout(found, one.steps, math.log(symmetries(found)), found.shape))
        self._compare(name, one)

    def add_arranged(self, found: Arrangement) -> None:
        """One that latencies suggested, unless its hops are those of one in the order of the ranks."""
        name = _print_of(found.hops)
        if name not in self._in_order:
            weighed = _arranged(self._latencies, found)
            self.arranged.append(Arranged(weighed.hypothesis, found))
            self._compare(name, weighed)
            self._add_alike(weighed.hypothesis)

    def _add_alike(self, one: Hypothesis) -> None:
        """As many other groups as explain the known pairs as well."""
        if isinstance(one.interconnect, Grouped):
            alike = groups_not_known_apart(one.interconnect.group_of, self._latencies.between)
            if alike:
                log_likelihood = one.log_likelihood + math.log(alike)
                self.hypotheses.append(Hypothesis(None, log_likelihood, in_order=True, why=OTHER_GROUPS))

    def _compare(self, name: bytes, one: Weighed) -> None:
        if isinstance(one.hypothesis.interconnect, Grouped):
            self._groups.setdefault(name, Groups(one.steps, one.cost))
        if self._best is None or one.by_latencies > self._best.by_latencies:
            self._best = one

    def least(self) -> float:
        """What another explanation has to exceed."""
        return self._best.by_latencies + CHOICE + CAUTION if self._best is not None else 0.0

    def leaves_more(self) -> bool:
        """Whether the best so far leaves more than noise, or there are too few pairs to tell."""
        return len(self._latencies.between) <= MOST_SEARCHED_ANYWAY or self._misfit().nats > 0

    def leaves_much(self) -> bool:
        """Whether the best so far takes more than a tenth of the latencies for noise.

        Nodes on a small lattice in any order explain much of the latencies on a part of a larger one.
        """
        if self._best is None or not isinstance(self._best.hypothesis.interconnect, Lattice | Grouped):
            return False
        rest = self._latencies.left_by(self._best.steps, self._best.hypothesis.fit)
        least = MUCH * float(self._latencies.rest @ self._latencies.rest)
        return float(rest @ rest) > least and self._misfit().nats == 0.0

    def with_groups_as_rows(self, layouts: Sequence[Layout]) -> list[Layout]:
        """Those of as many rows as the groups that explain latencies best.

        A tree of its rows explains most of a HyperX: without the columns, what is left looks like noise.
        """
        found = self._best.hypothesis.interconnect if self._best is not None else None
        if not isinstance(found, Grouped):
            return []
        extents = sorted((len(found.shape), found.nodes // len(found.shape)))
        return [one for one in layouts if list(one.shape) == extents and len(one.hops) == math.prod(extents)]

    def of_no_known_kind(self) -> Hypothesis:
        """Latencies that differ though nothing says why, or by more than the best structure says."""
        if not self._latencies.pairs or self._best is None:
            return Hypothesis(None, 0.0, in_order=True, why=NOTHING)
        uneven, found = -DOUBT - _flatness(self._latencies.rest), self._misfit()
        left = self._best.by_latencies + found.nats
        if found.nats > 0 and left > uneven:
            best = self._best.hypothesis.interconnect
            title = best.title if best is not None else "structure without a kind"
            return Hypothesis(None, left, in_order=True, why=BEST_IS_NONE.format(title=title, why=found.why))
        return Hypothesis(None, uneven, in_order=True, why=UNEVEN)

    def of_other_routes(self, weighed: Sequence[Hypothesis]) -> Iterator[Hypothesis]:
        """One of the hops that explain latencies best, whose routes are others than those of its kind; where
        bandwidths speak for another kind. A slow link speaks against the routes as well, but for no other.
        """
        likeliest = max(weighed, key=lambda one: one.log_likelihood)
        if self._best is not None and likeliest.name != self._best.hypothesis.name:
            yield Hypothesis(None, self._best.by_latencies - DOUBT, in_order=True, why=OTHER_ROUTES)

    def _misfit(self) -> Misfit:
        if self._best is None:
            return Misfit(0.0)
        found, levels = self._best.hypothesis.interconnect, self._best.hypothesis.levels
        of_one_level = [found.group_of] if isinstance(found, Grouped) else []
        groups_of = [level.group_of for level in levels] or of_one_level
        return misfit(self._latencies, self._best.steps, self._groups.values(), groups_of)


def _in_order(observed: Observations) -> Iterator[Weighed]:
    natural = _distinguishable(observed)
    of_any_capacity = [*natural, *finer(natural, observed.ratios, observed.as_measured)]
    for one in of_any_capacity:
        same_kind = sum(_family_of(other) == _family_of(one) for other in of_any_capacity)
        yield _weighed(observed, one, math.log(same_kind), 0.0 if one in natural else UNUSUAL)
    uneven = uneven_tree(observed.speeds) if observed.ratios else None
    if uneven is not None:
        yield _weighed(observed, uneven.interconnect, uneven.cost - uneven.gain, 0.0)


def _sound_or_slow(observed: Observations) -> list[Hypothesis]:
    """A tree of two groups, and equal groups of which one has a slow uplink, where bandwidths suit both
    and no latencies tell.
    """
    found = tree_or_slow_uplink(observed.speeds) if not observed.latencies.pairs else None
    if found is None:
        return []
    sound = _weighed(observed, found.interconnect, found.cost, 0.0).hypothesis
    return [sound, Hypothesis(None, sound.log_likelihood + RARER, in_order=True, why=SLOW_UPLINK)]


def _limited_twice(observed: Observations, least: float) -> Iterator[Hypothesis]:
    """A tree whose uplinks limit at two levels, if it may exceed the least log likelihood."""
    nodes, cost = len(observed.hosts), CHOICE + CAUTION + UNUSUAL
    if most_of_ratios(nodes, observed.ratios) - cost > least:
        found = tapered_twice(nodes, observed.ratios)
        if found is not None:
            log_likelihood = observed.by_ratios(found.tree) - cost - found.cost
            yield Hypothesis(None, log_likelihood, in_order=True, why=LIMITED_TWICE)


def _family_of(one: Interconnect) -> str:
    """Its kind; trees and linked groups are one, or the fewer of them would win where both fit."""
    return "grouped" if isinstance(one, Grouped) else one.kind


def _weighed(observed: Observations, one: Interconnect, choice: float, unusual: float) -> Weighed:
    """In the order of the ranks; `choice` and what is `unusual` are nats."""
    is_plain = isinstance(one, Crossbar)
    steps = one.hops()
    fit = PairFit(0.0, 0.0) if is_plain else observed.latencies.explained_by(steps)
    gain = _flatness(observed.latencies.rest) if is_plain else _gain(fit, observed.latencies, steps)
    cost = CHOICE + (0.0 if is_plain else CAUTION) + choice
    log_likelihood = observed.by_ratios(one) + gain - cost - unusual
    return Weighed(Hypothesis(one, log_likelihood, in_order=True, fit=fit), steps, gain, cost)


def _of_no_kind(latencies: Latencies, layout: Layout, choice: float) -> Weighed:
    """In the order of the ranks; bandwidths say nothing for it."""
    fit, cost = latencies.explained_by(layout.hops), CHOICE + CAUTION + UNUSUAL + choice
    gain = _gain(fit, latencies, layout.hops)
    found = Hypothesis(None, gain - cost, in_order=True, fit=fit, why=NO_KIND)
    return Weighed(found, layout.hops, gain, cost)


def _arranged(latencies: Latencies, found: Arrangement) -> Weighed:
    fit, cost = latencies.explained_by(found.hops), CHOICE + CAUTION + found.cost
    cost += UNUSUAL if found.interconnect is None else 0.0
    gain = _gain(fit, latencies, found.hops)
    in_order = _is_in_order(found)
    weighed = Hypothesis(
        found.interconnect, gain - cost, in_order=in_order, fit=fit, levels=found.levels, why=NO_KIND
    )
    return Weighed(weighed, found.hops, gain, cost)


def _is_in_order(found: Arrangement) -> bool:
    """Groups one after the other, whatever sizes they have; lattices in order are no arrangements."""
    return isinstance(found.interconnect, Grouped) and found.interconnect.is_in_blocks


def _by_ratios_too(observed: Observations, arranged: Sequence[Arranged]) -> list[Hypothesis]:
    """What latencies suggested, as bandwidths weigh it as well: those that latencies support most.

    Groups get the uplink that suits the bandwidths best; of several levels, one has it.
    """
    if not observed.ratios:
        return [one.hypothesis for one in arranged]
    likely = sorted(arranged, key=lambda one: -one.hypothesis.log_likelihood)[:MOST_WEIGHED]
    return [_by_ratios(observed, *one) for one in likely]


def _by_ratios(observed: Observations, one: Hypothesis, arrangement: Arrangement) -> Hypothesis:
    found = arrangement.interconnect
    if found is None:
        return one
    if not isinstance(found, Grouped):
        nats = observed.by_ratios(reordered(found, arrangement.sites))
        return one._replace(log_likelihood=one.log_likelihood + nats)
    limited = [level.group_of for level in arrangement.levels] or [found.group_of]
    built: list[Interconnect] = [one for group_of in limited for one in trees_of_any_uplink(group_of)]
    every = [*built, *finer(built, observed.ratios, observed.as_measured)]
    of_any_uplink = sorted(
        (each for each in every if isinstance(each, Grouped)), key=lambda each: -each.uplink
    )
    by_uplink = [observed.by_ratios(each) - (0.0 if each in built else UNUSUAL) for each in of_any_uplink]
    best = int(np.argmax(np.round(by_uplink, 6)))  # the widest of those that limit nothing
    log_likelihood = one.log_likelihood + by_uplink[best] - math.log(len(by_uplink))
    built_so = of_any_uplink[best]
    return one._replace(interconnect=built_so, log_likelihood=log_likelihood, in_order=built_so.is_in_blocks)


def _distinguishable(observed: Observations) -> list[Interconnect]:
    """Without bandwidths, those of the same hops are one: capacities and kinds of groups do not show.

    Without latencies, a mesh does not show: it leaves the same bandwidths as the torus of its extents. Nor
    does a tree whose uplinks carry everything, as a crossbar does.
    """
    every = list(candidates(len(observed.hosts)))
    if not observed.latencies.pairs:
        every = [one for one in every if one.kind != "mesh"]
    elif observed.ratios:
        every += full_trees(len(observed.hosts))
    if observed.ratios:
        return every
    return list({_name_of(one): one for one in every if not isinstance(one, LinkedGroups)}.values())


def _print_of(steps: Matrix) -> bytes:
    """Equal for equal matrices; dozens of matrices of hundreds of nodes would take too much room."""
    return blake2b(steps.tobytes()).digest()


def _gain(fit: PairFit, latencies: Latencies, steps: Matrix) -> float:
    """Of latencies that were measured and do not show the steps: doubt, as of what the steps leave uneven."""
    if fit.gain <= 0:
        return -DOUBT if latencies.pairs else 0.0
    return fit.gain + _flatness(latencies.left_by(steps, fit))


def _flatness(rest: NDArray[np.float64]) -> float:
    """Nats for latencies that are all alike, effects of the nodes and steps aside."""
    return -DOUBT * min(1.0, max(0.0, _scatter(rest) / EVEN - 1.0))


def _scatter(rest: NDArray[np.float64]) -> float:
    """Of relative deviations, robust; 0 without any."""
    return float(np.ptp(np.quantile(rest, [0.1, 0.9]))) if len(rest) else 0.0


# ---- the answer --------------------------------------------------------------------------------------------


def _inferred(observed: Observations, hypotheses: Sequence[Hypothesis]) -> NetworkTopology:
    by_name: dict[Name, Hypothesis] = {}
    for one in sorted(hypotheses, key=lambda hypothesis: hypothesis.log_likelihood):
        by_name[one.name] = one  # the best of them comes last
    ranked = sorted(by_name.values(), key=lambda hypothesis: -hypothesis.log_likelihood)
    weights = np.exp([one.log_likelihood - ranked[0].log_likelihood for one in ranked])
    shares = dict(zip((one.name for one in ranked), map(float, weights / weights.sum()), strict=True))
    best = ranked[0] if shares[ranked[0].name] >= SURE else by_name[_UNKNOWN]
    kind, shape = best.name
    group_of = best.interconnect.group_of if isinstance(best.interconnect, Grouped) else ()
    why_unknown = best.why if shares[best.name] >= SURE else NO_HALF
    return NetworkTopology(
        kind=kind,
        shape=list(shape),
        confidence=shares[best.name],
        hosts=observed.hosts,
        groups=_groups(group_of),
        in_rank_order=best.interconnect is not None and best.in_order,
        uplink=best.interconnect.uplink
        if isinstance(best.interconnect, Grouped) and observed.ratios
        else None,
        levels=[
            TopologyLevel(groups=_groups(one.group_of), adds=one.step * best.fit.step)
            for one in (best.levels if len(best.levels) > 1 else ())
        ],
        evidence=list(
            _against_all(observed, why_unknown) if best.interconnect is None else _evidence(observed, best)
        ),
        alternatives=list(_alternatives(shares, best)),
        method=METHOD,
    )


def _alternatives(shares: Mapping[Name, float], best: Hypothesis) -> Iterator[TopologyChoice]:
    others = {name: share for name, share in shares.items() if name not in {_UNKNOWN, best.name}}
    for (kind, shape), share in list(others.items())[:SHOWN]:
        if share > LEAST_SHOWN:
            yield TopologyChoice(kind=kind, shape=list(shape), weight=share)


def _groups(group_of: Sequence[int]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for node, group in enumerate(group_of):
        groups.setdefault(group, []).append(node)
    return list(groups.values())


def _evidence(observed: Observations, best: Hypothesis) -> Iterator[str]:
    yield from _of_bandwidths(observed)
    if best.fit.gain > 0:
        yield f"latency of {_pairs_in_words(observed.latencies)}: {_steps_in_words(best)}"
    elif observed.latencies.pairs > 0:
        yield f"latency of {_pairs_in_words(observed.latencies)}, which hardly differ"


def _against_all(observed: Observations, why: str) -> Iterator[str]:
    """What was measured, and why no known kind is the answer."""
    yield from _of_bandwidths(observed)
    of_pairs = f"latency of {_pairs_in_words(observed.latencies)}: " if observed.latencies.pairs else ""
    yield of_pairs + why


def _of_bandwidths(observed: Observations) -> Iterator[str]:
    if observed.ratios:
        yield f"bandwidth over {len(observed.ratios)} distances above 1"
    if observed.nodes is not None:
        yield f"nodes of other speeds than most: {sum(one != 1.0 for one in observed.nodes.of_nodes)}"


def _pairs_in_words(latencies: Latencies) -> str:
    disturbed = latencies.disturbed
    return (
        f"{latencies.pairs} pairs, {disturbed} disturbed ones left out"
        if disturbed
        else f"{latencies.pairs} pairs"
    )


def _steps_in_words(best: Hypothesis) -> str:
    """E.g. "each hop adds 8 % of the typical one"; of groups what each level of them adds."""
    if not best.levels:
        return f"each hop adds {format_share(round(best.fit.step, 2))} of the typical one"
    smallest, *larger = [
        f"another of {one.groups} groups adds {_share_in_words(one, best.fit.step)}" for one in best.levels
    ]
    return ", ".join([f"{smallest} of the typical one", *(f"{one} more" for one in larger)])


def _share_in_words(level: Level, step: float) -> str:
    """E.g. "8 % (4 % to 12 %)" where each group adds its own."""
    mean, *ends = [
        format_share(round(one * step, 2))
        for one in (level.step, min(level.of_groups, default=0.0), max(level.of_groups, default=0.0))
    ]
    return f"{mean} ({' to '.join(ends)})" if level.of_groups else mean
