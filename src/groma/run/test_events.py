"""Whatever a program writes becomes samples, or says why it does not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.run.events import ENDINGS, collect_samples
from scripted import BEGIN, END, ROUND, sample

KEYS = st.sampled_from(
    ["event", "case", "round", "value", "cases", "parameters", "seed", "elapsed", "ended", "what"]
)


def test_samples_are_collected_per_case_in_the_order_of_rounds() -> None:
    seen: list[int] = []
    lines = [BEGIN, sample(1, "2.5"), sample(0, "1.5"), ROUND, sample(0, "3.5"), END]
    samples = collect_samples("p", lines, lambda so_far: seen.append(len(so_far.rounds)))
    assert samples.values == [[1.5, 3.5], [2.5]]
    assert samples.rounds[0].wall_over_cpu == 1.25
    assert (samples.seed, samples.parameters, samples.ended) == (3, {"rounds": "2"}, "stable")
    assert seen == [1]


def test_a_value_that_is_not_finite_is_left_out() -> None:
    assert collect_samples("p", [BEGIN, sample(0, "null"), sample(0, "1.0"), END]).values[0] == [1.0]


@pytest.mark.parametrize(
    "line", [b'{"event":"sam', b"Segmentation fault", sample(9, "1"), sample(-1, "1"), b"[]"]
)
def test_a_foreign_line_keeps_what_came_before(line: bytes) -> None:
    samples = collect_samples("p", [BEGIN, sample(0, "1.0"), line, sample(0, "2.0"), END])
    assert samples.values[0] == [1.0]
    assert not samples.done
    assert samples.error is not None
    assert samples.error.code == "probe.protocol"


EVENT_LINES = st.one_of(
    st.binary(max_size=80),
    st.sampled_from([BEGIN, sample(0, "1.0"), sample(1, "null"), sample(2, "1"), ROUND, END, END[:-3]]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode()),
)


@given(st.lists(EVENT_LINES, max_size=12))
def test_no_output_of_a_program_breaks_the_collection(lines: list[bytes]) -> None:
    samples = collect_samples("p", lines)
    assert len(samples.values) == len(samples.cases)
    assert samples.ended in ENDINGS | {"failed"}
    assert all(isinstance(value, float) for values in samples.values for value in values)


def test_an_event_of_a_later_version_is_passed_over() -> None:
    assert collect_samples("p", [BEGIN, b'{"event":"hint","text":"x"}', sample(0, "1.0"), END]).done


def test_a_failed_line_becomes_advice() -> None:
    samples = collect_samples(
        "p", [b'{"event":"failed","code":"probe.needs_cores","what":"one core","next":"use two"}']
    )
    assert samples.error is not None
    assert (samples.ended, samples.error.next) == ("failed", "use two")


@pytest.mark.parametrize(
    "line",
    [
        b'{"event":"failed","what":"a\xe5b"}\n',
        b'{"event":"begin","cases":[{"size_bytes":{}}]}\n',
        b'{"event":"begin","cases":[{"size_bytes":1},{"size_bytes":[]}]}\n',
        b'{"event":"begin","cases":' + b"[" * 20_000 + b"\n",
    ],
    ids=["not UTF-8", "a label that is an object", "a label of two types", "nested without end"],
)
def test_a_line_that_no_program_writes_ends_the_probe_as_failed(line: bytes) -> None:
    samples = collect_samples("clock", [line])
    assert samples.ended == "failed"
    assert samples.error is not None
    assert "not an event" in samples.error.what


def test_labels_may_be_lists_of_cores_or_missing_in_some_cases() -> None:
    cases = b'[{"cores":[0,1],"read_fraction":null},{"cores":[],"read_fraction":1},{"read_fraction":0.5}]'
    samples = collect_samples("memory_bandwidth", [b'{"event":"begin","cases":' + cases + b"}\n"])
    assert samples.error is None
    assert [case.get("cores") for case in samples.cases] == [[0, 1], [], None]
