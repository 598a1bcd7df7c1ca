"""How wrappers read the arguments of C, and those of Fortran."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from listed_calls import word_of

if TYPE_CHECKING:
    from listed_calls import Call


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
