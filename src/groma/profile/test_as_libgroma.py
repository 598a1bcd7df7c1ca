"""The answers are those of libgroma, getter by getter, on the same profiles."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

from groma.facts.matrices import stored
from groma.facts.reading import read_record
from groma.facts.survey import GroupPoint, GroupScaling, LoadedLatency, Tlb
from groma.profile import CodeClass, Place, Profile, open_profile
from groma.record.io import write_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).parents[3]
LIBRARY = ROOT / "build/default/native/profile/libgroma.so"
MADE = ROOT / "build/test-data"

pytestmark = pytest.mark.skipif(not LIBRARY.is_file(), reason="libgroma is not built")

OK, BAD_ARGUMENT, NOT_FOUND = 0, 1, 4
SIZE, INT, TEXT = ctypes.c_size_t, ctypes.c_int, ctypes.c_char_p
INFINITY, NAN = float("inf"), float("nan")


QUANTITY = ("value", "low", "high", "confidence", "unit", "method")
CORE = ("logical", "physical", "core", "package", "numa")


class Quantity(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_double) for name in ("value", "low", "high", "confidence")),
        ("unit", ctypes.c_char_p),
        ("method", ctypes.c_char_p),
    )

    def plain(self) -> Any:
        numbers = (self.value, self.low, self.high, self.confidence)
        return (*(pytest.approx(one, rel=1e-12) for one in numbers), self.unit.decode(), self.method.decode())


class Cores(ctypes.Structure):
    _fields_ = (("cores", ctypes.POINTER(ctypes.c_int)), ("count", ctypes.c_size_t))

    def plain(self) -> list[int]:
        return [int(core) for core in self.cores[: self.count]]


class CorePlace(ctypes.Structure):
    _fields_ = (("node", ctypes.c_int), ("core", ctypes.c_int))


class CoreInfo(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_int) for name in CORE)

    def plain(self) -> tuple[int, ...]:
        return self.logical, self.physical, self.core, self.package, self.numa


def plain(value: Any) -> Any:
    """What both languages say, in one form."""
    if isinstance(value, msgspec.Struct) and hasattr(value, "confidence"):
        return tuple(
            getattr(value, name) for name in ("value", "low", "high", "confidence", "unit", "method")
        )
    if isinstance(value, msgspec.Struct):
        return tuple(getattr(value, name) for name in CORE)
    if hasattr(value, "plain"):
        return value.plain()
    value = getattr(value, "value", value)
    return value.decode() if isinstance(value, bytes) else value


class Getter(NamedTuple):
    name: str
    out: Any
    arguments: Sequence[tuple[Any, ...]] = ((),)


def every(*choices: Sequence[Any]) -> list[tuple[Any, ...]]:
    """All combinations."""
    made: list[tuple[Any, ...]] = [()]
    for choice in choices:
        made = [(*one, value) for one in made for value in choice]
    return made


LEVELS = [INT(level) for level in range(6)]
COUNTS = [SIZE(count) for count in (0, 1, 2, 3, 7, 8, 9, 33)]
BYTES = [SIZE(size) for size in (0, 1, 5, 4096, 5000, 1 << 20, 3 << 20, 1 << 30)]
IDS = [INT(core) for core in (-1, 0, 1, 5, 31, 400)]
PLACES = [CorePlace(*place) for place in ((0, 0), (0, 1), (1, 0), (1, 31), (9, 5), (9, 0), (0, 99), (-1, 0))]
LAYERS = [SIZE(layer) for layer in (0, 1, 2)]
KERNELS = [TEXT(name) for name in (b"triad", b"read", b"none")]
EXPERIMENTS = [
    TEXT(name) for name in (b"sequential_first", b"random", b"ping_back.owner_back", b"ping_back", b"over")
]
MOST = 41028270117.5
LOADS = [
    ctypes.c_double(load)
    for load in (-1.0, 0.0, 0.125, 1.7235e9, 2e10, MOST, MOST + 0.25, 5.5e10, 1e13, 1e300, INFINITY, NAN)
]
PAGES = [SIZE(4096), SIZE(2 << 20), SIZE(7)]

GETTERS = [
    Getter("core_count", SIZE),
    Getter("core", CoreInfo, every(COUNTS)),
    Getter("core_frequency", Quantity),
    Getter("cache_count", SIZE),
    *(
        Getter(f"cache_{part}", Quantity, every(LEVELS))
        for part in ("size", "latency", "line", "associativity")
    ),
    Getter("cache_group_count", SIZE, every(LEVELS)),
    Getter("cache_group", Cores, every(LEVELS, COUNTS)),
    Getter("cache_sharers", Cores, every(LEVELS, IDS)),
    Getter("tlb_reach", Quantity, every(LEVELS, PAGES)),
    Getter("tlb_miss_cost", Quantity, every(LEVELS, PAGES)),
    Getter("memory_latency", Quantity),
    Getter("memory_bandwidth", Quantity, every(KERNELS, COUNTS)),
    Getter("memory_contention_group_count", SIZE),
    Getter("memory_contention_group", Cores, every(COUNTS)),
    Getter("memory_group_bandwidth", Quantity, every(COUNTS, COUNTS)),
    Getter("memory_group_saturates_at", SIZE, every(COUNTS)),
    Getter("memory_read_fraction_count", SIZE),
    Getter("memory_read_fraction", ctypes.c_double, every(COUNTS)),
    Getter("memory_loaded_latency", Quantity, every(COUNTS, LOADS)),
    Getter("numa_time", Quantity, every(EXPERIMENTS, IDS, IDS)),
    Getter("numa_block", SIZE, every(EXPERIMENTS)),
    Getter("numa_ratio", Quantity, every(IDS, IDS)),
    Getter("numa_declared_distance", ctypes.c_double, every(IDS, IDS)),
    Getter("core_to_core_latency", Quantity, every(IDS, IDS)),
    Getter("layer_count", SIZE),
    Getter("layer_name", TEXT, every(LAYERS)),
    Getter("layer_latency", Quantity, every(LAYERS)),
    Getter("layer_bandwidth", Quantity, every(LAYERS)),
    Getter("layer_time", Quantity, every(LAYERS, BYTES)),
    Getter("layer_between", SIZE, every(PLACES, PLACES)),
    Getter("message_time", Quantity, every(PLACES, PLACES, BYTES)),
    Getter("message_bandwidth", Quantity, every(PLACES, PLACES, BYTES)),
    Getter("network_distance_ratio", Quantity, every(COUNTS)),
    Getter("network_distance_count", SIZE),
    Getter("network_access_ratio", Quantity, every(COUNTS)),
    Getter("network_access_count", SIZE),
]


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    return ctypes.CDLL(str(LIBRARY))


def with_sparse_matrices(path: Path) -> Path:
    """The example, with matrices as a survey of a large machine has them."""
    record = read_record(MADE / "example-profile.json")
    node = record.facts.node
    rows = node.core_to_core.latency
    wide = [[rows[i % 8][j % 8] for j in range(64)] for i in range(64)]
    node.core_to_core.cores = list(range(64))
    node.core_to_core.latency, node.core_to_core.sparse["latency"] = stored(wide)
    write_record(path, record)
    return path


def with_scaling(path: Path) -> Path:
    """The example, with the bandwidth of its contention groups."""
    record = read_record(MADE / "example-profile.json")
    memory = record.facts.node.memory
    rate = memory.bandwidth["triad"][0].value
    for group in memory.contention_groups:
        points = [GroupPoint(cores=cores, bandwidth=rate, ratio=rate) for cores in (4, 1, 2)]
        memory.contention_scaling.append(
            GroupScaling(name="x", kind="L3", cores=group[::-1], over=group, points=points, saturates_at=2)
        )
    write_record(path, record)
    return path


def with_doubt(path: Path) -> Path:
    """The example, with layers of doubtful bandwidth, split pages, and loads that are no whole numbers."""
    record = read_record(MADE / "example-cluster.json")
    for layer, confidence in zip(record.facts.network.layers, (0.5, 0.0, 0.99), strict=False):
        layer.bandwidth = msgspec.structs.replace(layer.bandwidth, confidence=confidence)
    latency = record.facts.network.layers[0].latency
    record.facts.node.tlb = [
        Tlb(level=level, page=4096, reach=latency, miss_cost=latency, advised_page=advised)
        for level, advised in ((1, 2 << 20), (1, None), (2, 2 << 20), (3, None))
    ]
    loads = [msgspec.structs.replace(latency, value=load) for load in (MOST, 0.25, -4.0)]
    record.facts.node.memory.loaded_latency = [
        LoadedLatency(read_fraction=1.0, bandwidth=load, latency=latency) for load in loads
    ]
    write_record(path, record)
    return path


@pytest.fixture(
    scope="module",
    params=["doubt", "scaling", "example-profile", "example-network", "example-cluster", "sparse", "empty"],
)
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("profile") / "profile.json"
    if request.param == "doubt":
        return with_doubt(made)
    if request.param == "scaling":
        return with_scaling(made)
    if request.param == "sparse":
        return with_sparse_matrices(made)
    if request.param == "empty":
        document = json.loads((MADE / "example-cluster.json").read_text())
        made.write_text(json.dumps(document | {"facts": {"node": {}}}))
        return made
    return MADE / f"{request.param}.json"


@pytest.fixture
def native(library: ctypes.CDLL, file: Path) -> Iterator[ctypes.c_void_p]:
    profile = ctypes.c_void_p()
    assert library.groma_profile_open(str(file).encode(), ctypes.byref(profile)) == OK
    yield profile
    library.groma_profile_close(profile)


def said_by_c(function: Callable[..., int], profile: Any, out: Any, arguments: tuple[Any, ...]) -> Any:
    found = out()
    status = function(profile, *arguments, ctypes.byref(found))
    if status == OK:
        return plain(found)
    return {NOT_FOUND: None, BAD_ARGUMENT: ValueError}[status]


def said_by_python(profile: Profile, name: str, arguments: tuple[Any, ...]) -> Any:
    given = [
        Place(one.node, one.core) if isinstance(one, CorePlace) else plain(one.value) for one in arguments
    ]
    try:
        return plain(getattr(profile, name)(*given))
    except ValueError:
        return ValueError


@pytest.mark.parametrize("getter", GETTERS, ids=lambda getter: getter.name)
def test_every_getter_answers_as_libgroma_does(
    library: ctypes.CDLL, native: Any, file: Path, getter: Getter
) -> None:
    profile = open_profile(file)
    function = library[f"groma_{getter.name}"]
    for arguments in getter.arguments:
        expected = said_by_c(function, native, getter.out, arguments)
        assert said_by_python(profile, getter.name, arguments) == expected, arguments


@pytest.mark.parametrize("code", CodeClass)
@pytest.mark.parametrize("wanted", [(1, 1), (1, 5), (2, 16), (3, 7), (4, 20), (1, 9), (0, 1), (1, 0)])
def test_a_mapping_is_that_of_libgroma(
    library: ctypes.CDLL, native: Any, file: Path, code: CodeClass, wanted: tuple[int, int]
) -> None:
    nodes, processes = wanted
    places = (CorePlace * max(processes, 1))()
    status = library.groma_mapping(native, INT(code), SIZE(nodes), SIZE(processes), places)
    profile = open_profile(file)
    if status == BAD_ARGUMENT:
        with pytest.raises(ValueError, match=f"{processes} processes on {nodes} nodes"):
            profile.mapping(code, nodes, processes)
        return
    expected = [Place(one.node, one.core) for one in places] if status == OK else None
    assert profile.mapping(code, nodes, processes) == expected


def test_the_getters_tested_are_all_that_there_are() -> None:
    public = {name for name in vars(Profile) if not name.startswith("_")}
    of_python_alone = {"mapping_reasons"}
    assert public - of_python_alone == {getter.name for getter in GETTERS} | {"numa_places", "mapping"}


def test_numa_places_are_those_of_libgroma(library: ctypes.CDLL, native: Any, file: Path) -> None:
    over, places = TEXT(), Cores()
    status = library.groma_numa_places(native, ctypes.byref(over), ctypes.byref(places))
    expected = (over.value.decode(), places.plain()) if status == OK and over.value else None
    assert open_profile(file).numa_places() == expected
