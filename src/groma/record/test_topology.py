from __future__ import annotations

import msgspec
import pytest

from groma.record.topology import Topology, TopologyCache, core_of_probe

# Word for word what native/base/topology_test.cpp expects to_json to write.
AS_WRITTEN = (
    b'{"source":"sysfs","this_system":true,'
    b'"cores":[{"logical":0,"physical":3,"core":0,"package":0,"numa":0}],'
    b'"caches":[{"level":1,"kind":"data","size_bytes":null,"line_bytes":null,"ways":null,"cores":[0]}],'
    b'"numa":[{"logical":0,"physical":2,"memory_bytes":null,"memory_side_cache_bytes":null,"cores":[0]}],'
    b'"distances":null,"allowed":[0],"forbidden":[1],"page_bytes":4096,"huge_page_bytes":null}'
)


def cache(level: int, kind: str, size: int, *cores: int) -> TopologyCache:
    return TopologyCache(level=level, kind=kind, size_bytes=size, line_bytes=64, ways=8, cores=cores)


def with_caches(*caches: TopologyCache) -> Topology:
    return msgspec.structs.replace(decoded(), caches=caches)


def decoded() -> Topology:
    return msgspec.json.decode(AS_WRITTEN, type=Topology, strict=True)


def test_what_native_code_writes_is_read_strictly() -> None:
    topology = decoded()
    assert topology.caches[0].size_bytes is None
    assert topology.numa[0].physical == 2
    assert topology.distances is None
    assert msgspec.json.decode(msgspec.json.encode(topology), type=Topology) == topology


def test_native_code_writes_every_field() -> None:
    document = msgspec.json.decode(AS_WRITTEN)
    assert set(document) == set(Topology.__struct_fields__)
    for field in ("cores", "caches", "numa"):
        known = set(getattr(decoded(), field)[0].__struct_fields__)
        assert set(document[field][0]) == known


def test_a_topology_of_an_older_groma_forbids_nothing() -> None:
    older = AS_WRITTEN.replace(b'"forbidden":[1],', b"")
    assert msgspec.json.decode(older, type=Topology, strict=True).forbidden == ()


@pytest.mark.parametrize(
    "wrong", [b'"allowed":["0"]', b'"allowed":null', b'"allowed":[0.5]', b'"allowed":{}', b'"allow":[0]']
)
def test_other_types_are_refused(wrong: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(AS_WRITTEN.replace(b'"allowed":[0]', wrong), type=Topology, strict=True)


def test_declared_cache_is_one_that_an_allowed_core_uses() -> None:
    topology = with_caches(
        cache(1, "instruction", 65536, 0),
        cache(1, "data", 49152, 1),
        cache(1, "data", 32768, 0),
        cache(2, "unified", 1 << 20, 0, 1),
    )
    assert topology.declared_data_cache(1) == cache(1, "data", 32768, 0)
    assert topology.declared_data_cache(2) == cache(2, "unified", 1 << 20, 0, 1)
    assert topology.declared_data_cache(3) is None
    assert topology.declared_data_cache(1, core=1) == cache(1, "data", 49152, 1)


@pytest.mark.parametrize(("core", "measured"), [("1", 1), ("-1", 0), ("", 0)])
def test_a_probe_measures_on_the_core_that_it_was_told_else_on_the_first_allowed(
    core: str, measured: int
) -> None:
    assert core_of_probe({"core": core}, with_caches()) == measured
    assert core_of_probe({"core": core}, None) == (measured or None)
