"""A profile as hwloc XML, version 2: the declared machine with its measured latencies and bandwidths.

The form is that of hwloc_topology_export_xml; lstopo, hwloc-calc and programs with HWLOC_XMLFILE read it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree as ET

from groma.errors import GromaError
from groma.export.measured import Measured, measured_of
from groma.export.tree import Object, tree_of
from groma.facts.survey import SurveyFacts
from groma.printable import printable
from groma.record.topology import core_of_probe
from groma.record.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groma.export.measured import Attribute, Distances
    from groma.record import Record, Topology, TopologyCache

_HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'

_FLAGS = {"Bandwidth": 5, "Latency": 6}
"""Higher (1) or lower (2) is better, and it takes an initiator (4)."""

_PER_LINE = 10
"""hwloc cuts its lists of values so; a reader takes no more of one."""


class Exported(NamedTuple):
    """`content` is the file; `measured` what of the measurements it holds, and what it cannot."""

    content: bytes
    measured: Measured


def hwloc_of(record: Record[Any], name: str) -> Exported:
    """Raises GromaError (exit code 2) for a record that tells of no machine; `name` is what it is called."""
    facts = record.facts
    if not isinstance(facts, SurveyFacts):
        raise GromaError(
            f"{name} is a record of kind {record.kind}, not a profile", "export what groma survey wrote"
        )
    if facts.declared is None or not facts.declared.cores:
        raise GromaError(
            f"{name} has no topology: it does not say which cores the machine has",
            "measure again: groma survey",
        )
    machine = tree_of(facts.declared, _infos_of_caches(facts, _caches_measured(record, facts.declared)))
    machine.infos |= _about(record)
    measured = measured_of(facts, facts.declared)
    allowed = {one.physical for one in facts.declared.cores if one.logical in set(facts.declared.allowed)}
    root = ET.Element("topology", version="2.0")
    root.append(_element(machine, {"allowed_cpuset": bitmap(allowed or machine.processors)}))
    for one in measured.distances:
        root.append(_distances(one))
    for attribute in measured.attributes:
        root.append(_attribute(attribute, machine))
    ET.indent(root)
    return Exported(_HEAD + ET.tostring(root, encoding="utf-8") + b"\n", measured)


def bitmap(numbers: Iterable[int]) -> str:
    """A set as hwloc writes it: words of 32 bits, the highest first."""
    bits = sum(1 << number for number in set(numbers))
    words = [f"0x{bits >> shift & 0xFFFFFFFF:08x}" for shift in range(0, max(bits.bit_length(), 1), 32)]
    return ",".join(reversed(words))


def _about(record: Record[Any]) -> dict[str, str]:
    host = record.environment.get("host")
    return {
        "Backend": "groma",
        "GromaVersion": record.build.version,
        "GromaMeasured": record.created,
        **({"HostName": str(host)} if host else {}),
    }


def _infos_of_caches(
    facts: SurveyFacts, measured: Iterable[TopologyCache]
) -> dict[TopologyCache, dict[str, str]]:
    """Measured size and latency of each level, for the `measured` caches."""
    of_levels = {
        (one.level, one.kind): {
            "GromaSize": format_quantity(one.size),
            "GromaLatency": format_quantity(one.latency),
        }
        for one in facts.node.caches
    }
    return {one: of_levels.get((one.level, one.kind), {}) for one in measured}


def _caches_measured(record: Record[Any], topology: Topology) -> Iterator[TopologyCache]:
    """Those around the core that measured and around cores of its kind: hybrid machines have several."""
    kinds: dict[int | None, set[tuple[object, ...]]] = defaultdict(set)
    for one in topology.caches:
        for core in one.cores:
            kinds[core].add((one.level, one.kind, one.size_bytes, one.ways))
    samples = record.samples.get("load_latency")
    measured = kinds.get(core_of_probe(samples.parameters if samples is not None else {}, topology))
    yield from (one for one in topology.caches if any(kinds[core] == measured for core in one.cores))


# ---- elements ----------------------------------------------------------------------------------------------


def _element(one: Object, more: dict[str, str] | None = None) -> ET.Element:
    processors, nodes = bitmap(one.processors), bitmap(one.nodes)
    of_machine = {} if more is None else {**more, "allowed_nodeset": nodes}
    element = ET.Element(
        "object",
        {
            "type": one.type,
            **one.attributes,
            "cpuset": processors,
            "complete_cpuset": processors,
            "nodeset": nodes,
            "complete_nodeset": nodes,
            "gp_index": str(one.number),
            **of_machine,
        },
    )
    for name, value in one.infos.items():
        ET.SubElement(element, "info", name=name, value=printable(value))
    for below in (*one.memories, *one.children):
        element.append(_element(below))
    return element


def _distances(one: Distances) -> ET.Element:
    element = ET.Element(
        "distances2",
        type=one.type,
        nbobjs=str(len(one.of)),
        kind=str(one.kind),
        name=one.name,
        indexing="os",
    )
    for tag, values in (("indexes", one.of), ("u64values", one.values)):
        for start in range(0, len(values), _PER_LINE):
            text = "".join(f"{value} " for value in values[start : start + _PER_LINE])
            ET.SubElement(element, tag, length=str(len(text))).text = text
    return element


def _attribute(attribute: Attribute, machine: Object) -> ET.Element:
    """Values of targets, which hwloc names by their numbers in the tree, for the processors of initiators."""
    nodes = {int(one.attributes["os_index"]): one for one in machine.all() if one.type == "NUMANode"}
    element = ET.Element("memattr", name=attribute.name, flags=str(_FLAGS[attribute.name]))
    for (initiator, target), value in sorted(attribute.cells.items(), key=lambda cell: cell[0][::-1]):
        if nodes[initiator].processors:
            ET.SubElement(
                element,
                "memattr_value",
                target_obj_type="NUMANode",
                target_obj_gp_index=str(nodes[target].number),
                value=str(round(value)),
                initiator_cpuset=bitmap(nodes[initiator].processors),
            )
    return element
