"""generate.py table LIST OUT | generate.py wrappers LIST HEADER OUT: what tracer and merge know of the calls.

LIST is mpi_calls.txt. `table` writes a line GROMA_MPI_CALL(...) for each call. `wrappers` writes the wrappers
of the calls that HEADER, a preprocessed mpi.h, declares. What they use is in tracer/wrapping.hpp.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE_COUNT = 1000
# In the order in which a record holds them (log/calls.hpp has the same list).
FIELDS = (
    "send_bytes", "destination", "send_tag", "receive_bytes", "source", "receive_tag", "bytes", "target",
    "root", "communicator", "new_communicator", "request", "message", "flag",
)  # fmt: skip
RECEIVED = "receive_bytes"
SENDS = ("send", "isend", "send_init", "partitioned_send_init")
RECEIVES = ("receive", "ireceive", "receive_init", "partitioned_receive_init", "probe", "mprobe", "mreceive",
            "imreceive")  # fmt: skip
COMPLETING = ("receive", "sendrecv", "mreceive", "wait")
MATCHED_RECEIVES = ("mreceive", "imreceive")
# The calls that may change a handle before it is recorded.
CHANGING = {"request": ("start", "cancel", "request_free", "partition"), "message": MATCHED_RECEIVES}
# No process leaves one before all came: after some of them clocks are compared.
SYNCHRONIZING = frozenset({"Barrier", "Allreduce", "Alltoall", "Allgather"})
BY_HAND = {"init", "finalize", "abort", "session", "control"}
# What a call that may get nothing counts as, where such calls are only counted.
MISSES = {
    "Iprobe": "iprobe", "Improbe": "improbe", "Request_get_status": "request_get_status", "Test": "test",
    "Testall": "test", "Testany": "test", "Testsome": "test",
}  # fmt: skip
WIDE = "std::uintptr_t"
HANDLES = frozenset({
    "MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_Group", "MPI_Info", "MPI_Message", "MPI_Op",
    "MPI_Request", "MPI_Session", "MPI_Win",
})  # fmt: skip
DIRECT = {  # the parameter of a field that is recorded as it is
    "dest": "destination", "source": "source", "stag": "send_tag", "rtag": "receive_tag", "target": "target",
    "root": "root", "comm": "communicator", "newcomm": "new_communicator", "freedcomm": "communicator",
    "request": "request", "message": "message", "flag": "flag",
}  # fmt: skip


def word_of(parameter: str) -> str:
    """A parameter without what follows its name."""
    return re.sub("[^a-z].*", "", parameter)


@dataclass(frozen=True)
class Call:
    """A call of the list."""

    name: str
    value: int
    kind: str
    family: str
    state: str
    parameters: tuple[str, ...]

    @property
    def large(self) -> bool:
        return self.name.endswith("_c")

    def at(self, name: str) -> int | None:
        """The position of a parameter, whatever its suffix."""
        return next((i for i, one in enumerate(self.parameters) if word_of(one) == name), None)

    def is_read_before(self, word: str) -> bool:
        """Whether a handle is read before the call, into a variable of its name."""
        return self.at(word) is not None and self.kind in CHANGING.get(word, ())

    def side(self) -> str:
        """What a count without a side counts."""
        if self.kind in SENDS or self.kind in ("sendrecv", "isendrecv"):
            return "send_bytes"
        return "receive_bytes" if self.kind in RECEIVES else "bytes"

    def field_of(self, parameter: str) -> str | None:
        """The field that a parameter makes."""
        word = word_of(parameter)
        if word == "tag":
            return "send_tag" if self.kind in SENDS else "receive_tag"
        if word == "request" and self.kind == "wait":
            return None
        if word == "type" and self.at("count") is None:
            return self.side()
        if "@" in parameter:
            return "send_bytes"
        counts = {"count": self.side(), "scount": "send_bytes", "rcount": "receive_bytes"}
        return counts.get(word) or DIRECT.get(word)

    def fields(self) -> list[tuple[str, int]]:
        """The fields of its record with the parameters they come from, in the order of the record."""
        made = {self.field_of(one): i for i, one in enumerate(self.parameters)}
        made |= dict.fromkeys((RECEIVED for one in self.parameters if "@" in one), made.get("send_bytes", 0))
        return [(field, made[field]) for field in FIELDS if field in made]


def calls(listed: str) -> Iterator[Call]:
    """The calls of the list, each followed by its large-count variant."""
    section = ("", "", "")
    for line in listed.splitlines():
        if line.startswith("["):
            kind, family, state = line.strip("[]").split()
            section = (kind, family, state)
        elif line and not line.startswith("#"):
            head, _, parameters = line.partition(":")
            name, value = head.split()
            call = Call(name, int(value), *section, tuple(parameters.split()))
            yield call
            if any(re.match("[sr]?count|large", one) for one in call.parameters):
                yield Call(f"{name}_c", int(value) + LARGE_COUNT, *section, call.parameters)


def table(listed: str) -> str:
    rows = []
    for call in calls(listed):
        fields = " | ".join(f"field_bit(Field::{field})" for field, _ in call.fields()) or "0U"
        rows.append(
            f"GROMA_MPI_CALL({call.name}, {call.value}, {call.family}, {call.state}, {call.kind}, {fields})"
        )
    return "\n".join(rows) + "\n"


@dataclass(frozen=True)
class Prototype:
    """A function of mpi.h: its result and the types of its parameters."""

    result: str
    types: tuple[str, ...]


def prototypes(header: str) -> dict[str, Prototype]:
    """The functions MPI_* of a preprocessed header."""
    text = re.sub(r"^#.*$", "", header, flags=re.MULTILINE)
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", " ".join(text.split()))
    found = {}
    for result, name, parameters in re.findall(r"(\w+) MPI_(\w+)\(([^;{}]*?)\)\s*(?=[;_])", text):
        types = [_type_of(one) for one in _split(parameters)]
        found[name] = Prototype(result, () if types in (["void"], [""]) else tuple(types))
    return found


def _split(parameters: str) -> list[str]:
    return [one.strip() for one in re.split(r",(?![^()]*\))", parameters)]


def _type_of(parameter: str) -> str:
    """The type of a parameter without its name, arrays as pointers."""
    if "(" in parameter:
        return parameter  # a function: none of the listed calls has one
    arrays = re.findall(r"\[[^\]]*\]", parameter)
    words = re.sub(r"\[[^\]]*\]", "", parameter)
    if not re.fullmatch(r"void|[\w ]*\*", words.strip()):
        words = re.sub(r"\b\w+$", "", words.strip()) or words
    inner = "".join(f"(*){one}" if i else "*" for i, one in enumerate(arrays[:1]))
    rest = arrays[1:]
    return words.strip() + ("(*)" + "".join(rest) if rest else inner)


class Language(ABC):
    """How a wrapper reads an argument."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def word(self, position: int) -> str:
        return word_of(self.call.parameters[position])

    @abstractmethod
    def value(self, position: int) -> str:
        """The C++ expression for the argument."""

    def handle(self, position: int) -> str:
        """What the program gave, also where the call changes it."""
        word = self.word(position)
        return word if self.call.is_read_before(word) else self.value(position)


class InC(Language):
    def value(self, position: int) -> str:
        pointed = {"request", "newcomm", "freedcomm", "message", "flag", "index", "outcount"}
        by_value = (
            {"partitions"} if self.word(position) == "request" and self.call.kind == "partition" else pointed
        )
        return f"*a{position}" if self.word(position) in by_value else f"a{position}"

    def index(self, position: int) -> str:
        return self.value(position)

    def indices(self, position: int) -> str:
        return self.array(position)

    def status(self, position: int) -> str:
        return f"a{position}"

    def array(self, position: int) -> str:
        return f"a{position}"

    def in_place(self, position: int) -> str:
        return f"a{position} == MPI_IN_PLACE"


class InFortran(Language):
    """All arguments are addresses, handles are integers."""

    HANDLES: ClassVar = {
        **dict.fromkeys(("comm", "newcomm", "freedcomm"), "communicator_of"),
        **dict.fromkeys(("type", "stype", "rtype"), "type_of"),
        "request": "request_of",
        "message": "message_of",
    }

    def __init__(self, call: Call, suffix: str) -> None:
        super().__init__(call)
        self.suffix = suffix

    def value(self, position: int) -> str:
        word = self.word(position)
        if word in self.HANDLES:
            return f"{self.HANDLES[word]}(integer(a{position}))"
        return f"{'count' if self.call.large and 'count' in word else 'integer'}(a{position})"

    def index(self, position: int) -> str:
        return f"{self.value(position)} - fortran_first_index()"

    def indices(self, position: int) -> str:
        return f"FortranIndices{{integers(a{position})}}"

    def status(self, position: int) -> str:
        return f"fortran_status(a{position})"

    def array(self, position: int) -> str:
        word = self.word(position)
        if word in self.HANDLES:
            return f"FortranTypes{{integers(a{position})}}"
        if word == "requests":
            return f"FortranRequests{{integers(a{position})}}"
        return f"{'counts' if self.call.large and 'count' in word else 'integers'}(a{position})"

    def in_place(self, position: int) -> str:
        # A buffer is a descriptor where Fortran's interface is that of TS 29113.
        return f"fortran_in_place({'described' if 'ts' in self.suffix else ''}(a{position}))"


def bytes_of(call: Call, language: InC | InFortran, count: int, side: str) -> str:
    """The number of bytes of one side of a call."""
    suffix = _suffix(call, count, side)
    conditions = _void_unless(call, language, suffix, side)
    amount = _amount(call, language, count, side)
    return f"({' && '.join([*conditions, 'true'])}) ? {amount} : {_in_place(call, language, count, side)}"


def _bytes_field(call: Call, language: InC | InFortran, field: str, count: int) -> str:
    if field == RECEIVED and "@" in call.parameters[count]:
        return _own_part(call, language, count, "")
    side = language.word(count)[0]
    return bytes_of(call, language, count, side if side in "sr" else "")


def _suffix(call: Call, count: int, side: str) -> str:
    return call.parameters[count].removeprefix(f"{side}count")


def _typed(call: Call, language: InC | InFortran, side: str) -> str:
    typed = call.at(f"{side}type")
    assert typed is not None, call.name
    return language.array(typed) if "+" in call.parameters[typed] else language.value(typed)


def _amount(call: Call, language: InC | InFortran, count: int, side: str) -> str:
    types = _typed(call, language, side)
    if word_of(call.parameters[count]) == f"{side}type":
        return f"size_of({types})"
    suffix = _suffix(call, count, side)
    neighbours = "destinations" if ">" in suffix else "sources" if "<" in suffix else ""
    if "+" in suffix:
        several = f"near.{neighbours}, near.absent" if neighbours else f"at.{_group(suffix)}"
        made = f"bytes_of({language.array(count)}, Several{{{several}}}, {types})"
    else:
        made = f"bytes_of({language.value(count)}, {types})"
        if neighbours:
            made += f" * near.present(near.{neighbours})"
        elif "*" in suffix:
            made += f" * static_cast<std::uint64_t>(at.{_group(suffix)})"
    partitions = call.at("partitions")
    if partitions is not None:
        made += f" * static_cast<std::uint64_t>({language.value(partitions)})"
    return made


def _group(suffix: str) -> str:
    """Whose counts these are: between two groups, what is scattered among the own one is counted for it."""
    return "members" if "@" in suffix else "processes"


def _own_part(call: Call, language: InC | InFortran, count: int, side: str) -> str:
    """Of counts for all processes, what this one has."""
    is_array = "+" in _suffix(call, count, side)
    own = f"{language.array(count)}[at.rank]" if is_array else language.value(count)
    return f"bytes_of({own}, {_typed(call, language, side)})"


def _in_place(call: Call, language: InC | InFortran, count: int, side: str) -> str:
    """What a process sends of the buffer in which it receives; 0 where counts are void for other reasons."""
    received = call.at("rcount")
    if side != "s" or call.at("sbuf") is None or call.at("root") is not None or received is None:
        return "0"
    to_each = set(_suffix(call, count, side)) & set("*+")
    return (_amount if to_each else _own_part)(call, language, received, "r")


def _void_unless(call: Call, language: InC | InFortran, suffix: str, side: str) -> list[str]:
    conditions = []
    buffer = call.at(f"{side}buf") if side else None
    if buffer is not None:
        conditions.append(f"!({language.in_place(buffer)})")
    root = call.at("root")
    if root is not None:
        test = "is_root" if "/root" in suffix else "has_share" if side else "takes_part"
        conditions.append(f"at.{test}({language.value(root)})")
    return conditions


def field_code(call: Call, language: InC | InFortran) -> Iterator[str]:
    """Statements that put the fields of a call into its record."""
    status, flag = call.at("status"), call.at("flag")
    from_status = "wildcards" if flag is None else f"wildcards && {language.value(flag)} != 0"
    for field, position in call.fields():
        word = language.word(position)
        if field in ("send_bytes", "receive_bytes", "bytes"):
            yield f"record.put({_bytes_field(call, language, field, position)});"
        elif field in ("source", "receive_tag") and status is not None and call.kind != "wait":
            member = "source" if field == "source" else "tag"
            actual = f"status->MPI_{member.upper()}"
            yield f"record.{member}({from_status} ? {actual} : {language.value(position)});"
        elif field in ("destination", "source", "target", "root"):
            yield f"record.{'root' if field == 'root' else 'source'}({language.value(position)});"
        elif field in ("send_tag", "receive_tag"):
            yield f"record.tag({language.value(position)});"
        elif word == "comm":
            yield "record.put(at.id);"
        elif word == "newcomm":
            yield "record.put(made);"
        elif word == "freedcomm":
            yield "record.put(freed);"
        elif word in ("request", "message"):
            yield f"record.handle(bits({language.handle(position)}));"
        else:
            yield f"record.put({language.value(position)} != 0 ? 1 : 0);"


def before(call: Call, language: InC | InFortran) -> Iterator[str]:
    """What is to be read before the call changes it; `status` may be another than the caller's."""
    freed = call.at("freedcomm")
    if freed is not None:
        release = f"release_communicator({language.value(freed)})"
        yield f"const std::uint64_t freed = call.recorded() ? {release} : 0;"
    for word in CHANGING:
        position = call.at(word)
        if position is not None and call.is_read_before(word):
            yield f"const auto {word} = {language.value(position)};"


def requests_of_call(call: Call, language: InC | InFortran) -> tuple[str, str]:
    """The statements before and after a call that starts, waits for or tests requests: none for others."""
    if call.kind == "wait":
        return _kept_to_complete(call, language), _completed(call, language)
    n, requests = call.at("n"), call.at("requests")
    if n is None or requests is None:
        return "", ""
    given = f"{language.value(n)}, {language.array(requests)}"
    return f"StartedRequests started(call, {given});", "started.all();"


def _kept_to_complete(call: Call, language: InC | InFortran) -> str:
    several, status, single = call.at("statuses"), call.at("status"), call.at("request")
    offered = several if several is not None else status
    assert offered is not None, call.name
    if single is not None:
        return f"CompletedRequests completed(call, {language.value(single)}, {language.status(offered)});"
    n, requests = call.at("n"), call.at("requests")
    assert n is not None, call.name
    assert requests is not None, call.name
    of = "StatusOf::each" if several is not None else "StatusOf::one"
    given = f"{language.value(n)}, {language.array(requests)}, {language.status(offered)}, {of}"
    return f"CompletedRequests completed(call, {given});"


def _completed(call: Call, language: InC | InFortran) -> str:
    flag, index, outcount, indices = (call.at(w) for w in ("flag", "index", "outcount", "indices"))
    if indices is not None and outcount is not None:
        done = f"completed.some({language.value(outcount)}, {language.indices(indices)});"
    elif index is not None:
        done = f"completed.one({language.index(index)});"
    else:
        done = "completed.all();"
    return done if flag is None else f"if ({language.value(flag)} != 0) {{ {done} }}"


def arguments(call: Call, count: int) -> list[str]:
    """The arguments that the real call gets."""
    given = [f"a{i}" for i in range(count)]
    for word in ("status", "statuses"):
        position = call.at(word)
        if position is not None:
            given[position] = "status" if call.kind != "wait" else "completed.statuses()"
    return given


def _wildcard_tests(call: Call, language: InC | InFortran) -> list[str]:
    """Whether the program leaves open what a call receives."""
    tests = {"source": "is_any_source", "tag": "is_any_tag", "rtag": "is_any_tag"}
    found = ((test, call.at(word)) for word, test in tests.items())
    return [f"{test}({language.value(at)})" for test, at in found if at is not None]


def own_status(call: Call, language: InC | InFortran) -> Iterator[str]:
    position = call.at("status")
    if position is None or call.kind == "wait":
        return
    words = _wildcard_tests(call, language)
    yield f"const bool wildcards = {' || '.join(words) or 'false'};"
    yield "MPI_Status own;"
    offered = language.status(position)
    yield f"MPI_Status* const status = wildcards ? status_or(own, {offered}) : {offered};"


def body(call: Call, language: InC | InFortran, invoke: str, code: str) -> list[str]:
    """The statements of a wrapper around the real call, which sets `code`."""
    kept, done = requests_of_call(call, language)
    comm, made = call.at("comm"), call.at("newcomm")
    return [
        f"Scope call(log::CallIndex::{call.name});",
        *before(call, language),
        *own_status(call, language),
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


def _failure(call: Call, code: str) -> str:
    """A message that is too long for its buffer is received all the same."""
    failed = f"{code} != MPI_SUCCESS"
    if call.kind in COMPLETING:
        failed += f" && !has_received({code})"
    return f"if (call.recorded() && {failed}) {{ call.leave_failed(); }}"


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


def _miss(call: Call, language: InC | InFortran) -> Iterator[str]:
    """A call that got nothing has no record of its own where these are only counted."""
    kind, flag, outcount = MISSES.get(call.name), call.at("flag"), call.at("outcount")
    got = flag if flag is not None else outcount
    if kind is not None and got is not None:
        missed = f"{language.value(got)} == 0"
        yield f"else if (call.recorded() && {missed} && call.is_only_counted(log::Miss::{kind})) {{}}"


def _expectations(call: Call, language: InC | InFortran) -> Iterator[str]:
    """What later calls have to ask for."""
    if call.kind in ("ireceive", "isendrecv", "receive_init"):
        words = _wildcard_tests(call, language)
        yield f"if ({' || '.join(words)}) expect_wildcards();"
    if call.kind == "cancel":
        yield "expect_cancels();"


def c_wrapper(call: Call, prototype: Prototype) -> str:
    """Handles pass with all bits that came: the program may have opened an MPI where they are addresses."""
    wide = [_wide(kind) for kind in prototype.types]
    names = [f"{kind} {'w' if kind == WIDE else 'a'}{i}" for i, kind in enumerate(wide)]
    names = [re.sub(r"^(.*)\(\*\)(\[.*\]) (a\d+)$", r"\1(*\3)\2", one) for one in names]
    given = [
        f"w{i}" if kind == WIDE else one
        for i, (kind, one) in enumerate(zip(wide, arguments(call, len(wide)), strict=True))
    ]
    narrow = [
        f"[[maybe_unused]] const auto a{i} = narrow<{prototype.types[i]}>(w{i});"
        for i, kind in enumerate(wide)
        if kind == WIDE
    ]
    invoke = f'WRAPPED("MPI_{call.name}", int (*)({", ".join(wide)}))({", ".join(given)})'
    lines = [*narrow, *body(call, InC(call), f"const int result = {invoke}", "result")]
    head = f"GROMA_TRACE_EXPORT int wrapper_of_{call.name}({', '.join(names)})"
    return (
        f'{head} __asm__("MPI_{call.name}");\n{head} {{\n'
        + "\n".join(filter(None, lines))
        + "\nreturn result;\n}\n"
    )


def _wide(kind: str) -> str:
    return WIDE if kind in HANDLES else kind


def fortran_wrapper(call: Call, prototype: Prototype, suffix: str) -> str:
    """`mpi_name_` and `mpi_name_f08_`: all arguments by address, then the error, then lengths of texts.

    The large-count form of mpi_f08 has the plain name and a suffix of its own.
    """
    count = len(prototype.types)
    texts = sum("char" in kind for kind in prototype.types)
    symbol = f"mpi_{call.name.lower().removesuffix('_c')}{suffix}"
    names = (
        [f"void* a{i}" for i in range(count)] + ["int* error"] + [f"std::size_t l{i}" for i in range(texts)]
    )
    types = ", ".join(["void*"] * count + ["int*"] + ["std::size_t"] * texts)
    given = [one if one.startswith("a") else f"fortran_address({one})" for one in arguments(call, count)]
    given += ["&code"] + [f"l{i}" for i in range(texts)]
    invoke = f'FORTRAN_REAL("{symbol}", void (*)({types}))({", ".join(given)})'
    lines = body(call, InFortran(call, suffix), invoke, "code")
    return (
        f"GROMA_TRACE_EXPORT void {symbol}({', '.join(names)}) {{\nint code = MPI_SUCCESS;\n"
        + "\n".join(filter(None, lines))
        + "\nif (error != nullptr) *error = code;\n}\n"
    )


class Suffixes(NamedTuple):
    """Of the names of Fortran's functions, those for large counts apart. `ts` stands for buffers that come in
    descriptors (TS 29113).
    """

    usual: tuple[str, ...]
    large: tuple[str, ...]


def fortran_suffixes(header: str, *, has_large_counts: bool) -> Suffixes:
    """Open MPI's Fortran calls its C by internal names, MPICH's mpi_f08 by those of the profiling interface.
    MPICH's other interfaces call the C that is wrapped.
    """
    if "ompi_communicator_t" not in header:
        return Suffixes(("_f08_", "_f08ts_"), ("_f08_large_", "_f08ts_large_"))
    if has_large_counts:  # Open MPI 6
        return Suffixes(("_", "_f08_", "_f08ts_"), ("_c_f08_", "_c_f08ts_"))
    return Suffixes(("_", "_f08_"), ())


def wrappers(listed: str, header: str) -> str:
    declared = prototypes(header)
    suffixes = fortran_suffixes(header, has_large_counts="Send_c" in declared)
    made = [
        "// Made by generate.py.",
        '#include "trace/tracer/wrapping.hpp"',
        "",
        "using namespace groma::trace;  // NOLINT",
        "",
    ]
    for call in calls(listed):
        prototype = declared.get(call.name)
        if prototype is None or call.kind in BY_HAND:
            continue
        if len(prototype.types) != len(call.parameters):
            raise SystemExit(
                f"MPI_{call.name}: mpi.h has {len(prototype.types)} parameters, not {len(call.parameters)}"
            )
        made.append(c_wrapper(call, prototype))
        of_fortran = suffixes.large if call.large else suffixes.usual
        made += [fortran_wrapper(call, prototype, suffix) for suffix in of_fortran]
    return "\n".join(made)


def main() -> None:
    """Writes what is asked for."""
    what, listed, *rest = sys.argv[1:]
    text = Path(listed).read_text(encoding="utf-8")
    made = table(text) if what == "table" else wrappers(text, Path(rest[0]).read_text(encoding="utf-8"))
    Path(rest[-1]).write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
