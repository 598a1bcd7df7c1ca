"""The statements of a wrapper, the same for C and Fortran."""

from __future__ import annotations

from typing import TYPE_CHECKING

from listed_calls import CHANGING
from record_fields import field_code
from requests_of_calls import requests_of_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from languages import InC, InFortran
    from listed_calls import Call

COMPLETING = ("receive", "sendrecv", "mreceive", "wait")
# No process leaves one before all came: after some of them clocks are compared.
SYNCHRONIZING = frozenset({"Barrier", "Allreduce", "Alltoall", "Allgather"})
# What a call that may get nothing counts as, where such calls are only counted.
MISSES = {
    "Iprobe": "iprobe", "Improbe": "improbe", "Request_get_status": "request_get_status", "Test": "test",
    "Testall": "test", "Testany": "test", "Testsome": "test",
}  # fmt: skip


def arguments(call: Call, count: int) -> list[str]:
    """The arguments that the real call gets."""
    given = [f"a{i}" for i in range(count)]
    for word in ("status", "statuses"):
        position = call.at(word)
        if position is not None:
            given[position] = "status" if call.kind != "wait" else "completed.statuses()"
    return given


def body(call: Call, language: InC | InFortran, invoke: str, code: str) -> list[str]:
    """The statements of a wrapper around the real call, which sets `code`."""
    kept, done = requests_of_call(call, language)
    comm, made = call.at("comm"), call.at("newcomm")
    return [
        f"Scope call(log::CallIndex::{call.name});",
        *_before(call, language),
        *_own_status(call, language),
        kept,
        f"{invoke};",
        "call.stop();",
        _failure(call, code),
        *_miss(call, language),
        "else if (call.recorded()) {",
        f"if ({code} != MPI_SUCCESS) {{ completed.fail(); }}" if call.kind == "wait" else "",
        done,
        *_communicator(call, language),
        f"const std::uint64_t made = {_learn(call, language)};" if made is not None else "",
        *_expectations(call, language),
        "if (Record record = call.leave()) {",
        *field_code(call, language),
        "call.commit(record);",
        "}",
        "}",
        f"after_synchronizing(call, {language.value(comm)});"
        if comm is not None and call.name in SYNCHRONIZING
        else "",
    ]


def _before(call: Call, language: InC | InFortran) -> Iterator[str]:
    """What is to be read before the call changes it; `status` may be another than the caller's."""
    freed = call.at("freedcomm")
    if freed is not None:
        release = f"release_communicator({language.value(freed)})"
        yield f"const std::uint64_t freed = call.recorded() ? {release} : 0;"
    for word in CHANGING:
        position = call.at(word)
        if position is not None and call.is_read_before(word):
            yield f"const auto {word} = {language.value(position)};"


def _own_status(call: Call, language: InC | InFortran) -> Iterator[str]:
    position = call.at("status")
    if position is None or call.kind == "wait":
        return
    words = _wildcard_tests(call, language)
    yield f"const bool wildcards = {' || '.join(words) or 'false'};"
    yield "MPI_Status own;"
    offered = language.status(position)
    yield f"MPI_Status* const status = wildcards ? status_or(own, {offered}) : {offered};"


def _wildcard_tests(call: Call, language: InC | InFortran) -> list[str]:
    """Whether the program leaves open what a call receives."""
    tests = {"source": "is_any_source", "tag": "is_any_tag", "rtag": "is_any_tag"}
    found = ((test, call.at(word)) for word, test in tests.items())
    return [f"{test}({language.value(at)})" for test, at in found if at is not None]


def _failure(call: Call, code: str) -> str:
    """A message that is too long for its buffer is received all the same."""
    failed = f"{code} != MPI_SUCCESS"
    if call.kind in COMPLETING:
        failed += f" && !has_received({code})"
    return f"if (call.recorded() && {failed}) {{ call.leave_failed(); }}"


def _miss(call: Call, language: InC | InFortran) -> Iterator[str]:
    """A call that got nothing has no record of its own where these are only counted."""
    kind, flag, outcount = MISSES.get(call.name), call.at("flag"), call.at("outcount")
    got = flag if flag is not None else outcount
    if kind is not None and got is not None:
        missed = f"{language.value(got)} == 0"
        yield f"else if (call.recorded() && {missed} && call.is_only_counted(log::Miss::{kind})) {{}}"


def _communicator(call: Call, language: InC | InFortran) -> Iterator[str]:
    """What is asked of the communicator of a call, and no more: an MPI may fail to answer."""
    comm = call.at("comm")
    if comm is not None:
        yield f"const Communicator at = communicator({language.value(comm)});"
        if any(mark in one for one in call.parameters for mark in "<>"):
            yield f"const Neighbours near = neighbours({language.value(comm)});"


def _learn(call: Call, language: InC | InFortran) -> str:
    """The number of the communicator that a call returns."""
    comm, made = call.at("comm"), call.at("newcomm")
    assert made is not None, call.name
    if call.kind == "idup" and comm is not None:
        return f"define_duplicate({language.value(comm)}, {language.value(made)})"
    learn = "known_communicator" if call.name == "Comm_get_parent" else "define_communicator"
    return f"{learn}({language.value(made)})"


def _expectations(call: Call, language: InC | InFortran) -> Iterator[str]:
    """What later calls have to ask for."""
    if call.kind in ("ireceive", "isendrecv", "receive_init"):
        words = _wildcard_tests(call, language)
        yield f"if ({' || '.join(words)}) expect_wildcards();"
    if call.kind == "cancel":
        yield "expect_cancels();"
