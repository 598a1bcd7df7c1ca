"""Inferences register themselves: one pure function per fact, found by looking through this package."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import Any

from groma.record import Advice, NodeFacts, ProbeSamples, Topology


@dataclass(frozen=True)
class Evidence:
    """All that an inference may look at. `facts` holds what the inferences it comes `after` have found."""

    samples: Mapping[str, ProbeSamples]
    topology: Topology | None = None
    facts: NodeFacts = field(default_factory=NodeFacts)
    virtual: bool = False


@dataclass(frozen=True)
class Inferred:
    """`value` becomes the field of NodeFacts that the inference is registered for; None leaves it unset."""

    value: Any
    advice: tuple[Advice, ...] = ()


InferenceFunction = Callable[[Evidence], Inferred]


@dataclass(frozen=True)
class Inference:
    fact: str
    needs: tuple[str, ...]
    after: tuple[str, ...]
    function: InferenceFunction


_registered: dict[str, Inference] = {}


def infers(
    fact: str, *, needs: tuple[str, ...], after: tuple[str, ...] = ()
) -> Callable[[InferenceFunction], InferenceFunction]:
    """Register a function for one field of NodeFacts.

    It is called when samples of any probe in `needs` are there (always where it needs none), after the facts
    named in `after`.
    """

    def register(function: InferenceFunction) -> InferenceFunction:
        _registered[fact] = Inference(fact, needs, after, function)
        return function

    return register


def inferences() -> Iterator[Inference]:
    """All inferences in an order that respects `after`."""
    package = importlib.import_module("groma.survey.infer")
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.startswith("test_"):
            importlib.import_module(f"groma.survey.infer.{module.name}")
    graph = {one.fact: [name for name in one.after if name in _registered] for one in _registered.values()}
    return (_registered[fact] for fact in TopologicalSorter(graph).static_order())


def infer_node(
    samples: Mapping[str, ProbeSamples], topology: Topology | None, *, virtual: bool = False
) -> tuple[NodeFacts, list[Advice]]:
    """All facts of a node that its samples support, and what the reader must know about them."""
    facts = NodeFacts()
    advice: list[Advice] = []
    for inference in inferences():
        if inference.needs and not any(name in samples and samples[name].values for name in inference.needs):
            continue
        found = inference.function(Evidence(samples, topology, facts, virtual))
        if found.value is not None:
            setattr(facts, inference.fact, found.value)
        advice += found.advice
    return facts, advice
