"""Why a launch ended: what launchers and programs said of it, put into one line. Pure.

What they really say is recorded in tests/data/launchers.
"""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_SHOWN = 200
"""Characters of one cause."""

LONGEST_LINE = 4096
"""Bytes of one line that are kept: a cause needs no more, and a program may print without an end of line."""


class Process(msgspec.Struct, frozen=True):
    """Where a rank runs, as it reports itself: MPICH names processes only. 0 is no `pid`."""

    rank: int
    host: str
    pid: int = 0


def cause_of(said: Sequence[str], processes: Sequence[Process] = ()) -> str:
    """What says best why a job ended; "" where nothing does."""
    joined = " ".join(line.strip() for line in said)
    return _tidy(
        said_by_shell(said)
        or _first(_BEFORE, joined)
        or _death(joined, processes)
        or _first(_OF_LAUNCHER, joined)
        or next(_informative_blocks(said), "")
        or next(_of_hydra(said), "")
        or _last_informative(said)
    )


def said_by_shell(said: Sequence[str]) -> str:
    """What a remote shell said of a host that it did not reach; "" where nothing."""
    return next((_tidy(line) for line in said if _REMOTE_SHELL.match(line)), "")


def ending_of(returncode: int) -> str:
    """A return code in words; shells and launchers add 128 to the signal that ended a program."""
    if returncode == ExitCode.INTERRUPTED:  # of our own programs, whatever the signal was
        return "terminated"
    if returncode < 0 or 128 < returncode < 128 + 65:
        return f"signal {-returncode if returncode < 0 else returncode - 128}"
    return f"exit code {returncode}"


def _tidy(text: str) -> str:
    return " ".join(text.split())[:MOST_SHOWN]


# ---- what our own program said -----------------------------------------------------------------------------

_NOTE = "note: "


def said_by(program: str, complaints: Sequence[str]) -> tuple[str, str] | None:
    """The error that our own program reports on stderr: what is wrong and, in the next line, what to do."""
    for number, what in _reported(program, complaints):
        if not what.startswith(_NOTE):
            following = complaints[number + 1] if number + 1 < len(complaints) else ""
            return what, following.strip() if following.startswith("  ") else ""
    return None


def notes_by(program: str, complaints: Sequence[str]) -> tuple[str, ...]:
    """Its notes on stderr, which are no errors."""
    notes = (what for _, what in _reported(program, complaints) if what.startswith(_NOTE))
    return tuple(dict.fromkeys(what.removeprefix(_NOTE) for what in notes))


def _reported(program: str, complaints: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Lines of the form "program: what", numbered; a launcher may put a label of its own before them."""
    for number, line in enumerate(complaints):
        head, found, what = line.partition(f"{program}: ")
        if found and not _LABEL.sub("", head).strip():
            yield number, what.strip()


# "[1,0]<stderr>:" of Open MPI, "[0] " of Hydra, "0: " of srun.
_LABEL = re.compile(r"^\s*(?:\[\d+,\d+\]<std\w+>:?|\[\d+\]|\d+:)")


# ---- a rank that died --------------------------------------------------------------------------------------

_SIGNAL_NAMES = {name: number for number in range(1, 65) if (name := signal.strsignal(number))}
_NAME = "|".join(map(re.escape, _SIGNAL_NAMES))

# What ended one rank, first: the others are ended for its sake, and launchers tell of them as well. Searched
# in all lines joined, because launchers wrap theirs.
_DEATHS = tuple(
    re.compile(pattern)
    for pattern in (
        r"noticed that process rank (?P<rank>\d+) .{,200}?exited on signal (?P<signal>\d+)",
        r"= +RANK (?P<rank>\d+) PID \d+ RUNNING AT .{,200}?KILLED BY SIGNAL: (?P<signal>\d+)",
        r"= +RANK (?P<rank>\d+) PID \d+ RUNNING AT \S+ = +EXIT STATUS: (?P<code>\d+)",
        r"= +PID (?P<pid>\d+) RUNNING AT (?P<host>\S+) .{,500}?\(signal (?P<signal>\d+)\)",
        r"= +PID (?P<pid>\d+) RUNNING AT (?P<host>\S+) = +EXIT CODE: (?P<code>\d+)",
        rf"srun: error: \S+: tasks? (?P<rank>\d+)\S*: (?P<name>{_NAME})",
        r"srun: error: \S+: tasks? (?P<rank>\d+)\S*: (?P<memory>Out Of Memory)",
        r"srun: error: \S+: tasks? (?P<rank>\d+)\S*: Exited with exit code (?P<code>\d+)",
        r"Process name: \[\S+,(?P<rank>\d+)\] Exit code: +(?P<code>\d+)",
        r"MPI_ABORT was invoked on rank (?P<rank>\d+) .{,100}?with errorcode (?P<abort>-?\d+)",
        r"Abort\((?P<abort>-?\d+)\) on node \d+ \(rank (?P<rank>\d+) in comm \S+\): application called",
        r"Abort\(-?\d+\) on node \d+ \(rank (?P<rank>\d+) in comm \S+\): (?P<error>.{,150}?), error stack",
        r"reported by process \[\d+,(?P<rank>\d+)\].{,200}?\*\*\* (?P<error>MPI_ERR_\w+: [\w ]+)",
        # PALS, JSM, ALPS, the mpispawn of MVAPICH below ibrun.
        r": rank (?P<rank>\d+) died from signal (?P<signal>\d+)",
        r": rank (?P<rank>\d+) exited with code (?P<code>\d+)",
        r"\(first noticed rank (?P<rank>\d+)\) terminated with signal (?P<signal>\d+)",
        rf"PE RANK (?P<rank>\d+) exit signal (?P<name>{_NAME})",
        r"MPI process \(rank: (?P<rank>\d+), pid: \d+\) terminated with signal (?P<signal>\d+)",
        r"MPI process \(rank: (?P<rank>\d+), pid: \d+\) exited with status (?P<code>\d+)",
    )
)


def _death(joined: str, processes: Sequence[Process]) -> str:
    found = [match for pattern in _DEATHS if (match := pattern.search(joined))]
    if not found:
        return ""
    parts = min(found, key=re.Match.start).groupdict()
    return f"{_who(parts, processes)} {_how(parts)}"


def _who(parts: dict[str, str | None], processes: Sequence[Process]) -> str:
    rank = parts.get("rank")
    if rank is not None:
        return f"rank {rank}"
    pid, host = int(parts["pid"] or 0), parts["host"] or ""
    known = [one for one in processes if one.pid == pid]
    of_host = [one for one in known if one.host.partition(".")[0] == host.partition(".")[0]]
    who = of_host if len(of_host) == 1 else known
    return f"rank {who[0].rank}" if len(who) == 1 else f"process {pid} on {host}"


def _how(parts: dict[str, str | None]) -> str:
    name, number = parts.get("name"), parts.get("signal")
    if name is not None or number is not None:
        return _signalled(int(number) if number else _SIGNAL_NAMES[name or ""])
    if parts.get("memory"):
        return "ran out of memory"
    if parts.get("error"):
        return f"ended with {parts['error']}"
    code, abort = parts.get("code"), parts.get("abort")
    return f"called MPI_Abort({abort})" if code is None else _ended(int(code))


def _ended(code: int) -> str:
    if code == ExitCode.INTERRUPTED:  # of our own programs, where nobody here asked for it
        return "was ended from outside by a signal"
    return f"ended with exit code {code}"


def _signalled(number: int) -> str:
    return f"exited on signal {number} ({signal.strsignal(number) or 'unknown'})"


# ---- a launch that did not come about ----------------------------------------------------------------------

# What a remote shell says of a host that it does not reach: whole lines, which nobody wraps.
_REMOTE_SHELL = re.compile(r"ssh: |Host key verification failed|\S*Permission denied \(")

# Why ranks die or do not begin: launchers tell that they ended as well. Limits of a job and nodes that fail
# come first: they end ranks that did nothing wrong.
_BEFORE = tuple(
    re.compile(pattern)
    for pattern in (
        r"srun: error: (?P<cause>Node failure on \S+)",
        r"\*\*\* (?P<cause>(?:STEP|JOB) \S+ ON \S+ CANCELLED AT \S+ DUE TO [^*]+?) \*\*\*",
        r"slurmstepd: error: (?P<cause>[^*]{,80}?[Ee]xceeded (?:\w+ )?memory limit[^.;,]*)",
        r"=>> (?P<cause>PBS: job killed: \w+ \S+ exceeded limit \S+)",
        r"job\.exception (?:\S+ )?type=\w+ severity=0 (?P<cause>.+?)(?= [\d.]+s: | flux-\w+: |$)",
        r"Apid \d+: (?P<cause>OOM killer terminated this process)",
        r"(?P<cause>execvp error on file .*?\([^)]*\))",
        r"error: (?P<cause>execve\(\): .*?)(?= slurmstepd|$)",
        r"(?P<cause>was unable to launch the specified application .*?Executable: \S+)",
        r"(?P<cause>error while loading shared libraries: .*?No such file or directory)",
        r"(?P<cause>(?:[Oo]ut of memory: |oom-kill|Detected \d+ oom.kill|Cannot allocate memory)[^.;]*)",
    )
)

_OF_LAUNCHER = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<cause>srun: error: .*?)(?= srun: | slurmstepd|$)",
        r"(?P<cause>There are not enough slots available.*?)\s*:",
        r"Application \d+ (?P<cause>exit signals: [\w ]+?)(?= Application |$)",
        r"(?P<cause>Segmentation fault[^.]*)",
    )
)


def _first(patterns: Sequence[re.Pattern[str]], joined: str) -> str:
    """By the first pattern that finds anything."""
    return next((match["cause"] for one in patterns if (match := one.search(joined))), "")


_BANNER = re.compile(r"[-=*#]{10,}$")

# What Open MPI says after the cause.
_EMPTY_BLOCK = re.compile(
    r"Primary job|An internal error has occurred|\S+ detected that one or more processes"
)


def _informative_blocks(said: Sequence[str]) -> Iterator[str]:
    """The first thought of each block between lines of dashes, as Open MPI explains itself."""
    for block in _between_banners(said):
        text = _first_sentence(block)
        if text and not (_EMPTY_BLOCK.match(text) or _EMPTY_WORDS.match(text)):
            yield text


def _between_banners(said: Sequence[str]) -> Iterator[list[str]]:
    block: list[str] | None = None
    for line in said:
        if not _BANNER.match(line.strip()):
            if block is not None:
                block.append(line.strip())
        elif block:
            yield block
            block = None
        else:
            block = []


def _first_sentence(lines: Sequence[str]) -> str:
    """The first sentence of the first paragraph; where that ends in a colon, what follows it as well."""
    paragraphs = [" ".join(part.split()) for part in "\n".join(lines).split("\n\n") if part.strip()]
    if not paragraphs:
        return ""
    sentence = re.split(r"(?<=[a-z])\. ", paragraphs[0])[0].rstrip(".")
    if sentence.endswith(":") and len(paragraphs) > 1:
        return f"{sentence} {paragraphs[1]}"
    return sentence


_HYDRA = re.compile(r"\[(?:mpiexec|proxy:\S+)@\S+\] (?:\w+ \([^)]*\): )?(?P<what>.+)")


def _of_hydra(said: Sequence[str]) -> Iterator[str]:
    """The first complaint is the cause: each further function repeats that the one before it failed."""
    for line in said:
        match = _HYDRA.match(line.strip())
        if match:
            yield match["what"]


# Lines that say no more than that something went wrong, or where.
_EMPTY_WORDS = re.compile(
    r"[-=*#\s|]*$|Primary job|a non-zero exit code|thus causing the job|prterun detected|\[mpiexec@|\[proxy:"
    r"|=   |YOUR APPLICATION TERMINATED|This typically refers|Please see the FAQ|This is something that"
    r"|Type '.*' for usage|\d+ total processes|\[\S+:\d+\] (?:\*\*\*|\[|Signal|Failing|Set MCA|\d+ more)"
    r"|Application \d+ resources: |TACC: "
    r"|\s*\d+\s+\S+\(\S*\) \[|=+ ?backtrace|srun: (?:Job step aborted|forcing job|got SIG)|groma-\w+: note: "
)


def _last_informative(said: Sequence[str]) -> str:
    informative = [line for line in said if not _EMPTY_WORDS.match(line.strip())]
    return informative[-1] if informative else ""
