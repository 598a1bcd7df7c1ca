"""Facts of a run of the HPC Challenge suite. Fields may be added and are never renamed."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec

from groma.facts.kinds import ForeignFile, Kind
from groma.record import Quantity, Record
from groma.record.launch import CheckResult, Launch, Plan
from groma.record.unfinished import Steps

Count = Annotated[int, msgspec.Meta(ge=0)]


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """How the ranks are arranged over a matrix."""

    rows: Count
    columns: Count

    @property
    def ranks(self) -> int:
        return self.rows * self.columns


class MatrixPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A matrix of order `n` in blocks of order `nb`. `variant` is the code of HPL for a method: WR11C2R4."""

    n: Count
    nb: Count
    grid: Grid
    variant: str = ""


class MemoryPlan(msgspec.Struct, frozen=True, kw_only=True):
    """In bytes: what the largest test needs in each rank and in all, and what each test needs in a rank."""

    per_rank: Count = 0
    all: Count = 0
    by_test: dict[str, Count] = {}


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """How long the run will take, derived from the rates of each rank."""

    seconds: float = 0.0
    model: str = ""
    rates_from: str = ""
    rates: dict[str, float] = {}
    units: dict[str, str] = {}


class MessageTime(msgspec.Struct, frozen=True, kw_only=True):
    """Of an exchange: that of 8 bytes (s), and what each further byte adds (s/B)."""

    latency: float = 0.0
    seconds_per_byte: float = 0.0


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """What messages between the ranks cost, as the plan assumes it.

    `pair` is one way between two ranks, `ring` and `random_ring` one message to each neighbour in turn.
    `measured` is False where no rank had started yet.
    """

    measured: bool = False
    pair: MessageTime = MessageTime()
    ring: MessageTime = MessageTime()
    random_ring: MessageTime = MessageTime()


class HpccPlan(Plan, kw_only=True):
    """The sizes of a run of the suite; None is a size that the plan does not give.

    `dgemm_n` is the order of three matrices. Vectors and tables are counted in elements of each rank; `mpi_`
    marks those of all ranks together. `random_access` names the algorithm that was requested, if any.
    """

    ranks: Count | None = None
    threads: Count | None = None
    hpl: list[MatrixPlan] = msgspec.field(default_factory=list)
    ptrans: list[MatrixPlan] = msgspec.field(default_factory=list)
    dgemm_n: Count | None = None
    stream_elements: Count | None = None
    random_access_words: Count | None = None
    mpi_random_access_words: Count | None = None
    fft_points: Count | None = None
    mpi_fft_points: Count | None = None
    seed: int | None = None
    curves: bool = False
    random_access: str = ""
    memory: MemoryPlan | None = None
    network: Network | None = None
    estimate: Estimate | None = None


class RankSpread(msgspec.Struct, kw_only=True):
    """Medians of single ranks. `min_rank` and `max_rank` have the smallest and the largest of them."""

    ranks: int
    min: Quantity
    min_rank: int
    max: Quantity
    max_rank: int


class Figure(msgspec.Struct, kw_only=True):
    """One measured figure.

    `mode` is "single" (one rank while the others sleep), "star" (every rank at once, the mean over them) or
    "mpi" (all together). `labels` distinguish the figures of one series, for example by message size.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("series", "mode", "labels")
    DETAILS: ClassVar[tuple[str, ...]] = ("spread",)

    series: str
    mode: str
    value: Quantity
    labels: dict[str, Any] = {}
    spread: RankSpread | None = None


class HpccTest(msgspec.Struct, kw_only=True):
    """`done` is False for a test that was interrupted or failed; it has the figures measured until then."""

    NAMED_BY: ClassVar[tuple[str, ...]] = ("name",)
    NAMELESS: ClassVar[tuple[str, ...]] = ("figures",)

    name: str
    title: str
    done: bool
    figures: list[Figure] = []
    checks: list[CheckResult] = []


_PRINTED_SIZES = (
    *("CommWorldProcs", "HPL_N", "HPL_NB", "HPL_nprow", "HPL_npcol", "DGEMM_N"),
    *("PTRANS_n", "PTRANS_nb", "PTRANS_nprow", "PTRANS_npcol"),
    *("MPIRandomAccess_N", "MPIRandomAccess_Algorithm", "RandomAccess_N"),
    *("STREAM_VectorSize", "STREAM_Threads", "FFT_N", "MPIFFT_N", "MPIFFT_Procs"),
)


class HpccFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `hpcc`.

    `plan` has the sizes of the run, `summary` values of hpccoutf.txt as written there: those that the tests
    give. It has no keys of the format, the machine, the build and the run as a whole (Version*, LANG,
    Success, sizeof_*, CommWorldProcs, MPI_Wtick, HPL_dMACH_*, HPL_sMACH_*, dweps, sweps, HPLMaxProcs,
    HPLMinProcs, M_OPENMP, omp_*, Mem*, and CPS_* but for CPS_HPCC_FFT_235 and CPS_USING_FFTW). `success` is
    None if not every test reached its checks. `origin` names the file and the program of a run that groma did
    not make; such a run has no tests, only a summary, and that has all keys of the file that are usable.
    """

    NAMELESS: ClassVar[tuple[str, ...]] = ("tests",)
    OUTCOMES: ClassVar[tuple[str, ...]] = ("success", "origin")
    NO_TEST: ClassVar[tuple[str, ...]] = ("network",)

    tests: list[HpccTest]
    success: bool | None = None
    launch: Launch | None = None
    plan: HpccPlan = msgspec.field(default_factory=HpccPlan)
    summary: dict[str, str] = {}
    origin: str | None = None

    @property
    def printed_sizes(self) -> dict[str, str]:
        """The ranks and sizes that a run has in the file of any program, by their keys."""
        return {key: self.summary[key] for key in _PRINTED_SIZES if key in self.summary}


def steps_of(record: Record[HpccFacts]) -> Steps | None:
    """The tests of a run that groma made."""
    facts = record.facts
    if facts.origin is not None:
        return None
    cut = {one.probe for one in record.samples.values() if one.ended == "interrupted"}
    begun = {test.name: test.done and test.name not in cut for test in facts.tests}
    planned = facts.plan.tests or list(begun)
    return Steps(
        noun="test",
        planned=len(planned),
        done=sum(begun.get(name, False) for name in planned),
        interrupted=[name for name in planned if begun.get(name) is False],
        missing=[name for name in planned if name not in begun],
    )


KIND = Kind(
    name="hpcc",
    title="HPC Challenge",
    what="a run of the HPC Challenge suite",
    facts=HpccFacts,
    schema="hpcc",
    sections="groma.report.kinds.hpcc:SECTIONS",
    steps=steps_of,
    more_quantities="groma.hpccoutf.headlines:named_headlines",
    foreign=ForeignFile(
        marks=(
            b"HPC Challenge Benchmark",
            b"HPC Challange Benchmark",  # early versions
            b"Begin of Summary section.",
            b"HPL_Tflops=",
        ),
        reader="groma.hpccoutf.imported:imported_records",
        called="an output of hpcc (with its heading or its summary)",
    ),
    more_samples=("--repeat", "--budget"),
)
