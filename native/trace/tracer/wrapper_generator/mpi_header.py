"""The functions that the header of an MPI declares."""

from __future__ import annotations

import re
from dataclasses import dataclass


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
