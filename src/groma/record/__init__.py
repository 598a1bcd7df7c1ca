"""Contracts that all rooms share: quantity, record, environment, topology.

Nothing here measures, prints or knows the command line.
"""

from groma.record.quantity import Quantity, SampleSummary
from groma.record.record import SCHEMA, Advice, Build, ProbeSamples, Record, Round, Unfinished
from groma.record.topology import Topology, TopologyCache, TopologyCore, TopologyNuma

__all__ = [
    "SCHEMA",
    "Advice",
    "Build",
    "ProbeSamples",
    "Quantity",
    "Record",
    "Round",
    "SampleSummary",
    "Topology",
    "TopologyCache",
    "TopologyCore",
    "TopologyNuma",
    "Unfinished",
]
