from groma.facts.hpcc import HpccFacts, HpccTest
from groma.facts.named import named_quantities_of
from groma.hpcc.infer import figures_of
from groma.record import ProbeSamples, Record
from suite_records import stream, suite_record


def names(record: Record[HpccFacts]) -> dict[str, bool]:
    return {one.name: one.detail for one in named_quantities_of(record)}


def test_hpl_has_one_name_whatever_its_size() -> None:
    cases = [{"unit": "flop/s", "series": f"hpl WR11C2R4 n={n}", "mode": "mpi"} for n in (500, 900)]
    samples = ProbeSamples(probe="hpl", cases=cases, values=[[1e9, 1.1e9], [2e9, 2.1e9]])
    record = suite_record(stream({"triad": [1e10]}))
    record.facts.tests = [HpccTest(name="hpl", title="HPL", done=True, figures=list(figures_of(samples)))]
    assert names(record) == {
        "hpcc.hpl.wr11c2r4-n-500.mpi": False,
        "hpcc.hpl.wr11c2r4-n-900.mpi": True,
        "hpcc.hpl.mpi": False,
    }


def test_an_old_output_has_the_names_of_a_run_of_groma() -> None:
    old = suite_record(stream({"triad": [1e10]}))
    old.facts = HpccFacts(
        tests=[], summary={"StarSTREAM_Triad": "9.5", "PTRANS_GBs": "1.5", "HPL_Tflops": "-1"}
    )
    assert names(old) == {"hpcc.ptrans.mpi": False, "hpcc.stream.triad.star": False}


def test_a_kind_that_nobody_knows_has_names() -> None:
    record = suite_record(stream({"triad": [1e10]}))
    record.kind = "unknown"
    assert names(record) == {"unknown.stream.triad.star": False}
