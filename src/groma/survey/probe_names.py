"""Names of probes as users write them: with or without the prefix of network probes."""

from __future__ import annotations

PREFIX = "net_"
"""Of the names of network probes; users may leave it out."""


def is_network_probe(name: str) -> bool:
    """With or without its prefix, also where groma-network is not built."""
    return not network_probes().isdisjoint((name, f"{PREFIX}{name}"))


def network_probes() -> set[str]:
    """Those from which facts are inferred."""
    from groma.facts.network import NetworkFacts  # noqa: PLC0415
    from groma.survey.infer.registry import inferences  # noqa: PLC0415

    return {probe for one in inferences(NetworkFacts) for probe in one.needs}
