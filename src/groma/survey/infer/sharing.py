"""Which cores share a cache: from who evicts whom to groups of cores."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from groma.record.units import format_share
from groma.stats.resampling import certainty, low_deciles, resamples
from groma.survey.infer.declared_caches import declared_sizes
from groma.survey.infer.selection import discarded_share, matching

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groma.record import ProbeSamples, Topology

Groups = list[list[int]]

_CONTRAST = 1.3
"""Eviction must make loads slower by this factor, or the set was not in a cache to begin with."""

_EVICTED, _QUIET = 0.5, 0.25
"""Shares of the way from an untouched set to one that its owner evicted itself."""

_SURE = 0.8
_ROUNDS = 60
"""Resamples of the looks of a trial."""

_FEWEST_SAMPLES = 3

_MANY_DISCARDED = 0.25

_ABOVE_LEVEL_BELOW = 1.2
_INSIDE = 0.95
_READ_BY_EVICTORS = 3.0
"""Victim and evictor together touch this many sets, so a set of a third of a cache already overflows it."""

_CLEARLY_OVERFLOWS = 1.05


@dataclass(frozen=True)
class Sharing:
    """`groups` of logical cores that share an instance, ascending, or None where not determined.

    `evidence` says in one line what the groups rest on or why there are none; `declared` are the groups that
    the system declares where these are others.
    """

    groups: Groups | None
    confidence: float
    evidence: str
    declared: Groups | None = None


@dataclass(frozen=True)
class Trial:
    """One victim against `others`; those `beside` it were victims at the same moment."""

    set_bytes: int
    victim: int
    others: frozenset[int]
    beside: frozenset[int]
    samples: Mapping[str, list[float]]


@dataclass
class Relations:
    """What is known of pairs of cores: an equivalence, so that it spreads."""

    cores: set[int] = field(default_factory=set)
    same: dict[frozenset[int], bool] = field(default_factory=dict)
    contradicted: bool = False

    def learn(self, one: int, other: int, *, same: bool) -> None:
        if self.same.setdefault(frozenset((one, other)), same) != same:
            self.contradicted = True

    def known(self, one: int, other: int) -> bool | None:
        return self.same.get(frozenset((one, other)))

    def spread(self) -> None:
        """Who shares with one shares with all that this one shares with, and with nobody else."""
        for group in self.groups():
            for one, other in combinations(group, 2):
                self.learn(one, other, same=True)
        apart = [tuple(pair) for pair, same in self.same.items() if not same]
        group_of = {core: group for group in self.groups() for core in group}
        for one, other in apart:
            for first in group_of[one]:
                for second in group_of[other]:
                    if first != second:
                        self.learn(first, second, same=False)

    def groups(self) -> Groups:
        """Connected sets of cores that share, ascending."""
        group_of = {core: {core} for core in self.cores}
        for pair, same in self.same.items():
            if same:
                joined = set().union(*(group_of[core] for core in pair))
                for core in joined:
                    group_of[core] = joined
        return sorted(sorted(group) for group in {min(group): group for group in group_of.values()}.values())

    def complete(self, lacking: frozenset[int]) -> bool:
        """Whether all pairs are known but those of two cores that lack such a cache."""
        return not self.contradicted and all(
            self.known(one, other) is not None
            for one, other in combinations(sorted(self.cores), 2)
            if not {one, other} <= lacking
        )


def sharing(
    samples: ProbeSamples,
    sizes: Sequence[float],
    level: int,
    topology: Topology | None = None,
    core: int | None = None,
) -> Sharing:
    """Who shares the cache of `level` (1 is the first), whose size in bytes is `sizes[level - 1]` at `core`.

    Sets between the level below and this level count. That others evict is shown by any of them; that they
    do not, only by those that overflow the level even if it is as large as the system declares. Victims of
    another kind than `core` have the sizes that the system declares for them.
    """
    kinds = Kinds(sizes, level, topology, core)
    relations, sureness = _relations(samples, kinds)
    if not relations.cores:
        return _undetermined(samples, _why_untested(level, topology))
    if not relations.complete(frozenset(one for one in relations.cores if kinds.bounds(one) is None)):
        return _undetermined(samples, "evidence of eviction is insufficient or contradictory")
    confidence = min(sureness)
    declared = _declared(topology, level)
    if declared is None:
        return Sharing(relations.groups(), confidence, _how(relations.cores, topology))
    return _with_untested(relations, confidence, declared)


def _why_untested(level: int, topology: Topology | None) -> str:
    if topology is not None and len(topology.allowed) == 1:
        return "it needs two cores, and this process may use only one"
    between = "within this level" if level == 1 else "between this level and the one below"
    return f"no set {between} was tested"


def _undetermined(samples: ProbeSamples, why: str) -> Sharing:
    """Discarded samples are the reason where they are many: more rounds or a quieter machine would help."""
    share = discarded_share(samples)
    if share >= _MANY_DISCARDED:
        why = (
            f"threads lost their cores in {format_share(share)} of the samples (a CPU quota or other work); "
            "measure again without that, or with --depth thorough"
        )
    return Sharing(None, 0.0, f"sharing not determined: {why}")


class Bounds(NamedTuple):
    """The cache below a level, and the largest size that the level may have, in bytes."""

    below: float
    largest: float


class Kinds:
    """Between which sizes a level lies around each core: hybrid machines have several kinds of cores."""

    def __init__(
        self, sizes: Sequence[float], level: int, topology: Topology | None, core: int | None
    ) -> None:
        self._measured = Bounds(sizes[level - 2] if level > 1 else 0.0, sizes[level - 1])
        self._level = level
        self._declared = declared_sizes(topology) if topology else {}
        measured = next(iter(self._declared), None) if core is None else core
        self._own = {} if measured is None else self._declared.get(measured, {})

    def bounds(self, core: int) -> Bounds | None:
        """None where the system declares this level around the measured core, but not around this one.

        The measured size counts, or the declared one where that is larger: a guest sees a part of what it
        shares.
        """
        declared = self._declared.get(core, self._own)
        if {level: declared.get(level) for level in self._own} == self._own:
            return self._measured._replace(
                largest=max(self._measured.largest, self._own.get(self._level, 0.0))
            )
        if self._level not in declared:
            return None if self._level in self._own else self._measured
        below = max((size for level, size in declared.items() if level < self._level), default=0.0)
        return Bounds(below, declared[self._level])


def _relations(samples: ProbeSamples, kinds: Kinds) -> tuple[Relations, list[float]]:
    """What the trials with suitable sets say, and how sure each verdict is."""
    relations, sureness = Relations(), []
    evicted: list[Trial] = []
    doubtful: set[tuple[int, int, int]] = set()
    for trial in _trials(samples):
        bounds = kinds.bounds(trial.victim)
        if bounds is None:
            continue
        largest = bounds.largest
        if not _ABOVE_LEVEL_BELOW * bounds.below < trial.set_bytes <= _INSIDE * largest:
            continue
        relations.cores |= {trial.victim, *trial.others}
        verdict, share = _verdict(trial)
        if verdict == "evicted":
            evicted.append(trial)
        elif verdict == "quiet" and _READ_BY_EVICTORS * trial.set_bytes >= _CLEARLY_OVERFLOWS * largest:
            for other in trial.others:
                relations.learn(trial.victim, other, same=False)
        else:
            doubtful |= {(trial.set_bytes, trial.victim, other) for other in trial.others}
            continue
        sureness.append(share)
    _find_evictors(relations, evicted, doubtful)
    return relations, sureness


def _find_evictors(relations: Relations, evicted: list[Trial], doubtful: set[tuple[int, int, int]]) -> None:
    """Eliminate suspects until nothing more follows.

    A trial with one suspect left shows that these two share; then all their relations are the same. Sharing
    is mutual: where the suspect, as a victim of the same set, was not clearly evicted, something else slowed
    the look. `doubtful` has (set in bytes, victim, other) of the unclear trials.
    """
    known = -1
    while known != len(relations.same) and not relations.contradicted:
        known = len(relations.same)
        for trial in evicted:
            suspects = [
                core
                for core in trial.others | trial.beside
                if relations.known(trial.victim, core) is not False
            ]
            explained = any(relations.known(trial.victim, core) for core in suspects)
            if len(suspects) == 1 and (trial.set_bytes, suspects[0], trial.victim) not in doubtful:
                relations.learn(trial.victim, suspects[0], same=True)
            elif not suspects and not explained:
                relations.contradicted = True
        relations.spread()


def _trials(samples: ProbeSamples) -> Iterable[Trial]:
    """Trials with enough samples of all three kinds; a core that did not evict itself borrows from others."""
    itself: dict[tuple[int, int], list[float]] = {}
    for case, values in matching(samples, evicted="self"):
        itself.setdefault((case["size_bytes"], case["core"]), []).extend(values)
    untouched: dict[tuple[int, int], list[float]] = {}
    for case, values in matching(samples, evicted="nothing"):
        untouched.setdefault((case["size_bytes"], case["core"]), []).extend(values)
    for case, values in matching(samples, evicted="others"):
        size, core = case["size_bytes"], case["core"]
        pooled = [value for (one, _), own in itself.items() if one == size for value in own]
        kinds = {
            "others": values,
            "nothing": untouched.get((size, core), []),
            "self": itself.get((size, core), pooled),
        }
        if min(len(of_kind) for of_kind in kinds.values()) >= _FEWEST_SAMPLES:
            yield Trial(size, core, frozenset(case["others"]), frozenset(case.get("beside", ())), kinds)


def _verdict(trial: Trial) -> tuple[str, float]:
    """One of evicted, quiet and unclear, and how certain that is."""
    drawn = resamples(trial.samples, rounds=_ROUNDS)
    lows = (low_deciles(drawn[kind]).tolist() for kind in ("nothing", "others", "self"))
    ((answer, count),) = Counter(map(_judge, *lows)).most_common(1)
    share = count / _ROUNDS
    fewest = min(len(values) for values in trial.samples.values())
    return (answer if share >= _SURE else "unclear"), certainty(share, fewest)


def _judge(nothing: float, others: float, itself: float) -> str:
    """Noise only adds, whatever the victim finds: low samples decide, of few the smallest."""
    if itself < _CONTRAST * nothing:
        return "unclear"
    climbed = (others - nothing) / (itself - nothing)
    if climbed > _EVICTED:
        return "evicted"
    return "quiet" if climbed < _QUIET else "unclear"


def _declared(topology: Topology | None, level: int) -> Groups | None:
    """Allowed cores by the declared caches of a level, others alone; None where no such cache is declared."""
    if topology is None or topology.declared_data_cache(level) is None:
        return None
    left = set(topology.allowed)
    groups: Groups = []
    for cache in topology.caches:
        group = (
            sorted(left & set(cache.cores)) if cache.level == level and cache.kind != "instruction" else []
        )
        left -= set(group)
        groups += [group] if group else []
    return sorted([*groups, *([core] for core in left)])


def _with_untested(relations: Relations, confidence: float, declared: Groups) -> Sharing:
    """Cores that were not tested stand where the system says, if it was right about all that were."""
    measured, tested = relations.groups(), relations.cores
    restricted = sorted(group for one in declared if (group := [core for core in one if core in tested]))
    untested = sum(len(group) for group in declared) - len(tested)
    if restricted == measured:
        how = f"sharing measured on {len(tested)} cores as declared; {untested} others taken as declared"
        return Sharing(declared, confidence, how if untested else _how(tested))
    if untested:
        what = "sharing not determined: the declaration is wrong, and not all cores were tested"
        return Sharing(None, 0.0, what)
    return Sharing(measured, confidence, _how(tested), declared)


def _how(tested: set[int], topology: Topology | None = None) -> str:
    cores = len(topology.allowed) if topology is not None else len(tested)
    some = f"{len(tested)} of {cores}" if len(tested) < cores else f"all {cores}"
    return f"sharing measured on {some} cores"
