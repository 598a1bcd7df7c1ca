"""Files of any kind become systems, and what is wrong with one is a warning while the others are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groma.balance.infer import facts_of
from groma.balance.ratios import MESSAGE_RATIOS
from groma.balance.record import record_of
from groma.balance.soundness import hpl_ranks_of
from groma.balance.sources import (
    FoundSystems,
    NamedFile,
    ReadOptions,
    joined,
    read_systems,
    reference_systems,
)
from groma.errors import GromaError
from groma.facts.hpcc import Figure, HpccTest
from groma.hpccoutf.imported import imported_records
from groma.hpccoutf.test_runs import GOLDEN, HEADER, SIXTEEN, run_text, summary
from groma.record.io import encoded, write_record
from groma.record.launch import RankPlace
from groma.record.unfinished import Steps, unfinished
from suite_records import a_test, check, launch, measured

if TYPE_CHECKING:
    from pathlib import Path

    from groma.facts.balance import System

RING = {
    "RandomlyOrderedRingBandwidth_GBytes": "0.5",
    "MinPingPongBandwidth_GBytes": "2",
    "NaturallyOrderedRingBandwidth_GBytes": "1",
    "RandomlyOrderedRingLatency_usec": "4",
    "MaxPingPongLatency_usec": "1",
    "StarDGEMM_Gflops": "10",
    "M_OPENMP": "200505",
    "omp_get_max_threads": "4",
}
FULL = SIXTEEN | RING
RATES = ("Gflops=", "GBs=", "GUPs=", "usec=", "GBytes=", "STREAM_", "Tflops=")


def read(folder: Path, **options: Any) -> FoundSystems:
    files = sorted(file for file in folder.iterdir() if file.is_file())
    return read_systems([NamedFile(file.stem, file) for file in files], ReadOptions(**options))


def one_system(tmp_path: Path, text: str, **options: Any) -> System:
    (tmp_path / "run.txt").write_text(text, encoding="utf-8")
    (system,) = read(tmp_path, **options).systems
    return system


def codes(found: FoundSystems) -> list[str]:
    return [one.code for one in found.warnings]


def test_an_output_of_hpcc_becomes_a_system_with_every_quantity(tmp_path: Path) -> None:
    system = one_system(tmp_path, GOLDEN.read_text(encoding="utf-8"))
    assert (system.name, system.ranks, system.program) == ("run", 2, "groma 0.1.0")
    keys = [
        line.partition("=")[0]
        for line in GOLDEN.read_text(encoding="utf-8").splitlines()
        if any(word in line for word in RATES) and not line.startswith("STREAM_")
    ]
    assert len(system.quantities) == len(keys)
    assert system.quantities["scale_star"].unit == "B/s"


def test_ratios_follow_the_paper(tmp_path: Path) -> None:
    (ratios,) = facts_of([one_system(tmp_path, run_text(FULL))]).ratios
    assert ratios.over_hpl["random_ring"].value == pytest.approx(1000 * 16 * 0.5e9 / 0.120409e12)
    assert ratios.over_hpl["dgemm"].value == pytest.approx(1000 * 16 * 10e9 / 0.120409e12)
    assert ratios.messages["random_to_ping_pong"].value == pytest.approx(0.25)
    assert ratios.messages["latency_ping_pong_to_random"].value == pytest.approx(0.25)
    assert ratios.relative["hpl"].value == 1


def test_threads_of_each_rank_are_reported_where_the_file_tells_them(tmp_path: Path) -> None:
    assert one_system(tmp_path, run_text(FULL)).threads == 4
    assert one_system(tmp_path, run_text(SIXTEEN)).threads is None
    assert one_system(tmp_path, run_text(SIXTEEN | {"M_OPENMP": "-1", "STREAM_Threads": "1"})).threads == 1


def test_nodes_are_known_where_the_user_tells_the_ranks_of_each(tmp_path: Path) -> None:
    assert one_system(tmp_path, run_text(FULL)).nodes is None
    assert one_system(tmp_path, run_text(FULL), ranks_per_node=8).nodes == 2


def test_ranks_that_do_not_fill_their_nodes_lie_on_them_in_an_unknown_way(tmp_path: Path) -> None:
    """Open MPI starts 16 ranks of 6 on each node as 6, 6 and 4, Slurm as 6, 5 and 5."""
    assert one_system(tmp_path, run_text(FULL), ranks_per_node=6).nodes is None
    found = read(tmp_path, ranks_per_node=6)
    (reported,) = [one for one in found.warnings if one.code.startswith("balance.nodes-")]
    assert reported.code == "balance.nodes-uneven"
    assert "16 ranks do not fill nodes of 6" in reported.what
    assert one_system(tmp_path, run_text(FULL), ranks_per_node=20).nodes == 1


def test_the_nodes_of_a_record_may_have_different_numbers_of_ranks(tmp_path: Path) -> None:
    """Of 12 ranks on nodes of 8, 68 of 132 neighbours are on the same node; of 6 and 6 it would be 60."""
    (record,) = imported_records(run_text(FULL | {"CommWorldProcs": "12"}).encode(), "old.txt")
    places = [RankPlace(rank=rank, host=f"n{rank // 8}") for rank in range(12)]
    record.facts.launch = launch(12, nodes=2, inter_node=True, placement=places)
    write_record(tmp_path / "run.json", record)
    found = read(tmp_path)
    assert found.systems[0].ranks_of_nodes == [8, 4]
    (ratios,) = facts_of(found.systems).ratios
    assert ratios.inter_node is not None
    assert ratios.inter_node.inner_share == pytest.approx(68 / 132)
    assert ratios.inter_node.ranks_per_node == 6


def test_unknown_nodes_are_reported_once_for_all(tmp_path: Path) -> None:
    for name, rate in (("a", "0.1"), ("b", "0.2")):
        (tmp_path / f"{name}.txt").write_text(run_text(FULL | {"HPL_Tflops": rate}), encoding="utf-8")
    (reported,) = [one for one in read(tmp_path).warnings if one.code == "balance.nodes-unknown"]
    assert "of this and 1 more" in reported.what
    assert "balance.nodes-unknown" not in codes(read(tmp_path, ranks_per_node=4))


def test_what_was_not_measured_is_absent_and_never_zero(tmp_path: Path) -> None:
    system = one_system(tmp_path, run_text(FULL | {"PTRANS_GBs": "-1", "MPIFFT_Gflops": "0"}))
    assert not {"ptrans_mpi", "fft_mpi"} & system.quantities.keys()
    values = [one.value for one in (*system.quantities.values(), *system.accumulated.values())]
    assert all(value > 0 for value in values)


def test_without_hpl_there_are_no_ratios_and_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text(run_text(FULL | {"HPL_Tflops": "nan"}), encoding="utf-8")
    found = read(tmp_path)
    (ratios,) = facts_of(found.systems).ratios
    assert not ratios.over_hpl
    assert ratios.messages
    assert "balance.no-hpl" in codes(found)


def test_an_hpl_on_a_part_of_the_ranks_has_no_ratios_and_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text(run_text(FULL | {"HPL_npcol": "1"}), encoding="utf-8")
    found = read(tmp_path)
    facts = facts_of(found.systems)
    assert not facts.ratios[0].over_hpl
    assert "hpl" not in facts.ratios[0].relative
    assert found.systems[0].quantities["hpl_mpi"].value == pytest.approx(0.120409e12)
    assert {one.ratio for one in facts.statements} <= {one.name for one in MESSAGE_RATIOS}
    (reported,) = [one for one in found.warnings if one.code.startswith("balance.unusable-hpl")]
    assert reported.what == "HPL used 4 of 16 ranks, so there are no ratios to HPL"


def test_an_early_version_that_names_no_grid_says_how_many_ranks_hpl_used(tmp_path: Path) -> None:
    early = {key: value for key, value in FULL.items() if key not in {"HPL_nprow", "HPL_npcol"}}
    part = one_system(tmp_path, run_text(early | {"HPLMaxProcs": "8"}))
    assert part.no_ratios == "HPL used 8 of 16 ranks"
    assert not one_system(tmp_path, run_text(early | {"HPLMaxProcs": "16"})).no_ratios
    (record,) = imported_records(run_text(early | {"HPLMaxProcs": "8", "HPL_Tflops": "-1"}).encode(), "old")
    assert hpl_ranks_of(record.facts) is None


def test_randomaccess_with_more_wrong_words_than_the_rules_allow_has_no_figure(tmp_path: Path) -> None:
    words = int(FULL["MPIRandomAccess_N"])
    allowed = {"MPIRandomAccess_Errors": str(words // 100)}
    assert "random_access" in one_system(tmp_path, summary(FULL | allowed)).accumulated
    system = one_system(tmp_path, summary(FULL | {"MPIRandomAccess_Errors": str(words // 2)}))
    assert not {"random_access"} & system.accumulated.keys()
    assert "random_access_mpi" not in system.quantities
    assert "stream_triad" in system.accumulated


def test_a_run_that_failed_somewhere_has_no_ratios_unless_it_says_where(tmp_path: Path) -> None:
    system = one_system(tmp_path, summary(FULL | {"Success": "0"}))
    assert system.no_ratios == "a check failed, and nothing says which"
    assert "hpl" not in system.accumulated
    errors = {"Success": "0", "MPIRandomAccess_Errors": FULL["MPIRandomAccess_N"]}
    known = one_system(tmp_path, summary(FULL | errors))
    assert not known.no_ratios
    assert "hpl" in known.accumulated


def test_without_ranks_nothing_of_single_ranks_is_added_up(tmp_path: Path) -> None:
    text = run_text({key: value for key, value in FULL.items() if key != "CommWorldProcs"})
    (tmp_path / "run.txt").write_text(text, encoding="utf-8")
    found = read(tmp_path)
    assert "random_ring" not in found.systems[0].accumulated
    assert "balance.no-ranks" in codes(found)


def test_forty_runs_of_one_file_are_forty_systems(tmp_path: Path) -> None:
    text = "".join(
        run_text(FULL | {"HPL_Tflops": f"0.{number}", "HPL_time": "-1"}) for number in range(1000, 1040)
    )
    (tmp_path / "hpccoutf.txt").write_text(text, encoding="utf-8")
    found = read(tmp_path)
    names = [one.name for one in found.systems]
    assert names == [f"hpccoutf ({number})" for number in range(1, 41)]
    assert {one.platform for one in found.systems} == {"node"}
    second = len(run_text(FULL | {"HPL_time": "-1"}).splitlines()) + 2
    assert found.systems[1].source.endswith(f"run 2 of 40, line {second}")


@pytest.mark.parametrize(
    ("one", "other", "platform"),
    [
        ("node1", "node-12.site", "node"),
        ("r1i0n16", "r1i12n3", "r*i*n"),
        ("x1000c0s0b0n1", "x1003c7s2b1n0", "x*c*s*b*n"),
        ("ip-10-0-3-44", "ip-10-0-7-1", "ip-*-*-*"),
    ],
)
def test_hosts_that_differ_in_the_numbers_of_their_place_are_one_platform(
    tmp_path: Path, one: str, other: str, platform: str
) -> None:
    for host, rate in ((one, "0.1"), (other, "0.2")):
        text = run_text(FULL | {"HPL_Tflops": rate}).replace("'node1'", f"'{host}'")
        (tmp_path / f"{host}.txt").write_text(text, encoding="utf-8")
    assert [system.platform for system in read(tmp_path).systems] == [platform] * 2


def test_numbers_of_clusters_keep_platforms_apart(tmp_path: Path) -> None:
    for host, rate in (
        ("site1n1", "0.1"),
        ("site2n1", "0.2"),
        ("cluster1-n4", "0.3"),
        ("cluster2-n5", "0.4"),
    ):
        text = run_text(FULL | {"HPL_Tflops": rate}).replace("'node1'", f"'{host}'")
        (tmp_path / f"{host}.txt").write_text(text, encoding="utf-8")
    platforms = {system.platform for system in read(tmp_path).systems}
    assert platforms == {"site1n", "site2n", "cluster1-n", "cluster2-n"}


def test_a_killed_run_is_a_system_without_figures(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(HEADER + "Begin of PTRANS section.\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text(run_text(FULL), encoding="utf-8")
    found = read(tmp_path)
    assert [bool(one.quantities) for one in found.systems] == [False, True]
    assert {"hpccoutf.no-summary", "balance.nothing-measured"} <= set(codes(found))


def test_the_same_run_twice_counts_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(run_text(FULL), encoding="utf-8")
    (tmp_path / "c.txt").write_text(run_text(FULL | {"HPL_Tflops": "0.2"}), encoding="utf-8")
    found = read(tmp_path)
    assert [one.name for one in found.systems] == ["a", "c"]
    assert "balance.duplicate" in codes(found)


def record_and_output(tmp_path: Path, text: str) -> FoundSystems:
    """Of a record whose summary is that of `FULL`, and an output with `text`."""
    (record,) = imported_records(run_text(FULL).encode(), "x")
    record.facts.tests = [HpccTest(name="hpl", title="HPL", done=True)]
    write_record(tmp_path / "hpcc.json", record)
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    return read(tmp_path)


def test_a_record_and_the_summary_of_its_run_are_one_system(tmp_path: Path) -> None:
    found = record_and_output(tmp_path, run_text(FULL | {"MaxPingPongBandwidth_GBytes": "9"}))
    assert [one.name for one in found.systems] == ["hpcc"]
    (reported,) = [one for one in found.warnings if one.code == "balance.duplicate"]
    assert reported.source.endswith("a.txt")
    assert "is the summary of hpcc" in reported.what
    assert not found.unused


def test_another_run_with_the_same_sizes_is_a_system_of_its_own(tmp_path: Path) -> None:
    found = record_and_output(tmp_path, run_text(FULL | {"HPL_Tflops": "0.120410"}))
    assert [one.name for one in found.systems] == ["a", "hpcc"]


BAD = {
    "empty": (b"", "is empty"),
    "binary": (bytes(range(256)) * 8, "is not UTF-8 text"),
    "prose": (b"# Begin of Summary section.\n", "contains no run"),
    "newer": (b'{"schema": "groma.record/9", "kind": "hpcc"}', "has schema groma.record/9"),
    "torn": (b'{"schema": "groma.record/1", "kind": "strange"', "is cut short"),
    "csv": (b"system,fact,value,unit,source\nA,hpl_mpi,fast,Gflop/s,me\n", "line 2: hpl_mpi is 'fast'"),
    "utf16 without its mark": (run_text(FULL).encode("utf-16-le"), "is not text"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_warning_and_the_rest_is_used(tmp_path: Path, name: str) -> None:
    content, words = BAD[name]
    (tmp_path / "bad.txt").write_bytes(content)
    (tmp_path / "good.txt").write_text(run_text(FULL), encoding="utf-8")
    found = read(tmp_path)
    assert [one.name for one in found.systems] == ["good"]
    assert found.unused == [str(tmp_path / "bad.txt")]
    (reported,) = [one for one in found.warnings if one.source.endswith("bad.txt")]
    assert words in reported.what
    assert reported.next
    assert "\n" not in reported.what


def test_a_missing_file_is_one_warning(tmp_path: Path) -> None:
    found = read_systems([NamedFile("gone", tmp_path / "gone.txt")], ReadOptions())
    assert codes(found) == ["balance.unusable"]


def test_warnings_of_records_come_along(tmp_path: Path) -> None:
    (record,) = imported_records(run_text(FULL).encode(), "old.txt")
    write_record(tmp_path / "run.json", record)
    found = read(tmp_path)
    assert "hpccoutf.time-bound" in codes(found)
    assert found.systems[0].quantities["random_ring_bandwidth"].value == pytest.approx(0.5e9)


def test_a_failed_check_of_a_record_is_reported_with_the_figures_it_takes(tmp_path: Path) -> None:
    (record,) = imported_records(run_text(FULL).encode(), "old.txt")
    figures = [Figure(series="dgemm", mode="star", value=measured(1e10, "flop/s"))]
    record.facts.tests = [a_test("dgemm", *figures, checks=[check("DGEMM residual", passed=False)])]
    write_record(tmp_path / "run.json", record)
    found = read(tmp_path)
    assert "dgemm_star" not in found.systems[0].quantities
    (reported,) = [one for one in found.warnings if one.code == "balance.failed-check"]
    assert reported.what.startswith("dgemm: DGEMM residual")


def test_a_test_that_was_cut_short_has_no_checked_figures(tmp_path: Path) -> None:
    (record,) = imported_records(run_text({"CommWorldProcs": "16"}).encode(), "old.txt")
    figure = Figure(series="hpl WR00", mode="mpi", value=measured(1e10, "flop/s"))
    record.facts.tests = [HpccTest(name="hpl", title="HPL", done=False, figures=[figure])]
    record.unfinished = unfinished(Steps(noun="test", planned=1, done=0, interrupted=["hpl"]), "again")
    write_record(tmp_path / "hpcc.partial.json", record)
    found = read(tmp_path)
    assert "hpl_mpi" not in found.systems[0].quantities
    (reported,) = [one for one in found.warnings if one.code == "record.unfinished"]
    assert "0 of 1 test done" in reported.what


def test_a_balance_can_be_read_again_and_be_a_reference(tmp_path: Path) -> None:
    system = one_system(tmp_path, run_text(FULL))
    target = tmp_path / "balance.json"
    write_record(target, record_of(facts_of([system]), ["groma"], "0", {}))
    again = read_systems([NamedFile("balance", target)], ReadOptions())
    assert encoded(again.systems) == encoded([system])
    (reference,) = reference_systems(str(target), [NamedFile("balance", target)], ReadOptions()).systems
    assert reference.reference


@pytest.mark.parametrize("value", [0.0, -1.0, 1e308])
@pytest.mark.parametrize("name", ["fft", "hpl"])
def test_a_value_that_no_rate_has_is_left_out_of_a_balance_that_is_read_again(
    tmp_path: Path, name: str, value: float
) -> None:
    system = one_system(tmp_path, run_text(FULL | {"MPIFFT_Gflops": "3"}))
    slower = msgspec.structs.replace(system, name="slower", accumulated=dict(system.accumulated))
    slower.accumulated["hpl"] = measured(system.accumulated["hpl"].value / 4, "flop/s")
    slower.accumulated[name] = measured(value, "flop/s")
    target = tmp_path / "balance.json"
    damaged = msgspec.structs.replace(facts_of([system]), systems=[slower, system])
    write_record(target, record_of(damaged, ["groma"], "0", {}))
    found = read_systems([NamedFile("balance", target)], ReadOptions())
    assert set(found.systems[0].accumulated) == set(system.accumulated) - {name}
    (reported,) = [one for one in found.warnings if one.code == "balance.impossible-value"]
    assert reported.what.startswith(f"{name} is {value:g}: ")
    assert facts_of(found.systems, at=system.accumulated["hpl"].value / 2).systems


def test_a_zero_in_a_record_of_the_suite_is_left_out(tmp_path: Path) -> None:
    (record,) = imported_records(run_text(FULL).encode(), "old.txt")
    figures = [Figure(series="fft", mode="mpi", value=measured(0.0, "flop/s"))]
    record.facts.tests = [HpccTest(name="fft", title="FFT", done=True, figures=figures)]
    write_record(tmp_path / "hpcc.json", record)
    found = read(tmp_path)
    assert "fft" not in found.systems[0].accumulated
    assert "fft_mpi" not in found.systems[0].quantities


def test_a_reference_has_a_name_of_its_own(tmp_path: Path) -> None:
    own = FoundSystems([one_system(tmp_path, run_text(FULL))], [], [])
    (tmp_path / "run.txt").write_text(run_text(FULL | {"HPL_Tflops": "0.3"}), encoding="utf-8")
    other = reference_systems("x", [NamedFile("run", tmp_path / "run.txt")], ReadOptions())
    assert [one.name for one in joined(own, [other]).systems] == ["run", "run (2)"]
    with pytest.raises(GromaError, match="there is no reference"):
        reference_systems("papers", [NamedFile("papers", tmp_path / "papers")], ReadOptions())


def test_a_table_of_facts_may_be_a_reference(tmp_path: Path) -> None:
    rows = ("A,ranks,4,,me", "A,hpl_mpi,2,Tflop/s,me", 'A,random_ring_bandwidth,0.5,GB/s,"me, again"')
    table = tmp_path / "mine.csv"
    table.write_text("\n".join(("system,fact,value,unit,source", *rows)), encoding="utf-8")
    (system,) = reference_systems(str(table), [NamedFile("mine", table)], ReadOptions()).systems
    assert system.source == "me; me, again"
    (ratios,) = facts_of([system]).ratios
    assert ratios.over_hpl["random_ring"].value == pytest.approx(1)


def of_table(tmp_path: Path, *rows: str, **options: Any) -> FoundSystems:
    (tmp_path / "mine.csv").write_text("\n".join(("system,fact,value,unit,source", *rows)), encoding="utf-8")
    return read(tmp_path, **options)


def test_warnings_about_a_table_name_the_system_and_the_row_that_is_missing(tmp_path: Path) -> None:
    found = of_table(
        tmp_path, "A,hpl_mpi,2,Tflop/s,a paper", "B,hpl_mpi,2,Tflop/s,a paper", "B,ranks,4,,a paper"
    )
    reported = {one.code: one for one in found.warnings}
    assert set(reported) == {"balance.no-ranks", "balance.nodes-unknown"}
    assert reported["balance.no-ranks"].what.startswith("A: ")
    assert "row ranks" in reported["balance.no-ranks"].next
    assert reported["balance.nodes-unknown"].what.startswith("B: ")


def test_ranks_per_node_give_the_nodes_of_a_table_that_has_none(tmp_path: Path) -> None:
    rows = ("A,ranks,64,,me", "B,ranks,64,,me", "B,nodes,2,,me", "C,hpl_mpi,2,Tflop/s,me")
    found = of_table(tmp_path, *rows, ranks_per_node=4)
    assert [one.nodes for one in found.systems] == [16, 2, None]


HEADING = "system,fact,value,unit,source\n"
ONE_RING = "{0},hpl_mpi,1,Tflop/s,me\n{0},random_ring_bandwidth,1,GB/s,me\n"


def test_a_table_without_rows_is_refused_as_a_reference_in_one_line(tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text(HEADING)
    with pytest.raises(GromaError, match="it has no system in it"):
        reference_systems(str(table), [NamedFile("mine", table)], ReadOptions())
    found = read(tmp_path)
    assert (found.systems, codes(found), found.unused) == ([], ["balance.unusable"], [str(table)])


def test_ranks_that_do_not_fill_the_nodes_of_a_table_have_no_values_between_nodes(tmp_path: Path) -> None:
    rows = [ONE_RING.format("A"), "A,ranks,12,,me\nA,nodes,8,,me\n"]
    (tmp_path / "mine.csv").write_text(HEADING + "".join(rows))
    found = read(tmp_path)
    (warning,) = found.warnings
    assert warning.code == "balance.nodes-uneven"
    assert warning.what == "A: 12 ranks do not fill 8 nodes, so how many are on each is unknown"
    assert facts_of(found.systems).ratios[0].inter_node is None


def test_a_published_system_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    """Others with the same figures, or with the same name, are systems of their own."""
    (tmp_path / "a.csv").write_text(HEADING + ONE_RING.format("A") + ONE_RING.format("B"))
    (tmp_path / "b.csv").write_text(HEADING + ONE_RING.format("A") + "C,hpl_mpi,2,Tflop/s,me\n")
    found = read(tmp_path)
    assert [one.name for one in found.systems] == ["A", "B", "C"]
    (warning,) = [one for one in found.warnings if one.code == "balance.duplicate"]
    assert warning.what == "A: is the same system as A, so it counts once"


def test_a_platform_is_read_from_the_first_of_its_systems_with_the_same_hpl(tmp_path: Path) -> None:
    rows = "{0},platform,P,,me\n{0},hpl_mpi,{1},Tflop/s,me\n{0},accumulated.random_ring,{2},GB/s,me\n"
    systems = [("A", 1, 10), ("B", 1, 99), ("C", 4, 40), ("D", 4, 99)]
    (tmp_path / "mine.csv").write_text(HEADING + "".join(rows.format(*one) for one in systems))
    found = read(tmp_path).systems
    for speed, between in ((1e12, ["A"]), (2e12, ["A", "C"]), (4e12, ["C"])):
        (reading,) = facts_of(found, at=speed).readings
        assert reading.between == between
        assert reading.value.value == pytest.approx(10)


def test_one_rank_is_on_one_node(tmp_path: Path) -> None:
    alone = one_system(tmp_path, run_text(FULL | {"CommWorldProcs": "1"}))
    assert alone.nodes == 1
    assert "balance.nodes-unknown" not in codes(read(tmp_path))


def test_host_names_are_left_out_where_asked(tmp_path: Path) -> None:
    shown = one_system(tmp_path, run_text(FULL))
    hidden = one_system(tmp_path, run_text(FULL), redact=True)
    assert shown.platform == "node"
    assert b"node" not in encoded(hidden).replace(b"nodes", b"")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400), st.integers(0, 3000))
def test_any_bytes_are_survived(tmp_path: Path, noise: bytes, place: int) -> None:
    whole = (run_text(FULL) + summary(FULL)).encode()
    (tmp_path / "run.txt").write_bytes(whole[:place] + noise + whole[place:])
    found = read(tmp_path)
    facts = facts_of(found.systems, found.warnings)
    values = [value.value for one in facts.systems for value in one.quantities.values()]
    assert all(value > 0 for value in values)


DEBIAN = GOLDEN.with_name("debian-hpccoutf.txt")
"""What hpcc 1.5.0 of Debian wrote on two busy cores, N = 1000."""

OF_DEBIAN = {
    "hpl_mpi": (0.000159022e12, "flop/s"),
    "dgemm_star": (6.92044e9, "flop/s"),
    "ptrans_mpi": (0.590102e9, "B/s"),
    "random_access_mpi": (9.89896e-05 * 1e9, "update/s"),
    "triad_star": (50.2839e9, "B/s"),
    "fft_mpi": (0.879534e9, "flop/s"),
    "ping_pong_latency_max": (0.424792e-6, "s"),
    "random_ring_bandwidth": (2.42449e9, "B/s"),
}


def test_an_output_of_hpcc_itself_is_read_to_its_last_digit(tmp_path: Path) -> None:
    system = one_system(tmp_path, DEBIAN.read_text(encoding="utf-8"))
    assert (system.ranks, system.threads, system.program, system.success) == (2, 1, "hpcc 1.5.0", True)
    for name, (value, unit) in OF_DEBIAN.items():
        assert system.quantities[name].value == pytest.approx(value, rel=1e-9), name
        assert system.quantities[name].unit == unit
    assert len(system.quantities) == 31


def test_a_run_that_was_cut_anywhere_has_the_figures_of_the_whole_or_none(tmp_path: Path) -> None:
    text = DEBIAN.read_text(encoding="utf-8")
    whole = one_system(tmp_path, text)
    for end in range(200, len(text), 397):
        cut = one_system(tmp_path, text[:end])
        for name, one in cut.quantities.items():
            # The tests' own lines have as few as four digits.
            assert one.value == pytest.approx(whole.quantities[name].value, rel=2e-3), (end, name)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_an_output_that_a_shell_of_windows_redirected_is_read(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding.endswith("be") else ""
    text = DEBIAN.read_text(encoding="utf-8").replace("\n", "\r\n")
    path = tmp_path / "wide.txt"
    path.write_bytes((mark + text).encode(encoding) + b"\0" * (encoding == "utf-16"))
    found = read_systems([NamedFile("wide", path)], ReadOptions())
    assert found.systems[0].quantities["hpl_mpi"].value == pytest.approx(0.000159022e12)


def test_a_wide_text_that_is_none_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "binary"
    path.write_bytes(b"\xff\xfe\0\0" + bytes(range(256)) * 9)
    found = read_systems([NamedFile("binary", path)], ReadOptions())
    assert [one.code for one in found.warnings] == ["balance.unusable"]
