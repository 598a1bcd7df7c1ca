"""Inferences register themselves: one pure function per fact, found by looking through this package."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

from groma.facts.matrices import stored
from groma.facts.network import NetworkFacts
from groma.facts.survey import NodeFacts
from groma.survey.infer.selection import measured_only

if TYPE_CHECKING:
    from groma.facts.network import NetworkLaunch
    from groma.facts.survey import CoreToCore
    from groma.record import Advice, ProbeSamples, Topology


@dataclass(frozen=True)
class Evidence:
    """All that an inference may look at.

    `facts` and `network` hold what the inferences it comes `after` have found, `network` also the launches.
    """

    samples: Mapping[str, ProbeSamples]
    topology: Topology | None = None
    facts: NodeFacts = field(default_factory=NodeFacts)
    virtual: bool = False
    network: NetworkFacts = field(default_factory=NetworkFacts)


@dataclass(frozen=True)
class Inferred:
    """`value` becomes the field that the inference is registered for; None leaves it unset."""

    value: Any
    advice: tuple[Advice, ...] = ()


InferenceFunction = Callable[[Evidence], Inferred]


@dataclass(frozen=True)
class Inference:
    fact: str
    needs: tuple[str, ...]
    after: tuple[str, ...]
    function: InferenceFunction


Part = type[NodeFacts] | type[NetworkFacts]

_registered: dict[Part, dict[str, Inference]] = {}


def infers(
    fact: str, *, needs: tuple[str, ...], after: tuple[str, ...] = (), of: Part = NodeFacts
) -> Callable[[InferenceFunction], InferenceFunction]:
    """Register a function for one field of a part of the facts.

    It is called when samples of any probe in `needs` are there (always where it needs none), after the facts
    of the same part named in `after`.
    """

    def register(function: InferenceFunction) -> InferenceFunction:
        _registered.setdefault(of, {})[fact] = Inference(fact, needs, after, function)
        return function

    return register


def inferences(of: Part = NodeFacts) -> Iterator[Inference]:
    """All inferences of a part in an order that respects `after`."""
    package = importlib.import_module("groma.survey.infer")
    for module in pkgutil.walk_packages(package.__path__, "groma.survey.infer."):
        if not module.name.rpartition(".")[2].startswith("test_"):
            importlib.import_module(module.name)
    known = _registered.get(of, {})
    graph = {one.fact: [name for name in one.after if name in known] for one in known.values()}
    return (known[fact] for fact in TopologicalSorter(graph).static_order())


def infer_node(
    samples: Mapping[str, ProbeSamples], topology: Topology | None, *, virtual: bool = False
) -> tuple[NodeFacts, list[Advice]]:
    """All facts of a node that its samples support, and what the reader must know about them."""
    facts = NodeFacts()
    sound = {name: measured_only(one) for name, one in samples.items()}
    advice = _infer(NodeFacts, facts, Evidence(sound, topology, facts, virtual))
    if facts.core_to_core is not None:
        _store_sparsely(facts.core_to_core)
    return facts, advice


def _store_sparsely(found: CoreToCore) -> None:
    """Thousands of cores have millions of pairs, of which some are measured."""
    for name in ("latency", "compare_exchange"):
        whole, sparse = stored(getattr(found, name))
        if sparse is not None:
            setattr(found, name, whole)
            found.sparse[name] = sparse


def infer_network(
    samples: Mapping[str, ProbeSamples], launches: Sequence[NetworkLaunch] = ()
) -> tuple[NetworkFacts | None, list[Advice]]:
    """The same for the network, None where no probe of it has samples.

    `launches` tell where the ranks were; without them no host is named. Any thread, any time.
    """
    facts = NetworkFacts(launches=list(launches))
    advice = _infer(NetworkFacts, facts, Evidence(samples, network=facts))
    return (None if facts == NetworkFacts() else facts), advice


def _infer(part: Part, facts: NodeFacts | NetworkFacts, evidence: Evidence) -> list[Advice]:
    """Fill `facts`, which `evidence` holds as well, and return the advice."""
    advice: list[Advice] = []
    for inference in inferences(part):
        needed = inference.needs
        if needed and not any(name in evidence.samples and evidence.samples[name].values for name in needed):
            continue
        found = inference.function(evidence)
        if found.value is not None:
            setattr(facts, inference.fact, found.value)
        advice += found.advice
    return advice
