"""Contracts that every room shares: quantity, record, profile, environment, topology.

Nothing here measures, prints or knows a command line.
"""

from groma.record.network import NetworkFacts
from groma.record.profile import (
    Cache,
    Clock,
    ContentionPair,
    Core,
    CoreToCore,
    DistanceClass,
    LatencyLayer,
    LoadedLatency,
    Memory,
    NodeFacts,
    Numa,
    ScalingPoint,
    StreamKernel,
    SurveyFacts,
    Tlb,
)
from groma.record.quantity import Quantity, SampleSummary
from groma.record.record import SCHEMA, Advice, Build, ProbeSamples, Record, Round, Unfinished
from groma.record.topology import Topology, TopologyCache, TopologyCore, TopologyNuma

__all__ = [
    "SCHEMA",
    "Advice",
    "Build",
    "Cache",
    "Clock",
    "ContentionPair",
    "Core",
    "CoreToCore",
    "DistanceClass",
    "LatencyLayer",
    "LoadedLatency",
    "Memory",
    "NetworkFacts",
    "NodeFacts",
    "Numa",
    "ProbeSamples",
    "Quantity",
    "Record",
    "Round",
    "SampleSummary",
    "ScalingPoint",
    "StreamKernel",
    "SurveyFacts",
    "Tlb",
    "Topology",
    "TopologyCache",
    "TopologyCore",
    "TopologyNuma",
    "Unfinished",
]
