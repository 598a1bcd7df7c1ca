"""The expected failures of groma, each with what is wrong and what to do next."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """INTERNAL is a defect of groma itself (EX_SOFTWARE of sysexits), never a fault of machine or user."""

    OK = 0
    GATE_FAILED = 1
    USAGE = 2
    VALIDATION_FAILED = 3
    ENVIRONMENT = 4
    NOTHING_RAN = 5
    INTERNAL = 70
    INTERRUPTED = 130


class GromaError(Exception):
    """An expected failure: one line that says what is wrong, one that says what to do.

    `remarks` are lines to print after them, which are no part of the failure.
    """

    def __init__(
        self,
        what: str,
        next_step: str,
        exit_code: ExitCode = ExitCode.USAGE,
        remarks: tuple[str, ...] = (),
    ) -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step
        self.exit_code = exit_code
        self.remarks = remarks

    def saying(self, what: str, next_step: str) -> GromaError:
        """The same failure in other words."""
        return GromaError(what, next_step, self.exit_code, self.remarks)

    def __str__(self) -> str:
        return f"{self.what}: {self.next_step}" if self.next_step else self.what
