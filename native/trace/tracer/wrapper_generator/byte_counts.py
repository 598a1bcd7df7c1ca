"""The bytes that a call sends and receives, as expressions of C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

from listed_calls import RECEIVED, word_of

if TYPE_CHECKING:
    from languages import InC, InFortran
    from listed_calls import Call


def bytes_field(call: Call, language: InC | InFortran, field: str, count: int) -> str:
    if field == RECEIVED and "@" in call.parameters[count]:
        return _own_part(call, language, count, "")
    side = language.word(count)[0]
    return _bytes_of(call, language, count, side if side in "sr" else "")


def _bytes_of(call: Call, language: InC | InFortran, count: int, side: str) -> str:
    """The number of bytes of one side of a call."""
    suffix = _suffix(call, count, side)
    conditions = _void_unless(call, language, suffix, side)
    amount = _amount(call, language, count, side)
    return f"({' && '.join([*conditions, 'true'])}) ? {amount} : {_in_place(call, language, count, side)}"


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
